//! Whether a complete message is due, and its head (C3, C8).

use std::collections::{HashMap, HashSet};

use super::standing::{Verdict, verdict};
use super::{Candidate, Complete, Plan, Rules, Slot, Zone};
use crate::fold::{Fold, ScopeEntry};
use crate::{Action, Change, Scope, ScopeRef};

/// Which kind of message is due.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// Transitions only.
    Transitions,
    /// An injector's first delivery.
    FirstDelivery,
    /// A baseline.
    Baseline {
        /// One of other rules is visible.
        superseding: bool,
        /// Recorded at another place, or under another selection: nested scopes go too.
        resets_nested: bool,
    },
}

impl Frame {
    pub(super) const fn is_complete(self) -> bool {
        !matches!(self, Self::Transitions)
    }

    pub(super) const fn resets_nested(self) -> bool {
        matches!(self, Self::Baseline { resets_nested: true, .. })
    }
}

pub(super) fn frame(
    visible: &Fold,
    slots: &[Slot<'_>],
    candidates: &[Candidate<'_>],
    rules: &Rules<'_>,
) -> Frame {
    let Some(baseline) = &rules.baseline else {
        return match visible.has_messages(rules.injector) {
            true => Frame::Transitions,
            false => Frame::FirstDelivery,
        };
    };
    let shown = visible.baseline();
    let recorded = visible.recorded(rules.injector);
    let superseding = match shown {
        Some(shown) if shown.identity == Some(baseline.digest) => {
            // Nothing tells that what cannot be read now is the file of the other cwd (C3).
            let moved = recorded.is_some_and(|recorded| recorded.cwd != baseline.cwd);
            if !(moved && any_unreadable(visible, slots, candidates, rules)) {
                return Frame::Transitions;
            }
            true
        }
        Some(_) => true,
        None if !something_to_load(slots, candidates) => return Frame::Transitions,
        // A compaction may have kept a transition that has a file of the chain in force.
        None => chain(slots).any(|slot| is_in_force(visible, rules, slot)),
    };
    let elsewhere = recorded.is_some_and(|recorded| recorded.at != baseline.at);
    let selection = shown.and_then(|shown| shown.selection);
    let reselected = selection.is_some_and(|selection| selection != rules.selection.as_str());
    Frame::Baseline { superseding, resets_nested: elsewhere || reselected }
}

fn chain<'s, 'p>(slots: &'s [Slot<'p>]) -> impl Iterator<Item = &'s Slot<'p>> {
    slots.iter().filter(|slot| slot.zone == Zone::Chain)
}

fn is_in_force(visible: &Fold, rules: &Rules<'_>, slot: &Slot<'_>) -> bool {
    visible.scope(rules.injector, slot.scope).is_some_and(|entry| entry.state.is_in_force())
}

fn something_to_load(slots: &[Slot<'_>], candidates: &[Candidate<'_>]) -> bool {
    let verdicts = chain(slots).map(|slot| verdict(slot, candidates, None));
    verdicts.into_iter().any(|verdict| matches!(verdict, Verdict::Winner { .. }))
}

/// Whether a file of the chain that is in force cannot be had now.
fn any_unreadable(
    visible: &Fold,
    slots: &[Slot<'_>],
    candidates: &[Candidate<'_>],
    rules: &Rules<'_>,
) -> bool {
    chain(slots).any(|slot| {
        let loaded = visible.scope(rules.injector, slot.scope).filter(|entry| entry.state.is_in_force());
        loaded.is_some() && verdict(slot, candidates, loaded) == Verdict::Frozen
    })
}

pub(super) fn finish(
    visible: &Fold,
    slots: &[Slot<'_>],
    rules: &Rules<'_>,
    frame: &Frame,
    plan: &Plan,
) -> Option<Complete> {
    let Frame::Baseline { superseding, resets_nested } = *frame else {
        let first = matches!(frame, Frame::FirstDelivery) && !plan.items.is_empty();
        let head = Complete { baseline: false, superseding: false, removes: Vec::new(), others_stay: false };
        return first.then_some(head);
    };
    let mut in_force = visible.scopes(rules.injector).filter(|entry| entry.state.is_in_force()).peekable();
    let (mut leaving, mut staying) = (Vec::new(), Vec::new());
    // Nothing is, for most.
    if in_force.peek().is_some() {
        let chain: HashSet<ScopeRef<'_>> =
            slots.iter().filter(|slot| slot.zone == Zone::Chain).map(|slot| slot.scope).collect();
        let listed: HashSet<&Scope> = plan.items.iter().map(|item| &item.scope).collect();
        (leaving, staying) = in_force
            .filter(|entry| !listed.contains(&entry.scope.to_scope()))
            .partition(|entry| resets_nested || chain.contains(&entry.scope));
    }
    if plan.items.is_empty() && leaving.is_empty() && !superseding {
        return None;
    }
    if leaving.len() > 1 {
        let places: HashMap<ScopeRef<'_>, usize> = slots.iter().map(|slot| slot.scope).zip(0..).collect();
        leaving.sort_by_cached_key(|entry| rank(entry, &places));
    }
    let removal = |entry: ScopeEntry<'_>| Change {
        action: Action::Remove,
        scope: entry.scope.to_scope(),
        path: entry.path.to_string(),
        digest: None,
    };
    let removes: Vec<_> = leaving.into_iter().map(removal).collect();
    Some(Complete {
        baseline: true,
        superseding: superseding || !removes.is_empty(),
        removes,
        others_stay: !staying.is_empty(),
    })
}

/// Where a scope stands in C10, also one that has no slot any more.
fn rank(entry: &ScopeEntry<'_>, places: &HashMap<ScopeRef<'_>, usize>) -> impl Ord + use<> {
    let (part, components) = match entry.scope {
        ScopeRef::UserGlobal => (0, Vec::new()),
        ScopeRef::Slot { dir: ".", .. } => (1, Vec::new()),
        ScopeRef::Slot { dir, .. } => (1, dir.split('/').map(str::to_owned).collect()),
        ScopeRef::Id(_) => (2, Vec::new()),
    };
    let slot = match entry.scope {
        ScopeRef::Slot { slot: "base", .. } => 0,
        ScopeRef::Slot { slot: "local", .. } => 1,
        _ => 2,
    };
    let place = places.get(&entry.scope).copied().unwrap_or(usize::MAX);
    (part, components, place, slot, entry.order, entry.path.to_string())
}
