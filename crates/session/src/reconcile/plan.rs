//! What is due.

use super::standing::{Shown, Standing, Verdict};
use super::{Candidate, Slot};
use crate::{Action, Change, Digest, Scope, ScopeState};

/// The one message due for one injector, before the budget. Empty: nothing is due.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// A complete message is due: a baseline, or an injector's first delivery.
    pub complete: Option<Complete>,
    /// What the complete message sets, in order.
    pub items: Vec<PlannedItem>,
    /// The transitions, in order (C10); with a complete message, its second block.
    pub transitions: Vec<PlannedItem>,
    /// What became of each slot.
    pub outcomes: Vec<Outcome>,
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

/// One entry of the due message.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedItem {
    /// The slot's number.
    pub slot: u32,
    /// The candidate's number, where content is due.
    pub candidate: Option<u32>,
    /// The scope.
    pub scope: Scope,
    /// As shown to the model.
    pub path: String,
    /// What is due.
    pub op: Op,
}

/// What is due for a scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// New, or back.
    Set {
        /// Of the content.
        digest: Digest,
    },
    /// Changed.
    Replace {
        /// Of the content.
        digest: Digest,
        /// The path it had, where the winner has another name now.
        previous: Option<String>,
    },
    /// Withdrawn.
    Remove {
        /// Why.
        reason: RemovalReason,
    },
    /// Was in force; is there, but nothing of its new content fits any message (C8).
    LeftOut {
        /// Of the new content.
        digest: Digest,
        /// The path it had, where the winner has another name now.
        previous: Option<String>,
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
    ShownBy {
        /// The earlier place.
        slot: u32,
        /// One file, rather than equal siblings.
        one_file: bool,
        /// Whether the earlier place enters in this very message: the removal waits for it.
        enters: bool,
    },
}

/// What became of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing there, nothing loaded.
    Absent,
    /// Nothing loaded, and no content can be had now.
    Unavailable,
    /// Loaded, and nothing can be concluded now: the last good state stands.
    Frozen,
    /// A loaded sibling is unavailable: nothing in this directory changes.
    Blocked,
    /// What fills the slot is kept from this session (I5).
    Gated,
    /// In force, as it is.
    Unchanged,
    /// Left out before, and unchanged since.
    StillOmitted,
    /// An earlier place shows it.
    ShownBy {
        /// The earlier place.
        slot: u32,
        /// One file, rather than equal siblings.
        one_file: bool,
    },
    /// Kept from showing by an unavailable place with this file or content.
    Held,
    /// Due with content.
    Enters,
    /// Due to be withdrawn.
    Leaves,
}

impl Plan {
    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.complete.is_none() && self.items.is_empty() && self.transitions.is_empty()
    }

    /// What does not fit any message of its own (C8): in force, it becomes left out; else it is
    /// dropped, and `None` comes back.
    pub fn unfit(item: PlannedItem) -> Option<PlannedItem> {
        match item.op {
            Op::Replace { digest, previous } => {
                Some(PlannedItem { op: Op::LeftOut { digest, previous }, ..item })
            }
            Op::Set { .. } => None,
            Op::Remove { .. } | Op::LeftOut { .. } => Some(item),
        }
    }
}

impl PlannedItem {
    /// The digest of the content that is due.
    pub fn digest(&self) -> Option<Digest> {
        match &self.op {
            Op::Set { digest } | Op::Replace { digest, .. } => Some(*digest),
            Op::Remove { .. } | Op::LeftOut { .. } => None,
        }
    }

    fn change(&self, action: Action, digest: Option<Digest>) -> Change {
        Change { action, scope: self.scope.clone(), path: self.path.clone(), digest }
    }
}

/// The changes that a message records, given what of it is represented (C9, R7).
///
/// `items` and `transitions` say for each item of the plan whether it is represented in the text;
/// missing answers count as no. Of a complete message, what is not represented is recorded as
/// left out; of transitions it is not recorded at all and stays due.
pub fn commit(plan: &Plan, items: &[bool], transitions: &[bool]) -> Vec<Change> {
    let mut changes = plan.complete.as_ref().map(|complete| complete.removes.clone()).unwrap_or_default();
    for (number, item) in plan.items.iter().enumerate() {
        let action = if items.get(number) == Some(&true) { Action::Set } else { Action::Omit };
        changes.push(item.change(action, item.digest()));
    }
    for (number, item) in plan.transitions.iter().enumerate() {
        if transitions.get(number) != Some(&true) {
            continue;
        }
        changes.push(match &item.op {
            Op::Set { digest } => item.change(Action::Set, Some(*digest)),
            Op::Replace { digest, .. } => item.change(Action::Replace, Some(*digest)),
            Op::Remove { .. } => item.change(Action::Remove, None),
            Op::LeftOut { digest, .. } => item.change(Action::Omit, Some(*digest)),
        });
    }
    changes
}

/// The item due for one slot, if any.
pub(super) fn item(
    number: u32,
    slot: &Slot<'_>,
    candidates: &[Candidate<'_>],
    standing: &Standing<'_>,
) -> Option<PlannedItem> {
    let scope = || slot.scope.to_scope();
    let removal = |reason| {
        let path = standing.loaded.map(|entry| entry.path.to_string())?;
        Some(PlannedItem { slot: number, candidate: None, scope: scope(), path, op: Op::Remove { reason } })
    };
    match (standing.verdict, standing.shown) {
        (Verdict::Gone, _) if standing.in_force().is_some() => removal(RemovalReason::Gone),
        (Verdict::Gated, _) if standing.in_force().is_some() => removal(RemovalReason::Gated),
        (Verdict::Winner { .. }, Shown::HandedTo { slot, one_file, enters }) => {
            removal(RemovalReason::ShownBy { slot, one_file, enters })
        }
        (Verdict::Winner { candidate, digest, same_path, .. }, Shown::Itself) if standing.enters() => {
            let path = candidates.get(candidate as usize)?.path.to_string();
            let op = match standing.loaded.filter(|entry| entry.state.is_in_force()) {
                None => Op::Set { digest },
                Some(entry) => Op::Replace { digest, previous: (!same_path).then(|| entry.path.to_string()) },
            };
            Some(PlannedItem { slot: number, candidate: Some(candidate), scope: scope(), path, op })
        }
        _ => None,
    }
}

pub(super) fn outcome(standing: &Standing<'_>, item: Option<&PlannedItem>) -> Outcome {
    if let Some(item) = item {
        return if item.candidate.is_some() { Outcome::Enters } else { Outcome::Leaves };
    }
    match (standing.verdict, standing.shown) {
        (Verdict::Gone, _) => Outcome::Absent,
        (Verdict::Unavailable { .. }, _) => Outcome::Unavailable,
        (Verdict::Frozen, _) => Outcome::Frozen,
        (Verdict::Blocked, _) => Outcome::Blocked,
        (Verdict::Gated, _) => Outcome::Gated,
        (Verdict::Winner { .. }, Shown::By { slot, one_file } | Shown::HandedTo { slot, one_file, .. }) => {
            Outcome::ShownBy { slot, one_file }
        }
        (Verdict::Winner { .. }, Shown::Held) => Outcome::Held,
        (Verdict::Winner { .. }, Shown::Itself) => match standing.loaded.map(|entry| entry.state) {
            Some(ScopeState::Omitted(_)) => Outcome::StillOmitted,
            _ => Outcome::Unchanged,
        },
    }
}
