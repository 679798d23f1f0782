//! What was considered, and what became of it (X1).

use std::fmt;
use std::path::PathBuf;

use standing_orders_discovery::{CandidateNames, RootReason, Why};
use standing_orders_fs::FsError;
use standing_orders_session::{InjectorId, PathRef};

pub use standing_orders_discovery::Counts;

/// Every candidate that a pre-step considered, with its fate (X1). Nothing is lost silently.
///
/// Kept small, because a session keeps its last one: paths are put together when asked for.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) root: Option<RootSeen>,
    pub(crate) names: CandidateNames,
    pub(crate) injectors: Vec<InjectorId>,
    pub(crate) text: String,
    /// Ranges of `text`, one a place.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) rows: Vec<Row>,
    pub(crate) details: Vec<Detail>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) counts: Counts,
}

/// The root, and why it is the root (D1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootSeen {
    /// The root.
    pub path: PathBuf,
    /// Why; `None` where an earlier pre-step fixed it.
    pub reason: Option<RootReason>,
    /// A probe of a marker failed, and the root recorded in history stands (D1).
    pub from_history: bool,
    /// The next marked directory above: its instructions are not seen from here (X2).
    pub outer: Option<PathBuf>,
}

/// What went wrong beside the files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The policy panicked; nothing is looked at, and what is in view stays (C14).
    #[error("the session policy panicked: {message}")]
    PolicyFailed {
        /// What it said.
        message: String,
    },
    /// An injector failed; what it has in force stands (I6).
    #[error("injector {injector}: {message}")]
    InjectorFailed {
        /// Which.
        injector: InjectorId,
        /// What it said.
        message: String,
    },
    /// An injector gave no answer in time; what it has in force stands (I6).
    #[error("injector {injector}: no answer within {after:?}")]
    InjectorTimedOut {
        /// Which.
        injector: InjectorId,
        /// The time allowed.
        after: std::time::Duration,
    },
    /// Scopes are in force of an injector that is not registered (I2).
    #[error(
        "injector {injector} is not registered, and has instructions in force: retire it to withdraw them"
    )]
    Unregistered {
        /// Which.
        injector: InjectorId,
    },
    /// An injector wants two instructions with one id; the first counts (I3).
    #[error("injector {injector}: wants two instructions with the id {id:?}, only the first counts")]
    DuplicateInstruction {
        /// Which.
        injector: InjectorId,
        /// The id.
        id: std::sync::Arc<str>,
    },
    /// An additional directory is not loaded by this version (D13).
    #[error("additional directory {}: not loaded by this version", .0.display())]
    AdditionalDirectory(PathBuf),
}

/// Why a candidate was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Looked {
    /// It is of the chain.
    Baseline,
    /// It is of the chain, and what was in view of it was lost to a compaction.
    Restore,
    /// Something of it was in view when this instance began.
    Resume,
    /// Something of its folder is in view.
    Visible,
    /// A tool touched its folder, or a path below.
    Touch,
    /// An injector wants it.
    Wanted,
}

impl fmt::Display for Looked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Baseline => "baseline",
            Self::Restore => "restore",
            Self::Resume => "resume",
            Self::Visible => "visible",
            Self::Touch => "touch",
            Self::Wanted => "wanted",
        })
    }
}

/// What became of a candidate. Numbers are bytes of content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// Nothing there.
    Absent,
    /// A directory, FIFO, socket or device: as good as absent (D7).
    NotAFile,
    /// An earlier name holds the slot (D4).
    ShadowedBy(String),
    /// An equal sibling is shown instead (D5).
    DuplicateOf(String),
    /// Another path to the file is shown instead (D9).
    SameFileAs(String),
    /// The probe or the read failed (C7).
    Unavailable(FsError),
    /// It vanished, or ceased to be a file, between probe and read.
    Changing,
    /// Larger than `max_source_bytes` (D7).
    TooLarge {
        /// Its size, at least.
        len: u64,
        /// The cap.
        cap: u64,
    },
    /// NUL bytes (D10).
    NotText,
    /// Kept from showing by an unavailable place with the same file or content (D9).
    Held,
    /// In force, and nothing can be concluded now: the last good state stands (C7).
    Frozen,
    /// A sibling in force is unavailable: nothing in its directory changes (C7).
    Blocked,
    /// In force as it is.
    Unchanged,
    /// Due: new, or back.
    Set {
        /// Its size.
        bytes: u64,
    },
    /// Due: changed, or in another file's place.
    Replaced {
        /// Its size.
        bytes: u64,
    },
    /// Due, cut for the budget.
    Truncated {
        /// Its size.
        from: u64,
        /// What is left.
        to: u64,
    },
    /// Due to be withdrawn.
    Removed,
    /// Left out of this complete message for the budget.
    Omitted,
    /// Left out by an earlier one, and unchanged since.
    StillOmitted,
    /// Was in force; its new content does not fit any message, so it is withdrawn (C8).
    LeftOut,
    /// Did not fit beside the others: due with a later step (C8).
    Waits,
    /// Nothing of it fits even a message of its own; dropped until it changes or is touched (C8).
    Unfit,
    /// Denied by policy (I2).
    Denied,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("absent"),
            Self::NotAFile => f.write_str("not a file"),
            Self::ShadowedBy(path) => write!(f, "shadowed by {path}"),
            Self::DuplicateOf(path) => write!(f, "duplicate of {path}"),
            Self::SameFileAs(path) => write!(f, "same file as {path}"),
            Self::Unavailable(error) => write!(f, "unavailable: {error}"),
            Self::Changing => f.write_str("unavailable: it changed while it was looked at"),
            Self::TooLarge { len, cap } => write!(f, "too large: {len} bytes, at most {cap} are read"),
            Self::NotText => f.write_str("not text"),
            Self::Held => f.write_str("held back: another place to this text is unavailable"),
            Self::Frozen => f.write_str("cannot be looked at now, stays as it is"),
            Self::Blocked => f.write_str("waits for an unavailable sibling"),
            Self::Unchanged => f.write_str("unchanged"),
            Self::Set { bytes } => write!(f, "loaded, {bytes} bytes"),
            Self::Replaced { bytes } => write!(f, "updated, {bytes} bytes"),
            Self::Truncated { from, to } => write!(f, "truncated from {from} to {to} bytes"),
            Self::Removed => f.write_str("removed"),
            Self::Omitted => f.write_str("omitted for the budget"),
            Self::StillOmitted => f.write_str("still omitted for the budget"),
            Self::LeftOut => f.write_str("left out: its new content does not fit the budget"),
            Self::Waits => f.write_str("waits for a later step"),
            Self::Unfit => f.write_str("does not fit the budget at all"),
            Self::Denied => f.write_str("denied by policy"),
        }
    }
}

/// One candidate and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportEntry<'r> {
    /// Whose candidate.
    pub injector: &'r InjectorId,
    /// As shown to the model (D11); empty where an injector is denied as a whole.
    pub path: String,
    /// The folder in it, `.` for the root; empty for an injector's own.
    pub dir: &'r str,
    /// Why it was looked at.
    pub looked: Looked,
    /// What became of it.
    pub fate: Fate,
}

/// One row: a candidate in few bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    place: u32,
    name: Name,
    pub(crate) injector: u16,
    pub(crate) looked: Looked,
    pub(crate) fate: Code,
}

/// The rest of a row's path: the number of a candidate of the lists, or one of the two below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(u16);

impl Name {
    /// The user-global file.
    pub(crate) const USER_GLOBAL: Self = Self(u16::MAX);
    /// The place is all of it.
    pub(crate) const WHOLE: Self = Self(u16::MAX - 1);

    pub(crate) fn candidate(number: usize) -> Self {
        Self(u16::try_from(number).unwrap_or(u16::MAX - 2))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Absent,
    NotAFile,
    ShadowedBy(u32),
    DuplicateOf(u32),
    SameFileAs(u32),
    Detail(u32),
    Held,
    Frozen,
    Blocked,
    Unchanged,
    Removed,
    Omitted,
    StillOmitted,
    LeftOut,
    Waits,
    Unfit,
    Denied,
}

#[derive(Clone, Debug)]
pub(crate) enum Detail {
    Failed(FsError),
    Unavailable(Why),
    Set(u64),
    Replaced(u64),
    Truncated(u64, u64),
}

impl Report {
    pub(crate) fn new(names: CandidateNames) -> Self {
        Self {
            root: None,
            names,
            injectors: Vec::new(),
            text: String::new(),
            places: Vec::new(),
            rows: Vec::new(),
            details: Vec::new(),
            problems: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// The root and why it is the root, if the session has a working directory.
    pub fn root(&self) -> Option<&RootSeen> {
        self.root.as_ref()
    }

    /// What was asked of the provider.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What went wrong beside the files.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every candidate that was considered, in order (C10), workspace first.
    pub fn entries(&self) -> impl Iterator<Item = ReportEntry<'_>> {
        self.rows.iter().filter_map(|row| self.entry(row))
    }

    /// What became of the candidate shown as `path`, of the workspace.
    pub fn fate(&self, path: &str) -> Option<Fate> {
        self.entries()
            .find(|entry| entry.injector.is_workspace() && entry.path == path)
            .map(|entry| entry.fate)
    }

    fn entry(&self, row: &Row) -> Option<ReportEntry<'_>> {
        Some(ReportEntry {
            injector: self.injectors.get(usize::from(row.injector))?,
            path: self.path(row),
            dir: if row.name == Name::WHOLE { "" } else { self.dir(row) },
            looked: row.looked,
            fate: self.decode(row.fate),
        })
    }

    fn dir(&self, row: &Row) -> &str {
        let (start, end) = self.places.get(row.place as usize).copied().unwrap_or((0, 0));
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// What follows the place in the row's path, if anything does.
    fn name(&self, row: &Row) -> Option<&str> {
        match row.name {
            Name::WHOLE => None,
            Name::USER_GLOBAL => Some("AGENTS.md"),
            Name(number) => Some(self.names.get(usize::from(number)).unwrap_or("")),
        }
    }

    /// Adds a row at a place of `text`: the one of the row before, or a new one.
    pub(crate) fn push(&mut self, at: (u32, u32), name: Name, injector: usize, looked: Looked, fate: Code) {
        if self.places.last() != Some(&at) {
            self.places.push(at);
        }
        let place = u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX);
        let injector = u16::try_from(injector).unwrap_or(u16::MAX);
        self.rows.push(Row { place, name, injector, looked, fate });
    }

    fn path(&self, row: &Row) -> String {
        let dir = self.dir(row);
        self.name(row).map_or_else(|| dir.to_owned(), |name| PathRef { dir, name }.to_string())
    }

    pub(crate) fn is_named(&self, row: &Row, path: &str) -> bool {
        let dir = self.dir(row);
        self.name(row).map_or(dir == path, |name| PathRef { dir, name } == *path)
    }

    fn path_of(&self, row: u32) -> String {
        self.rows.get(row as usize).map(|row| self.path(row)).unwrap_or_default()
    }

    fn decode(&self, code: Code) -> Fate {
        match code {
            Code::Absent => Fate::Absent,
            Code::NotAFile => Fate::NotAFile,
            Code::ShadowedBy(row) => Fate::ShadowedBy(self.path_of(row)),
            Code::DuplicateOf(row) => Fate::DuplicateOf(self.path_of(row)),
            Code::SameFileAs(row) => Fate::SameFileAs(self.path_of(row)),
            Code::Held => Fate::Held,
            Code::Frozen => Fate::Frozen,
            Code::Blocked => Fate::Blocked,
            Code::Unchanged => Fate::Unchanged,
            Code::Removed => Fate::Removed,
            Code::Omitted => Fate::Omitted,
            Code::StillOmitted => Fate::StillOmitted,
            Code::LeftOut => Fate::LeftOut,
            Code::Waits => Fate::Waits,
            Code::Unfit => Fate::Unfit,
            Code::Denied => Fate::Denied,
            Code::Detail(at) => match self.details.get(at as usize) {
                None => Fate::Absent,
                Some(Detail::Failed(error) | Detail::Unavailable(Why::Unreadable(error))) => {
                    Fate::Unavailable(error.clone())
                }
                Some(Detail::Unavailable(Why::TooLarge { len, cap })) => {
                    Fate::TooLarge { len: *len, cap: *cap }
                }
                Some(Detail::Unavailable(Why::NotText)) => Fate::NotText,
                Some(Detail::Unavailable(_)) => Fate::Changing,
                Some(Detail::Set(bytes)) => Fate::Set { bytes: *bytes },
                Some(Detail::Replaced(bytes)) => Fate::Replaced { bytes: *bytes },
                Some(Detail::Truncated(from, to)) => Fate::Truncated { from: *from, to: *to },
            },
        }
    }

    pub(crate) fn detail(&mut self, detail: Detail) -> Code {
        self.details.push(detail);
        Code::Detail(u32::try_from(self.details.len() - 1).unwrap_or(u32::MAX))
    }
}
