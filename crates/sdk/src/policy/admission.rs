//! Who may see what.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use standing_orders_session::{InjectorId, SessionClass, SessionHeader};

use crate::budget::Budget;

/// Decides what a session may see (I2).
///
/// # Behavior
/// - Asked once per instance and part, and again whenever the host's mode changes; the answer
///   covers baseline, nested, restore and resume alike.
/// - It may narrow what an injector asks for; it cannot make one contribute.
/// - What is denied while it is in view is removed once, and then there is silence.
pub trait SessionPolicy: Send + Sync + fmt::Debug {
    /// The answer for one injector and part.
    fn admit(&self, request: &AdmissionRequest<'_>) -> Admission;
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AdmissionRequest<'a> {
    /// The session.
    pub header: &'a SessionHeader,
    /// Its class.
    pub class: SessionClass,
    /// The mode the host is in.
    pub mode: Option<&'a str>,
    /// Who contributes.
    pub injector: &'a InjectorId,
    /// Which part of it.
    pub part: Part,
    /// Bytes a message that it asks for.
    pub max_bytes: Budget,
}

impl<'a> AdmissionRequest<'a> {
    /// For this session, in no mode: for policies that ask others, and for their tests.
    pub fn new(header: &'a SessionHeader, injector: &'a InjectorId, part: Part, max_bytes: Budget) -> Self {
        Self { header, class: header.class(), mode: None, injector, part, max_bytes }
    }

    /// The same in this mode.
    #[must_use]
    pub fn in_mode(self, mode: impl Into<Option<&'a str>>) -> Self {
        Self { mode: mode.into(), ..self }
    }
}

/// Which part of an injector's contribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "config", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The user-global file.
    UserGlobal,
    /// Base files from root to cwd.
    Base,
    /// Local overlays from root to cwd.
    Local,
    /// Files found by touch.
    Nested,
    /// Additional directories (D13).
    Additional,
    /// Everything of an injector other than `workspace`.
    Gated,
}

/// As configuration names it.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UserGlobal => "user_global",
            Self::Base => "base",
            Self::Local => "local",
            Self::Nested => "nested",
            Self::Additional => "additional",
            Self::Gated => "gated",
        })
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// As it asks.
    Allow,
    /// Not at all.
    Deny,
    /// With this budget in place of its own. For `workspace`, whose parts share messages, the
    /// smallest of the budgets given for its parts counts.
    AllowWithin(NonZeroU64),
}

impl Admission {
    /// Whether it is allowed.
    pub const fn is_allowed(self) -> bool {
        !matches!(self, Self::Deny)
    }
}

/// The default: the workspace for all, every other injector as it asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowAll;

impl SessionPolicy for AllowAll {
    fn admit(&self, _request: &AdmissionRequest<'_>) -> Admission {
        Admission::Allow
    }
}
