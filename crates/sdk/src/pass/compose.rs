//! Compose: a message within its budget, and how each part fits it (C8, C9, C10, D9).

use standing_orders_render::{
    Applies, Block, Complete, Fate as Rendered, Opening, Section, Switch, complete, fits_alone, transitions,
};
use standing_orders_session::{Decision, Fit, Plan, RemovalReason, Scope, commit};

use super::imports::owner_of;
use super::observe::Observed;
use super::record::{Share, SlotRecord};
use crate::rooted::Rooted;
use crate::settings::Settings;

/// A transition, while the block of transitions is composed.
struct Transition {
    /// Its place among the slots.
    slot: usize,
    /// It was to replace, and nothing of it fits any message (C8).
    left_out: bool,
    /// It stays out of this block, for this reason.
    settled: Option<Fit>,
}

/// Writes the blocks of a share, how each slot fits them, and what they record.
pub(super) fn compose(
    share: &mut Share<'_>,
    observed: &Observed,
    settings: &Settings,
    rooted: Option<&Rooted>,
) {
    if !share.is_due() {
        return;
    }
    let mut fits: Vec<Option<Fit>> = vec![None; share.slots.len()];
    let mut blocks = Vec::new();
    if share.complete.is_some() {
        let block = list(share, observed, settings, &mut fits);
        blocks.push(block.text);
    }
    let dirs: Vec<String> = share.slots.iter().map(|slot| shown_dir(&slot.scope, rooted)).collect();
    let later = later(share, &dirs, observed, settings, &mut fits);
    if !later.is_empty() {
        blocks.push(later.text);
    }
    let decisions = share.slots.iter().map(|slot| slot.decision.clone()).collect();
    let plan = Plan { complete: share.complete.clone(), decisions };
    share.changes = share.with_slots(|slots| commit(&plan, slots, &fits));
    share.blocks = blocks;
    for (slot, fit) in share.slots.iter_mut().zip(fits) {
        slot.fit = fit;
    }
}

/// The list of a complete message.
fn list<'s>(
    share: &'s Share<'_>,
    observed: &'s Observed,
    settings: &Settings,
    fits: &mut [Option<Fit>],
) -> Block {
    let listed = |slot: &&SlotRecord<'_>| share.lists(slot) && slot.decision.is_due();
    let section = |slot: &'s SlotRecord<'_>| {
        Section::instructions(slot.shown(), content(slot, observed)).with_sentence(slot.sentence())
    };
    let sections: Vec<Section<'_>> = share.slots.iter().filter(listed).map(section).collect();
    let (superseding, others_stay) = share
        .complete
        .as_ref()
        .map_or((false, false), |complete| (complete.superseding, complete.others_stay));
    let opening = match (sections.is_empty(), superseding, others_stay) {
        (true, _, true) => Opening::OthersLeft,
        (true, _, false) => Opening::NothingLeft,
        (false, true, true) => Opening::ReplacesChain,
        (false, true, false) => Opening::ReplacesAll,
        (false, false, _) => Opening::Introduction,
    };
    let (budget, overflow, wording) = (share.budget, settings.overflow, &settings.wording);
    let gives_way = gives_way(share.slots.iter().filter(listed), share.is_workspace());
    let message = Complete { opening, sections: &sections, gives_way: &gives_way, budget, overflow, wording };
    let block = complete(&message);
    let rendered = share.slots.iter().zip(fits).filter(|(slot, _)| listed(slot)).zip(&block.fates);
    rendered.for_each(|((_, fit), fate)| *fit = Some(fit_of(*fate)));
    block
}

/// The order in which slots give way: in their own, but what is imported before the files of its directory
/// (M7). Empty where nothing is imported.
fn gives_way<'s>(slots: impl Iterator<Item = &'s SlotRecord<'s>> + Clone, is_workspace: bool) -> Vec<usize> {
    if slots.clone().all(|slot| slot.import.is_none()) {
        return Vec::new();
    }
    let dir = |slot: &'s SlotRecord<'s>| owner_of(&slot.scope, is_workspace);
    let mut dirs: Vec<&str> = slots.clone().map(dir).collect();
    dirs.dedup();
    let place = |slot| dirs.iter().position(|known| *known == dir(slot));
    let mut places: Vec<_> =
        slots.enumerate().map(|(at, slot)| (place(slot), slot.import.is_none(), at)).collect();
    places.sort_unstable();
    places.into_iter().map(|(_, _, at)| at).collect()
}

/// The block of transitions. What fits no message of its own is left out if it is in force, and else
/// dropped; the others are composed without it (C8).
fn later(
    share: &Share<'_>,
    dirs: &[String],
    observed: &Observed,
    settings: &Settings,
    fits: &mut [Option<Fit>],
) -> Block {
    let due = share.slots.iter().enumerate();
    let due = due.filter(|(_, slot)| slot.decision.is_due() && !share.lists(slot));
    let mut rows: Vec<Transition> =
        due.map(|(slot, _)| Transition { slot, left_out: false, settled: None }).collect();
    // A path that goes from one scope and comes with another goes first.
    let of = |row: &Transition| share.slots.get(row.slot);
    let comes = |path: &str| {
        let content = |slot: &&SlotRecord<'_>| slot.decision.content().is_some() && slot.shown() == path;
        rows.iter().filter_map(of).any(|slot| content(&slot))
    };
    let is_first = |row: &Transition| {
        let slot = of(row).filter(|slot| matches!(slot.decision, Decision::Remove { .. }));
        slot.is_some_and(|slot| comes(slot.shown()))
    };
    let first: Vec<bool> = rows.iter().map(is_first).collect();
    if first.contains(&true) {
        let mut order: Vec<(bool, Transition)> = first.into_iter().map(|first| !first).zip(rows).collect();
        order.sort_by_key(|(later, _)| *later);
        rows = order.into_iter().map(|(_, row)| row).collect();
    }
    loop {
        let active: Vec<(&Transition, Section<'_>)> = rows
            .iter()
            .filter(|row| row.settled.is_none())
            .filter_map(|row| {
                let (slot, dir) = (share.slots.get(row.slot)?, dirs.get(row.slot)?);
                Some((row, section(share, slot, dir, row.left_out, observed)))
            })
            .collect();
        let sections: Vec<Section<'_>> = active.iter().map(|(_, section)| *section).collect();
        let block = transitions(&sections, share.budget, settings.overflow, &settings.wording);
        for ((row, section), fate) in active.iter().zip(&block.fates) {
            let fit = match fit_of(*fate) {
                Fit::Waits if !fits_alone(section, share.budget, &settings.wording) => Fit::Dropped,
                fit => fit,
            };
            if let Some(slot) = fits.get_mut(row.slot) {
                *slot = Some(fit);
            }
        }
        let gave_up = give_up(share, &mut rows, fits);
        let held_back = hold_back(share, &mut rows, fits);
        if gave_up || held_back {
            continue;
        }
        for row in &rows {
            if let Some(Some(fit)) = fits.get_mut(row.slot)
                && row.left_out
                && fit.is_represented()
            {
                *fit = Fit::LeftOut;
            }
        }
        return block;
    }
}

/// What fits no message even alone; whether anything changed.
fn give_up(share: &Share<'_>, rows: &mut [Transition], fits: &mut [Option<Fit>]) -> bool {
    let mut changed = false;
    for row in rows.iter_mut().filter(|row| row.settled.is_none()) {
        let Some(fit) = fits.get_mut(row.slot).filter(|fit| **fit == Some(Fit::Dropped)) else { continue };
        match share.slots.get(row.slot).map(|slot| &slot.decision) {
            Some(Decision::Replace { .. }) if !row.left_out => row.left_out = true,
            Some(Decision::Set { .. }) => row.settled = Some(Fit::Dropped),
            // A removal of which not even the heading fits stays due.
            _ => {
                row.settled = Some(Fit::Waits);
                *fit = Some(Fit::Waits);
            }
        }
        changed = true;
    }
    changed
}

/// A removal in favour of an entry that is not in this message waits too (D9); whether one does.
fn hold_back(share: &Share<'_>, rows: &mut [Transition], fits: &mut [Option<Fit>]) -> bool {
    let is_represented = |fits: &[Option<Fit>], slot: usize| {
        fits.get(slot).copied().flatten().is_some_and(Fit::is_represented)
    };
    let left_out: Vec<usize> = rows.iter().filter(|row| row.left_out).map(|row| row.slot).collect();
    let mut changed = false;
    for row in rows.iter_mut().filter(|row| row.settled.is_none()) {
        let Some(Decision::Remove { reason: RemovalReason::SuppressedBy { slot, enters: true, .. }, .. }) =
            share.slots.get(row.slot).map(|slot| &slot.decision)
        else {
            continue;
        };
        let enters = is_represented(fits, *slot) && !left_out.contains(slot);
        if is_represented(fits, row.slot) && !enters {
            row.settled = Some(Fit::Waits);
            if let Some(fit) = fits.get_mut(row.slot) {
                *fit = Some(Fit::Waits);
            }
            changed = true;
        }
    }
    changed
}

fn content<'t>(slot: &'t SlotRecord<'t>, observed: &'t Observed) -> &'t str {
    slot.due_candidate().and_then(|candidate| observed.text(candidate)).unwrap_or("")
}

fn section<'t>(
    share: &Share<'_>,
    slot: &'t SlotRecord<'t>,
    dir: &'t str,
    left_out: bool,
    observed: &'t Observed,
) -> Section<'t> {
    let path = slot.shown();
    match &slot.decision {
        Decision::Replace { previous, .. } if left_out => {
            Section::left_out(previous.as_deref().unwrap_or(path))
        }
        Decision::Replace { previous, .. } => {
            let switch = previous.as_deref().map(|previous| Switch { previous, scope: dir });
            Section::updated(path, switch, content(slot, observed)).with_sentence(slot.sentence())
        }
        Decision::Remove { .. } => Section::removed(path),
        _ if share.is_workspace() => {
            // Where an import applies its importer says.
            let applies = if slot.import.is_some() { Applies::Nothing } else { applies(&slot.scope, dir) };
            Section::additional(path, applies, content(slot, observed)).with_sentence(slot.sentence())
        }
        _ => Section::instructions(path, content(slot, observed)).with_sentence(slot.sentence()),
    }
}

/// The folder of a scope as it is shown; `.` where it has none.
fn shown_dir(scope: &Scope, rooted: Option<&Rooted>) -> String {
    let dir = scope.split().map_or(".", |(dir, _)| dir);
    rooted.map_or_else(
        || dir.to_owned(),
        |rooted| {
            let (area, dir) = rooted.area_of(dir);
            area.shown_dir(dir)
        },
    )
}

/// Where a later `set` of the workspace applies (R2).
fn applies<'d>(scope: &Scope, dir: &'d str) -> Applies<'d> {
    match scope.split() {
        Some(_) => Applies::Directory(dir),
        None if scope.is_user_global() => Applies::Everywhere,
        None => Applies::Nothing,
    }
}

fn fit_of(rendered: Rendered) -> Fit {
    match rendered {
        Rendered::Whole | Rendered::HeadingOnly => Fit::Whole,
        Rendered::Cut { from, to } => Fit::Cut { from, to },
        Rendered::Omitted => Fit::Omitted,
        Rendered::Waits => Fit::Waits,
    }
}
