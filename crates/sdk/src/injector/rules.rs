//! Rules folders: which ones an injector has (F). What is in them, and what of it is due, the pass works out
//! itself: a rule's head says so, and is read with the batch.

use std::path::{Component, Path, PathBuf};

use async_trait::async_trait;
use standing_orders_session::{InjectorId, SessionHeader};

use super::contract::{InjectError, InjectionContext, Injector, Wanted};
use crate::policy::{Condition, Sessions};
use crate::rules::Dialect;

/// Rules folders: files that say by a head of their own when they apply (F1).
///
/// Each rule is delivered once while visible and unchanged, updated, removed, and bounded, as every
/// instruction is. A rule for some paths is due once a path it matches was touched; from then on it is in
/// force, and after a compaction again by touch. A rule whose head cannot be understood is never loaded, and
/// always reported.
///
/// With the feature `config`, a `[[rules]]` entry of a configuration file converts into it by `try_from`.
///
/// ```
/// use standing_orders::plugin::RulesFolders;
/// use standing_orders::{Budget, Engine, Settings};
///
/// let rules = RulesFolders::new("rules").nested(true);
/// let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536))).injector(rules).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RulesFolders {
    id: InjectorId,
    pub(crate) dialects: Vec<Dialect>,
    /// In place of the dialect's own, relative to a base folder.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) nested: bool,
    condition: Condition,
    max_bytes: u64,
}

/// Why rules folders cannot be so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rules {id:?}: {} is not a folder below the project root: relative to it, without `..`", folder.display())]
#[non_exhaustive]
pub struct RulesError {
    /// Of which entry.
    pub id: String,
    /// The folder.
    pub folder: PathBuf,
}

impl RulesFolders {
    /// The id of the entry that names none.
    pub const ID: &str = "rules";

    /// Bytes a message of rules may have unless something else is said (F10).
    pub const MAX_BYTES: u64 = 16_384;

    /// The folders of every dialect at the root of the project, for all sessions.
    pub fn new(id: impl Into<InjectorId>) -> Self {
        Self {
            id: id.into(),
            dialects: Dialect::ALL.to_vec(),
            folder: None,
            nested: false,
            condition: Condition { sessions: Sessions::Any, ..Condition::default() },
            max_bytes: Self::MAX_BYTES,
        }
    }

    /// Of this dialect alone. Default: of all, where they are there.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialects = vec![dialect];
        self
    }

    /// In this folder, relative to the root, in place of the dialect's own. Without a dialect it is
    /// [`Dialect::Plain`].
    ///
    /// # Errors
    /// It is absolute, has `..`, or names no folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Result<Self, RulesError> {
        let folder: PathBuf = folder.into();
        let parts = folder.components().filter(|part| !matches!(part, Component::CurDir));
        if folder.file_name().is_none() || !parts.clone().all(|part| matches!(part, Component::Normal(_))) {
            return Err(RulesError { id: self.id.as_str().to_owned(), folder });
        }
        self.folder = Some(parts.collect());
        if self.dialects.len() > 1 {
            self.dialects = vec![Dialect::Plain];
        }
        Ok(self)
    }

    /// Also in the folders from the root to the working directory, and in those that are touched, each
    /// rule for what lies there. Default: at the root only.
    #[must_use]
    pub fn nested(mut self, nested: bool) -> Self {
        self.nested = nested;
        self
    }

    /// For these sessions. Default: any.
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

    /// For these agent presets, as those of [gated files](super::GatedFiles::agents). Default: all.
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

    /// Bytes a message may have; 0 is off. Default: [`MAX_BYTES`](Self::MAX_BYTES).
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The folders below a base folder, each with its dialect, in order.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (Dialect, &Path)> {
        self.dialects.iter().flat_map(|dialect| match &self.folder {
            Some(folder) => vec![(*dialect, folder.as_path())],
            None => dialect.folders().iter().map(|folder| (*dialect, Path::new(*folder))).collect(),
        })
    }

    /// Single files below a base folder that are rules as they are.
    pub(crate) fn files(&self) -> impl Iterator<Item = (Dialect, &Path)> {
        let own = self.folder.is_none().then_some(&self.dialects).into_iter().flatten();
        own.flat_map(|dialect| dialect.files().iter().map(|file| (*dialect, Path::new(*file))))
    }
}

#[async_trait]
impl Injector for RulesFolders {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, _: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        // The pass asks for the folders in place of this, where the session is admitted.
        Ok(Wanted::These(Vec::new()))
    }

    fn max_bytes(&self) -> Option<u64> {
        Some(self.max_bytes)
    }

    fn admits(&self, header: &SessionHeader, mode: Option<&str>) -> bool {
        self.condition.holds(header, mode)
    }

    fn rules(&self) -> Option<&RulesFolders> {
        Some(self)
    }
}
