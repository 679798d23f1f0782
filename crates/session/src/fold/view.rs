//! What the fold tells of the visible state.

use crate::{Digest, PathRef, ScopeRef};

/// Where an instruction message was recorded (H4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded<'a> {
    /// SHA-1 of the absolute cwd.
    pub cwd: Digest,
    /// cwd relative to the root, in shown form; `.` for the root.
    pub at: &'a str,
}

/// The visible state of one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeState {
    /// The model has it, with this content.
    InForce(Digest),
    /// It was there with this content, and was left out for the budget.
    Omitted(Digest),
}

impl ScopeState {
    /// The content the entry speaks of.
    pub const fn digest(self) -> Digest {
        match self {
            Self::InForce(digest) | Self::Omitted(digest) => digest,
        }
    }

    /// Whether the model has it.
    pub const fn is_in_force(self) -> bool {
        matches!(self, Self::InForce(_))
    }
}

/// One scope that is in force or left out.
#[derive(Clone, Copy, Debug)]
pub struct ScopeEntry<'a> {
    /// Which scope.
    pub scope: ScopeRef<'a>,
    /// The path it was shown with.
    pub path: PathRef<'a>,
    /// Its state.
    pub state: ScopeState,
    /// Grows with the order of entering, within one message too.
    pub order: u32,
}

/// The rules under which the visible baseline was composed, as far as it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleBaseline<'a> {
    /// Digest of its identity in canonical form, see [`Fold::identity_digest`](crate::Fold::identity_digest).
    pub identity: Option<Digest>,
    /// Its selection, as the identity names it.
    pub selection: Option<&'a str>,
}
