//! What of a plan is recorded (C8, C9, R7).

use super::{Decision, Plan, Slot};
use crate::{Action, Change};

/// How what was decided fits its message. Sizes are bytes of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All of it stands in the text.
    Whole,
    /// Cut for the budget; it is in force (C9).
    Cut {
        /// Its size.
        from: usize,
        /// What is left, above 0.
        to: usize,
    },
    /// Left out of a complete message.
    Omitted,
    /// Was in force; nothing of its new content fits any message, and the text says so (C8).
    LeftOut,
    /// Stays due, for a later message.
    Waits,
    /// Not loaded, and nothing of it fits even a message of its own: dropped (C8).
    Dropped,
}

impl Fit {
    /// Whether the text has something of it (R7).
    pub const fn is_represented(self) -> bool {
        matches!(self, Self::Whole | Self::Cut { .. } | Self::LeftOut)
    }
}

/// The changes that a message records.
///
/// `fits` has one answer a slot, `None` for what is not due; missing answers count as
/// [`Fit::Waits`]. Of a complete message's list, what is not represented is recorded as left out; of
/// transitions it is not recorded at all and stays due.
pub fn commit(plan: &Plan, slots: &[Slot<'_>], fits: &[Option<Fit>]) -> Vec<Change> {
    let mut changes = plan.complete.as_ref().map(|complete| complete.removes.clone()).unwrap_or_default();
    let mut transitions = Vec::new();
    for (number, (slot, decision)) in slots.iter().zip(&plan.decisions).enumerate() {
        let fit = fits.get(number).copied().flatten().unwrap_or(Fit::Waits);
        let listed = plan.lists(slot);
        let action = match (decision, fit.is_represented()) {
            (Decision::Set { .. }, true) => Action::Set,
            (Decision::Set { .. }, false) if listed => Action::Omit,
            (Decision::Replace { .. }, true) if fit == Fit::LeftOut => Action::Omit,
            (Decision::Replace { .. }, true) => Action::Replace,
            (Decision::Remove { .. }, true) => Action::Remove,
            _ => continue,
        };
        let path = match (decision, decision.content()) {
            (Decision::Remove { path, .. }, _) => Some(path.as_str()),
            (_, Some((candidate, _))) => slot.candidates.get(candidate).map(|candidate| candidate.path),
            _ => None,
        };
        let digest = decision.content().map(|(_, digest)| digest);
        let Some(path) = path else { continue };
        let previous = match (action, decision) {
            (Action::Replace, Decision::Replace { previous, .. }) => previous.clone(),
            _ => None,
        };
        let change = Change { action, scope: slot.scope.clone(), path: path.to_owned(), previous, digest };
        if listed { changes.push(change) } else { transitions.push(change) }
    }
    changes.append(&mut transitions);
    changes
}
