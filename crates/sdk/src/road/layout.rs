//! Which places to look at, in order (C4, C10).

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use standing_orders_discovery::path::{nested_dirs, shown_in, unshown};
use standing_orders_discovery::{CandidateNames, Places, Selection};
use standing_orders_session::{Digest, Fold, InjectorId, ScopeRef, Slot, Zone};

use super::rooted::Rooted;
use crate::plugin::{Body, Instruction};
use crate::report::Looked;
use crate::settings::{Home, NestedDiscovery, Settings, selection_name};

/// The name of the user-global file, whatever the lists say (D6).
pub(crate) const USER_GLOBAL: &str = "AGENTS.md";

/// Which parts of the workspace the policy allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkspaceParts {
    pub(crate) user_global: bool,
    pub(crate) base: bool,
    pub(crate) local: bool,
    pub(crate) nested: bool,
}

/// One directory of the workspace, or the user-global place.
#[derive(Debug)]
pub(crate) struct Dir {
    /// In shown form, as a range of `Layout::text`.
    pub(crate) shown: (u32, u32),
    pub(crate) zone: Zone,
    pub(crate) looked: Looked,
    pub(crate) user_global: bool,
    /// Nothing is loaded from it, nor from below (D14).
    pub(crate) excluded: bool,
    /// The number of its first candidate; `None` where it is not looked at.
    pub(crate) first: Option<u32>,
    /// Of a nested one.
    path: Option<PathBuf>,
    /// Scopes in force here for which the rules have no slot.
    leftovers: Vec<String>,
}

/// One instruction of an injector.
#[derive(Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) injector: usize,
    pub(crate) instruction: &'a Instruction,
    /// The number of its candidate.
    pub(crate) candidate: u32,
}

/// Everything that is looked at in one pre-step.
#[derive(Debug, Default)]
pub(crate) struct Layout<'a> {
    pub(crate) places: Places<'a>,
    pub(crate) text: String,
    pub(crate) dirs: Vec<Dir>,
    pub(crate) wishes: Vec<Wish<'a>>,
    pub(crate) parts: WorkspaceParts,
    /// The wish of each candidate behind the probed ones.
    texts: Vec<usize>,
    /// How many candidates stand in `places`; those with a text of their own come after.
    pub(crate) probed: u32,
}

/// What is known of the workspace before the look.
pub(crate) struct Workspace<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) rooted: &'a Rooted,
    /// Of a baseline composed now.
    pub(crate) identity: Digest,
    pub(crate) home: Option<&'a Home>,
    pub(crate) visible: &'a Fold,
    pub(crate) id: &'a InjectorId,
    pub(crate) parts: WorkspaceParts,
    pub(crate) touched: &'a [PathBuf],
    pub(crate) pending: &'a [PathBuf],
    /// This is the instance's first pre-step, over a history that has something in view.
    pub(crate) resuming: bool,
}

/// A directory beside the chain.
struct Nested {
    shown: String,
    looked: Looked,
    probed: bool,
    excluded: bool,
    /// From an earlier touch that is not answered yet.
    pending: bool,
}

impl<'a> Layout<'a> {
    pub(crate) fn workspace(&mut self, workspace: &Workspace<'a>) {
        let Workspace { settings, rooted, home, visible, id, parts, .. } = workspace;
        self.parts = *parts;
        let lost = visible.baseline().is_none() && visible.had_messages(id);
        let looked = match (workspace.resuming, lost) {
            (_, true) => Looked::Restore,
            (true, false) => Looked::Resume,
            (false, false) => Looked::Baseline,
        };
        let (nested, leftovers) = workspace.beside();
        let chain = rooted.chain();
        let dirs = chain.len() + nested.len() + 1;
        self.dirs.reserve_exact(dirs);
        self.places = Places::with_capacity(dirs);
        self.text.reserve(dirs * (rooted.at().len() + 8));
        let global_in_view = visible.scope(id, ScopeRef::UserGlobal).is_some();
        if home.is_some() || global_in_view {
            let shown = home.map_or("", |home| home.shown.as_str());
            self.push_dir(shown, Zone::Chain, looked, true);
            if let (Some(home), true) = (home, parts.user_global) {
                self.places.push_user_global(home.dir.as_path());
                self.looked_at(1);
            }
        }
        let names = u32::try_from(settings.rules.names.len()).unwrap_or(u32::MAX);
        let mut chain = chain.into_iter().peekable();
        let mut nested = nested.into_iter().peekable();
        loop {
            // Pre-order, component by component in byte order: as paths compare.
            let take_chain = match (chain.peek(), nested.peek()) {
                (None, None) => break,
                (Some((_, path)), Some((other, _))) => *path < other.as_path(),
                (chain, _) => chain.is_some(),
            };
            if take_chain {
                if let Some((shown, path)) = chain.next() {
                    self.push_dir(shown, Zone::Chain, looked, false);
                    if parts.base || parts.local {
                        self.places.push_directory(path);
                        self.looked_at(names);
                    }
                }
            } else if let Some((path, Nested { shown, looked, probed, excluded, .. })) = nested.next() {
                self.push_dir(&shown, Zone::Nested, looked, false);
                if let Some(dir) = self.dirs.last_mut() {
                    dir.path = Some(path.clone());
                    dir.excluded = excluded;
                }
                if probed && parts.nested {
                    self.places.push_directory(path);
                    self.looked_at(names);
                }
            }
        }
        for dir in self.dirs.iter_mut().filter(|dir| !dir.user_global) {
            let Some(shown) = self.text.get(dir.shown.0 as usize..dir.shown.1 as usize) else { continue };
            if let Some(slots) = leftovers.get(shown) {
                dir.leftovers.clone_from(slots);
            }
        }
    }

    /// What the injector `number` wants; `id`s that appear twice count once, the first.
    pub(crate) fn wishes(&mut self, number: usize, instructions: &'a [Instruction], root: Option<&Path>) {
        let mut known = HashSet::new();
        for instruction in instructions {
            if !known.insert(&instruction.id) {
                continue;
            }
            let candidate = match &instruction.body {
                Body::Text(_) => u32::MAX,
                Body::File(path) => {
                    match root {
                        Some(root) => self.places.push_file(root.join(path)),
                        None => self.places.push_file(path.as_path()),
                    }
                    self.probed += 1;
                    self.probed - 1
                }
            };
            self.wishes.push(Wish { injector: number, instruction, candidate });
        }
    }

    /// After the last place: numbers the texts behind the probed candidates.
    pub(crate) fn finish(&mut self) -> u32 {
        let wishes = self.wishes.iter_mut().enumerate();
        let texts = wishes.filter(|(_, wish)| wish.candidate == u32::MAX);
        let mut next = self.probed;
        for (at, wish) in texts {
            wish.candidate = next;
            self.texts.push(at);
            next += 1;
        }
        next
    }

    /// The wish that brings its own text, of a candidate behind the probed ones.
    pub(crate) fn text_wish(&self, candidate: u32) -> Option<&Wish<'a>> {
        let at = candidate.checked_sub(self.probed)?;
        self.wishes.get(*self.texts.get(at as usize)?)
    }

    fn push_dir(&mut self, shown: &str, zone: Zone, looked: Looked, user_global: bool) {
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.push_str(shown);
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let leftovers = Vec::new();
        self.dirs.push(Dir {
            shown: (start, end),
            zone,
            looked,
            user_global,
            excluded: false,
            first: None,
            path: None,
            leftovers,
        });
    }

    fn looked_at(&mut self, candidates: u32) {
        if let Some(dir) = self.dirs.last_mut() {
            dir.first = Some(self.probed);
        }
        self.probed = self.probed.saturating_add(candidates);
    }

    /// Where the nested directory with this number is.
    pub(crate) fn path_of(&self, directory: u32) -> Option<&Path> {
        self.dirs.get(directory as usize)?.path.as_deref()
    }

    pub(crate) fn shown(&self, dir: &Dir) -> &str {
        self.text.get(dir.shown.0 as usize..dir.shown.1 as usize).unwrap_or("")
    }

    /// Whether the policy allows this slot of the directory.
    pub(crate) fn allows(&self, dir: &Dir, slot: standing_orders_discovery::Slot) -> bool {
        match (dir.zone, slot) {
            _ if dir.user_global => self.parts.user_global,
            (Zone::Nested, _) => self.parts.nested,
            (Zone::Chain, standing_orders_discovery::Slot::Base) => self.parts.base,
            (Zone::Chain, standing_orders_discovery::Slot::Local) => self.parts.local,
        }
    }

    /// The slots of the workspace, in order; those of a denied part have no candidates.
    pub(crate) fn slots<'s>(&'s self, settings: &'s Settings) -> Vec<Slot<'s>> {
        let names = &settings.rules.names;
        let mut slots = Vec::with_capacity(self.dirs.len() * 2);
        for (directory, dir) in (0_u32..).zip(&self.dirs) {
            let mut push = |scope, first: Option<u32>, count| {
                let (first, count) = first.map_or((0, 0), |first| (first, count));
                slots.push(Slot { scope, zone: dir.zone, directory, first, count });
            };
            if dir.user_global {
                push(ScopeRef::UserGlobal, dir.first, 1);
                continue;
            }
            let shown = self.shown(dir);
            let allowed = |slot| self.allows(dir, slot);
            match settings.rules.selection {
                Selection::First => {
                    for (slot, name) in SLOTS {
                        let count = names.iter().filter(|(of, _)| *of == slot).count();
                        let before = names.iter().take_while(|(of, _)| *of != slot).count();
                        let (Ok(count), Ok(before)) = (u32::try_from(count), u32::try_from(before)) else {
                            continue;
                        };
                        if count > 0 {
                            let first = dir.first.filter(|_| allowed(slot)).map(|first| first + before);
                            push(ScopeRef::Slot { dir: shown, slot: name }, first, count);
                        }
                    }
                }
                Selection::AllDistinct => {
                    for ((slot, name), offset) in names.iter().zip(0_u32..) {
                        let first = dir.first.filter(|_| allowed(slot)).map(|first| first + offset);
                        push(ScopeRef::Slot { dir: shown, slot: name }, first, 1);
                    }
                }
            }
            for slot in &dir.leftovers {
                push(ScopeRef::Slot { dir: shown, slot }, None, 0);
            }
        }
        slots
    }
}

const SLOTS: [(standing_orders_discovery::Slot, &str); 2] =
    [(standing_orders_discovery::Slot::Base, "base"), (standing_orders_discovery::Slot::Local, "local")];

impl<'a> Workspace<'a> {
    /// The directories beside the chain that are looked at, and the scopes in force, by directory,
    /// for which the rules have no slot.
    fn beside(&self) -> (Vec<(PathBuf, Nested)>, HashMap<String, Vec<String>>) {
        let Workspace { settings, rooted, visible, id, .. } = self;
        // In order of what is known better; of one folder the first counts.
        let mut nested: Vec<(PathBuf, Nested)> = Vec::new();
        let mut leftovers: HashMap<String, Vec<String>> = HashMap::new();
        let root = rooted.root();
        let excluded = |dir: &Path| {
            let named = dir.strip_prefix(root).ok().and_then(|dir| settings.exclude.of(dir));
            named.map(|named| root.join(named))
        };
        let mut known: HashSet<&OsStr> = HashSet::new();
        let mut touch = |path: &'a Path, excluded: bool, pending: bool| {
            if !known.insert(path.as_os_str()) {
                return;
            }
            let Some(shown) = shown_in(root, path).map(|shown| shown.to_string()) else { return };
            if !rooted.in_chain(&shown) {
                let looked = Looked::Touch;
                let dir = Nested { shown, looked, probed: !excluded, excluded, pending };
                nested.push((path.to_path_buf(), dir));
            }
        };
        let base = match settings.nested_discovery {
            NestedDiscovery::Cwd => rooted.cwd(),
            NestedDiscovery::Project => root,
        };
        // A chain may lie in an excluded folder; what is below it is excluded all the same (D14).
        let within = excluded(base).is_some();
        for touched in self.touched {
            let mut excluded = within;
            for dir in nested_dirs(base, touched) {
                let named = || dir.strip_prefix(root).is_ok_and(|dir| settings.exclude.is_named(dir));
                excluded = excluded || named();
                touch(dir, excluded, false);
                // Of an excluded folder, the topmost is told, and no other is looked at. The chain is not
                // bound by it, but what is beside it is.
                if excluded && !rooted.cwd().starts_with(dir) {
                    break;
                }
            }
        }
        for dir in self.pending {
            touch(dir, false, true);
        }
        // Recorded at another place, a scope's directory names another directory: it is not looked
        // at, and what is in force of it has no candidate here (C3).
        let ours = visible.baseline().is_some_and(|baseline| baseline.identity == Some(self.identity));
        let recorded = visible.recorded(id);
        let same_place = ours || recorded.is_none_or(|recorded| recorded.at == rooted.at());
        // Under another selection everything in force goes too.
        let selection = visible.baseline().and_then(|baseline| baseline.selection);
        let reselected = selection.is_some_and(|known| known != selection_name(settings.rules.selection));
        let same_place = same_place && !reselected;
        for entry in visible.scopes(id).filter(|entry| entry.state.is_in_force()) {
            let ScopeRef::Slot { dir, slot } = entry.scope else { continue };
            if !has_slot(&settings.rules.names, settings.rules.selection, slot) {
                leftovers.entry(dir.to_owned()).or_default().push(slot.to_owned());
            }
            if rooted.in_chain(dir) {
                continue;
            }
            // Only what lies below the root is looked at, whatever a history says.
            let below = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
            let path = unshown(dir).ok().filter(below).map(|path| rooted.root().join(path));
            let looked = if self.resuming { Looked::Resume } else { Looked::Visible };
            // What became excluded since is withdrawn, as what is denied (D14, I2).
            let excluded = path.as_deref().is_some_and(|path| excluded(path).is_some());
            let probed = same_place && path.is_some() && !excluded;
            let path = path.unwrap_or_else(|| root.join(dir));
            nested.push((path, Nested { shown: dir.to_owned(), looked, probed, excluded, pending: false }));
        }
        // Sorted in runs already, for the most part; a tree would compare whole paths more often.
        nested.sort_by(|(a, _), (b, _)| a.cmp(b));
        nested.dedup_by(|(path, later), (known, first)| {
            let same = path == known;
            // What waits in a folder that is looked at anyway waits for no touch.
            if same && first.pending && later.probed && !later.pending {
                (first.looked, first.pending) = (later.looked, false);
            }
            same
        });
        leftovers.values_mut().for_each(|slots| slots.sort_unstable());
        (nested, leftovers)
    }
}

fn has_slot(names: &CandidateNames, selection: Selection, slot: &str) -> bool {
    match selection {
        Selection::First => {
            let listed = |of| names.iter().any(|(slot, _)| slot == of);
            SLOTS.iter().any(|(of, name)| *name == slot && listed(*of))
        }
        Selection::AllDistinct => names.iter().any(|(_, name)| name == slot),
    }
}
