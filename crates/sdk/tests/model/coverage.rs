//! Which situations a run has reached.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

static SEEN: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Every situation that a default run has to reach, by the label that [`cover`] is called with.
pub(super) const SITUATIONS: [&str; 45] = [
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
