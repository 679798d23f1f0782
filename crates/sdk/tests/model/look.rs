//! Which places the model looks at, and what it sees there (C4, D3 to D9, C13).

use std::collections::{BTreeMap, BTreeSet};

use super::history::{History, State};
use super::setup::{GATED, Gate, Setup};
use super::world::{Probed, World, parent};

/// For whom, in which folder as shown, which name.
pub(super) type Key = (&'static str, String, String);

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) asked: String,
    pub(super) shown: String,
    pub(super) key: Key,
}

/// One scope that is looked at.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) scope: String,
    /// The folder, absolute; a gated file is a folder of its own.
    pub(super) dir: String,
    pub(super) nested: bool,
    pub(super) candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sight {
    Absent,
    Unknown,
    File { id: u64, content: Content },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// An earlier name holds the slot.
    Unread,
    Bad,
    /// By its version alone.
    Known(String),
    Text(String),
}

/// What an instance knows beside its history.
#[derive(Clone, Debug, Default)]
pub(super) struct Instance {
    pub(super) root: Option<String>,
    pub(super) provider: bool,
    pub(super) cache: BTreeMap<Key, u64>,
    pub(super) pending: BTreeSet<String>,
    pub(super) waiting: BTreeSet<String>,
    /// The gated files that are not for the session, for when one cannot be probed.
    pub(super) guards: BTreeMap<String, u64>,
}

/// `path` as shown below `root`.
pub(super) fn shown(root: &str, path: &str) -> String {
    match path.strip_prefix(root) {
        Some("") => ".".to_owned(),
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => path.to_owned(),
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}

fn is_below(base: &str, path: &str) -> bool {
    path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'))
}

/// Component by component in byte order (C10).
pub(super) fn order_key(dir: &str) -> Vec<Vec<u8>> {
    dir.split('/').map(|part| part.as_bytes().to_vec()).collect()
}

/// The chain, root first.
pub(super) fn chain(root: &str, cwd: &str) -> Vec<String> {
    let mut chain = vec![cwd.to_owned()];
    while chain.last().unwrap() != root {
        let above = parent(chain.last().unwrap()).to_owned();
        chain.push(above);
    }
    chain.reverse();
    chain
}

/// The root (D1): and whether history had to tell it.
pub(super) fn root(world: &World, setup: &Setup, history: &History) -> (String, bool) {
    let mut dir = setup.cwd;
    loop {
        match world.probe(&format!("{dir}/.git")) {
            Probed::Dir | Probed::File { .. } => return (dir.to_owned(), false),
            Probed::Fault => {
                let recorded = history.messages().rev().find(|message| message.cwd == setup.cwd);
                let Some(recorded) = recorded else { return (dir.to_owned(), false) };
                let depth = if recorded.at == "." { 0 } else { recorded.at.split('/').count() };
                let root = (0..depth).fold(setup.cwd, |dir, _| parent(dir));
                return (root.to_owned(), true);
            }
            Probed::Absent if dir.is_empty() => return (setup.cwd.to_owned(), false),
            Probed::Absent => dir = parent(dir),
        }
    }
}

/// The slots of the workspace, in order.
pub(super) fn workspace(
    setup: &Setup,
    root: &str,
    history: &History,
    instance: &Instance,
    state: &State,
) -> Vec<Slot> {
    let at = shown(root, setup.cwd);
    let chain = chain(root, setup.cwd);
    let base = if setup.project_wide { root } else { setup.cwd };
    // Absolute folder, as shown, and whether its candidates are looked at.
    let mut nested: BTreeMap<String, bool> = BTreeMap::new();
    for touched in &history.touches {
        let mut dir = parent(touched);
        while is_below(base, dir) {
            nested.insert(dir.to_owned(), true);
            dir = parent(dir);
        }
    }
    nested.extend(instance.pending.iter().map(|dir| (dir.clone(), true)));
    // A baseline of this very place says what its scopes mean.
    let ours = history.baseline().is_some_and(|baseline| baseline.identity == setup.identity(&at));
    let elsewhere = !ours && history.of("workspace").next_back().is_some_and(|message| message.at != at);
    let reselected = history.baseline().is_some_and(|b| b.all_distinct != setup.all_distinct);
    for (scope, _) in state.iter().filter(|(_, loaded)| loaded.in_force) {
        if let Some((dir, _)) = scope.split_once('\0') {
            let dir = if dir == "." { root.to_owned() } else { format!("{root}/{dir}") };
            nested.entry(dir).or_insert(!elsewhere && !reselected);
        }
    }
    nested.retain(|dir, _| !chain.contains(dir));

    let mut dirs: Vec<(String, bool, bool)> = chain.iter().map(|dir| (dir.clone(), false, true)).collect();
    dirs.extend(nested.into_iter().map(|(dir, probed)| (dir, true, probed)));
    dirs.sort_by_key(|(dir, ..)| order_key(dir));

    let mut slots = Vec::new();
    if setup.home.is_some() || state.contains_key("user-global") {
        let candidate = |home| Candidate {
            asked: format!("{home}/AGENTS.md"),
            shown: "$DSH_HOME/AGENTS.md".to_owned(),
            key: ("workspace", "user-global".to_owned(), "AGENTS.md".to_owned()),
        };
        let candidates = setup.home.map(candidate).into_iter().collect();
        slots.push(Slot {
            scope: "user-global".to_owned(),
            dir: "user-global".to_owned(),
            nested: false,
            candidates,
        });
    }
    for (dir, nested, probed) in dirs {
        let as_shown = shown(root, &dir);
        let candidate = |name: &&'static str| Candidate {
            asked: format!("{dir}/{name}"),
            shown: join(&as_shown, name),
            key: ("workspace", as_shown.clone(), (*name).to_owned()),
        };
        let lists: Vec<(&str, Vec<Candidate>)> = if setup.all_distinct {
            setup.names().map(|name| (name, vec![candidate(&name)])).collect()
        } else {
            let lists = [("base", &setup.base), ("local", &setup.local)];
            let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
            lists.map(|(slot, list)| (slot, list.iter().map(candidate).collect())).collect()
        };
        let known: BTreeSet<&str> = lists.iter().map(|(slot, _)| *slot).collect();
        // In force, and the rules have no slot for it any more: before what takes its place.
        for (scope, _) in state.iter().filter(|(_, loaded)| loaded.in_force) {
            if let Some((of, slot)) = scope.split_once('\0')
                && of == as_shown
                && !known.contains(slot)
            {
                slots.push(Slot { scope: scope.clone(), dir: dir.clone(), nested, candidates: Vec::new() });
            }
        }
        for (slot, candidates) in lists {
            let candidates = if probed { candidates } else { Vec::new() };
            slots.push(Slot { scope: format!("{as_shown}\0{slot}"), dir: dir.clone(), nested, candidates });
        }
    }
    slots
}

/// The slots of the gated files (I4); `None`: it does not contribute, what is in force stands.
pub(super) fn gated(
    setup: &Setup,
    mode: Option<&str>,
    root: &str,
    history: &History,
    instance: &Instance,
    state: &State,
) -> Option<Vec<Slot>> {
    if setup.gate == Gate::Unregistered || setup.budget == 0 {
        return None;
    }
    let in_force = state.values().any(|loaded| loaded.in_force);
    let touched = history.touches.iter().any(|path| is_below(&format!("{root}/a"), path));
    let wanted = |file: &str| match setup.gate {
        _ if setup.subagent => false,
        Gate::Unregistered => false,
        Gate::Always => true,
        Gate::InMode => mode == Some("plan"),
        Gate::WhenTouched => in_force || touched || instance.waiting.contains(file),
    };
    let slots = GATED.iter().filter_map(|file| {
        let candidate = Candidate {
            asked: format!("{root}/{file}"),
            shown: (*file).to_owned(),
            key: ("gate", String::new(), (*file).to_owned()),
        };
        let candidates = if wanted(file) { vec![candidate] } else { Vec::new() };
        let kept = wanted(file) || state.get(*file).is_some_and(|loaded| loaded.in_force);
        let slot = Slot { scope: (*file).to_owned(), dir: format!("gate {file}"), nested: false, candidates };
        kept.then_some(slot)
    });
    Some(slots.collect())
}

/// The gated files that are not for this session, as they are now or were last (I5).
pub(super) fn guards(
    world: &World,
    setup: &Setup,
    mode: Option<&str>,
    root: &str,
    instance: &Instance,
) -> BTreeMap<String, u64> {
    let admitted = !setup.subagent && (setup.gate != Gate::InMode || mode == Some("plan"));
    if setup.gate == Gate::Unregistered || admitted || setup.budget == 0 {
        return BTreeMap::new();
    }
    let files = GATED.iter().map(|file| format!("{root}/{file}"));
    let known = files.filter_map(|path| match world.probe(&path) {
        Probed::File { id, .. } => Some((path, id)),
        Probed::Fault => instance.guards.get(&path).copied().map(|id| (path, id)),
        Probed::Absent | Probed::Dir => None,
    });
    known.collect()
}

pub(super) fn decode(text: &str) -> Option<String> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    (!text.contains('\0')).then(|| content.to_owned())
}

/// What every candidate of every slot is; the same shape as the slots.
#[derive(Clone, Debug)]
pub(super) struct Sights {
    pub(super) rows: Vec<Vec<Sight>>,
    /// Files whose content came in this look.
    read: BTreeMap<u64, Option<String>>,
}

impl Sights {
    /// One look: probes, then reads of what counts and is not known by its version. Two paths to one
    /// file share a read, unless the first path fails.
    pub(super) fn look(world: &World, setup: &Setup, instance: &Instance, slots: &[&Slot]) -> Self {
        let mut sights = Self { rows: Vec::new(), read: BTreeMap::new() };
        let mut wanted = Vec::new();
        for (number, slot) in slots.iter().enumerate() {
            let mut row: Vec<Sight> = Vec::new();
            for (at, candidate) in slot.candidates.iter().enumerate() {
                let led = row.iter().any(|sight| matches!(sight, Sight::File { .. }));
                row.push(match world.probe(&candidate.asked) {
                    Probed::Fault => Sight::Unknown,
                    Probed::Absent | Probed::Dir => Sight::Absent,
                    Probed::File { id, .. } if led => Sight::File { id, content: Content::Unread },
                    Probed::File { id, text, .. } if text.len() as u64 > setup.max_source => {
                        Sight::File { id, content: Content::Bad }
                    }
                    Probed::File { id, stamp, text } => {
                        if instance.cache.get(&candidate.key) == Some(&stamp) {
                            let content = decode(&text).map_or(Content::Bad, Content::Known);
                            Sight::File { id, content }
                        } else {
                            wanted.push((number, at));
                            Sight::File { id, content: Content::Bad }
                        }
                    }
                });
            }
            sights.rows.push(row);
        }
        sights.read(world, slots, &wanted);
        sights
    }

    pub(super) fn read(&mut self, world: &World, slots: &[&Slot], wanted: &[(usize, usize)]) {
        let mut tried = BTreeSet::new();
        for (number, at) in wanted.iter().copied() {
            let asked = &slots[number].candidates[at].asked;
            let Sight::File { id, content } = &mut self.rows[number][at] else { continue };
            let fails = world.cannot_be_read(asked);
            // Where the first path failed, each of the others is read for itself.
            let apart = tried.contains(id) && !self.read.contains_key(id);
            let Probed::File { text, .. } = world.probe(asked) else { continue };
            let answer = match self.read.get(id) {
                Some(known) => Some(known.clone()),
                None if fails => None,
                None => Some(decode(&text)),
            };
            tried.insert(*id);
            *content = answer.clone().flatten().map_or(Content::Bad, Content::Text);
            if let (Some(answer), false) = (answer, apart) {
                self.read.insert(*id, answer);
            }
        }
    }

    /// What the instance knows by version once the step has entered.
    pub(super) fn cache(&self, world: &World, slots: &[&Slot]) -> BTreeMap<Key, u64> {
        let mut cache = BTreeMap::new();
        for (slot, row) in slots.iter().zip(&self.rows) {
            for (candidate, sight) in slot.candidates.iter().zip(row) {
                let Sight::File { id, content } = sight else { continue };
                let Probed::File { stamp, text, .. } = world.probe(&candidate.asked) else { continue };
                let known = match content {
                    Content::Known(_) | Content::Text(_) => true,
                    Content::Bad => decode(&text).is_none() && self.read.contains_key(id),
                    Content::Unread => false,
                };
                if known {
                    cache.insert(candidate.key.clone(), stamp);
                }
            }
        }
        cache
    }
}
