//! What a session at one starting point is given, by the rules of each profile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::fs::{FaultKind, FsError, FsProvider, PathBatch, ReadOutcome};
use standing_orders::inspect::path::{lexical, unshown};
use standing_orders::inspect::{RootOptions, RootReason, SourceText, find_root};
use standing_orders::plugin::SessionHeader;
use standing_orders::{Composition, Engine, Fate, Home, ReportEntry, RootSeen, Settings};

use super::claude::{self, Imports};
use super::codex;
use super::outcome::{Kept, Lost, Outcome};
use super::problem::{Evaluated, Problem};
use super::profile::Profile;
use crate::failure::Failure;

/// The rules of every profile that counts.
#[derive(Debug)]
pub(crate) struct Evaluator {
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) home: Option<Home>,
    pub(crate) profiles: Vec<Profile>,
    /// The project that is checked.
    pub(crate) root: PathBuf,
    /// Bytes of every limit that are kept free.
    pub(crate) reserve: u64,
    /// Hundredths of a limit from which on it is nearly used up.
    pub(crate) warn_at: u64,
}

/// What is remembered from one starting point to the next, of one file system.
#[derive(Debug, Default)]
pub(super) struct Known {
    paths: HashMap<PathBuf, Arc<Path>>,
    pub(super) imports: Imports,
    /// Where Codex begins; `Some(None)` where it looks at the working directory alone.
    codex: Option<Option<PathBuf>>,
}

impl Known {
    /// One allocation a path.
    pub(super) fn path(&mut self, path: &Path) -> Arc<Path> {
        if let Some(known) = self.paths.get(path) {
            return Arc::clone(known);
        }
        let shared: Arc<Path> = path.into();
        self.paths.insert(path.to_path_buf(), Arc::clone(&shared));
        shared
    }
}

impl Evaluator {
    /// The most bytes of one file that a profile asks for.
    pub(super) fn cap(&self) -> u64 {
        let cap = self.settings.rules.max_source_bytes.get();
        if self.profiles == [Profile::Ours] { cap } else { cap.max(claude::MAX_FILE) }
    }

    /// The names of instruction files, best first within a profile.
    pub(super) fn candidates(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for profile in &self.profiles {
            match profile {
                Profile::Ours => {
                    names.extend(self.settings.rules.names.iter().map(|(_, name)| name.to_owned()));
                }
                Profile::Codex => names.extend(codex::NAMES.map(str::to_owned)),
                Profile::Claude => names.extend(claude::NAMES.map(str::to_owned)),
            }
        }
        names
    }

    /// What a session that starts in `dir` is given by the rules of `profile`.
    pub(super) async fn evaluate(
        &self,
        profile: Profile,
        fs: &Arc<dyn FsProvider>,
        dir: &Path,
        known: &mut Known,
    ) -> Result<Evaluated, Failure> {
        match profile {
            Profile::Ours => self.ours(fs, dir, known).await,
            Profile::Codex => {
                let root = match &known.codex {
                    Some(root) => root.clone(),
                    None => {
                        let found = find_root(&**fs, &self.root, &RootOptions::default()).await;
                        let root = matches!(found.reason, RootReason::Marker(_)).then_some(found.path);
                        known.codex = Some(root.clone());
                        root
                    }
                };
                let limit = codex::LIMIT.saturating_sub(self.reserve);
                Ok(codex::evaluate(&**fs, root.as_deref(), dir, limit, known).await)
            }
            Profile::Claude => Ok(claude::evaluate(&**fs, &self.root, dir, known).await),
        }
    }

    async fn ours(
        &self,
        fs: &Arc<dyn FsProvider>,
        dir: &Path,
        known: &mut Known,
    ) -> Result<Evaluated, Failure> {
        let header = SessionHeader::main("standing-orders", 0).with_cwd(dir);
        let mut setup = self.engine.session(header).fs(Arc::clone(fs));
        if let Some(home) = &self.home {
            setup = setup.home(home.clone());
        }
        let composition = setup.compose(&[]).await.map_err(Failure::Open)?;
        let limit = self.settings.max_bytes.bytes();
        let mut evaluated = Evaluated {
            outcome: Outcome {
                used: used(&composition),
                limit: (limit > 0).then_some(limit),
                ..Outcome::default()
            },
            ..Evaluated::default()
        };
        let Some(root) = composition.report.root() else { return Ok(evaluated) };
        evaluated.alone = self.is_alone(root, dir);
        for (index, entry) in composition.report.entries().enumerate() {
            let Some(path) = self.path_of(root, index, &entry) else { continue };
            let Evaluated { outcome, problems, .. } = &mut evaluated;
            match entry.fate {
                Fate::Set { bytes } | Fate::Replaced { bytes } => {
                    outcome.kept.push(Kept { path: known.path(&path), bytes });
                }
                Fate::Truncated { from, to } => {
                    let shared = known.path(&path);
                    outcome.kept.push(Kept { path: Arc::clone(&shared), bytes: to });
                    outcome.lost.extend(self.lost(&**fs, shared, from, to).await);
                }
                Fate::Omitted | Fate::StillOmitted | Fate::LeftOut | Fate::Waits | Fate::Unfit => {
                    outcome.lost.extend(self.lost(&**fs, known.path(&path), 0, 0).await);
                }
                Fate::TooLarge { len, cap } => problems.push((path, Problem::TooLarge { len, cap })),
                Fate::NotText => problems.push((path, Problem::NotText)),
                Fate::Unavailable(error) => problems.push((path, Problem::Unreadable(reason(&error)))),
                Fate::Changing => {
                    problems.push((path, Problem::Unreadable("it changed while it was read".to_owned())));
                }
                _ => {}
            }
        }
        Ok(evaluated)
    }

    /// Whether the walk for a root that starts below `dir` ends before it is there, or passes it by (D1).
    fn is_alone(&self, root: RootSeen<'_>, dir: &Path) -> bool {
        let is_root_for_all =
            matches!(root.reason, Some(RootReason::Marker(_) | RootReason::Fault(_) | RootReason::Fixed));
        let ceilings = self.settings.root.ceilings.iter();
        !is_root_for_all || ceilings.filter_map(|ceiling| lexical(ceiling).ok()).any(|ceiling| ceiling == dir)
    }

    /// The path of an entry, which the report has in shown form.
    fn path_of(&self, root: RootSeen<'_>, index: usize, entry: &ReportEntry<'_>) -> Option<PathBuf> {
        let home = self.home.as_ref();
        let of_home =
            home.filter(|home| index == 0 && entry.injector.is_workspace() && entry.dir == home.shown);
        match of_home {
            Some(home) => Some(home.dir.join("AGENTS.md")),
            None => Some(root.path.join(unshown(&entry.path).ok()?)),
        }
    }

    /// What does not arrive of a file; of an empty one nothing can be lost.
    async fn lost(&self, fs: &dyn FsProvider, path: Arc<Path>, from: u64, to: u64) -> Option<Lost> {
        let read = read(fs, &path, self.settings.rules.max_source_bytes.get()).await;
        let text = match read {
            Ok(ReadOutcome::Content { bytes, .. }) => SourceText::decode(&bytes),
            _ => None,
        };
        match text {
            Some(text) if text.as_str().is_empty() => None,
            Some(text) => Some(Lost::of(path, text.as_str(), usize::try_from(to).unwrap_or(usize::MAX))),
            None => Some(Lost::unknown(path, from, to)),
        }
    }
}

/// Bytes of the workspace's largest block.
fn used(composition: &Composition) -> u64 {
    let parts = composition.parts.iter().filter(|part| part.injector().is_workspace());
    parts.flat_map(|part| part.blocks.iter()).map(|block| block.len() as u64).max().unwrap_or(0)
}

/// Reads one file.
pub(super) async fn read(fs: &dyn FsProvider, path: &Path, cap: u64) -> Result<ReadOutcome, FsError> {
    let read = fs.read_many(&PathBatch::one(path), cap).await;
    read.into_iter().next().unwrap_or_else(|| Err(FsError::other(path, "the file system gave no answer")))
}

/// Why, without the path, which stands elsewhere.
pub(super) fn reason(error: &FsError) -> String {
    match error.kind() {
        FaultKind::PermissionDenied => "the permission to read it is missing".to_owned(),
        FaultKind::LinkCycle => "its links lead in a circle, or through too many steps".to_owned(),
        other => other.to_string(),
    }
}
