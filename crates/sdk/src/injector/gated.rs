//! Files for some sessions only, from conditions alone (I4).

use std::path::{Component, Path, PathBuf};

use async_trait::async_trait;
use globset::{GlobSet, GlobSetBuilder};
use standing_orders_discovery::CandidateNames;
use standing_orders_session::{InjectorId, SessionHeader};

use super::contract::{InjectError, InjectionContext, Injector, Instruction, InstructionId, Wanted};
use crate::globs::file_glob;
use crate::policy::{Condition, Sessions};

/// Instruction files that only some sessions see, by class, depth, agent, mode, and what was
/// touched (I4). All conditions must hold. The files are looked at in every step: an edit is an
/// update at the next one, a deletion a removal, without a restart. Absent files are silent.
///
/// With the feature `config`, an entry of a configuration file converts into it by `try_from`.
///
/// ```
/// use standing_orders::plugin::GatedFiles;
/// use standing_orders::{Budget, Engine, Settings};
///
/// let rules = GatedFiles::new("main-only", ["main/RULES.md", "main/PORTRAIT.md"])?.agents(["!explore"]);
/// let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536))).gated(rules).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GatedFiles {
    id: InjectorId,
    files: Vec<PathBuf>,
    order: Vec<InstructionId>,
    condition: Condition,
    when_touched: Option<GlobSet>,
    max_bytes: Option<u64>,
    allowed: Vec<PathBuf>,
    /// The files that are not allowed by name.
    guarded: Vec<PathBuf>,
}

/// Why gated files cannot be so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GatedError {
    /// No file is named.
    #[error("gated files {id:?}: `files` is empty, name at least one file relative to the project root")]
    NoFiles {
        /// Of which entry.
        id: String,
    },
    /// A path leaves the root, or names no file.
    #[error("gated files {id:?}: {} is not a file path relative to the project root", path.display())]
    BadPath {
        /// Of which entry.
        id: String,
        /// The path.
        path: PathBuf,
    },
    /// A path is named twice.
    #[error("gated files {id:?}: {} is named twice", path.display())]
    Twice {
        /// Of which entry.
        id: String,
        /// The path.
        path: PathBuf,
    },
    /// A glob is not one, or can match nothing.
    #[error("gated files {id:?}: `when_touched` has {glob:?}: {message}")]
    BadGlob {
        /// Of which entry.
        id: String,
        /// The glob.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
}

/// A gated file that every session would be shown anyway (I5).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "gated files {id:?}: {} has the name of a workspace instruction file ({candidate}), so any session \
     that touches its folder would be shown it. Call it {} instead, or name it in `allow_candidate_names`",
    path.display(),
    better.display()
)]
#[non_exhaustive]
pub struct Trap {
    /// Of which entry.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// The candidate name it has.
    pub candidate: String,
    /// A name that no session picks up by itself.
    pub better: PathBuf,
}

impl GatedFiles {
    /// These files, relative to the root, for main sessions.
    ///
    /// # Errors
    /// [`GatedError`] for no files, a path that is absolute, has `..` or names no file, and a path
    /// named twice.
    pub fn new<P: Into<PathBuf>>(
        id: impl Into<InjectorId>,
        files: impl IntoIterator<Item = P>,
    ) -> Result<Self, GatedError> {
        let id = id.into();
        let name = || id.as_str().to_owned();
        let mut kept: Vec<PathBuf> = Vec::new();
        for path in files.into_iter().map(Into::into) {
            let plain = path.components().filter(|part| !matches!(part, Component::CurDir));
            if path.file_name().is_none() || !plain.clone().all(|part| matches!(part, Component::Normal(_))) {
                return Err(GatedError::BadPath { id: name(), path });
            }
            let path: PathBuf = plain.collect();
            if kept.contains(&path) {
                return Err(GatedError::Twice { id: name(), path });
            }
            kept.push(path);
        }
        if kept.is_empty() {
            return Err(GatedError::NoFiles { id: name() });
        }
        let order = kept.iter().map(|path| Instruction::file(path).id).collect();
        Ok(Self {
            id,
            guarded: kept.clone(),
            files: kept,
            order,
            condition: Condition::default(),
            when_touched: None,
            max_bytes: None,
            allowed: Vec::new(),
        })
    }

    /// For these sessions. Default: main.
    #[must_use]
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.condition.sessions = sessions;
        self
    }

    /// Down to this depth; main is 0. Default: any.
    #[must_use]
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.condition.max_depth = Some(depth);
        self
    }

    /// For these agent presets. A listed name admits, `!name` excludes; with exclusions only, the
    /// rest is admitted; a session without a preset passes exclusions only. Default: all.
    #[must_use]
    pub fn agents<S: Into<String>>(mut self, agents: impl IntoIterator<Item = S>) -> Self {
        self.condition.agents = agents.into_iter().map(Into::into).collect();
        self
    }

    /// While the host is in one of these modes. Default: always.
    #[must_use]
    pub fn modes<S: Into<String>>(mut self, modes: impl IntoIterator<Item = S>) -> Self {
        self.condition.modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// Once a path that matches one of these globs was touched, relative to the root; `*` stays
    /// within one component, `**` does not, and `src/` is all below `src`. Then in force; after a compaction again by touch.
    /// Default: at once.
    ///
    /// # Errors
    /// A glob is not one, or it, or an alternative of its braces, can match nothing: it is blank, begins
    /// with `/`, has a component that is empty, `.` or `..`, or `**` beside other text.
    pub fn when_touched<S: AsRef<str>>(
        mut self,
        globs: impl IntoIterator<Item = S>,
    ) -> Result<Self, GatedError> {
        let mut set = GlobSetBuilder::new();
        let mut any = false;
        for glob in globs {
            let bad = |message: String| GatedError::BadGlob {
                id: self.id.as_str().to_owned(),
                glob: glob.as_ref().to_owned(),
                message,
            };
            set.add(file_glob(glob.as_ref()).map_err(bad)?);
            any = true;
        }
        let built = set.build().map_err(|error| GatedError::BadGlob {
            id: self.id.as_str().to_owned(),
            glob: String::new(),
            message: error.to_string(),
        })?;
        self.when_touched = any.then_some(built);
        Ok(self)
    }

    /// Bytes a message may have; 0 is off. Default: the workspace's budget.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Allows this file although it has the name of a workspace candidate (I5): it is known that
    /// every session that touches its folder sees it.
    #[must_use]
    pub fn allow_candidate_name(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let path = path.components().filter(|part| !matches!(part, Component::CurDir)).collect();
        self.guarded.retain(|guarded| *guarded != path);
        self.allowed.push(path);
        self
    }

    /// The files whose name is a workspace candidate and that are not allowed by name (I5). Letter
    /// case is no difference: on some volumes it is none.
    pub fn traps(&self, names: &CandidateNames) -> Vec<Trap> {
        let candidate_of =
            |name: &str| names.iter().find(|(_, candidate)| candidate.to_lowercase() == name.to_lowercase());
        let trap = |path: &PathBuf| {
            let name = path.file_name()?.to_str()?;
            let (_, candidate) = candidate_of(name)?;
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "md"));
            let plain = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
            let mut mark: String = self.id.as_str().chars().filter(plain).collect();
            let better = |mark: &str| format!("{stem}.{mark}.{extension}");
            while mark.is_empty() || candidate_of(&better(&mark)).is_some() {
                mark.push_str(if mark.is_empty() { "gated" } else { "-gated" });
            }
            let id = self.id.as_str().to_owned();
            let better = path.with_file_name(better(&mark));
            Some(Trap { id, path: path.clone(), candidate: candidate.to_owned(), better })
        };
        self.files.iter().filter(|path| !self.allowed.contains(path)).filter_map(trap).collect()
    }

    /// Whether a session is admitted, whatever it touched.
    pub fn admits(&self, header: &SessionHeader, mode: Option<&str>) -> bool {
        self.condition.holds(header, mode)
    }

    fn matches(&self, globs: &GlobSet, context: &InjectionContext<'_>) -> bool {
        let Some(root) = context.root() else { return false };
        let below = |path: &PathBuf| path.strip_prefix(root).is_ok_and(|path| globs.is_match(path));
        context.touched().iter().any(below)
    }

    fn instructions(&self, keep: impl Fn(&str) -> bool) -> Wanted {
        let kept = self.files.iter().zip(&self.order).filter(|(_, id)| keep(id));
        Wanted::These(kept.map(|(path, _)| Instruction::file(Path::new(path))).collect())
    }
}

#[async_trait]
impl Injector for GatedFiles {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        if !self.admits(context.header(), context.mode()) {
            return Ok(Wanted::These(Vec::new()));
        }
        Ok(match &self.when_touched {
            None => self.instructions(|_| true),
            Some(globs) if context.any_in_force() || self.matches(globs, context) => {
                self.instructions(|_| true)
            }
            Some(_) => self.instructions(|id| context.is_waiting(id)),
        })
    }

    fn max_bytes(&self) -> Option<u64> {
        self.max_bytes
    }

    fn traps(&self, names: &CandidateNames) -> Vec<Trap> {
        Self::traps(self, names)
    }

    fn guarded(&self) -> &[PathBuf] {
        &self.guarded
    }

    fn admits(&self, header: &SessionHeader, mode: Option<&str>) -> bool {
        Self::admits(self, header, mode)
    }

    fn order(&self) -> &[InstructionId] {
        &self.order
    }
}
