//! Rules folders: which rules there are, and which of them are due (F).
//!
//! What is in a folder is listed when nothing is known of it, and again when it may have changed (F2); its
//! rules are candidates like any other, read once a version, and what their heads say is known with that. A
//! rule that is not due stays in the pass without candidates, so that its version stays known.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::path::{nested_dirs, shown_in, unshown};
use standing_orders_fs::{EntryKind, FaultKind, FsError, Listing, PathBatch, Version};
use standing_orders_session::{CandidateState, Content, Decision, Fold, InjectorId, Scope, Zone};

use super::cache::Known;
use super::commit::{Remembered, is_unanswered, latest};
use super::imports::{is_import, slashed};
use super::observe::Observed;
use super::record::{CandidateRecord, Head, Share, SlotRecord, Source};
use super::targets::Targets;
use super::{Diagnostics, Pass};
use crate::injector::{InstructionId, RulesFolders};
use crate::report::{Fate, Inactive, Problem, Trigger};
use crate::rooted::Rooted;
use crate::rules::{Activation, Dialect, Rule};
use crate::settings::NestedDiscovery;

/// Levels of folders, the rules folder itself included (F2).
const MAX_LEVELS: usize = 8;
/// Rules of one folder.
const MAX_RULES: usize = 512;
/// Entries of one folder, those of the folders in it included.
const MAX_ENTRIES: usize = 4_096;
/// Folders of one batch of listings, so that what is held of a batch is bounded.
const MAX_BATCH: usize = 128;

/// The scope, and the name in the heading, of the list of described rules (F7).
pub(super) const DESCRIBED: &str = "described rules";

/// What an instance remembers of one rules folder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownFolder {
    path: PathBuf,
    /// It and the folders in it, each with its version when it was listed, where that can be trusted. None:
    /// it is absent.
    listed: Vec<(PathBuf, Option<Version>)>,
    /// Its rules, in order.
    rules: Vec<PathBuf>,
    /// What was in view of its injector was lost to a compaction then, and has not come back.
    lost: bool,
}

/// The rules folders of one injector, in the making.
pub(super) struct Folders<'a> {
    number: usize,
    rooted: &'a Rooted,
    /// Single files that are rules, and folders, in order.
    parts: Vec<Part<'a>>,
    /// Rules that were due and had no room.
    waiting: &'a [InstructionId],
    /// Touched now, or when something could not be looked at.
    touched: Vec<&'a Path>,
}

struct Part<'a> {
    dialect: Dialect,
    /// The folder that its patterns are relative to.
    base: Arc<Path>,
    what: What<'a>,
}

enum What<'a> {
    File(PathBuf),
    Folder(Folder<'a>),
}

struct Folder<'a> {
    path: PathBuf,
    known: Option<&'a KnownFolder>,
    /// The findings of what is listed of it, or of itself where it is absent.
    probes: Vec<usize>,
    /// As it is now; of what cannot be listed what was known.
    now: Option<KnownFolder>,
    /// What of it cannot be listed now: itself, or folders in it.
    failed: Vec<PathBuf>,
    /// Something may be listed another time.
    waits: bool,
}

impl Part<'_> {
    /// Its folders that cannot be listed now.
    fn failed(&self) -> &[PathBuf] {
        match &self.what {
            What::Folder(folder) => &folder.failed,
            What::File(_) => &[],
        }
    }
}

impl<'a> Folders<'a> {
    /// Lays out what is known; `None` without a root.
    pub(super) fn lay_out(
        pass: &Pass<'a>,
        number: usize,
        budget: usize,
        rules: &'a RulesFolders,
        targets: &mut Targets<'a>,
    ) -> Option<Self> {
        let (rooted, injector) = (pass.rooted?, pass.deployment.injector(number)?);
        let remembered = pass.memory.injectors.get(number - 1);
        let waiting = remembered.map_or(&[][..], |remembered| &remembered.waiting);
        let known = remembered.map_or(&[][..], |remembered| &remembered.folders);
        let mut parts = Vec::new();
        let missed = remembered.map_or(&[][..], |remembered| &remembered.missed);
        let missed = missed.iter().filter(|path| !pass.touched.contains(path));
        let touched: Vec<&Path> = missed.chain(pass.touched).map(PathBuf::as_path).collect();
        for base in bases(pass, rooted, rules, injector, waiting, &touched) {
            let base: Arc<Path> = base.into();
            for (dialect, file) in rules.files() {
                let what = What::File(base.join(file));
                parts.push(Part { dialect, base: Arc::clone(&base), what });
            }
            for (dialect, folder) in rules.folders() {
                let path = base.join(folder);
                if let Ok(below) = path.strip_prefix(rooted.root())
                    && pass.deployment.settings.exclude.of(below).is_some()
                {
                    continue;
                }
                let known = known.iter().find(|known| known.path == path);
                let probes = known.map_or_else(Vec::new, |known| {
                    let itself = [known.path.as_path()];
                    let listed = known.listed.iter().map(|(path, _)| path.as_path());
                    let paths = itself.into_iter().filter(|_| known.listed.is_empty()).chain(listed);
                    paths.map(|path| targets.probe(path)).collect()
                });
                let folder = Folder { path, known, probes, now: None, failed: Vec::new(), waits: false };
                parts.push(Part { dialect, base: Arc::clone(&base), what: What::Folder(folder) });
            }
        }
        let folders = Self { number, rooted, parts, waiting, touched };
        let mut share = Share::new(number, injector, budget);
        share.rules = Some(rules);
        folders.slots(pass, &mut share, targets);
        targets.shares.push(share);
        Some(folders)
    }

    /// Lists what may have changed, level by level; whether there is more to observe.
    pub(super) async fn list(
        &mut self,
        pass: &Pass<'a>,
        targets: &mut Targets<'a>,
        observed: &Observed,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let injector = pass.deployment.injector(self.number);
        let lost = injector.is_some_and(|id| pass.visible.had_messages(id) && !pass.visible.has_messages(id));
        let mut listings: Vec<Listed> = Vec::new();
        for (number, part) in self.parts.iter_mut().enumerate() {
            let What::Folder(folder) = &mut part.what else { continue };
            let touched = pass.touched.iter().any(|path| path.starts_with(&folder.path));
            let still = |known: &&KnownFolder| {
                (known.lost || !lost) && !touched && is_still(known, &folder.probes, observed)
            };
            match folder.known.filter(still) {
                Some(known) => folder.now = Some(KnownFolder { lost, ..known.clone() }),
                None => listings.push(Listed::new(number, part.dialect, folder.path.clone())),
            }
        }
        if listings.is_empty() {
            return false;
        }
        let (root, exclude) = (self.rooted.root(), &pass.deployment.settings.exclude);
        let is_excluded =
            |path: &Path| path.strip_prefix(root).is_ok_and(|below| exclude.of(below).is_some());
        for level in 0..MAX_LEVELS {
            let open = listings.iter_mut().enumerate().flat_map(|(number, listing)| {
                std::mem::take(&mut listing.open).into_iter().map(move |folder| (number, folder))
            });
            let open: Vec<(usize, PathBuf)> = open.collect();
            if open.is_empty() {
                break;
            }
            for open in open.chunks(MAX_BATCH) {
                let of = |number: &usize| listings.get(*number);
                if open.iter().all(|(number, _)| of(number).is_some_and(Listed::is_full)) {
                    open.iter().for_each(|(number, _)| {
                        listings.get_mut(*number).into_iter().for_each(|listing| listing.more = true);
                    });
                    continue;
                }
                let batch: PathBatch = open.iter().map(|(_, folder)| folder).collect();
                diagnostics.counts.round_trips += 1;
                let mut answers = pass.fs.list_many(&batch, MAX_ENTRIES).await.into_iter();
                for (number, folder) in open {
                    let missing = || Err(FsError::other(folder, "the provider gave no answer for this path"));
                    let answer = answers.next().unwrap_or_else(missing);
                    if let Some(listing) = listings.get_mut(*number) {
                        listing.take(folder.clone(), answer, level, &is_excluded);
                    }
                }
            }
        }
        for listing in listings {
            let Some(Part { what: What::Folder(folder), .. }) = self.parts.get_mut(listing.part) else {
                continue;
            };
            let shown = shown_in(self.rooted.root(), &folder.path).map(|shown| shown.to_string());
            let shown = shown.unwrap_or_default();
            let (now, failed, problems) = listing.finish(&shown, folder.known);
            diagnostics.problems.extend(problems);
            let lost = lost && failed.is_empty();
            folder.now = now.map(|now| KnownFolder { lost, ..now });
            for (path, error) in failed {
                // A provider that cannot list will not be able to.
                folder.waits |= *error.kind() != FaultKind::Unsupported;
                let shown = shown_in(self.rooted.root(), &path).map(|shown| shown.to_string());
                let shown = shown.unwrap_or_default();
                diagnostics.problems.push(Problem::RulesFolder { path: shown, error });
                folder.failed.push(path);
            }
        }
        if let Some(at) = targets.shares.iter().position(|share| share.number == self.number) {
            let mut share = targets.shares.remove(at);
            self.slots(pass, &mut share, targets);
            targets.shares.insert(at, share);
        }
        true
    }

    /// A slot for each rule there is, in order; those that were there keep what was observed.
    fn slots(&self, pass: &Pass<'a>, share: &mut Share<'a>, targets: &mut Targets<'a>) {
        let mut before: HashMap<Scope, SlotRecord<'a>> =
            share.slots.drain(..).map(|slot| (slot.scope.clone(), slot)).collect();
        for (part, path) in self.rules_in_order() {
            let Some(shown) = shown_in(self.rooted.root(), path).map(|shown| shown.to_string()) else {
                continue;
            };
            let scope = Scope::from(shown.as_str());
            let in_force = || pass.visible.scope(share.injector, scope.as_str()).is_some();
            // Of a folder that cannot be listed only what is in force is looked at (F11).
            if part.failed().iter().any(|folder| path.starts_with(folder)) && !in_force() {
                continue;
            }
            let slot = before.remove(&scope).unwrap_or_else(|| {
                let source = Source::File(targets.probe(path));
                let candidate = CandidateRecord::new(shown, source);
                let head = match part.what {
                    What::File(_) => Head::SingleFile(part.dialect),
                    What::Folder(_) => Head::Rule(part.dialect),
                };
                let candidate = CandidateRecord { head: Some(head), ..candidate };
                slot(scope, Some(Arc::clone(&part.base)), vec![candidate])
            });
            share.slots.push(slot);
        }
    }

    /// By the folder that the rules are for, outer ones first; in it by folder, and by name (C10, F8).
    fn rules_in_order(&self) -> Vec<(&Part<'a>, &Path)> {
        let mut rules: Vec<(&Part<'a>, &Path)> = Vec::new();
        for part in &self.parts {
            match &part.what {
                What::File(path) => rules.push((part, path)),
                What::Folder(folder) => {
                    let known = folder.now.as_ref().or(folder.known);
                    rules
                        .extend(known.into_iter().flat_map(|known| &known.rules).map(|path| (part, &**path)));
                }
            }
        }
        rules.sort_by_key(|(part, path)| {
            (Arc::clone(&part.base), path.parent().map(Path::to_path_buf), path.file_name())
        });
        // With `nested` a folder may lie in another one.
        let mut known = HashSet::with_capacity(rules.len());
        rules.retain(|(_, path)| known.insert(*path));
        rules
    }

    /// Says of each rule whether it counts, adds the list of described ones, and what is in force and is
    /// there no more.
    pub(super) fn resolve(
        &self,
        pass: &Pass<'a>,
        targets: &mut Targets<'a>,
        observed: &mut Observed,
        diagnostics: &mut Diagnostics,
    ) {
        let shown = targets.shows_before(self.number);
        let Some(share) = targets.shares.iter_mut().find(|share| share.number == self.number) else { return };
        let wording = &pass.deployment.settings.wording;
        let mut described = Vec::new();
        let mut unknown = self.parts.iter().any(|part| !part.failed().is_empty());
        for slot in &mut share.slots {
            let Some(candidate) = slot.candidates.first() else { continue };
            let CandidateState::Present { file, content: Content::Text { trimmed, .. } } = candidate.state
            else {
                unknown |= candidate.state != CandidateState::Absent;
                continue;
            };
            let Some(more) = candidate.known.as_ref().and_then(Known::more).cloned() else { continue };
            let Some(rule) = &more.rule else { continue };
            diagnostics.problems.extend(rule.bad_patterns.iter().map(|bad| Problem::RulePattern {
                path: candidate.shown.clone(),
                pattern: bad.pattern.clone(),
                why: bad.why.clone(),
            }));
            let base = slot.folder.clone().unwrap_or_else(|| self.rooted.root().into());
            if let Some(fate) = shown.of(file, trimmed) {
                slot.dormant = Some(Box::new(fate));
                continue;
            }
            let entry = pass.visible.scope(share.injector, slot.scope.as_str());
            let is_known = entry.is_some() || self.waiting.iter().any(|id| **id == *slot.scope.as_str());
            let asked = pass.requested.iter().any(|path| *path == slot.scope.as_str());
            let asked = asked && matches!(rule.activation, Activation::Described(_) | Activation::Manual);
            let active = self.is_active(pass, rule, &base, &candidate.shown, asked || is_known);
            match active {
                Ok(why) => slot.why = Some(why.into()),
                Err(why) => slot.dormant = Some(Box::new(Fate::Inactive(why))),
            }
            // What it imports comes with it.
            slot.expanded = slot.dormant.is_some() || !candidate.head.is_some_and(Head::imports);
            slot.sentence = self.sentence(wording, rule, &base).into();
            if let Activation::Described(description) = &rule.activation
                && rule.admits(pass.header.agent_preset())
            {
                let name =
                    rule.name.as_deref().map(|name| format!(" ({})", one_line(name))).unwrap_or_default();
                described.push(format!("- {}{name}: {}", candidate.shown, one_line(description)));
            }
        }
        self.list_described(pass, share, observed, &described, unknown);
    }

    /// Whether a rule counts now: it was due before, was asked for, or what it waits for is so.
    fn is_active(
        &self,
        pass: &Pass<'_>,
        rule: &Rule,
        base: &Path,
        shown: &str,
        is_wanted: bool,
    ) -> Result<String, Inactive> {
        if let Activation::Never(why) = &rule.activation {
            let text = why.to_string().into();
            return Err(if why.is_of_head() { Inactive::Head(text) } else { Inactive::Never(text) });
        }
        if !rule.admits(pass.header.agent_preset()) {
            return Err(Inactive::OtherAgent);
        }
        match &rule.activation {
            Activation::Always => Ok("always".to_owned()),
            _ if is_wanted => Ok("asked for, or due before".to_owned()),
            Activation::Paths(patterns) => {
                let matches = |path: &&Path| {
                    let below = slashed(path.strip_prefix(base).ok()?);
                    patterns.matches(&below).map(|pattern| format!("{below} matches {pattern}"))
                };
                let waits = || Inactive::Paths(patterns.as_written().join(", ").into());
                self.touched.iter().find_map(matches).ok_or_else(waits)
            }
            Activation::Described(_) => {
                let path = unshown(shown).map(|path| self.rooted.root().join(path));
                match path.is_ok_and(|path| self.touched.contains(&path.as_path())) {
                    true => Ok("its file was touched".to_owned()),
                    false => Err(Inactive::Described),
                }
            }
            Activation::Manual | Activation::Never(_) => Err(Inactive::Manual),
        }
    }

    /// What stands under its heading: for which paths it is.
    fn sentence(&self, wording: &standing_orders_render::Wording, rule: &Rule, base: &Path) -> String {
        let below = shown_in(self.rooted.root(), base).map(|shown| shown.to_string());
        let below = below.filter(|below| below != ".");
        match (&rule.activation, below) {
            (Activation::Paths(patterns), None) => {
                wording.applies_to_paths(&patterns.as_written().join(", "))
            }
            (Activation::Paths(patterns), Some(base)) => {
                let below = |pattern: &String| match pattern.strip_prefix('!') {
                    Some(excluded) => format!("!{base}/{excluded}"),
                    None => format!("{base}/{pattern}"),
                };
                let patterns: Vec<String> = patterns.as_written().iter().map(below).collect();
                wording.applies_to_paths(&patterns.join(", "))
            }
            (_, Some(base)) => wording.applies_to(&base),
            (_, None) => String::new(),
        }
    }

    /// The section that lists described rules (F7). While some rule cannot be looked at, it stays as it is.
    fn list_described(
        &self,
        pass: &Pass<'a>,
        share: &mut Share<'a>,
        observed: &mut Observed,
        described: &[String],
        unknown: bool,
    ) {
        let entry = pass.visible.scope(share.injector, DESCRIBED);
        let in_force = entry.filter(|entry| entry.state.is_in_force());
        let candidate = match (described.is_empty(), in_force) {
            (_, Some(_)) if unknown => CandidateRecord::new(DESCRIBED.to_owned(), Source::File(usize::MAX)),
            (true, _) => return,
            (false, _) => observed.made(DESCRIBED, described.join("\n")),
        };
        share.slots.push(slot(Scope::from(DESCRIBED), None, vec![candidate]));
    }

    /// What is in force and has no rule: it goes, unless its folder cannot be listed now (F11).
    pub(super) fn leftovers(&self, pass: &Pass<'a>, targets: &mut Targets<'a>) {
        let shown = targets.shows_before(self.number);
        let Some(share) = targets.shares.iter_mut().find(|share| share.number == self.number) else { return };
        for slot in share.slots.iter_mut().filter(|slot| slot.dormant.is_none()) {
            let winner = slot.winner().and_then(|winner| slot.candidates.get(winner));
            let state = winner.map(|candidate| candidate.state);
            if let Some(CandidateState::Present { file, content: Content::Text { trimmed, .. } }) = state {
                slot.dormant = shown.of(file, trimmed).map(Box::new);
            }
        }
        let wanted: HashSet<Scope> = share.slots.iter().map(|slot| slot.scope.clone()).collect();
        let failed: Vec<&PathBuf> = self.parts.iter().flat_map(Part::failed).collect();
        let in_force = pass.visible.scopes(share.injector).filter(|entry| entry.state.is_in_force());
        let gone: Vec<_> = in_force.filter(|entry| !wanted.contains(entry.scope)).collect();
        for entry in gone {
            let (rule, import) = entry.scope.split().unwrap_or((entry.scope.as_str(), ""));
            let path = unshown(rule).map(|path| self.rooted.root().join(path));
            let stands = path.is_ok_and(|path| failed.iter().any(|folder| path.starts_with(folder)));
            // What a rule imports stands while the rule cannot be looked at (C7).
            let own = |slot: &SlotRecord<'_>| {
                slot.scope.split().map_or(slot.scope.as_str(), |(rule, _)| rule) == rule
            };
            let stands =
                stands || is_import(import) && share.slots.iter().any(|slot| own(slot) && slot.is_unknown());
            let stands = stands && !(is_import(import) && shown.has(entry.path));
            let unknown = CandidateRecord::new(entry.path.to_owned(), Source::File(usize::MAX));
            let candidates = if stands { vec![unknown] } else { Vec::new() };
            // Where it would stand if it was there.
            let behind = |slot: &SlotRecord<'_>| {
                let (of, _) = slot.scope.split().unwrap_or((slot.scope.as_str(), ""));
                place_of(of) > place_of(rule)
            };
            let at = share.slots.iter().position(behind).unwrap_or(share.slots.len());
            share.slots.insert(at, slot(entry.scope.clone(), None, candidates));
        }
    }

    /// What to remember of the folders, and of this step.
    pub(super) fn to_remember(&self, share: &Share<'_>, visible: &Fold) -> Remembered {
        let mut unknown = false;
        let mut folders = Vec::new();
        for part in &self.parts {
            if let What::Folder(folder) = &part.what {
                unknown |= folder.waits;
                folders.extend(folder.now.clone());
            }
        }
        // Nothing tells what a rule that cannot be looked at is for: the touches wait.
        unknown |= share.slots.iter().any(|slot| slot.decision == Decision::Unavailable);
        let missed = self.touched.iter().filter(|_| unknown).map(|path| path.to_path_buf());
        let open = share.slots.iter().filter(|slot| slot.decision != Decision::Unavailable);
        let open = open.filter(|slot| is_unanswered(visible, share, slot));
        Remembered {
            wanted: None,
            waiting: open.map(|slot| Arc::from(slot.scope.as_str())).collect(),
            missed: latest(missed.collect()),
            folders,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }
}

fn slot<'a>(scope: Scope, base: Option<Arc<Path>>, candidates: Vec<CandidateRecord<'a>>) -> SlotRecord<'a> {
    SlotRecord {
        scope,
        zone: Zone::Chain,
        // All of them: of two with one text the first is shown (F9).
        directory: 0,
        folder: base,
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

/// The folders whose rules count, outer ones first: the root, and with `nested` those of C4.
fn bases(
    pass: &Pass<'_>,
    rooted: &Rooted,
    rules: &RulesFolders,
    injector: &InjectorId,
    waiting: &[InstructionId],
    touched: &[&Path],
) -> Vec<PathBuf> {
    let mut bases = BTreeSet::from([rooted.root().to_path_buf()]);
    if !rules.nested {
        return bases.into_iter().collect();
    }
    bases.extend(rooted.chain().into_iter().map(|(_, path)| path.to_path_buf()));
    let settings = &pass.deployment.settings;
    let from = match settings.nested_discovery {
        NestedDiscovery::Cwd => rooted.cwd(),
        NestedDiscovery::Project => rooted.root(),
    };
    for touched in touched {
        for dir in nested_dirs(from, touched) {
            let below = dir.strip_prefix(rooted.root());
            if below.is_ok_and(|below| settings.exclude.of(below).is_some()) {
                break;
            }
            bases.insert(dir.to_path_buf());
        }
    }
    // Where rules are in force, or could not be answered yet.
    let folders: Vec<PathBuf> = rules.folders().map(|(_, folder)| folder.to_path_buf()).collect();
    let in_force = pass.visible.scopes(injector).filter(|entry| entry.state.is_in_force());
    let in_force = in_force.map(|entry| entry.scope.as_str());
    for shown in in_force.chain(waiting.iter().map(|id| &**id)) {
        let Ok(path) = unshown(shown) else { continue };
        let base = path.ancestors().find(|above| folders.iter().any(|folder| above.ends_with(folder)));
        let Some((above, folder)) =
            base.and_then(|above| Some((above, folders.iter().find(|folder| above.ends_with(folder))?)))
        else {
            continue;
        };
        let base = above.ancestors().nth(folder.components().count()).unwrap_or(Path::new(""));
        let excluded = settings.exclude.of(base).is_some();
        if !excluded {
            bases.insert(rooted.root().join(base));
        }
    }
    bases.into_iter().collect()
}

/// Whether nothing in the folder, as far as versions tell, came or went since it was listed.
fn is_still(known: &KnownFolder, probes: &[usize], observed: &Observed) -> bool {
    if known.listed.is_empty() {
        return probes.first().is_some_and(|probe| observed.is_absent(*probe));
    }
    let mut versions = known.listed.iter().zip(probes);
    versions.all(|((_, version), probe)| {
        version.is_some() && observed.directory(*probe).is_some_and(|found| found.is_still(*version))
    })
}

/// One folder while it is listed.
struct Listed {
    part: usize,
    dialect: Dialect,
    path: PathBuf,
    /// To be listed at the next level.
    open: Vec<PathBuf>,
    listed: Vec<(PathBuf, Option<Version>)>,
    rules: Vec<PathBuf>,
    wrong_names: Vec<PathBuf>,
    entries: usize,
    /// Whether there is more than was taken.
    more: bool,
    absent: bool,
    failed: Vec<(PathBuf, FsError)>,
}

impl Listed {
    fn new(part: usize, dialect: Dialect, path: PathBuf) -> Self {
        Self {
            part,
            dialect,
            open: vec![path.clone()],
            path,
            listed: Vec::new(),
            rules: Vec::new(),
            wrong_names: Vec::new(),
            entries: 0,
            more: false,
            absent: false,
            failed: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.entries == MAX_ENTRIES
    }

    fn take(
        &mut self,
        folder: PathBuf,
        answer: Result<Listing, FsError>,
        level: usize,
        is_excluded: &dyn Fn(&Path) -> bool,
    ) {
        let (entries, left_out, metadata) = match answer {
            Ok(Listing::Entries { entries, left_out, metadata }) => (entries, left_out, metadata),
            // A link to a file, or something that went since: no folder.
            Ok(_) => {
                self.absent |= folder == self.path;
                return;
            }
            Err(error) => {
                self.failed.push((folder, error));
                return;
            }
        };
        let version = metadata.settled_version();
        self.listed.push((folder.clone(), version));
        self.more |= left_out > 0;
        for entry in entries {
            if self.is_full() {
                self.more = true;
                return;
            }
            self.entries += 1;
            let path = folder.join(&entry.name);
            let is_rule = self.dialect.is_rule(&entry.name);
            match entry.kind {
                EntryKind::File | EntryKind::Link if is_rule => self.rules.push(path),
                EntryKind::Directory | EntryKind::Link if !self.dialect.is_recursive() => {}
                EntryKind::Directory | EntryKind::Link if is_excluded(&path) => {}
                EntryKind::Directory | EntryKind::Link if level + 1 < MAX_LEVELS => self.open.push(path),
                EntryKind::Directory | EntryKind::Link => self.more = true,
                EntryKind::File if self.dialect.is_near_miss(&entry.name) => self.wrong_names.push(path),
                EntryKind::File | EntryKind::Other => {}
            }
        }
    }

    /// The folder as it is, what of it cannot be listed, and what else to report of it. In what cannot be
    /// listed there is what was known.
    fn finish(
        mut self,
        shown: &str,
        known: Option<&KnownFolder>,
    ) -> (Option<KnownFolder>, Vec<(PathBuf, FsError)>, Vec<Problem>) {
        if self.failed.iter().any(|(folder, _)| *folder == self.path) {
            // To be listed again, whatever its version.
            let mut now = known.cloned();
            now.iter_mut().flat_map(|known| &mut known.listed).for_each(|(_, version)| *version = None);
            return (now, self.failed, Vec::new());
        }
        for (folder, _) in &self.failed {
            // To be listed again.
            self.listed.push((folder.clone(), None));
            let known = known.into_iter().flat_map(|known| &known.rules);
            self.rules.extend(known.filter(|rule| rule.starts_with(folder)).cloned());
        }
        self.rules.sort_unstable();
        self.more |= self.rules.len() > MAX_RULES;
        self.rules.truncate(MAX_RULES);
        let mut problems: Vec<Problem> = Vec::new();
        if self.more {
            let path = shown.to_owned();
            problems.push(Problem::RulesLeftOut {
                path,
                rules: MAX_RULES,
                entries: MAX_ENTRIES,
                levels: MAX_LEVELS,
            });
        }
        let names = self.wrong_names.iter().filter_map(|path| path.strip_prefix(&self.path).ok());
        problems.extend(names.map(|name| Problem::RuleName {
            path: format!("{shown}/{}", standing_orders_discovery::path::shown(name)),
            expected: self.dialect.suffix(),
        }));
        let listed = if self.absent { Vec::new() } else { self.listed };
        let now = KnownFolder { path: self.path, listed, rules: self.rules, lost: false };
        (Some(now), self.failed, problems)
    }
}

/// Where a rule stands by its path: its folder's own files first; the list of described ones is last.
fn place_of(shown: &str) -> impl Ord + use<'_> {
    let (folder, name) = shown.rsplit_once('/').unwrap_or(("", shown));
    (shown == DESCRIBED, Path::new(folder), name)
}

/// A description on one line, as it stands in a list.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
