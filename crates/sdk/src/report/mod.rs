//! What was considered, and what became of it (X1).

mod draft;
mod packed;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::RootReason;
use standing_orders_fs::FsError;
use standing_orders_session::InjectorId;

use crate::Engine;
use crate::road::Rooted;
pub(crate) use draft::{Code, Detail, Draft, Found, Name, Row};
use draft::{Rows, decode};

pub use standing_orders_discovery::Counts;

/// Every candidate that a pre-step considered, with its fate (X1). Nothing is lost silently.
///
/// Kept in few bytes, because a session keeps its last one: rows are put together when asked for.
#[derive(Clone, Debug)]
pub struct Report {
    engine: Engine,
    rooted: Option<Arc<Rooted>>,
    /// How the root was found, where this pre-step found it.
    found: Option<Box<Found>>,
    /// Packed.
    rows: Box<[u8]>,
    beside: Option<Box<Beside>>,
    counts: Counts,
}

/// What most steps have none of.
#[derive(Clone, Debug)]
struct Beside {
    details: Vec<Detail>,
    problems: Vec<Problem>,
}

/// The root, and why it is the root (D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootSeen<'r> {
    /// The root.
    pub path: &'r Path,
    /// Why; `None` where an earlier pre-step fixed it.
    pub reason: Option<&'r RootReason>,
    /// A probe of a marker failed, and the root recorded in history stands (D1).
    pub from_history: bool,
    /// The next marked directory above: its instructions are not seen from here (X2).
    pub outer: Option<&'r Path>,
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
    /// A file that was read has bytes that are not UTF-8, which were replaced (D10, X2).
    #[error("{path}: not UTF-8 everywhere, what is not was replaced: save it as UTF-8")]
    ReplacedBytes {
        /// As shown to the model, or as it was looked at.
        path: String,
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
    /// Of a folder, and all below: nothing is loaded from it by touch (D14).
    Excluded,
}

impl Fate {
    /// Whether somebody who wrote the file would want to hear of it now: it could not be read, or
    /// does not arrive whole. What an earlier message left out is not told again.
    pub fn is_trouble(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Changing | Self::TooLarge { .. } | Self::NotText => true,
            Self::Frozen
            | Self::Truncated { .. }
            | Self::Omitted
            | Self::LeftOut
            | Self::Waits
            | Self::Unfit => true,
            Self::Absent
            | Self::NotAFile
            | Self::ShadowedBy(_)
            | Self::DuplicateOf(_)
            | Self::SameFileAs(_) => false,
            Self::Held | Self::Blocked | Self::Unchanged | Self::Set { .. } | Self::Replaced { .. } => false,
            Self::Removed | Self::StillOmitted | Self::Denied | Self::Excluded => false,
        }
    }
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
            Self::Excluded => f.write_str("excluded: nothing is loaded from here by touch"),
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
    pub dir: String,
    /// Why it was looked at.
    pub looked: Looked,
    /// What became of it.
    pub fate: Fate,
}

impl Report {
    /// The root and why it is the root, if the session has a working directory.
    pub fn root(&self) -> Option<RootSeen<'_>> {
        let path = self.rooted.as_deref()?.root();
        let found = self.found.as_deref();
        Some(RootSeen {
            path,
            reason: found.map(|found| &found.reason),
            from_history: found.is_some_and(|found| found.from_history),
            outer: found.and_then(|found| found.outer.as_deref()),
        })
    }

    /// What was asked of the provider.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What went wrong beside the files. For those too: [`troubles`](Self::troubles).
    pub fn problems(&self) -> &[Problem] {
        self.beside.as_ref().map_or(&[], |beside| &beside.problems)
    }

    /// What a host may print after a step: a root marker that could not be looked at (D1, X2), the problems,
    /// and the candidates that could not be read
    /// or do not arrive whole ([`Fate::is_trouble`]), a line each.
    pub fn troubles(&self) -> Vec<String> {
        let files = self.entries().filter(|entry| entry.fate.is_trouble());
        let files = files.map(|entry| format!("{}: {}", entry.path, entry.fate));
        let marker = self.found.as_deref().and_then(|found| match &found.reason {
            RootReason::Fault(error) => Some(format!("a root marker could not be looked at: {error}")),
            _ => None,
        });
        let problems = self.problems().iter().map(ToString::to_string);
        marker.into_iter().chain(problems).chain(files).collect()
    }

    /// Every candidate that was considered, in order (C10), workspace first. Takes time and memory
    /// in proportion to their number.
    pub fn entries(&self) -> impl Iterator<Item = ReportEntry<'_>> {
        let rows = self.rows();
        let entries: Vec<_> = rows.list.iter().filter_map(|row| self.entry(&rows, row)).collect();
        entries.into_iter()
    }

    /// What became of the candidate shown as `path`, of the workspace.
    pub fn fate(&self, path: &str) -> Option<Fate> {
        let (rows, names) = (self.rows(), &self.engine.settings().rules.names);
        let named = |row: &&Row| row.injector == 0 && rows.path(row, names) == *path;
        rows.list.iter().find(named).map(|row| self.decode(&rows, row.fate))
    }

    fn rows(&self) -> Rows {
        packed::unpack(&self.rows, self.rooted.as_deref().map_or("", Rooted::at))
    }

    fn entry(&self, rows: &Rows, row: &Row) -> Option<ReportEntry<'_>> {
        Some(ReportEntry {
            injector: self.engine.parts.injector(usize::from(row.injector))?,
            path: rows.path(row, &self.engine.settings().rules.names).to_string(),
            dir: if row.name == Name::WHOLE { String::new() } else { rows.dir(row).to_owned() },
            looked: row.looked,
            fate: self.decode(rows, row.fate),
        })
    }

    fn decode(&self, rows: &Rows, code: Code) -> Fate {
        let details = self.beside.as_ref().map_or(&[][..], |beside| &beside.details);
        let names = &self.engine.settings().rules.names;
        decode(code, details, |row| {
            rows.list.get(row as usize).map_or_else(String::new, |row| rows.path(row, names).to_string())
        })
    }
}
