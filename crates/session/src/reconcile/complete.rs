//! Whether a complete message is due, and its head (C3, C8).

use std::collections::{HashMap, HashSet};

use super::standing::{Verdict, verdict};
use super::{Complete, Decision, Rules, Slot, Zone};
use crate::fold::{Fold, ScopeEntry};
use crate::{Action, Change, Scope};

/// Which kind of message is due.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Transitions only.
    Transitions,
    /// An injector's first delivery.
    FirstDelivery,
    /// A baseline.
    Baseline {
        /// It replaces what a visible one, or a transition that is still in view, says of the chain.
        superseding: bool,
        /// Recorded at another place, or under another selection: nested scopes go too.
        resets_nested: bool,
    },
}

impl Kind {
    pub(super) const fn is_complete(self) -> bool {
        !matches!(self, Self::Transitions)
    }

    pub(super) const fn resets_nested(self) -> bool {
        matches!(self, Self::Baseline { resets_nested: true, .. })
    }
}

pub(super) fn kind(visible: &Fold, slots: &[Slot<'_>], rules: &Rules<'_>) -> Kind {
    let Some(baseline) = &rules.baseline else {
        return match visible.has_messages(rules.injector) {
            true => Kind::Transitions,
            false => Kind::FirstDelivery,
        };
    };
    let shown = visible.baseline();
    let recorded = visible.recorded(rules.injector);
    let superseding = match shown {
        Some(shown) if shown.identity == Some(baseline.digest) => {
            // Nothing tells that what cannot be read now is the file of the other cwd (C3).
            let moved = recorded.is_some_and(|recorded| recorded.cwd != baseline.cwd);
            if !(moved && any_unreadable(visible, slots, rules)) {
                return Kind::Transitions;
            }
            true
        }
        Some(_) => true,
        None if !something_to_load(slots) => return Kind::Transitions,
        // A compaction may have kept a transition that has a file of the chain in force.
        None => chain(slots).any(|slot| in_force(visible, rules, slot).is_some()),
    };
    let elsewhere = recorded.is_some_and(|recorded| recorded.at != baseline.at);
    let selection = shown.and_then(|shown| shown.selection);
    let reselected = selection.is_some_and(|selection| selection != rules.selection.as_str());
    Kind::Baseline { superseding, resets_nested: elsewhere || reselected }
}

fn chain<'s, 'a>(slots: &'s [Slot<'a>]) -> impl Iterator<Item = &'s Slot<'a>> {
    slots.iter().filter(|slot| slot.zone == Zone::Chain)
}

fn in_force<'f>(visible: &'f Fold, rules: &Rules<'_>, slot: &Slot<'_>) -> Option<ScopeEntry<'f>> {
    visible.scope(rules.injector, slot.scope.as_str()).filter(|entry| entry.state.is_in_force())
}

fn something_to_load(slots: &[Slot<'_>]) -> bool {
    chain(slots).any(|slot| matches!(verdict(slot, None), Verdict::Winner { .. }))
}

/// Whether a file of the chain that is in force cannot be had now.
fn any_unreadable(visible: &Fold, slots: &[Slot<'_>], rules: &Rules<'_>) -> bool {
    chain(slots).any(|slot| {
        let loaded = in_force(visible, rules, slot);
        loaded.is_some() && verdict(slot, loaded) == Verdict::Frozen
    })
}

/// The head of the message, where a complete one is due.
pub(super) fn finish(
    visible: &Fold,
    slots: &[Slot<'_>],
    rules: &Rules<'_>,
    kind: &Kind,
    decisions: &[Decision],
) -> Option<Complete> {
    let due = slots
        .iter()
        .zip(decisions)
        .filter(|(slot, decision)| slot.zone == Zone::Chain && decision.is_due() && kind.is_complete());
    let listed: HashSet<&Scope> = due.map(|(slot, _)| slot.scope).collect();
    let Kind::Baseline { superseding, resets_nested } = *kind else {
        let first = matches!(kind, Kind::FirstDelivery) && !listed.is_empty();
        let head = Complete { baseline: false, superseding: false, removes: Vec::new(), others_stay: false };
        return first.then_some(head);
    };
    let chain: HashSet<&Scope> = chain(slots).map(|slot| slot.scope).collect();
    let in_force = visible.scopes(rules.injector).filter(|entry| entry.state.is_in_force());
    let (mut leaving, staying): (Vec<_>, Vec<_>) = in_force
        .filter(|entry| !listed.contains(entry.scope))
        .partition(|entry| resets_nested || chain.contains(entry.scope));
    if listed.is_empty() && leaving.is_empty() && !superseding {
        return None;
    }
    if leaving.len() > 1 {
        let places: HashMap<&Scope, usize> = slots.iter().map(|slot| slot.scope).zip(0..).collect();
        leaving.sort_by_cached_key(|entry| rank(entry, &places));
    }
    let removal = |entry: ScopeEntry<'_>| Change {
        action: Action::Remove,
        scope: entry.scope.clone(),
        path: entry.path.to_owned(),
        previous: None,
        digest: None,
    };
    let removes: Vec<_> = leaving.into_iter().map(removal).collect();
    let superseding = superseding || !removes.is_empty();
    Some(Complete { baseline: true, superseding, removes, others_stay: !staying.is_empty() })
}

/// Where a scope stands in C10, also one that has no slot any more.
fn rank(entry: &ScopeEntry<'_>, places: &HashMap<&Scope, usize>) -> impl Ord + use<> {
    let (part, components, slot) = match entry.scope.split() {
        None if entry.scope.is_user_global() => (0, Vec::new(), 2),
        None => (2, Vec::new(), 2),
        // Additional directories follow the project (D13).
        Some((dir, _)) if dir.starts_with('+') => (2, Vec::new(), 2),
        Some((dir, slot)) => {
            let dir = dir.split('/').filter(|part| *part != ".");
            let slot = match slot {
                "base" => 0,
                "local" => 1,
                _ => 2,
            };
            (1, dir.map(str::to_owned).collect(), slot)
        }
    };
    let place = places.get(entry.scope).copied().unwrap_or(usize::MAX);
    (part, components, place, slot, entry.order, entry.path.to_owned())
}
