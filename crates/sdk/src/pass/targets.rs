//! Targets: which scopes to observe, in order, and where (C4, C10).

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::path::{nested_dirs, shown_in, unshown};
use standing_orders_discovery::{CandidateNames, Places, Selection, Slot as NameSlot};
use standing_orders_session::{CandidateState, Decision, Digest, DirectoryLoad, FileKey, Scope, Zone};

use super::Pass;
use super::cache::Known;
use super::imports::is_import;
use super::record::{CandidateRecord, Share, SlotRecord, Source};
use super::wanted::Wants;
use crate::injector::{Body, Instruction, InstructionId};
use crate::policy::WorkspaceParts;
use crate::report::{Dir, Fate, Trigger};
use crate::rooted::{MainCheckout, Rooted};
use crate::settings::{NestedDiscovery, USER_GLOBAL, selection_name};

/// The names of the slots of `first` in scopes (H4).
const SLOTS: [(NameSlot, &str); 2] = [(NameSlot::Base, "base"), (NameSlot::Local, "local")];

/// Everything that is observed in one pass.
#[derive(Default)]
pub(super) struct Targets<'a> {
    pub(super) shares: Vec<Share<'a>>,
    /// Where to look, in the order of the findings.
    pub(super) places: Places<'a>,
    /// The number of the next finding.
    pub(super) probed: usize,
    /// The findings of single files of the workspace: what is imported, and was at the last step.
    files: HashMap<PathBuf, usize>,
    /// The imports of the last step, by finding: whose they are, and how they were shown.
    pub(super) remembered: Vec<(usize, usize, &'a str)>,
    /// Folders of the workspace that are not observed: the policy allows nothing of them, or they are
    /// excluded.
    pub(super) withheld: Vec<(Dir, Trigger, Fate)>,
}

/// The directories beside the chain, in order, and the scopes in force, by directory, for which the rules
/// have no slot.
type Beside = (Vec<(PathBuf, Nested)>, HashMap<String, Vec<String>>);

/// What the workspace shows, each with its path.
#[derive(Default)]
pub(super) struct Shows {
    files: HashMap<FileKey, String>,
    /// By the digest of the text without the white space around it.
    texts: HashMap<Digest, String>,
}

impl Shows {
    /// Why something else is not shown, with this file or text (F9).
    pub(super) fn of(&self, file: Option<FileKey>, trimmed: Option<Digest>) -> Option<Fate> {
        let same =
            file.and_then(|file| self.files.get(&file)).map(|path| Fate::SameFileAs(path.as_str().into()));
        let equal = || trimmed.and_then(|trimmed| self.texts.get(&trimmed));
        same.or_else(|| equal().map(|path| Fate::DuplicateOf(path.as_str().into())))
    }

    /// Whether a file is shown by this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.values().chain(self.texts.values()).any(|known| known == path)
    }
}

/// A directory beside the chain.
struct Nested {
    shown: String,
    trigger: Trigger,
    probed: bool,
    excluded: bool,
    /// From an earlier touch that is not answered yet.
    pending: bool,
}

/// The targets of the workspace, in the making.
struct Workspace<'t, 'a> {
    pass: &'t Pass<'a>,
    /// The session's own, with its additional directories.
    main: &'a Rooted,
    /// What is laid out now: that, or an additional directory.
    rooted: &'a Rooted,
    /// Nothing of it is loaded before a touch (D13).
    on_touch: bool,
    parts: WorkspaceParts,
    targets: &'t mut Targets<'a>,
    share: Share<'a>,
    directories: usize,
}

impl<'a> Targets<'a> {
    pub(super) fn workspace(
        &mut self,
        pass: &Pass<'a>,
        rooted: &'a Rooted,
        budget: usize,
        parts: WorkspaceParts,
    ) {
        let share = Share::new(0, &pass.deployment.workspace, budget);
        let mut workspace = Workspace {
            pass,
            main: rooted,
            rooted,
            on_touch: false,
            parts,
            targets: self,
            share,
            directories: 0,
        };
        workspace.lay_out();
        let share = workspace.share;
        self.shares.push(share);
        for imported in &pass.memory.imports {
            let (share, path, shown) = imported.parts();
            let finding = self.find(path);
            self.remembered.push((finding, share, shown));
        }
    }

    pub(super) fn slots_of(&mut self, number: usize) -> Option<&mut Vec<SlotRecord<'a>>> {
        self.shares.iter_mut().find(|share| share.number == number).map(|share| &mut share.slots)
    }

    /// The overlays of the main checkout for a folder of a linked worktree, of this name or of all (D15).
    fn overlays(
        &mut self,
        pass: &Pass<'a>,
        rooted: &Rooted,
        dir: &str,
        shown: &str,
        name: Option<&str>,
    ) -> Vec<CandidateRecord<'a>> {
        let main = match rooted.main_checkout() {
            MainCheckout::None => return Vec::new(),
            MainCheckout::At(main) => Some(main),
            // Then what is in force of it stands, and nothing else is looked for.
            MainCheckout::Unknown => {
                let slot = name.unwrap_or("local");
                let scope = Scope::of(dir, slot);
                if pass.visible.scope(&pass.deployment.workspace, scope.as_str()).is_none() {
                    return Vec::new();
                }
                None
            }
        };
        let names = pass.deployment.settings.rules.names.iter();
        let names =
            names.filter(|(slot, known)| *slot == NameSlot::Local && name.is_none_or(|name| name == *known));
        let mut candidates = Vec::new();
        for (_, name) in names {
            let shown_name = join(shown, name);
            let (_, below) = pass.rooted.map_or((rooted, dir), |all| all.area_of(dir));
            let path = unshown(&join(below, name)).ok().and_then(|below| Some(main?.join(below)));
            let source = Source::File(path.map_or(usize::MAX, |path| self.probe(&path)));
            let candidate = CandidateRecord::new(format!("{shown_name} (main checkout)"), source);
            candidates.push(CandidateRecord { unlisted: true, ..candidate });
        }
        candidates
    }

    /// The finding of a path that is looked at.
    pub(super) fn probe(&mut self, path: &Path) -> usize {
        self.places.push_file(path.to_path_buf());
        self.probed += 1;
        self.probed - 1
    }

    /// What the workspace, and rules folders registered before this injector, show, as decided (F9).
    pub(super) fn shows_before(&self, number: usize) -> Shows {
        let mut shows = Shows::default();
        let earlier =
            |share: &&Share<'_>| share.number < number && (share.is_workspace() || share.rules.is_some());
        for slot in self.shares.iter().filter(earlier).flat_map(|share| &share.slots) {
            let winner = slot.winner().and_then(|winner| slot.planned().get(winner));
            let winner = winner.filter(|_| slot.decision.is_shown());
            let Some(winner) = winner else { continue };
            if let CandidateState::Present { file: Some(file), .. } = winner.state {
                shows.files.insert(file, winner.shown.clone());
            }
            if let Some(trimmed) = winner.known.as_ref().and_then(Known::more).and_then(|more| more.trimmed) {
                shows.texts.insert(trimmed, winner.shown.clone());
            }
        }
        shows
    }

    /// The finding of a file of the workspace, which is looked at if it has not been.
    pub(super) fn find(&mut self, path: &Path) -> usize {
        if let Some(finding) = self.files.get(path) {
            return *finding;
        }
        let finding = self.probe(path);
        self.files.insert(path.to_path_buf(), finding);
        finding
    }

    /// What an injector wants; what it has in force beside that has no candidate.
    pub(super) fn injector(
        &mut self,
        pass: &Pass<'a>,
        number: usize,
        wants: &Wants<'a>,
        instructions: &'a [Instruction],
    ) {
        let Some(injector) = pass.deployment.injector(number) else { return };
        let mut share = Share::new(number, injector, wants.budget);
        for instruction in instructions {
            let source = match &instruction.body {
                Body::Text(text) => Source::Text(text),
                Body::File(path) => {
                    match pass.rooted {
                        Some(rooted) => self.places.push_file(rooted.root().join(path)),
                        None => self.places.push_file(path.as_path()),
                    }
                    self.probed += 1;
                    Source::File(self.probed - 1)
                }
            };
            let candidate = CandidateRecord::new(instruction.shown.to_string(), source);
            share.slots.push(slot_of_injector(Scope::from(instruction.id.clone()), vec![candidate]));
        }
        let wanted: HashSet<Scope> = share.slots.iter().map(|slot| slot.scope.clone()).collect();
        let in_force = pass.visible.scopes(injector).filter(|entry| entry.state.is_in_force());
        let leftovers = in_force.filter(|entry| !wanted.contains(entry.scope));
        let leftovers = leftovers.map(|entry| slot_of_injector(entry.scope.clone(), Vec::new()));
        share.slots.extend(leftovers);
        let rank = |slot: &SlotRecord<'_>| rank(wants.order, &slot.scope);
        share.slots.sort_by_key(rank);
        for (directory, slot) in share.slots.iter_mut().enumerate() {
            slot.directory = directory;
        }
        self.shares.push(share);
    }
}

/// Where the scope stands among those that an injector lists; the others follow.
fn rank(order: &[InstructionId], scope: &Scope) -> usize {
    order.iter().position(|known| **known == *scope.as_str()).unwrap_or(order.len())
}

fn slot_of_injector(scope: Scope, candidates: Vec<CandidateRecord<'_>>) -> SlotRecord<'_> {
    SlotRecord {
        scope,
        zone: Zone::Chain,
        directory: 0,
        folder: None,
        trigger: if candidates.is_empty() { Trigger::Visible } else { Trigger::Wanted },
        denied: false,
        candidates,
        decision: Decision::Absent,
        fit: None,
        dormant: None,
        why: None,
        import: None,
        expanded: true,
        sentence: Box::default(),
    }
}

impl<'a> Workspace<'_, 'a> {
    fn lay_out(&mut self) {
        let Pass { visible, home, .. } = self.pass;
        let id = &self.pass.deployment.workspace;
        let lost = visible.baseline().is_none() && visible.had_messages(id);
        let trigger = match (self.pass.resuming, lost) {
            (_, true) => Trigger::Restore,
            (true, false) => Trigger::Resume,
            (false, false) => Trigger::Baseline,
        };
        if home.is_some() || visible.scope(id, Scope::USER_GLOBAL).is_some() {
            self.user_global(trigger);
        }
        self.area(trigger);
        for (area, load) in self.main.additional() {
            (self.rooted, self.on_touch) = (area, *load == DirectoryLoad::OnTouch);
            self.area(trigger);
        }
        (self.rooted, self.on_touch) = (self.main, false);
        self.of_no_area();
    }

    /// What is in force of an additional directory that the session has no more.
    fn of_no_area(&mut self) {
        let known: HashSet<Scope> = self.share.slots.iter().map(|slot| slot.scope.clone()).collect();
        let in_force = self.pass.visible.scopes(&self.pass.deployment.workspace);
        let gone = in_force.filter(|entry| entry.state.is_in_force() && !known.contains(entry.scope));
        let gone = gone.filter(|entry| {
            entry.scope.split().is_some_and(|(dir, slot)| dir.starts_with('+') && !is_import(slot))
        });
        for entry in gone {
            self.slot(entry.scope.clone(), Zone::Nested, Trigger::Visible, None, false, Vec::new());
            self.directories += 1;
        }
    }

    /// The chain and the folders beside it, of the project or of an additional directory.
    fn area(&mut self, trigger: Trigger) {
        let (nested, leftovers) = self.beside();
        let rooted = self.rooted;
        let waits = self.on_touch && nested.is_empty() && !self.is_touched();
        let chain = if waits { Vec::new() } else { rooted.chain() };
        let (zone, trigger) = match self.on_touch {
            true => (Zone::Nested, Trigger::Touch),
            false => (Zone::Chain, trigger),
        };
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
                let Some((shown, path)) = chain.next() else { continue };
                let first = self.allows_chain().then(|| {
                    self.targets.places.push_directory(path);
                    self.probe_names()
                });
                let folder = self.on_touch.then(|| Arc::from(path));
                self.directory(shown, zone, trigger, folder, first, leftovers.get(shown));
            } else if let Some((path, Nested { shown, trigger, probed, excluded, .. })) = nested.next() {
                if excluded {
                    self.withhold(Dir::of(self.main, &rooted.scope_dir(&shown)), trigger, Fate::Excluded);
                }
                let allowed = if rooted.is_additional() { self.parts.additional } else { self.parts.nested };
                let first = (probed && allowed).then(|| {
                    self.targets.places.push_directory(path.clone());
                    self.probe_names()
                });
                let folder = Some(Arc::from(path));
                self.directory(&shown, Zone::Nested, trigger, folder, first, leftovers.get(&shown));
            }
        }
    }

    /// Whether the policy allows something of the chain.
    fn allows_chain(&self) -> bool {
        match self.rooted.is_additional() {
            true => self.parts.additional,
            false => self.parts.base || self.parts.local,
        }
    }

    /// Whether something in the directory was touched, or is in force of it.
    fn is_touched(&self) -> bool {
        let own = |dir: &str| std::ptr::eq(self.main.area_of(dir).0, self.rooted);
        let mut in_force = self.pass.visible.scopes(&self.pass.deployment.workspace);
        let paths = self.pass.touched.iter().chain(&self.pass.memory.pending);
        paths.into_iter().any(|path| path.starts_with(self.rooted.cwd()))
            || in_force.any(|entry| {
                entry.state.is_in_force() && entry.scope.split().is_some_and(|(dir, _)| own(dir))
            })
    }

    /// Counts the candidates of one directory; the number of the first.
    fn probe_names(&mut self) -> usize {
        let first = self.targets.probed;
        self.targets.probed += self.pass.deployment.settings.rules.names.len();
        first
    }

    fn withhold(&mut self, dir: Dir, trigger: Trigger, why: Fate) {
        self.targets.withheld.push((dir, trigger, why));
    }

    fn user_global(&mut self, trigger: Trigger) {
        let mut candidates = Vec::new();
        match self.pass.home {
            Some(home) if self.parts.user_global => {
                self.targets.places.push_user_global(home.dir.as_path());
                let shown = format!("{}/{USER_GLOBAL}", home.shown);
                candidates.push(CandidateRecord::new(shown, Source::File(self.targets.probed)));
                self.targets.probed += 1;
            }
            Some(home) => self.withhold(Dir::UserGlobal(home.shown.as_str().into()), trigger, Fate::Denied),
            None => {}
        }
        self.slot(Scope::user_global(), Zone::Chain, trigger, None, false, candidates);
        self.directories += 1;
    }

    /// The slots of one directory. `first` is the number of its first candidate, where it is observed;
    /// `leftovers` are slots in force that the rules do not have.
    fn directory(
        &mut self,
        shown: &str,
        zone: Zone,
        trigger: Trigger,
        folder: Option<Arc<Path>>,
        first: Option<usize>,
        leftovers: Option<&Vec<String>>,
    ) {
        let WorkspaceParts { base, local, nested, additional, .. } = self.parts;
        let is_additional = self.rooted.is_additional();
        let allowed = |slot| match (zone, slot) {
            _ if is_additional => additional,
            (Zone::Nested, _) => nested,
            (Zone::Chain, NameSlot::Base) => base,
            (Zone::Chain, NameSlot::Local) => local,
        };
        if SLOTS.iter().all(|(slot, _)| !allowed(*slot)) {
            self.withhold(Dir::of(self.main, &self.rooted.scope_dir(shown)), trigger, Fate::Denied);
        }
        let (dir, shown) = (self.rooted.scope_dir(shown), self.rooted.shown_dir(shown));
        let (dir, shown) = (dir.as_str(), shown.as_str());
        let rules = &self.pass.deployment.settings.rules;
        let candidates = |wanted: &dyn Fn(NameSlot, &str) -> bool| {
            let names = rules.names.iter().enumerate().filter(|(_, (slot, name))| wanted(*slot, name));
            let candidate = |first: usize| {
                move |(offset, (_, name)): (usize, (NameSlot, &str))| {
                    CandidateRecord::new(join(shown, name), Source::File(first + offset))
                }
            };
            first.map_or_else(Vec::new, |first| names.map(candidate(first)).collect())
        };
        let overlays = |targets: &mut Targets<'a>, name: Option<&str>| match first {
            Some(_) => targets.overlays(self.pass, self.rooted, dir, shown, name),
            None => Vec::new(),
        };
        // First: what takes their place may be shown with the same path (C10).
        for slot in leftovers.into_iter().flatten() {
            self.slot(Scope::of(dir, slot), zone, trigger, folder.clone(), false, Vec::new());
        }
        match rules.selection {
            Selection::First => {
                for (slot, name) in SLOTS {
                    if rules.names.iter().any(|(of, _)| of == slot) {
                        let mut candidates = candidates(&|of, _| of == slot);
                        if slot == NameSlot::Local {
                            candidates.extend(overlays(self.targets, None));
                        }
                        let scope = Scope::of(dir, name);
                        self.slot(scope, zone, trigger, folder.clone(), !allowed(slot), candidates);
                    }
                }
            }
            Selection::AllDistinct => {
                for (slot, name) in rules.names.iter() {
                    let mut candidates = candidates(&|_, other| other == name);
                    if slot == NameSlot::Local {
                        candidates.extend(overlays(self.targets, Some(name)));
                    }
                    let scope = Scope::of(dir, name);
                    self.slot(scope, zone, trigger, folder.clone(), !allowed(slot), candidates);
                }
            }
        }
        self.directories += 1;
    }

    fn slot(
        &mut self,
        scope: Scope,
        zone: Zone,
        trigger: Trigger,
        folder: Option<Arc<Path>>,
        denied: bool,
        candidates: Vec<CandidateRecord<'a>>,
    ) {
        self.share.slots.push(SlotRecord {
            scope,
            zone,
            directory: self.directories,
            folder,
            trigger,
            denied,
            candidates,
            decision: Decision::Absent,
            fit: None,
            dormant: None,
            why: None,
            import: None,
            expanded: false,
            sentence: Box::default(),
        });
    }

    /// The directories beside the chain that are observed, and the scopes in force, by directory,
    /// for which the rules have no slot.
    fn beside(&self) -> Beside {
        let Pass { visible, deployment, .. } = self.pass;
        let (settings, id, rooted) = (&deployment.settings, &deployment.workspace, self.rooted);
        // In order of what is known better; of one folder the first counts.
        let mut nested = self.touched();
        let mut leftovers: HashMap<String, Vec<String>> = HashMap::new();
        // Recorded at another place, a scope's directory names another directory: it is not
        // observed, and what is in force of it has no candidate here (C3).
        let baseline = visible.baseline();
        let ours = baseline.is_some_and(|baseline| baseline.identity == Some(self.pass.identity.digest));
        let recorded = visible.recorded(id);
        let same_place = ours || recorded.is_none_or(|recorded| recorded.at == rooted.at());
        // Under another selection everything in force goes too.
        let selection = baseline.and_then(|baseline| baseline.selection);
        let reselected = selection.is_some_and(|known| known != selection_name(settings.rules.selection));
        let same_place = same_place && !reselected;
        for entry in visible.scopes(id).filter(|entry| entry.state.is_in_force()) {
            let Some((dir, slot)) = entry.scope.split() else { continue };
            let (area, dir) = self.main.area_of(dir);
            // Of another area, or of the user-global file: no folder here.
            if dir.is_empty() || !std::ptr::eq(area, rooted) {
                continue;
            }
            // Of the root of an additional directory that the session has no more.
            if dir.ends_with("/.") {
                continue;
            }
            if !is_import(slot) && !has_slot(&settings.rules.names, settings.rules.selection, slot) {
                leftovers.entry(dir.to_owned()).or_default().push(slot.to_owned());
            }
            if rooted.in_chain(dir) {
                continue;
            }
            // Only what lies below the root is observed, whatever a history says.
            let below = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
            let path = unshown(dir).ok().filter(below).map(|path| rooted.root().join(path));
            let trigger = if self.pass.resuming { Trigger::Resume } else { Trigger::Visible };
            // What became excluded since is withdrawn, as what is denied (D14, I2).
            let excluded = path.as_deref().is_some_and(|path| self.is_excluded(path));
            let probed = same_place && path.is_some() && !excluded;
            let path = path.unwrap_or_else(|| rooted.root().join(dir));
            let shown = dir.to_owned();
            nested.push((path, Nested { shown, trigger, probed, excluded, pending: false }));
        }
        // Sorted in runs already, for the most part; a tree would compare whole paths more often.
        nested.sort_by(|(a, _), (b, _)| a.cmp(b));
        nested.dedup_by(|(path, later), (known, first)| {
            let same = path == known;
            // What waits in a folder that is observed anyway waits for no touch.
            if same && first.pending && later.probed && !later.pending {
                (first.trigger, first.pending) = (later.trigger, false);
            }
            same
        });
        leftovers.values_mut().for_each(|slots| slots.sort_unstable());
        (nested, leftovers)
    }

    /// Whether the folder, or one above it, is excluded (D14).
    fn is_excluded(&self, folder: &Path) -> bool {
        let below = folder.strip_prefix(self.rooted.root());
        below.is_ok_and(|below| self.pass.deployment.settings.exclude.of(below).is_some())
    }

    /// The folders beside the chain that touches reach, and those of earlier touches that are not
    /// answered yet.
    fn touched(&self) -> Vec<(PathBuf, Nested)> {
        let (settings, rooted) = (&self.pass.deployment.settings, self.rooted);
        let mut nested: Vec<(PathBuf, Nested)> = Vec::new();
        let mut known: HashSet<&Path> = HashSet::new();
        let mut touch = |path: &'a Path, excluded: bool, pending: bool| {
            if !known.insert(path) {
                return;
            }
            let Some(shown) = shown_in(rooted.root(), path).map(|shown| shown.to_string()) else { return };
            if !rooted.in_chain(&shown) {
                let trigger = Trigger::Touch;
                let dir = Nested { shown, trigger, probed: !excluded, excluded, pending };
                nested.push((path.to_path_buf(), dir));
            }
        };
        let base = match settings.nested_discovery {
            NestedDiscovery::Cwd => rooted.cwd(),
            NestedDiscovery::Project => rooted.root(),
        };
        // A chain may lie in an excluded folder; what is below it is excluded all the same (D14).
        let within = self.is_excluded(base);
        for touched in self.pass.touched {
            let mut excluded = within;
            for dir in nested_dirs(base, touched) {
                let below = dir.strip_prefix(rooted.root());
                excluded = excluded || below.is_ok_and(|below| settings.exclude.is_named(below));
                touch(dir, excluded, false);
                // Of an excluded folder the topmost is reported, and no other is observed. The chain is
                // not bound by it, but what is beside it is.
                if excluded && !rooted.cwd().starts_with(dir) {
                    break;
                }
            }
        }
        for dir in &self.pass.memory.pending {
            touch(dir, false, true);
        }
        nested
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

fn join(dir: &str, name: &str) -> String {
    if dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}
