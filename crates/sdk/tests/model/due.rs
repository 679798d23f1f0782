//! What the model says is due: everything computed anew, slot by slot (C3, C6, C7, D9).

use std::collections::{BTreeMap, BTreeSet};

use standing_orders_session::{Action, Digest};

use super::coverage::cover;
use super::history::{Entry, History, Loaded, State};
use super::look::{
    Content, Instance, Key, Sight, Sights, Slot, gated, guards, order_key, root, shown, workspace,
};
use super::setup::{GATE, Setup};
use super::world::World;

/// What the candidates of a slot come to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    Gone,
    Unavailable { id: Option<u64> },
    Frozen,
    Blocked,
    Gated,
    Winner { candidate: usize, id: u64, text: String, digest: Digest, same_path: bool },
}

/// Who shows the text of a slot's winner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    Itself,
    /// Not in force, and this slot shows it.
    By(usize),
    /// In force, and this slot takes over.
    HandedTo {
        slot: usize,
        one_file: bool,
    },
    Held,
}

#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) loaded: Option<Loaded>,
    pub(super) verdict: Verdict,
    pub(super) pinned: bool,
    pub(super) shown: Shown,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) slot: usize,
    pub(super) candidate: Option<usize>,
    pub(super) entry: Entry,
    /// Of a removal: the slot that shows the text.
    pub(super) shown_by: Option<usize>,
    pub(super) switched: bool,
}

/// The one message due for an injector, if the budget were endless.
#[derive(Clone, Debug, Default)]
pub(super) struct Due {
    pub(super) complete: bool,
    pub(super) baseline: bool,
    pub(super) superseding: bool,
    pub(super) resets_nested: bool,
    pub(super) removes: Vec<Entry>,
    pub(super) items: Vec<Item>,
    pub(super) transitions: Vec<Item>,
    pub(super) standings: Vec<Standing>,
}

#[derive(Clone, Debug)]
pub(super) struct Share {
    pub(super) injector: &'static str,
    pub(super) slots: Vec<Slot>,
    pub(super) state: State,
    pub(super) due: Due,
}

/// Everything that a pre-step comes to.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) root: String,
    pub(super) root_from_history: bool,
    pub(super) at: String,
    pub(super) shares: Vec<Share>,
    pub(super) cache: BTreeMap<Key, u64>,
    pub(super) guards: BTreeMap<String, u64>,
    /// Whether every candidate answered, with text.
    pub(super) all_answered: bool,
}

/// What a pre-step of this instance, now, comes to.
pub(super) fn expect(
    world: &World,
    setup: &Setup,
    mode: Option<&str>,
    history: &History,
    instance: &Instance,
) -> Expected {
    let found = root(world, setup, history);
    let (root, root_from_history) = instance.root.clone().map_or(found, |root| (root, false));
    let at = shown(&root, setup.cwd);
    let mut asked: Vec<(&'static str, Vec<Slot>, State)> = Vec::new();
    if setup.budget > 0 {
        let state = history.state("workspace");
        let slots = workspace(setup, &root, history, instance, &state);
        asked.push(("workspace", slots, state));
    }
    let state = history.state(GATE);
    if let Some(slots) = gated(setup, mode, &root, history, instance, &state) {
        asked.push((GATE, slots, state));
    }
    let all: Vec<&Slot> = asked.iter().flat_map(|(_, slots, _)| slots).collect();
    let mut sights = Sights::look(world, setup, instance, &all);
    let guards = guards(world, setup, mode, &root, instance);
    let kept: BTreeSet<u64> = guards.values().copied().collect();
    let shares = loop {
        let mut shares = Vec::new();
        let mut missing = Vec::new();
        let mut offset = 0;
        for (injector, slots, state) in &asked {
            let rows = &sights.rows[offset..offset + slots.len()];
            let due = due(setup, (injector, &at), history, slots, rows, state, &kept);
            for item in due.items.iter().chain(&due.transitions) {
                if let Some(candidate) = item.candidate
                    && matches!(rows[item.slot][candidate], Sight::File { content: Content::Known(_), .. })
                {
                    missing.push((offset + item.slot, candidate));
                }
            }
            offset += slots.len();
            shares.push(Share { injector, slots: slots.clone(), state: state.clone(), due });
        }
        if missing.is_empty() {
            break shares;
        }
        missing.sort_unstable();
        sights.read(world, &all, &missing);
    };
    let bad = |sight: &Sight| matches!(sight, Sight::Unknown | Sight::File { content: Content::Bad, .. });
    let all_answered = !sights.rows.iter().flatten().any(bad);
    let cache = sights.cache(world, &all);
    Expected { root, root_from_history, at, shares, cache, guards, all_answered }
}

fn due(
    setup: &Setup,
    (injector, at): (&str, &str),
    history: &History,
    slots: &[Slot],
    rows: &[Vec<Sight>],
    state: &State,
    kept: &BTreeSet<u64>,
) -> Due {
    let workspace = injector == "workspace";
    let nothing = BTreeSet::new();
    let kept = if workspace { kept } else { &nothing };
    let verdict =
        |slot: &Slot, row: &[Sight], loaded: Option<&Loaded>| verdict(slot, row, loaded, workspace, kept);
    let readable = |slot: &Slot, row: &Vec<Sight>| {
        !slot.nested && matches!(verdict(slot, row, None), Verdict::Winner { .. })
    };
    let (mut complete, mut superseding, mut resets_nested) = (false, false, false);
    if workspace {
        let visible = history.baseline();
        // Of another cwd, what cannot be read now may be another file (C3).
        let moved = history.of(injector).next_back().is_some_and(|message| message.cwd != setup.cwd);
        let unreadable = slots.iter().zip(rows).filter(|(slot, _)| !slot.nested).any(|(slot, row)| {
            let loaded = state.get(&slot.scope).filter(|loaded| loaded.in_force);
            loaded.is_some() && verdict(slot, row, loaded) == Verdict::Frozen
        });
        let other = |identity: &String| *identity != setup.identity(at) || moved && unreadable;
        superseding = visible.is_some_and(|baseline| other(&baseline.identity));
        if visible.is_some_and(|baseline| baseline.identity == setup.identity(at)) && superseding {
            cover("another project's file cannot be had");
        }
        let first = visible.is_none() && slots.iter().zip(rows).any(|(slot, row)| readable(slot, row));
        complete = superseding || first;
        let elsewhere = history.of(injector).next_back().is_some_and(|message| message.at != at);
        let reselected = visible.is_some_and(|baseline| baseline.all_distinct != setup.all_distinct);
        resets_nested = complete && (elsewhere || reselected);
    } else if history.of(injector).next().is_none() {
        complete = true;
    }
    let mut standings: Vec<Standing> = slots
        .iter()
        .zip(rows)
        .map(|(slot, row)| {
            let fresh = complete && (!slot.nested || resets_nested);
            // A complete message ends what an earlier one left out (C8).
            let stands = |loaded: &&Loaded| !fresh && (loaded.in_force || !complete);
            let loaded = state.get(&slot.scope).filter(stands).cloned();
            let verdict = verdict(slot, row, loaded.as_ref());
            Standing { loaded, verdict, pinned: false, shown: Shown::Itself }
        })
        .collect();
    if workspace && setup.all_distinct {
        freeze(slots, &mut standings);
    }
    one_rendering(slots, &mut standings, workspace && setup.all_distinct);

    let mut due =
        Due { complete, baseline: workspace && complete, superseding, resets_nested, ..Due::default() };
    for (number, (slot, standing)) in slots.iter().zip(&standings).enumerate() {
        if let Some(item) = item(number, slot, standing) {
            let listed = complete && !slot.nested;
            if listed { due.items.push(item) } else { due.transitions.push(item) }
        }
    }
    if due.baseline {
        let mut leaving: Vec<(&String, &Loaded)> = state
            .iter()
            .filter(|(_, loaded)| loaded.in_force)
            .filter(|(scope, _)| !due.items.iter().any(|item| item.entry.scope == **scope))
            .filter(|(scope, _)| {
                resets_nested || slots.iter().any(|slot| !slot.nested && slot.scope == **scope)
            })
            .collect();
        leaving.sort_by_key(|(scope, _)| scope_order(scope));
        due.removes = leaving.into_iter().map(|(scope, loaded)| removal(scope, &loaded.path)).collect();
        // With nothing to say, nothing is said.
        if !superseding && due.items.is_empty() && due.removes.is_empty() {
            (due.complete, due.baseline) = (false, false);
        }
    } else if due.items.is_empty() {
        due.complete = false;
    }
    due.standings = standings;
    due
}

/// C10, as far as a scope alone tells.
pub(super) fn scope_order(scope: &str) -> (usize, Vec<Vec<u8>>) {
    match scope.split_once('\0') {
        None => (0, Vec::new()),
        Some((".", _)) => (1, Vec::new()),
        Some((dir, _)) => (2, order_key(dir)),
    }
}

fn removal(scope: &str, path: &str) -> Entry {
    Entry {
        action: Action::Remove,
        scope: scope.to_owned(),
        path: path.to_owned(),
        previous: None,
        digest: None,
    }
}

/// H4: of the content, or for other injectors of the normalised text.
fn digest_of(text: &str, workspace: bool) -> Digest {
    if workspace {
        return Digest::of(text);
    }
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.trim().split('\n').map(str::trim_end).collect();
    Digest::of(&lines.join("\n"))
}

fn verdict(
    slot: &Slot,
    row: &[Sight],
    loaded: Option<&Loaded>,
    workspace: bool,
    kept: &BTreeSet<u64>,
) -> Verdict {
    let unknown = |row: &[Sight]| row.contains(&Sight::Unknown);
    let winner = row.iter().enumerate().find_map(|(at, sight)| match sight {
        Sight::File { id, content } => Some((at, *id, content)),
        Sight::Absent | Sight::Unknown => None,
    });
    let Some((candidate, id, content)) = winner else {
        return match loaded {
            _ if !unknown(row) => Verdict::Gone,
            None => Verdict::Unavailable { id: None },
            Some(_) => Verdict::Frozen,
        };
    };
    let same_path = loaded.is_some_and(|loaded| loaded.path == slot.candidates[candidate].shown);
    let moves = loaded.is_some() && !same_path;
    match content {
        _ if moves && unknown(&row[..candidate]) => Verdict::Frozen,
        _ if kept.contains(&id) => Verdict::Gated,
        Content::Known(text) | Content::Text(text) => {
            let digest = digest_of(text, workspace);
            Verdict::Winner { candidate, id, text: text.clone(), digest, same_path }
        }
        _ if loaded.is_some() => Verdict::Frozen,
        _ => Verdict::Unavailable { id: Some(id) },
    }
}

/// An unavailable loaded member freezes its directory (C7).
fn freeze(slots: &[Slot], standings: &mut [Standing]) {
    let frozen: BTreeSet<&str> = slots
        .iter()
        .zip(standings.iter())
        .filter(|(_, standing)| standing.verdict == Verdict::Frozen)
        .map(|(slot, _)| slot.dir.as_str())
        .collect();
    for (slot, standing) in slots.iter().zip(standings) {
        if !frozen.contains(slot.dir.as_str()) {
            continue;
        }
        standing.pinned = true;
        let changes = match standing.verdict {
            Verdict::Winner { .. } => !standing.is_current(),
            Verdict::Gone => standing.loaded.is_some(),
            Verdict::Unavailable { .. } | Verdict::Frozen | Verdict::Blocked | Verdict::Gated => false,
        };
        if changes {
            standing.verdict = if standing.loaded.is_some() { Verdict::Frozen } else { Verdict::Blocked };
        }
    }
}

/// D9 and D5, slot after slot, the chain's first.
fn one_rendering(slots: &[Slot], standings: &mut [Standing], siblings: bool) {
    let frozen: Vec<Digest> = standings
        .iter()
        .filter(|standing| standing.verdict == Verdict::Frozen)
        .filter_map(|standing| standing.loaded.as_ref().map(|loaded| loaded.digest))
        .collect();
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|number| slots[*number].nested);
    for (position, number) in order.iter().copied().enumerate() {
        let Verdict::Winner { id, text, digest, .. } = standings[number].verdict.clone() else { continue };
        let earlier = &order[..position];
        let loaded = standings[number].loaded.is_some();
        let holder = earlier.iter().copied().find(|other| match &standings[*other].verdict {
            Verdict::Winner { id: file, .. } => *file == id && standings[*other].shown != Shown::Held,
            // Once loaded, a place does not give way to one that cannot be read.
            Verdict::Unavailable { id: other } => *other == Some(id) && !loaded,
            Verdict::Gone | Verdict::Frozen | Verdict::Blocked | Verdict::Gated => false,
        });
        let sibling = earlier.iter().copied().filter(|_| siblings).find(|other| {
            slots[*other].dir == slots[number].dir
                && matches!(&standings[*other].verdict, Verdict::Winner { text: other, .. } if other.trim() == text.trim())
        });
        let held = !loaded && frozen.contains(&digest);
        standings[number].shown = match (holder, sibling) {
            (Some(other), _) if matches!(standings[other].verdict, Verdict::Unavailable { .. }) => {
                Shown::Held
            }
            (Some(other), _) => behind(standings, number, other, true),
            (None, Some(other)) => behind(standings, number, other, false),
            (None, None) => Shown::Itself,
        };
        if held && standings[number].shown == Shown::Itself {
            standings[number].shown = Shown::Held;
        }
    }
}

fn behind(standings: &[Standing], number: usize, other: usize, one_file: bool) -> Shown {
    let shows = match standings[other].shown {
        Shown::By(slot) | Shown::HandedTo { slot, .. } => slot,
        Shown::Itself | Shown::Held => other,
    };
    let standing = &standings[number];
    if !standing.is_in_force() {
        return Shown::By(shows);
    }
    let takes_over = standings[shows].is_current() || standings[shows].enters();
    if takes_over && !standing.pinned { Shown::HandedTo { slot: shows, one_file } } else { Shown::Itself }
}

impl Standing {
    pub(super) fn is_in_force(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| loaded.in_force)
    }

    pub(super) fn is_current(&self) -> bool {
        match (&self.verdict, &self.loaded) {
            (Verdict::Winner { digest, same_path: true, .. }, Some(loaded)) => {
                loaded.in_force && loaded.digest == *digest && loaded.stray.is_none()
            }
            _ => false,
        }
    }

    fn enters(&self) -> bool {
        let Verdict::Winner { digest, .. } = &self.verdict else { return false };
        let left_out = self.loaded.as_ref().is_some_and(|l| !l.in_force && l.digest == *digest);
        self.shown == Shown::Itself && !self.is_current() && !left_out
    }

    /// Unavailable, or kept from showing: a touch of it is not answered (C4).
    pub(super) fn is_unanswered(&self) -> bool {
        match self.verdict {
            Verdict::Unavailable { .. } | Verdict::Blocked => true,
            // What is in force is looked at anyway.
            Verdict::Frozen => !self.is_in_force(),
            Verdict::Gone | Verdict::Gated => false,
            Verdict::Winner { .. } => self.shown == Shown::Held,
        }
    }
}

fn item(number: usize, slot: &Slot, standing: &Standing) -> Option<Item> {
    let loaded = standing.loaded.as_ref();
    let gone = |shown_by| Item {
        slot: number,
        candidate: None,
        entry: removal(&slot.scope, &loaded.unwrap().path),
        shown_by,
        switched: false,
    };
    match (&standing.verdict, &standing.shown) {
        (Verdict::Gone | Verdict::Gated, _) if standing.is_in_force() => Some(gone(None)),
        (Verdict::Winner { .. }, Shown::HandedTo { slot, .. }) => Some(gone(Some(*slot))),
        (Verdict::Winner { candidate, digest, same_path, .. }, Shown::Itself) if standing.enters() => {
            let action = if standing.is_in_force() { Action::Replace } else { Action::Set };
            let path = slot.candidates[*candidate].shown.clone();
            let stray = loaded.and_then(|loaded| loaded.stray.as_ref()).map(|(stray, _)| stray.clone());
            let other = if *same_path { stray } else { loaded.map(|loaded| loaded.path.clone()) };
            let previous = other.filter(|_| action == Action::Replace);
            let switched = previous.is_some();
            let entry = Entry { action, scope: slot.scope.clone(), path, previous, digest: Some(*digest) };
            Some(Item { slot: number, candidate: Some(*candidate), entry, shown_by: None, switched })
        }
        _ => None,
    }
}
