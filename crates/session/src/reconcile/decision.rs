//! What is decided of each slot.

use super::standing::{Shown, Standing, Verdict};
use super::{Slot, Zone};
use crate::{Change, Digest, ScopeState};

/// What is due for one injector, before the budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// A complete message is due: a baseline, or an injector's first delivery.
    pub complete: Option<Complete>,
    /// One a slot, in order.
    pub decisions: Vec<Decision>,
}

/// The head of a complete message.
#[derive(Clone, Debug, PartialEq)]
pub struct Complete {
    /// A workspace baseline, rather than a first delivery.
    pub baseline: bool,
    /// The text says that it replaces what came before.
    pub superseding: bool,
    /// What its list removes first; no section says so.
    pub removes: Vec<Change>,
    /// Whether something of this injector stays in force that the list does not name.
    pub others_stay: bool,
}

/// What is decided of one slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing there, nothing loaded.
    Absent,
    /// Nothing loaded, and no content can be had now.
    Unavailable,
    /// Loaded, and nothing can be concluded now: the last good state stands (C7).
    Frozen,
    /// A loaded sibling is unavailable: nothing in this directory changes (C7).
    Blocked,
    /// Not loaded: what fills the slot is kept from this session (I5).
    Gated,
    /// In force, as it is (C6).
    Unchanged,
    /// Left out before, and unchanged since (C8).
    StillOmitted,
    /// Not loaded, for an earlier place shows it (D9, D5).
    SuppressedBy {
        /// The earlier place, by its slot.
        slot: usize,
        /// One file, rather than equal siblings.
        one_file: bool,
    },
    /// Not loaded, for an unavailable place has this file or content (D9).
    SuppressedByUnavailable,
    /// Due: new, or back.
    Set {
        /// The winner, by its place among the slot's candidates.
        candidate: usize,
        /// Of its content.
        digest: Digest,
    },
    /// Due: changed.
    Replace {
        /// The winner, by its place among the slot's candidates.
        candidate: usize,
        /// Of its content.
        digest: Digest,
        /// The path it had, where the winner has another name now, or one that stands in force beside it.
        previous: Option<String>,
    },
    /// Due to be withdrawn.
    Remove {
        /// The path it was shown with.
        path: String,
        /// Why.
        reason: RemovalReason,
    },
}

/// Why a scope is withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// Every candidate is confirmed absent.
    Gone,
    /// What fills the slot is kept from this session (I5).
    Gated,
    /// An earlier place shows the same file, or an equal sibling.
    SuppressedBy {
        /// The earlier place, by its slot.
        slot: usize,
        /// One file, rather than equal siblings.
        one_file: bool,
        /// Whether the earlier place enters in this very message: the removal waits for it.
        enters: bool,
    },
}

impl Plan {
    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.complete.is_none() && !self.decisions.iter().any(Decision::is_due)
    }

    /// Whether a complete message carries this slot in its list, rather than as a transition.
    pub fn lists(&self, slot: &Slot<'_>) -> bool {
        self.complete.is_some() && slot.zone == Zone::Chain
    }
}

impl Decision {
    /// Whether a message is to carry it.
    pub fn is_due(&self) -> bool {
        matches!(self, Self::Set { .. } | Self::Replace { .. } | Self::Remove { .. })
    }

    /// Whether the winner is shown, or left out for the budget only.
    pub fn is_shown(&self) -> bool {
        matches!(self, Self::Set { .. } | Self::Replace { .. } | Self::Unchanged | Self::StillOmitted)
    }

    /// The candidate whose content is due, by its place in the slot, and the digest of that.
    pub fn content(&self) -> Option<(usize, Digest)> {
        match self {
            Self::Set { candidate, digest } | Self::Replace { candidate, digest, .. } => {
                Some((*candidate, *digest))
            }
            _ => None,
        }
    }
}

pub(super) fn decide(standing: &Standing<'_>) -> Decision {
    let removal = |reason| match standing.loaded {
        Some(entry) => Decision::Remove { path: entry.path.to_owned(), reason },
        None => Decision::Absent,
    };
    let in_force = standing.in_force().is_some();
    match (standing.verdict, standing.shown) {
        (Verdict::Gone, _) if in_force => removal(RemovalReason::Gone),
        (Verdict::Gone, _) => Decision::Absent,
        (Verdict::Gated, _) if in_force => removal(RemovalReason::Gated),
        (Verdict::Gated, _) => Decision::Gated,
        (Verdict::Unavailable { .. }, _) => Decision::Unavailable,
        (Verdict::Frozen, _) => Decision::Frozen,
        (Verdict::Blocked, _) => Decision::Blocked,
        (Verdict::Winner { .. }, Shown::HandedTo { slot, one_file, enters }) => {
            removal(RemovalReason::SuppressedBy { slot, one_file, enters })
        }
        (Verdict::Winner { .. }, Shown::By { slot, one_file }) => Decision::SuppressedBy { slot, one_file },
        (Verdict::Winner { .. }, Shown::Held) => Decision::SuppressedByUnavailable,
        (Verdict::Winner { candidate, digest, same_path, .. }, Shown::Itself) => {
            match standing.loaded.map(|entry| (entry, entry.state)) {
                _ if !standing.enters() => match standing.loaded.map(|entry| entry.state) {
                    Some(ScopeState::Omitted(_)) => Decision::StillOmitted,
                    _ => Decision::Unchanged,
                },
                Some((entry, ScopeState::InForce(_))) => {
                    let stray = entry.stray.map(|stray| stray.path);
                    let previous = if same_path { stray } else { Some(entry.path) }.map(str::to_owned);
                    Decision::Replace { candidate, digest, previous }
                }
                Some((_, ScopeState::Omitted(_))) | None => Decision::Set { candidate, digest },
            }
        }
    }
}
