//! Imports: what the files of the workspace and rules name, each a scope of its own right behind its importer
//! (M).
//!
//! Works in rounds, each one level deep: what was found in the round before may import again.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::path::{lexical, shown, shown_in};
use standing_orders_discovery::{Content as FoundContent, Found};
use standing_orders_session::{CandidateState, Content, Decision, InjectorId, Scope, Zone};

use super::Pass;
use super::cache::{Import, Known, More};
use super::observe::Observed;
use super::record::{CandidateRecord, Head, ImportRecord, Share, SlotRecord, Source};
use super::targets::Targets;
use crate::report::{Dir, Fate, ImportFault, Inactive, Trigger};
use crate::rooted::Rooted;
use crate::rules::Activation;
use crate::settings::Imports;

/// How deep imports go below a file of the workspace (M4).
const MAX_DEPTH: usize = 4;
/// The most imports of one file.
const MAX_A_FILE: usize = 32;
/// The most imports of one file that are told one by one.
const MAX_ROWS_A_FILE: usize = 128;
/// The most imports of the chain, and of each folder beside it.
const MAX_A_CHAIN: usize = 64;

/// What begins the slot of an import in its scope (H4).
const SLOT: &str = "import:";

/// Whether it is the slot of an import.
pub(super) fn is_import(slot: &str) -> bool {
    slot.starts_with(SLOT)
}

/// What the scopes of imports have in place of a slot's folder: of the workspace the folder of the file that
/// leads to them, empty for the user-global file; of rules the rule.
pub(super) fn owner_of(scope: &Scope, is_workspace: bool) -> &str {
    match scope.split() {
        Some((owner, _)) => owner,
        None if is_workspace => "",
        None => scope.as_str(),
    }
}

/// A file that was imported at the last step: it is looked at with the first batch of the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imported {
    share: usize,
    path: PathBuf,
    shown: String,
}

impl Imported {
    /// The share it belongs to, the file, and how it is shown.
    pub(super) fn parts(&self) -> (usize, &Path, &str) {
        (self.share, &self.path, &self.shown)
    }
}

/// A file that an import names, and how it is shown.
struct Target {
    path: PathBuf,
    shown: String,
}

/// One round.
struct Round<'t, 'a> {
    pass: &'t Pass<'a>,
    rooted: &'a Rooted,
    observed: &'t Observed,
    targets: &'t mut Targets<'a>,
    share: usize,
    is_workspace: bool,
    injector: Option<&'a InjectorId>,
    /// The files that have a place already, of the chain and beside it.
    chain: HashSet<PathBuf>,
    beside: HashSet<PathBuf>,
    /// How many imports the chain has, and each folder beside it.
    counts: HashMap<(bool, String), usize>,
    /// The number of the next directory: an import is a sibling of none.
    next: usize,
    /// Whether a slot got a candidate that another one points at.
    pointed: bool,
}

/// Adds a slot for each import of the files of one share that were observed and have not been expanded;
/// whether there is more to observe.
pub(super) fn expand<'a>(
    pass: &Pass<'a>,
    share: usize,
    targets: &mut Targets<'a>,
    observed: &Observed,
) -> bool {
    let expands = pass.deployment.settings.imports == Imports::Expand;
    let Some(rooted) = pass.rooted.filter(|_| expands) else { return false };
    let Some(slots) = targets.slots_of(share).map(std::mem::take) else { return false };
    let is_workspace = share == 0;
    let next = slots.iter().map(|slot| slot.directory + 1).max().unwrap_or(0);
    let (chain, beside, counts) = (HashSet::new(), HashSet::new(), HashMap::new());
    let injector = pass.deployment.injector(share);
    let mut round = Round {
        pass,
        rooted,
        observed,
        targets,
        share,
        is_workspace,
        injector,
        chain,
        beside,
        counts,
        next,
        pointed: false,
    };
    slots.iter().for_each(|slot| round.know(slot));
    if !is_workspace {
        let shown = std::mem::take(&mut round.targets.shares);
        let shown_slots = shown.iter().filter(|share| share.is_workspace()).flat_map(|share| &share.slots);
        shown_slots.filter(|slot| slot.decision.is_shown()).for_each(|slot| round.know_file(slot));
        round.targets.shares = shown;
    }
    let before = slots.len();
    let mut all = Vec::with_capacity(before);
    for mut slot in slots {
        let imports = round.imports(&mut slot);
        all.push(slot);
        all.extend(imports);
    }
    let changed = round.pointed || all.len() > before;
    if let Some(slots) = targets.slots_of(share) {
        *slots = all;
    }
    changed
}

impl<'a> Round<'_, 'a> {
    fn know(&mut self, slot: &SlotRecord<'a>) {
        self.know_file(slot);
        if slot.import.is_some() {
            *self.counts.entry(self.count_of(slot)).or_default() += 1;
        }
    }

    /// The file that fills the slot, and those that led to it.
    fn know_file(&mut self, slot: &SlotRecord<'a>) {
        let pointers = slot.candidates.iter().filter(|candidate| candidate.points_at.is_some());
        let sources = pointers.map(|candidate| candidate.source).chain(slot.winner_source());
        let paths = sources.filter_map(|source| match source {
            Source::File(finding) => self.observed.path(finding).map(Path::to_path_buf),
            Source::Text(_) | Source::Made(_) => None,
        });
        // A file that is imported, or in force, keeps its place: under one path it is said once.
        let in_force = self.injector.and_then(|id| self.pass.visible.scope(id, slot.scope.as_str()));
        let stays = slot.import.is_some() || in_force.is_some_and(|entry| entry.state.is_in_force());
        match slot.zone {
            Zone::Nested if !stays => self.beside.extend(paths),
            Zone::Chain | Zone::Nested => self.chain.extend(paths),
        }
    }

    /// What the imports of a slot count for.
    fn count_of(&self, slot: &SlotRecord<'_>) -> (bool, String) {
        match slot.zone {
            Zone::Chain => (true, String::new()),
            Zone::Nested => (false, owner_of(&slot.scope, self.is_workspace).to_owned()),
        }
    }

    /// An imported file whose head has patterns waits for a path that they match (M3); whether it does.
    fn waits(&self, slot: &mut SlotRecord<'a>) -> bool {
        let candidate = slot.winner().and_then(|winner| slot.candidates.get(winner));
        let Some(more) = candidate.and_then(|candidate| candidate.known.as_ref()?.more()).cloned() else {
            return false;
        };
        let Some(Activation::Paths(patterns)) = more.rule.as_ref().map(|rule| &rule.activation) else {
            return false;
        };
        let Some(import) = &mut slot.import else { return false };
        let written = patterns.as_written().join(", ");
        let applies = self.pass.deployment.settings.wording.applies_to_paths(&written);
        import.sentence = format!("{} {applies}", import.sentence).trim().to_owned();
        let known = self.injector.and_then(|injector| self.pass.visible.scope(injector, slot.scope.as_str()));
        let memory = self.pass.memory;
        let missed = match self.share.checked_sub(1) {
            None => memory.missed.as_slice(),
            Some(number) => memory.injectors.get(number).map_or(&[][..], |known| known.missed.as_slice()),
        };
        let touched = missed
            .iter()
            .chain(self.pass.touched)
            .filter_map(|path| path.strip_prefix(self.rooted.root()).ok());
        let mut touched = touched.map(slashed);
        if known.is_none() && !touched.any(|path| patterns.matches(&path).is_some()) {
            slot.dormant = Some(Box::new(Fate::Inactive(Inactive::Paths(written.into()))));
        }
        slot.dormant.is_some()
    }

    /// The slots of what this one imports, the first time it is asked.
    fn imports(&mut self, slot: &mut SlotRecord<'a>) -> Vec<SlotRecord<'a>> {
        if slot.expanded {
            return Vec::new();
        }
        let Some((importer, finding, more)) = importing(slot) else { return Vec::new() };
        let importer: Arc<str> = importer.into();
        slot.expanded = true;
        if slot.import.is_some() && self.waits(slot) {
            return Vec::new();
        }
        let Some(path) = self.observed.path(finding).map(Path::to_path_buf) else { return Vec::new() };
        if let [import] = &*more.imports
            && import.is_all
            && self.points_at(slot, &path, import)
        {
            return Vec::new();
        }
        let depth = depth_of(slot) + 1;
        let mut slots = Vec::new();
        for (number, import) in more.imports.iter().enumerate() {
            // So many are a row each; a text of nothing else has one for the rest.
            if number == MAX_ROWS_A_FILE {
                let rest = more.imports.len() - number;
                let shown = format!("{rest} more imports ({importer}, from line {})", import.line);
                let fate = Fate::NotImported(ImportFault::TooMany { most: MAX_A_FILE });
                self.targets.withheld.push((Dir::None(shown.into()), Trigger::Imported, fate));
                break;
            }
            let refused = match self.target(slot, &path, import) {
                Err(fault) => Some((import.target.to_string(), Fate::NotImported(fault))),
                Ok(target) if self.is_known(slot.zone, &target.path) => None,
                Ok(target) if self.is_excluded(&target.path) => Some((target.shown, Fate::Excluded)),
                Ok(target) if depth > MAX_DEPTH => {
                    Some((target.shown, Fate::NotImported(ImportFault::TooDeep { most: MAX_DEPTH })))
                }
                Ok(target) if number >= MAX_A_FILE => {
                    Some((target.shown, Fate::NotImported(ImportFault::TooMany { most: MAX_A_FILE })))
                }
                Ok(target) => match self.slot(slot, target, &importer, import, depth) {
                    Ok(import) => {
                        slots.push(import);
                        None
                    }
                    Err(refused) => Some(refused),
                },
            };
            if let Some((shown, fate)) = refused {
                let shown = format!("{shown} ({importer}, line {})", import.line);
                self.targets.withheld.push((Dir::None(shown.into()), Trigger::Imported, fate));
            }
        }
        slots
    }

    /// A file that says no more than to read a sibling is that sibling (M5): whether it does.
    fn points_at(&mut self, slot: &mut SlotRecord<'a>, path: &Path, import: &Import) -> bool {
        let Some(pointer) = slot.winner() else { return false };
        if slot.candidates.get(pointer).is_some_and(|candidate| candidate.points_at.is_some()) {
            // The sibling is absent: the line stands.
            return true;
        }
        let Ok(target) = self.target(slot, path, import) else { return false };
        if target.path.parent() != path.parent() || target.path == *path || depth_of(slot) >= MAX_DEPTH {
            return false;
        }
        let known = slot.candidates.iter().position(|candidate| candidate.shown == target.shown);
        let points = known.and_then(|known| slot.candidates.get(known)?.points_at);
        if points.is_some() {
            // It points back: the last line of the cycle stands.
            return true;
        }
        let finding = self.find(&target.path, &target.shown);
        let sibling = known.unwrap_or(slot.candidates.len());
        match slot.candidates.get_mut(sibling) {
            // Its slot is won by the pointer, so it was not read.
            Some(candidate) => *candidate = CandidateRecord::new(target.shown, Source::File(finding)),
            None => {
                let sibling = CandidateRecord::new(target.shown, Source::File(finding));
                slot.candidates.push(CandidateRecord { unlisted: true, ..sibling });
            }
        }
        if let Some(candidate) = slot.candidates.get_mut(pointer) {
            candidate.points_at = Some(finding);
        }
        self.chain.insert(target.path);
        // What the sibling imports is the slot's own.
        slot.expanded = false;
        self.pointed = true;
        true
    }

    /// The finding of a file. One that was not read, for another share knows its version, is looked at anew.
    fn find(&mut self, path: &Path, shown: &str) -> usize {
        let finding = self.targets.find(path);
        let found = self.observed.finding(finding).map(|finding| &finding.found);
        match found {
            Some(Found::Present { metadata, content: FoundContent::Known })
                if self.pass.memory.cache.get(self.share, shown, metadata).is_none() =>
            {
                self.targets.probe(path)
            }
            _ => finding,
        }
    }

    fn is_known(&self, zone: Zone, path: &Path) -> bool {
        self.chain.contains(path) || zone == Zone::Nested && self.beside.contains(path)
    }

    /// The file that an import of the file at `importer` names.
    fn target(&self, slot: &SlotRecord<'_>, importer: &Path, import: &Import) -> Result<Target, ImportFault> {
        let outside = || ImportFault::Outside;
        // What `~` stands for is not the library's to know.
        if import.target.starts_with('~') {
            return Err(outside());
        }
        let folder = importer.parent().ok_or_else(outside)?;
        let path = lexical(&folder.join(&*import.target)).map_err(|_| outside())?;
        let home = self.pass.home.filter(|_| owner_of(&slot.scope, self.is_workspace).is_empty());
        if let Some((home, below)) = home.and_then(|home| Some((home, path.strip_prefix(&home.dir).ok()?))) {
            let shown = format!("{}/{}", home.shown, shown(below));
            return Ok(Target { shown, path });
        }
        let roots = &self.pass.deployment.settings.import_roots;
        let within = |root: &Path| path.starts_with(root);
        let area = self.rooted.areas().find(|area| within(area.root()));
        if !(roots.is_empty() && area.is_some() || roots.iter().any(|root| within(root))) {
            return Err(outside());
        }
        if let Some(below) = area.and_then(|area| Some((area, shown_in(area.root(), &path)?.to_string()))) {
            let (area, below) = below;
            return Ok(Target { shown: area.shown_dir(&below), path });
        }
        // No absolute path reaches the model (D6).
        let (number, other) = roots.iter().enumerate().find(|(_, root)| within(root)).ok_or_else(outside)?;
        let mut name = other.file_name().map_or_else(String::new, |name| shown(Path::new(name)).to_string());
        // Two with one name are two.
        let same = roots.iter().take(number).filter(|root| root.file_name() == other.file_name()).count();
        if same > 0 {
            name = format!("{name}~{}", same + 1);
        }
        let below = path.strip_prefix(other).map(|below| shown(below).to_string()).map_err(|_| outside())?;
        Ok(Target { shown: format!("…/{name}/{below}"), path })
    }

    fn is_excluded(&self, path: &Path) -> bool {
        let exclude = &self.pass.deployment.settings.exclude;
        let below = |area: &Rooted| path.parent()?.strip_prefix(area.root()).ok();
        self.rooted.areas().any(|area| below(area).is_some_and(|folder| exclude.of(folder).is_some()))
    }

    fn slot(
        &mut self,
        importer: &SlotRecord<'a>,
        target: Target,
        shown: &Arc<str>,
        import: &Import,
        depth: usize,
    ) -> Result<SlotRecord<'a>, (String, Fate)> {
        let counted = self.count_of(importer);
        let count = self.counts.entry(counted).or_default();
        if *count >= MAX_A_CHAIN {
            return Err((target.shown, Fate::NotImported(ImportFault::TooMany { most: MAX_A_CHAIN })));
        }
        *count += 1;
        let finding = self.find(&target.path, &target.shown);
        self.chain.insert(target.path);
        // Whoever imports it now: what is in force under this path stays in force.
        let slot = format!("{SLOT}{}", target.shown);
        let known = self.injector.into_iter().flat_map(|id| self.pass.visible.scopes(id));
        let known = known.filter(|entry| entry.state.is_in_force());
        let mut known = known.filter(|entry| entry.scope.split().is_some_and(|(_, known)| known == slot));
        let scope = match known.next() {
            Some(entry) => entry.scope.clone(),
            None => Scope::of(owner_of(&importer.scope, self.is_workspace), &slot),
        };
        let sentence = self.pass.deployment.settings.wording.imported_by(shown, import.line);
        let record = ImportRecord { importer: Arc::clone(shown), line: import.line, depth, sentence };
        let directory = self.next;
        self.next += 1;
        Ok(SlotRecord {
            scope,
            zone: importer.zone,
            directory,
            folder: importer.folder.clone(),
            trigger: Trigger::Imported,
            denied: false,
            candidates: vec![CandidateRecord {
                head: Some(Head::Import),
                ..CandidateRecord::new(target.shown, Source::File(finding))
            }],
            decision: Decision::Absent,
            fit: None,
            dormant: None,
            why: None,
            import: Some(Box::new(record)),
            expanded: false,
            sentence: Box::default(),
        })
    }
}

/// How many files, imported or pointed at, lead to the one that fills the slot.
fn depth_of(slot: &SlotRecord<'_>) -> usize {
    let pointers = slot.candidates.iter().filter(|candidate| candidate.points_at.is_some());
    slot.import.as_ref().map_or(0, |import| import.depth) + pointers.count()
}

/// The path, as shown, of the text that fills the slot, its finding, and what it imports.
fn importing<'s>(slot: &'s SlotRecord<'_>) -> Option<(&'s str, usize, Arc<More>)> {
    let winner = slot.planned().get(slot.winner()?)?;
    let Source::File(finding) = winner.source else { return None };
    let more = winner.known.as_ref().and_then(Known::more)?;
    match winner.state {
        CandidateState::Present { content: Content::Text { .. }, .. } => {
            Some((&winner.shown, finding, Arc::clone(more)))
        }
        _ => None,
    }
}

/// A slot for each import in force that nothing imports any more: it goes, unless what imported it cannot be
/// looked at now (C7).
pub(super) fn leftovers<'a>(pass: &Pass<'a>, targets: &mut Targets<'a>) {
    let (Some(rooted), Some(slots)) = (pass.rooted, targets.slots_of(0)) else { return };
    let in_force = pass.visible.scopes(&pass.deployment.workspace);
    let imports = in_force.filter(|entry| entry.state.is_in_force());
    let imports = imports.filter(|entry| entry.scope.split().is_some_and(|(_, slot)| is_import(slot)));
    for entry in imports {
        if slots.iter().any(|slot| slot.scope == *entry.scope) {
            continue;
        }
        let dir = owner_of(entry.scope, true);
        let own = |slot: &&SlotRecord<'_>| owner_of(&slot.scope, true) == dir;
        let unknown = slots.iter().filter(own).any(SlotRecord::is_unknown);
        // Where it stood, as far as what is in force tells.
        let before = |slot: &SlotRecord<'_>| {
            let known = pass.visible.scope(&pass.deployment.workspace, slot.scope.as_str());
            own(&slot) && known.is_some_and(|known| known.order < entry.order)
        };
        let last = slots.iter().rposition(before).or_else(|| slots.iter().rposition(|slot| own(&slot)));
        let last = last.map_or(slots.len(), |last| last + 1);
        // Said before what takes its place under the same path.
        let is_same = |candidate: &CandidateRecord<'_>| candidate.shown == entry.path;
        let same = slots.iter().position(|slot| slot.candidates.iter().any(is_same));
        let last = same.map_or(last, |same| same.min(last));
        let directory = slots.iter().map(|slot| slot.directory + 1).max().unwrap_or(0);
        let stands = CandidateRecord::new(entry.path.to_owned(), Source::File(usize::MAX));
        let zone = slots.iter().find(own).map_or(Zone::Nested, |slot| slot.zone);
        let chain = dir.is_empty() || zone == Zone::Chain || rooted.in_chain(dir);
        let slot = SlotRecord {
            scope: entry.scope.clone(),
            zone: if chain { Zone::Chain } else { Zone::Nested },
            directory,
            folder: None,
            trigger: Trigger::Visible,
            denied: false,
            candidates: if unknown { vec![stands] } else { Vec::new() },
            decision: Decision::Absent,
            fit: None,
            dormant: None,
            why: None,
            import: Some(Box::default()),
            expanded: true,
            sentence: Box::default(),
        };
        slots.insert(last, slot);
    }
}

/// The files imported now, to be looked at with the first batch of the next step.
pub(super) fn to_remember(shares: &[Share<'_>], observed: &Observed) -> Vec<Imported> {
    let mut imported = Vec::new();
    for share in shares {
        let of_import = |slot: &SlotRecord<'_>| slot.import.is_some();
        for slot in &share.slots {
            let own = slot.candidates.iter().filter(|candidate| of_import(slot) || candidate.unlisted);
            imported.extend(own.filter_map(|candidate| match candidate.source {
                Source::File(finding) => {
                    let (path, shown) = (observed.path(finding)?.to_path_buf(), candidate.shown.clone());
                    Some(Imported { share: share.number, path, shown })
                }
                Source::Text(_) | Source::Made(_) => None,
            }));
        }
    }
    imported
}

/// A path with `/` between its components, as patterns match it.
pub(super) fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    parts.join("/")
}
