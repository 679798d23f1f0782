//! The answers of the policy.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use standing_orders_session::{InjectorId, SessionHeader};

use super::admission::{Admission, AdmissionRequest, Part, SessionPolicy};
use crate::budget::Budget;
use crate::panic::panic_message;

/// Which parts of the workspace the policy allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkspaceParts {
    pub(crate) user_global: bool,
    pub(crate) base: bool,
    pub(crate) local: bool,
    pub(crate) nested: bool,
    pub(crate) additional: bool,
}

/// An injector that asks to be admitted.
pub(crate) struct Applicant<'a> {
    pub(crate) injector: &'a InjectorId,
    /// Bytes a message that it asks for.
    pub(crate) max_bytes: Budget,
    /// Whether its own conditions admit the session.
    pub(crate) admits: bool,
    /// Whether it has files that only admitted sessions may see (I5).
    pub(crate) guards: bool,
}

/// The answers of the policy for one mode: asked once per instance and mode (I2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Admissions {
    pub(crate) mode: Option<Box<str>>,
    parts: WorkspaceParts,
    within: Option<NonZeroU64>,
    injectors: Vec<Admission>,
    /// By injector, whether a session is admitted by policy and by its own conditions; empty where
    /// no injector guards a file (I5).
    guards: Vec<bool>,
    /// The policy failed: nothing is known, so everything stands as it is.
    unknown: bool,
}

impl Admissions {
    /// Of a policy that could not say: nothing is looked at, and what is in view stays.
    pub(crate) fn unknown() -> Self {
        let parts = WorkspaceParts::default();
        Self { mode: None, parts, within: None, injectors: Vec::new(), guards: Vec::new(), unknown: true }
    }

    /// Asks the policy; the message of its panic, where it panics (C14). `max_bytes` is the workspace's budget.
    pub(crate) fn ask(
        policy: &dyn SessionPolicy,
        applicants: &[Applicant<'_>],
        max_bytes: Budget,
        header: &SessionHeader,
        mode: Option<&str>,
    ) -> Result<Self, String> {
        let answers = AssertUnwindSafe(|| Self::answers(policy, applicants, max_bytes, header, mode));
        catch_unwind(answers).map_err(|panic| panic_message(&*panic).to_owned())
    }

    fn answers(
        policy: &dyn SessionPolicy,
        applicants: &[Applicant<'_>],
        workspace_bytes: Budget,
        header: &SessionHeader,
        mode: Option<&str>,
    ) -> Self {
        let ask = |injector: &InjectorId, part, max_bytes| {
            policy.admit(&AdmissionRequest::new(header, injector, part, max_bytes).in_mode(mode))
        };
        let workspace = InjectorId::workspace();
        let mut within: Option<NonZeroU64> = None;
        let mut part = |part| {
            let answer = ask(&workspace, part, workspace_bytes);
            if let Admission::AllowWithin(bytes) = answer {
                within = Some(within.map_or(bytes, |known| known.min(bytes)));
            }
            answer.is_allowed()
        };
        let parts = WorkspaceParts {
            user_global: part(Part::UserGlobal),
            base: part(Part::Base),
            local: part(Part::Local),
            nested: part(Part::Nested),
            additional: part(Part::Additional),
        };
        let ask = |applicant: &Applicant<'_>| ask(applicant.injector, Part::Gated, applicant.max_bytes);
        let admitted: Vec<Admission> = applicants.iter().map(ask).collect();
        let guards = match applicants.iter().any(|applicant| applicant.guards) {
            false => Vec::new(),
            true => {
                let both = applicants.iter().zip(&admitted);
                both.map(|(applicant, admission)| applicant.admits && admission.is_allowed()).collect()
            }
        };
        Self { mode: mode.map(Box::from), parts, within, injectors: admitted, guards, unknown: false }
    }

    /// Whether the policy could not say.
    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// The workspace's budget, where its own is this.
    pub(crate) fn budget(&self, own: Budget) -> Budget {
        match (own, self.within) {
            (Budget::Off, _) | (_, None) => own,
            (Budget::Bytes(_), Some(within)) => Budget::Bytes(within),
        }
    }

    /// The workspace's budget and parts, unless it is off.
    pub(crate) fn workspace(&self, own: Budget) -> Option<(usize, WorkspaceParts)> {
        if self.unknown {
            return None;
        }
        Some((self.budget(own).limit()?, self.parts))
    }

    /// By injector, whether its guarded files are for this session; empty where all are (I5).
    pub(crate) fn guards(&self) -> &[bool] {
        if self.guards.iter().all(|admitted| *admitted) { &[] } else { &self.guards }
    }

    /// `None`: nothing is known.
    pub(crate) fn injector(&self, number: usize) -> Option<Admission> {
        (!self.unknown).then(|| self.injectors.get(number - 1).copied().unwrap_or(Admission::Deny))
    }
}
