//! From the walk to starting points and findings.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::discovery::RootRule;
use standing_orders::fs::FsProvider;

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
    let mut state = State { evaluator, starts: Vec::new(), open: Vec::new(), places: HashMap::new() };
    let mut known = Known::default();
    let candidates = evaluator.candidates();
    let mut files = 0;
    while let Some(step) = walk.next() {
        match step {
            Step::Enter { path, seen } => {
                held.enter(&path, &seen);
                progress.at(walk.counts().directories, state.starts.len());
                let first = state.starts.is_empty();
                if !first && seen.is_empty() {
                    state.passes();
                    continue;
                }
                files += seen.iter().filter(|entry| candidates.contains(&entry.name)).count() as u64;
                examiner.names(&path, &seen, &mut gather);
                let evaluated = state.evaluate(&fs, &path, &mut known, &mut gather).await?;
                examiner.texts(&path, first, &evaluated, &mut gather).await;
                state.take(&path, evaluated, &mut known);
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
    starts: Vec<Start>,
    /// The directories on the way that have something of their own, with their start.
    open: Vec<(PathBuf, usize)>,
    places: HashMap<PathBuf, usize>,
}

impl State<'_> {
    /// A directory with nothing of its own is given what the one above is.
    fn passes(&mut self) {
        if let Some(start) = self.open.last().and_then(|(_, start)| self.starts.get_mut(*start)) {
            start.directories += 1;
        }
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

    fn take(&mut self, dir: &Path, evaluated: Vec<(Profile, Evaluated)>, known: &mut Known) {
        let outcomes: Vec<_> = evaluated.into_iter().map(|(_, evaluated)| evaluated.outcome).collect();
        let parent = self.open.last().map(|(_, start)| *start);
        let same = parent
            .filter(|parent| self.starts.get(*parent).is_some_and(|parent| parent.outcomes == outcomes));
        let start = same.unwrap_or(self.starts.len());
        match self.starts.get_mut(start) {
            Some(start) => start.directories += 1,
            None => self.starts.push(Start { path: known.path(dir), directories: 1, parent, outcomes }),
        }
        self.open.push((dir.to_path_buf(), start));
        self.places.insert(dir.to_path_buf(), start);
    }

    /// Whether the directory had something of its own.
    fn leave(&mut self, dir: &Path) -> bool {
        let is_open = self.open.last().is_some_and(|(open, _)| open == dir);
        if is_open {
            self.open.pop();
        }
        is_open
    }
}
