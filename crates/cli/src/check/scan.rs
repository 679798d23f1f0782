//! From the walk to starting points and findings.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::fs::FsProvider;
use standing_orders::inspect::RootRule;

use super::claude::FOLDER;
use super::evaluate::{Evaluator, Known};
use super::examine::Examiner;
use super::finding::{Code, Finding};
use super::gather::{Gather, Start};
use super::held::{self, HeldFs};
use super::problem::Evaluated;
use super::profile::Profile;
use super::progress::Progress;
use super::walk::{self, Step, Walk, Watched};
use crate::failure::Failure;

/// Everything a walk found out.
#[derive(Debug)]
pub(crate) struct Scan {
    /// In pre-order; the first is where the walk began.
    pub(crate) starts: Vec<Start>,
    /// By directory that has something of its own, which start it belongs to.
    pub(crate) places: HashMap<PathBuf, usize>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) walked: walk::Counts,
    pub(crate) asked: held::Counts,
    /// Instruction files seen, by exact name.
    pub(crate) files: u64,
}

/// Walks `start`. `traps` are the gated files with the name of a candidate (I5); `gated` all of them.
pub(crate) async fn scan(
    evaluator: &Evaluator,
    start: &Path,
    gated: &[PathBuf],
    traps: Vec<Finding>,
    progress: &Progress,
) -> Result<Scan, Failure> {
    let names = watched(evaluator);
    let mut watch = Watched::default();
    names.iter().for_each(|name| watch.add(name));
    let mut walk = Walk::new(&evaluator.root, start, watch);
    let home = evaluator.home.as_ref();
    let pinned = gated.iter().map(|file| evaluator.root.join(file));
    let held = Arc::new(HeldFs::new(start, evaluator.cap(), names, pinned));
    let fs: Arc<dyn FsProvider> = Arc::clone(&held) as _;
    let mut gather = Gather::new(&evaluator.root, home.map(|home| (home.dir.clone(), home.shown.clone())));
    traps.into_iter().for_each(|trap| gather.add(trap));
    let mut examiner = Examiner::new(evaluator, &fs);
    let mut state = State {
        evaluator,
        has_gated: !gated.is_empty(),
        starts: Vec::new(),
        open: Vec::new(),
        places: HashMap::new(),
        bare: None,
    };
    let mut known = Known::default();
    let candidates = evaluator.candidates();
    let mut files = 0;
    while let Some(step) = walk.next() {
        match step {
            Step::Enter { path, seen } => {
                held.enter(&path, &seen);
                progress.at(walk.counts().directories, state.starts.len());
                let first = state.starts.is_empty();
                let is_bare = seen.is_empty();
                if !first && is_bare && state.passes() {
                    continue;
                }
                files += seen.iter().filter(|entry| candidates.contains(&entry.name)).count() as u64;
                examiner.names(&path, &seen, &mut gather);
                let evaluated = state.evaluate(&fs, &path, &mut known, &mut gather).await?;
                examiner.texts(&path, first, &evaluated, &mut gather).await;
                state.take(&path, is_bare, evaluated, &mut known);
            }
            Step::Leave { path } => {
                if state.leave(&path) {
                    held.leave(&path);
                }
            }
            Step::Unreadable { path, error } if state.starts.is_empty() => {
                return Err(Failure::Path { path, error });
            }
            Step::Unreadable { path, error } => {
                let text = error.to_string();
                let reason = text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text);
                let message = format!("the directory cannot be read: {}", reason.to_lowercase());
                gather.add(Finding::new(Code::Unreadable, gather.shown(&path), message));
            }
        }
    }
    let findings = gather.finish(&evaluator.profiles, &state.starts, evaluator.warn_at);
    Ok(Scan {
        starts: state.starts,
        places: state.places,
        findings,
        walked: walk.counts(),
        asked: held.counts(),
        files,
    })
}

/// The names that make a directory's chain its own: candidates, root markers, folders with candidates.
pub(super) fn watched(evaluator: &Evaluator) -> Vec<String> {
    let mut names = evaluator.candidates();
    if evaluator.profiles.contains(&Profile::Claude) {
        names.push(FOLDER.to_owned());
    }
    if evaluator.profiles.contains(&Profile::Ours)
        && let RootRule::Markers(markers) = &evaluator.settings.root.rule
    {
        names.extend(markers.iter().map(ToString::to_string));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The starting points so far, and where the walk stands among them.
struct State<'e> {
    evaluator: &'e Evaluator,
    has_gated: bool,
    starts: Vec<Start>,
    /// The directories on the way that were evaluated.
    open: Vec<Open>,
    places: HashMap<PathBuf, usize>,
    /// The start of the last bare directory.
    bare: Option<usize>,
}

/// A directory that was evaluated, while the walk is in it or below.
struct Open {
    path: PathBuf,
    start: usize,
    /// What is here counts here alone.
    alone: bool,
    /// It has nothing of its own.
    is_bare: bool,
}

impl State<'_> {
    /// Whether a directory with nothing of its own is given what the one above is: what stands there counts
    /// below too, or nothing does. Gated files are looked for from the root of each (I4).
    fn passes(&mut self) -> bool {
        let Some(above) = self.open.last() else { return false };
        if above.alone && (!above.is_bare || self.has_gated) {
            return false;
        }
        if let Some(start) = self.starts.get_mut(above.start) {
            start.directories += 1;
        }
        true
    }

    async fn evaluate(
        &self,
        fs: &Arc<dyn FsProvider>,
        dir: &Path,
        known: &mut Known,
        gather: &mut Gather,
    ) -> Result<Vec<(Profile, Evaluated)>, Failure> {
        let mut all = Vec::with_capacity(self.evaluator.profiles.len());
        for profile in &self.evaluator.profiles {
            let evaluated = self.evaluator.evaluate(*profile, fs, dir, known).await?;
            for (path, problem) in &evaluated.problems {
                let shown = gather.shown(path);
                let finding = problem.finding(*profile, shown, |path| gather.shown(path));
                gather.add(finding);
            }
            all.push((*profile, evaluated));
        }
        Ok(all)
    }

    fn take(&mut self, dir: &Path, is_bare: bool, evaluated: Vec<(Profile, Evaluated)>, known: &mut Known) {
        let alone = evaluated.iter().any(|(_, evaluated)| evaluated.alone);
        let outcomes: Vec<_> = evaluated.into_iter().map(|(_, evaluated)| evaluated.outcome).collect();
        let parent = self.open.last().map(|above| above.start);
        let is_same = |start: &usize| self.starts.get(*start).is_some_and(|start| start.outcomes == outcomes);
        // Folders that are roots of their own and have nothing are one starting point.
        let same = parent.filter(is_same).or_else(|| self.bare.filter(|_| is_bare).filter(is_same));
        let start = same.unwrap_or(self.starts.len());
        match self.starts.get_mut(start) {
            Some(start) => start.directories += 1,
            None => self.starts.push(Start { path: known.path(dir), directories: 1, parent, outcomes }),
        }
        if is_bare {
            self.bare = Some(start);
        }
        self.open.push(Open { path: dir.to_path_buf(), start, alone, is_bare });
        self.places.insert(dir.to_path_buf(), start);
    }

    /// Whether the directory was evaluated.
    fn leave(&mut self, dir: &Path) -> bool {
        let is_open = self.open.last().is_some_and(|open| open.path == dir);
        if is_open {
            self.open.pop();
        }
        is_open
    }
}
