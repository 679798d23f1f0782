//! What all sessions of an engine share: a leaf that engine, setup and pass look down to.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use standing_orders_session::{InjectorId, SessionHeader};

use crate::budget::Budget;
use crate::injector::Injector;
use crate::policy::{Admissions, Applicant, SessionPolicy};
use crate::settings::Settings;

pub(crate) struct Deployment {
    pub(crate) settings: Settings,
    pub(crate) workspace: InjectorId,
    pub(crate) injectors: Vec<Arc<dyn Injector>>,
    by_id: HashMap<InjectorId, usize>,
    policy: Arc<dyn SessionPolicy>,
    pub(crate) injector_timeout: Option<Duration>,
    /// The last answers of the policy: kept once, however many sessions were given them.
    admissions: Mutex<Option<Arc<Admissions>>>,
}

impl Deployment {
    pub(crate) fn new(
        settings: Settings,
        injectors: Vec<Arc<dyn Injector>>,
        policy: Arc<dyn SessionPolicy>,
        injector_timeout: Option<Duration>,
    ) -> Self {
        let by_id = injectors.iter().map(|injector| injector.id().clone()).zip(1..).collect();
        let workspace = InjectorId::workspace();
        let admissions = Mutex::default();
        Self { settings, workspace, injectors, by_id, policy, injector_timeout, admissions }
    }

    /// The injector with this number; 0 is the workspace.
    pub(crate) fn injector(&self, number: usize) -> Option<&InjectorId> {
        match number.checked_sub(1) {
            None => Some(&self.workspace),
            Some(at) => self.injectors.get(at).map(|injector| injector.id()),
        }
    }

    /// Whether an injector has rules folders.
    pub(crate) fn has_rules(&self) -> bool {
        self.injectors.iter().any(|injector| injector.rules().is_some())
    }

    /// Whether the injector is the workspace, or registered.
    pub(crate) fn knows(&self, id: &InjectorId) -> bool {
        id.is_workspace() || self.by_id.contains_key(id)
    }

    /// What the policy says of a session in this mode; the message of its panic, where it panics.
    pub(crate) fn admissions(
        &self,
        header: &SessionHeader,
        mode: Option<&str>,
    ) -> Result<Arc<Admissions>, String> {
        let applicants = self.injectors.iter().map(|injector| {
            // One that panics is reported when it is asked what it wants.
            let asked =
                catch_unwind(AssertUnwindSafe(|| (injector.max_bytes(), injector.admits(header, mode))));
            let (max_bytes, admits) = asked.unwrap_or((None, false));
            let max_bytes = max_bytes.map_or(self.settings.max_bytes, Budget::from_bytes);
            Applicant { injector: injector.id(), max_bytes, admits, guards: !injector.guarded().is_empty() }
        });
        let applicants: Vec<_> = applicants.collect();
        let answers = Admissions::ask(&*self.policy, &applicants, self.settings.max_bytes, header, mode)?;
        Ok(self.share(answers))
    }

    /// These answers, or the same ones that another session was given.
    fn share(&self, admissions: Admissions) -> Arc<Admissions> {
        let mut last = self.admissions.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| ***last == admissions) {
            Some(last) => last.clone(),
            None => last.insert(Arc::new(admissions)).clone(),
        }
    }
}

/// Injectors by their ids: they need not be able to show themselves.
impl fmt::Debug for Deployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, injectors, policy, injector_timeout, .. } = self;
        let ids: Vec<_> = injectors.iter().map(|injector| injector.id()).collect();
        f.debug_struct("Deployment")
            .field("settings", settings)
            .field("injectors", &ids)
            .field("policy", policy)
            .field("injector_timeout", injector_timeout)
            .finish()
    }
}
