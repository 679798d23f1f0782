//! What changed, and what therefore is due: pure, without I/O, time or async (C3, C6, C7, D9).
//!
//! # Flow
//! The caller lays out the scopes it observed as [`Slot`]s in order (C10), each with what its
//! candidates are now. [`reconcile`] compares that with the visible state and returns a [`Plan`]:
//! one [`Decision`] a slot. The caller renders what is due, learns how it [fits](Fit) the budget, and
//! [`commit`] returns what to record.
//!
//! # Guarantees
//! - Unknown is never absent: no `remove` rests on anything but confirmed absence (C7).
//! - Present, unchanged and in force: nothing (C6), except inside a complete message.
//! - The same input gives the same plan.
//!
//! # Assumptions
//! Every scope of the injector that is in force has a slot, with no candidates if the rules have
//! none for it any more. Slots are in order, those of one directory together.

mod commit;
mod complete;
mod decision;
mod input;
mod same_file;
mod standing;

pub use commit::{Fit, commit};
pub use decision::{Complete, Decision, Plan, RemovalReason};
pub use input::{BaselineRules, CandidateState, Content, FileKey, Observation, Rules, Selection, Slot, Zone};

use crate::fold::Fold;

/// Decides what is due for one injector.
///
/// Linear in slots and candidates, plus one look-up a slot in the visible state.
pub fn reconcile(visible: &Fold, slots: &[Slot<'_>], rules: &Rules<'_>) -> Plan {
    let kind = complete::kind(visible, slots, rules);
    let mut standings = standing::resolve(visible, slots, rules, &kind);
    same_file::resolve(slots, &mut standings);
    let decisions: Vec<Decision> = standings.iter().map(decision::decide).collect();
    let complete = complete::finish(visible, slots, rules, &kind, &decisions);
    Plan { complete, decisions }
}
