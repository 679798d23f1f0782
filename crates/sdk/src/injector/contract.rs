//! What an injector is asked, and what it answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use standing_orders_discovery::CandidateNames;
use standing_orders_fs::FsProvider;
use standing_orders_session::{Fold, InjectorId, SessionClass, SessionHeader};

use super::gated::Trap;
use super::rules::RulesFolders;

/// The identity of one instruction of an injector: its scope in durable metadata (H4).
pub type InstructionId = Arc<str>;

/// Contributes instructions to sessions (I3).
///
/// # Behavior
/// - Asked once for every pre-step of a session that the policy admits it to, and when a host asks
///   what is due or undelivered, before any file is looked at. Files it names are probed and read in the engine's own batches.
/// - It delivers nothing itself, cannot patch a request, and cannot repeat itself: whether a text
///   is new is decided by the digests that the engine recorded, never by what a host stored.
/// - A failure, a panic (where unwinding is on) and running out of time are reported, and what it
///   has in force stands (I6). Limits hold at await points: a blocked thread cannot be contained.
/// - Dropping the future cancels.
#[async_trait]
pub trait Injector: Send + Sync {
    /// Its id: unique in an engine, not `workspace`, the same for good, for history names it.
    fn id(&self) -> &InjectorId;

    /// What it wants in context now.
    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError>;

    /// Bytes a message of its own may have (R5), the same for good; `None`: the workspace's budget.
    /// 0: off, it is not asked, and what is in view stays.
    fn max_bytes(&self) -> Option<u64> {
        None
    }

    /// Files of its own that every session would be shown anyway, under these candidate names (I5).
    /// An engine is not built with any.
    fn traps(&self, names: &CandidateNames) -> Vec<Trap> {
        let _ = names;
        Vec::new()
    }

    /// Files that only sessions are to see which it [admits](Self::admits), absolute or relative to the
    /// root. To another session the workspace shows none of them either, by whatever name or link
    /// they are reached (I5). Asked once per instance and mode.
    fn guarded(&self) -> &[PathBuf] {
        &[]
    }

    /// Whether a session is admitted by its own conditions, whatever the policy says and whatever
    /// was touched. Asked once per instance and mode.
    fn admits(&self, header: &SessionHeader, mode: Option<&str>) -> bool {
        let _ = (header, mode);
        true
    }

    /// Whether it is rules folders, which the engine looks through itself.
    #[doc(hidden)]
    fn rules(&self) -> Option<&RulesFolders> {
        None
    }

    /// Ids in the order in which they are listed when they are removed (C10); those that are not
    /// here follow in the order of their last delivery.
    fn order(&self) -> &[InstructionId] {
        &[]
    }
}

/// What an injector wants in context now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What it wanted at the last entered step of this instance: files among it are still looked
    /// at. In a new instance that has not been told otherwise, what is in force stands as it is.
    ///
    /// An answer whose step was rejected or dropped does not count, so never answer this because
    /// of what you answered before. When unsure answer with the list: what is unchanged is not sent
    /// again.
    Same,
    /// These, in this order. What it had in force and does not name is removed.
    These(Vec<Instruction>),
}

/// One instruction of an injector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Unique within the injector, the same for good. Of two with one id the first counts, and it is
    /// reported.
    pub id: InstructionId,
    /// The path, or name, in its heading: always one line, what is not in shown form is brought into
    /// it (D11).
    pub shown: Arc<str>,
    /// The content, or where it is.
    pub body: Body,
}

/// The content of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// This text.
    Text(Arc<str>),
    /// The text of this file, absolute or relative to the root. Absent: not wanted. Unavailable:
    /// what is in force stands.
    File(PathBuf),
}

impl Instruction {
    /// A text under the heading `shown`.
    pub fn text(id: impl Into<InstructionId>, shown: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), shown: shown.into(), body: Body::Text(text.into()) }
    }

    /// A file, relative to the root, shown and identified by that path.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let shown: Arc<str> = standing_orders_discovery::path::shown(&path).to_string().into();
        Self { id: shown.clone(), shown, body: Body::File(path) }
    }
}

/// Why an injector could not say what it wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InjectError {
    message: String,
}

impl InjectError {
    /// With what a person should read.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<std::io::Error> for InjectError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// What an injector sees.
#[derive(Clone, Copy, Debug)]
pub struct InjectionContext<'a> {
    pub(crate) header: &'a SessionHeader,
    pub(crate) mode: Option<&'a str>,
    pub(crate) root: Option<&'a Path>,
    pub(crate) fs: &'a dyn FsProvider,
    pub(crate) touched: &'a [PathBuf],
    pub(crate) injector: &'a InjectorId,
    pub(crate) visible: &'a Fold,
    pub(crate) waiting: &'a [InstructionId],
}

impl<'a> InjectionContext<'a> {
    /// The session's header.
    pub fn header(&self) -> &'a SessionHeader {
        self.header
    }

    /// The session's class (I1).
    pub fn class(&self) -> SessionClass {
        self.header.class()
    }

    /// The mode the host is in.
    pub fn mode(&self) -> Option<&'a str> {
        self.mode
    }

    /// The root of the project (D1); `None` for a session without a working directory.
    pub fn root(&self) -> Option<&'a Path> {
        self.root
    }

    /// The session's own file system, to look for what no list of files can name (I3). Files that are to
    /// be loaded are better named ([`Body::File`]): those are probed and read in the engine's batch, and
    /// known by their version in the next step.
    ///
    /// # Costs
    /// What is asked here is asked again in every pre-step, `due` and `undelivered`, before the engine
    /// looks at anything: each batch is one more round trip on the way to the step. Ask for many paths at
    /// once, and only where [`touched`](Self::touched) or the header gives a reason. It is not in the counts
    /// of the report. Injectors are asked together, so theirs overlap.
    ///
    /// # Containment
    /// As all of I6: a provider that panics answers a fault for each path, and the time of
    /// [`injector_timeout`](crate::EngineBuilder::injector_timeout) covers the wait. When it is over, or
    /// the pre-step is dropped, the future is dropped at its await, which cancels the batch (P1).
    ///
    /// A fault is no absence: answer an [`InjectError`], and what is in force stands.
    pub fn fs(&self) -> &'a dyn FsProvider {
        self.fs
    }

    /// The working directory.
    pub fn cwd(&self) -> Option<&'a Path> {
        self.header.cwd()
    }

    /// The paths touched since the last entered step, absolute, oldest first (C4).
    pub fn touched(&self) -> &'a [PathBuf] {
        self.touched
    }

    /// Whether the instruction is in force: the model has it.
    pub fn is_in_force(&self, id: &str) -> bool {
        let entry = self.visible.scope(self.injector, id);
        entry.is_some_and(|entry| entry.state.is_in_force())
    }

    /// Whether any instruction of this injector is in force.
    pub fn any_in_force(&self) -> bool {
        self.visible.scopes(self.injector).any(|entry| entry.state.is_in_force())
    }

    /// Whether the instruction was wanted and could not be answered yet: unavailable then, or
    /// without room (C4). In this instance only.
    pub fn is_waiting(&self, id: &str) -> bool {
        self.waiting.iter().any(|waiting| **waiting == *id)
    }
}
