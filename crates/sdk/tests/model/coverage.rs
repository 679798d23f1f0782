//! Which situations a run has reached.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use standing_orders_history::Event;
use standing_orders_session::Action;

use super::due::{Due, Shown, Standing, Verdict};
use super::history::Entry;
use super::setup::GATE;
use super::sut::Sut;

static SEEN: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Every situation that a default run has to reach, by the label that [`cover`] is called with.
pub(super) const SITUATIONS: [&str; 50] = [
    "a baseline",
    "a superseding baseline",
    "an empty superseding baseline",
    "a baseline that removes",
    "a baseline restored",
    "a baseline with transitions",
    "a baseline elsewhere",
    "set",
    "replace",
    "remove",
    "omit",
    "left out",
    "cut",
    "nested set",
    "nested replace",
    "nested remove",
    "a switch",
    "a same-file removal",
    "a removal for an equal sibling",
    "a removal that waits for the entry it hands over to",
    "shown by an earlier place",
    "held",
    "frozen",
    "a directory frozen",
    "blocked",
    "a winner that is unavailable",
    "a scope waits for room",
    "a nested place is looked at again",
    "a gated delivery",
    "a gated removal",
    "a gated update",
    "due and not entered",
    "a touch while a step was prepared",
    "touches of inner calls counted",
    "compaction of everything",
    "compaction of a part",
    "a shadowed removal revives",
    "a silent resume",
    "a root out of history",
    "a provider replaced",
    "a provider taken away",
    "a touch that no provider could answer",
    "a touch that a restart takes for not answered",
    "a gated file under another name",
    "a gated file under another name withdrawn",
    "another project's file cannot be had",
    "an unchanged pre-step",
    "a fault that changes what is due",
    "compared with a fresh session",
    "budget off",
];

pub(super) fn cover(situation: &'static str) {
    debug_assert!(SITUATIONS.contains(&situation), "{situation} is not on the list");
    *SEEN.lock().unwrap_or_else(PoisonError::into_inner).entry(situation).or_default() += 1;
}

/// How often each situation was reached, and which never.
pub(super) fn reached() -> (BTreeMap<&'static str, u64>, Vec<&'static str>) {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let missed = SITUATIONS.into_iter().filter(|situation| !seen.contains_key(situation)).collect();
    (seen, missed)
}

/// What the slots came to.
pub(super) fn standings(due: &Due, injector: &str) {
    if injector == GATE {
        return;
    }
    for Standing { loaded, verdict, pinned, shown } in &due.standings {
        match verdict {
            Verdict::Frozen => cover("frozen"),
            Verdict::Blocked => cover("blocked"),
            Verdict::Gated if loaded.is_some() => cover("a gated file under another name withdrawn"),
            Verdict::Gated => cover("a gated file under another name"),
            Verdict::Unavailable { id: Some(_) } => cover("a winner that is unavailable"),
            _ => {}
        }
        if *pinned {
            cover("a directory frozen");
        }
        match shown {
            Shown::Held => cover("held"),
            Shown::By(_) if loaded.is_none() => cover("shown by an earlier place"),
            Shown::HandedTo { one_file: true, .. } => cover("a same-file removal"),
            Shown::HandedTo { one_file: false, .. } => cover("a removal for an equal sibling"),
            Shown::Itself | Shown::By(_) => {}
        }
    }
}

/// What a message does.
pub(super) fn kinds(sut: &Sut, due: &Due, changes: &[Entry], injector: &str) {
    let transitions = &changes[due.removes.len() + due.items.len()..];
    if injector == GATE {
        for change in changes {
            cover(match change.action {
                Action::Set | Action::Omit => "a gated delivery",
                Action::Replace => "a gated update",
                Action::Remove => "a gated removal",
            });
        }
        return;
    }
    if due.baseline {
        cover("a baseline");
        if due.superseding {
            cover("a superseding baseline");
        } else if sut
            .driver
            .session()
            .history()
            .surface()
            .iter()
            .any(|(_, event)| matches!(event, Event::SurfaceReplaced(_)))
        {
            cover("a baseline restored");
        }
        if due.superseding && due.items.is_empty() {
            cover("an empty superseding baseline");
        }
        if !due.removes.is_empty() {
            cover("a baseline that removes");
        }
        if !transitions.is_empty() {
            cover("a baseline with transitions");
        }
        if due.resets_nested {
            cover("a baseline elsewhere");
        }
    }
    for change in changes {
        cover(match change.action {
            Action::Set => "set",
            Action::Replace => "replace",
            Action::Remove => "remove",
            Action::Omit => "omit",
        });
    }
    for change in transitions {
        let item = due.transitions.iter().find(|item| item.entry.scope == change.scope);
        let item = item.unwrap_or_else(|| panic!("{change:?} is not due: {due:?}, of {changes:?}"));
        if item.switched {
            cover("a switch");
        }
        match change.action {
            _ if change.scope == "user-global" => {}
            Action::Set if due.standings[item.slot].loaded.is_none() => cover("nested set"),
            Action::Replace => cover("nested replace"),
            Action::Remove => cover("nested remove"),
            Action::Set | Action::Omit => {}
        }
    }
}
