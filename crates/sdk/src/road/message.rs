//! From a plan to a message within its budget, and what of it may be recorded (C8, C9, C10, D9).

use standing_orders_render::{
    Applies, Block, Complete, Fate, Opening, Overflow, Section, Switch, Wording, complete, fits_alone,
    transitions,
};
use standing_orders_session::{Change, Op, Plan, PlannedItem, RemovalReason, Scope, ScopeRef, commit};

/// What became of one planned item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemFate {
    Whole,
    Cut { from: usize, to: usize },
    Omitted,
    Waits,
    LeftOut,
    Unfit,
}

/// A message, and what became of each item of the plan it is from.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) blocks: Vec<String>,
    pub(super) changes: Vec<Change>,
    /// A complete workspace baseline.
    pub(super) baseline: bool,
    /// By the plan's items, then its transitions.
    pub(super) items: Vec<ItemFate>,
    pub(super) transitions: Vec<ItemFate>,
}

/// Under which settings.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) budget: usize,
    pub(super) overflow: Overflow,
    pub(super) wording: &'a Wording,
    /// Whether later `set`s say where they apply (R2).
    pub(super) workspace: bool,
}

pub(super) fn deliver<'t>(plan: &Plan, text: impl Fn(u32) -> &'t str, terms: Terms<'_>) -> Delivery {
    let mut delivery = Delivery {
        blocks: Vec::new(),
        changes: Vec::new(),
        baseline: plan.complete.as_ref().is_some_and(|complete| complete.baseline),
        items: Vec::new(),
        transitions: Vec::new(),
    };
    if let Some(head) = &plan.complete {
        let sections: Vec<_> =
            plan.items.iter().map(|item| Section::instructions(&item.path, content(item, &text))).collect();
        let opening = match (sections.is_empty(), head.superseding, head.others_stay) {
            (true, _, true) => Opening::OthersLeft,
            (true, _, false) => Opening::NothingLeft,
            (false, true, true) => Opening::ReplacesChain,
            (false, true, false) => Opening::ReplacesAll,
            (false, false, _) => Opening::Introduction,
        };
        let Terms { budget, overflow, wording, .. } = terms;
        let block = complete(&Complete { opening, sections: &sections, budget, overflow, wording });
        delivery.items = block.fates.iter().map(|fate| item_fate(*fate)).collect();
        delivery.blocks.push(block.text);
    }
    let later = later(plan, &delivery.items, &text, terms);
    if !later.block.is_empty() {
        delivery.blocks.push(later.block.text);
    }
    delivery.transitions = later.fates;
    let represented = |fates: &[ItemFate]| fates.iter().map(|fate| fate.is_recorded()).collect::<Vec<_>>();
    let recorded = Plan { transitions: later.items, ..plan.clone() };
    delivery.changes = commit(&recorded, &represented(&delivery.items), &represented(&delivery.transitions));
    delivery
}

/// The block of transitions.
struct Later {
    items: Vec<PlannedItem>,
    fates: Vec<ItemFate>,
    block: Block,
}

fn later<'t>(plan: &Plan, complete: &[ItemFate], text: &impl Fn(u32) -> &'t str, terms: Terms<'_>) -> Later {
    let mut items = plan.transitions.clone();
    // `None`: to be rendered.
    let mut settled: Vec<Option<ItemFate>> = vec![None; items.len()];
    loop {
        let active: Vec<usize> =
            settled.iter().enumerate().filter(|(_, fate)| fate.is_none()).map(|(at, _)| at).collect();
        let rows = active.iter().filter_map(|at| items.get(*at));
        let sections: Vec<_> = rows.map(|item| section(item, text, terms.workspace)).collect();
        let block = transitions(&sections, terms.budget, terms.overflow, terms.wording);
        let mut fates: Vec<_> = settled.iter().map(|fate| fate.unwrap_or(ItemFate::Waits)).collect();
        for ((at, fate), section) in active.iter().zip(&block.fates).zip(&sections) {
            let Some(slot) = fates.get_mut(*at) else { continue };
            *slot = match item_fate(*fate) {
                ItemFate::Waits if !fits_alone(section, terms.budget, terms.wording) => ItemFate::Unfit,
                fate => fate,
            };
        }
        let changed = give_up_unfit(&mut items, &fates, &mut settled)
            | hold_back(plan, complete, &items, &fates, &mut settled);
        if changed {
            continue;
        }
        for (fate, item) in fates.iter_mut().zip(&items) {
            if matches!(item.op, Op::LeftOut { .. }) && fate.is_recorded() {
                *fate = ItemFate::LeftOut;
            }
        }
        return Later { items, fates, block };
    }
}

/// What fits no message of its own is left out if it is in force, and else dropped; the others are
/// composed without it (C8).
fn give_up_unfit(items: &mut [PlannedItem], fates: &[ItemFate], settled: &mut [Option<ItemFate>]) -> bool {
    let mut changed = false;
    for ((item, fate), settled) in items.iter_mut().zip(fates).zip(settled) {
        if *fate != ItemFate::Unfit || settled.is_some() {
            continue;
        }
        match Plan::unfit(item.clone()) {
            Some(left_out) if left_out != *item => *item = left_out,
            // A removal of which not even the heading fits stays due.
            Some(_) => *settled = Some(ItemFate::Waits),
            None => *settled = Some(ItemFate::Unfit),
        }
        changed = true;
    }
    changed
}

/// A removal in favour of an entry that is not in this message waits too (D9).
fn hold_back(
    plan: &Plan,
    complete: &[ItemFate],
    items: &[PlannedItem],
    fates: &[ItemFate],
    settled: &mut [Option<ItemFate>],
) -> bool {
    let enters = |slot: u32| {
        let listed =
            plan.items.iter().zip(complete).any(|(item, fate)| item.slot == slot && fate.is_recorded());
        let later = items
            .iter()
            .zip(fates)
            .any(|(item, fate)| item.slot == slot && item.digest().is_some() && fate.is_recorded());
        listed || later
    };
    let mut changed = false;
    for ((item, fate), settled) in items.iter().zip(fates).zip(settled) {
        let Op::Remove { reason: RemovalReason::ShownBy { slot, enters: true, .. } } = item.op else {
            continue;
        };
        if settled.is_none() && fate.is_recorded() && !enters(slot) {
            *settled = Some(ItemFate::Waits);
            changed = true;
        }
    }
    changed
}

fn content<'t>(item: &PlannedItem, text: &impl Fn(u32) -> &'t str) -> &'t str {
    item.candidate.map_or("", text)
}

fn section<'s, 't: 's>(
    item: &'s PlannedItem,
    text: &impl Fn(u32) -> &'t str,
    workspace: bool,
) -> Section<'s> {
    let path = item.path.as_str();
    let applies = match (workspace, ScopeRef::parse(item.scope.as_str())) {
        (true, ScopeRef::UserGlobal) => Applies::Everywhere,
        (true, ScopeRef::Slot { dir, .. }) => Applies::Directory(dir),
        _ => Applies::Nothing,
    };
    match &item.op {
        Op::Set { .. } if workspace => Section::additional(path, applies, content(item, text)),
        Op::Set { .. } => Section::instructions(path, content(item, text)),
        Op::Replace { previous, .. } => {
            let switch = previous.as_deref().map(|previous| Switch { previous, scope: folder(&item.scope) });
            Section::updated(path, switch, content(item, text))
        }
        Op::Remove { .. } => Section::removed(path),
        Op::LeftOut { previous, .. } => Section::left_out(previous.as_deref().unwrap_or(path)),
    }
}

fn folder(scope: &Scope) -> &str {
    ScopeRef::parse(scope.as_str()).dir().unwrap_or(".")
}

fn item_fate(fate: Fate) -> ItemFate {
    match fate {
        Fate::Whole | Fate::HeadingOnly => ItemFate::Whole,
        Fate::Cut { from, to } => ItemFate::Cut { from, to },
        Fate::Omitted => ItemFate::Omitted,
        Fate::Waits => ItemFate::Waits,
    }
}

impl ItemFate {
    pub(super) fn is_recorded(self) -> bool {
        matches!(self, Self::Whole | Self::Cut { .. } | Self::LeftOut)
    }
}
