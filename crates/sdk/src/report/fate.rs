//! Why a candidate is observed, and what became of it.

use std::fmt;
use std::sync::Arc;

use standing_orders_fs::FsError;

/// Why a candidate is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
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
    /// A file of the workspace imports it.
    Imported,
}

/// Why a rule is not due (F5, F7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inactive {
    /// Nothing that matches these patterns was touched.
    Paths(Box<str>),
    /// It is listed by its description, and nobody asked for it.
    Described,
    /// Nobody asked for it.
    Manual,
    /// It is not for the session's agent.
    OtherAgent,
    /// Its head cannot be understood, for this reason.
    Head(Box<str>),
    /// Nothing makes it due, for this reason, such as no usable pattern.
    Never(Box<str>),
}

impl fmt::Display for Inactive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Paths(patterns) => write!(f, "waits for a file that matches {patterns}"),
            Self::Described => f.write_str("listed by its description"),
            Self::Manual => f.write_str("waits to be asked for"),
            Self::OtherAgent => f.write_str("not for this agent"),
            Self::Head(why) | Self::Never(why) => write!(f, "never loaded: {why}"),
        }
    }
}

/// Why an import is not followed (M2, M4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImportFault {
    /// It names a file outside of the folders that may be imported from.
    Outside,
    /// Too many imports lead to it.
    TooDeep {
        /// How many may.
        most: usize,
    },
    /// Its file, or its chain, has too many.
    TooMany {
        /// How many it may have.
        most: usize,
    },
}

impl fmt::Display for ImportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("outside of the folders that may be imported from"),
            Self::TooDeep { most } => write!(f, "more than {most} imports deep"),
            Self::TooMany { most } => write!(f, "more than {most} imports"),
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Baseline => "baseline",
            Self::Restore => "restore",
            Self::Resume => "resume",
            Self::Visible => "visible",
            Self::Touch => "touch",
            Self::Wanted => "wanted",
            Self::Imported => "imported",
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
    ShadowedBy(Box<str>),
    /// An equal sibling is shown instead (D5).
    DuplicateOf(Box<str>),
    /// Another path to the file is shown instead (D9).
    SameFileAs(Box<str>),
    /// The probe or the read failed (C7).
    Unavailable(Arc<FsError>),
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
    SuppressedByUnavailable,
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
    /// A gated file that this session is not to see, under a name of the workspace (I5).
    Gated,
    /// Of a folder, and all below: nothing is loaded from it by touch (D14).
    Excluded,
    /// Its text says no more than to read this sibling, which counts in its place (M5).
    PointsAt(Box<str>),
    /// An import that is not followed.
    NotImported(ImportFault),
    /// A rule that is not due.
    Inactive(Inactive),
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
            Self::SuppressedByUnavailable
            | Self::Blocked
            | Self::Unchanged
            | Self::Set { .. }
            | Self::Replaced { .. } => false,
            Self::Removed | Self::StillOmitted | Self::Denied | Self::Gated | Self::Excluded => false,
            Self::PointsAt(_) => false,
            Self::NotImported(_) | Self::Inactive(Inactive::Head(_) | Inactive::Never(_)) => true,
            Self::Inactive(_) => false,
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
            Self::SuppressedByUnavailable => {
                f.write_str("suppressed: another place with this text is unavailable")
            }
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
            Self::Gated => f.write_str("gated: the file is not for this session"),
            Self::PointsAt(path) => write!(f, "says only to read {path}, which counts in its place"),
            Self::Inactive(why) => why.fmt(f),
            Self::NotImported(fault) => write!(f, "not imported: {fault}"),
        }
    }
}
