//! What changed, and what therefore is due: pure, without I/O, time or async (C3, C6, C7, D9).
//!
//! # Flow
//! The caller lays out the scopes it looked at as [`Slot`]s in order (C10), each with what its
//! candidates are now. [`reconcile`] compares that with the visible state and answers a [`Plan`].
//! The caller renders the plan, learns what survived the budget, and [`commit`]
//! says what to record.
//!
//! # Guarantees
//! - Unknown is never absent: no `remove` rests on anything but confirmed absence (C7).
//! - Present, unchanged and in force: nothing (C6), except inside a complete message.
//! - The same input gives the same plan.
//!
//! # Assumptions
//! Every scope of the injector that is in force has a slot, with no candidates if the rules know
//! none for it any more. Slots are in order, those of one directory together.

mod complete;
mod input;
mod plan;
mod same_file;
mod standing;

pub use input::{BaselineRules, Candidate, Content, FileKey, Rules, Seen, Selection, Slot, Zone};
pub use plan::{Complete, Op, Outcome, Plan, PlannedItem, RemovalReason, commit};

use crate::fold::Fold;

/// Works out what is due for one injector.
///
/// Linear in slots and candidates, plus one look-up a slot in the visible state.
pub fn reconcile(
    visible: &Fold,
    slots: &[Slot<'_>],
    candidates: &[Candidate<'_>],
    rules: &Rules<'_>,
) -> Plan {
    let frame = complete::frame(visible, slots, candidates, rules);
    let mut standings = standing::resolve(visible, slots, candidates, rules, &frame);
    same_file::resolve(slots, &mut standings);
    let mut plan = Plan { outcomes: Vec::with_capacity(slots.len()), ..Plan::default() };
    for (number, (slot, standing)) in (0_u32..).zip(slots.iter().zip(&standings)) {
        let item = plan::item(number, slot, candidates, standing);
        plan.outcomes.push(plan::outcome(standing, item.as_ref()));
        let Some(item) = item else { continue };
        if frame.is_complete() && slot.zone == Zone::Chain {
            plan.items.push(item);
        } else {
            plan.transitions.push(item);
        }
    }
    plan.complete = complete::finish(visible, slots, rules, &frame, &plan);
    plan
}
