//! Why a log failed.

use std::io;
use std::path::PathBuf;

use crate::HeaderError;

/// Why a log could not be opened, read or appended to. Lines are counted from 1; the header is
/// line 1, so entry n is line n + 2. In a compressed log they are the lines of the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// Another writer was there first (H2): read what it appended and decide again.
    #[error("the append expected entry {expected} to be next, and it is {actual}")]
    Stale {
        /// What the writer expected.
        expected: u64,
        /// The head.
        actual: u64,
    },
    /// The file has a writer already, in this process or another.
    #[error("{}: another writer has this log open", path.display())]
    Locked {
        /// The log.
        path: PathBuf,
    },
    /// The log was opened for reading only.
    #[error("{}: the log is open for reading only", path.display())]
    ReadOnly {
        /// The log.
        path: PathBuf,
    },
    /// The first line is not a header that can be read here.
    #[error("{}: line 1: the session header cannot be read", path.display())]
    Header {
        /// The log.
        path: PathBuf,
        /// Why not.
        source: HeaderError,
    },
    /// The file ends before its header does: its creation was interrupted, and nothing in it was
    /// ever acknowledged. The file can be removed and the log created again.
    #[error(
        "{}: the log ends within its header: its creation was interrupted, remove it and create it again",
        path.display()
    )]
    NoHeader {
        /// The log.
        path: PathBuf,
    },
    /// Something other than a torn end is wrong. Nothing was changed.
    #[error("{}: line {line}: {damage}", path.display())]
    Damaged {
        /// The log.
        path: PathBuf,
        /// Where.
        line: u64,
        /// What.
        damage: Damage,
    },
    /// An entry is larger than a line may be: nothing was written.
    #[error("event {seq} takes {bytes} bytes, and a line may have {limit}")]
    TooLarge {
        /// The number it would have had.
        seq: u64,
        /// Of its line, with the line feed.
        bytes: u64,
        /// The limit, see `JsonlOptions`.
        limit: u64,
    },
    /// The header is larger than a line may be, so the log could not be opened with these options:
    /// nothing was created.
    #[error(
        "{}: the header takes {bytes} bytes, and a line may have {limit} (`max_line_bytes`)",
        path.display()
    )]
    HeaderTooLarge {
        /// The log.
        path: PathBuf,
        /// Of its line, with the line feed.
        bytes: u64,
        /// The limit, see `JsonlOptions`.
        limit: u64,
    },
    /// An entry has no JSON form.
    #[error("event {seq} cannot be written as JSON")]
    Form {
        /// The number it would have had.
        seq: u64,
        /// Why not.
        source: serde_json::Error,
    },
    /// A file of an encoding for which this build lacks the feature.
    #[error("{}: a zstd log, and this build lacks the feature {feature}", path.display())]
    Unsupported {
        /// The log.
        path: PathBuf,
        /// `zstd` to read it, `zstd-write` to write it.
        feature: &'static str,
    },
    /// An earlier failure left the file in a state that is only known after opening it again.
    #[error("{}: an earlier write failed ({reason}): open the log again", path.display())]
    Broken {
        /// The log.
        path: PathBuf,
        /// The earlier failure.
        reason: String,
    },
    /// The operating system failed.
    #[error("{}: cannot {doing}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done, as an infinitive.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A file log was polled outside a tokio runtime.
    #[error("a file log needs a tokio runtime: call it from within one")]
    NoRuntime,
    /// Any other log's fault.
    #[error("{doing}")]
    Other {
        /// What was being done.
        doing: String,
        /// Why it failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// Not an entry.
    #[error("not an event: {reason}")]
    NotAnEvent {
        /// What the parser says, with the column.
        reason: String,
    },
    /// A number is missing or came twice.
    #[error("entry {found} stands where {expected} belongs")]
    Sequence {
        /// What belongs there.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// Longer than a line may be; it was not read into memory.
    #[error("the line is longer than {limit} bytes")]
    TooLong {
        /// The limit, see `JsonlOptions`.
        limit: u64,
    },
    /// Zeros stand where a batch was written: pages that never reached the disk, or were lost there
    /// later. What closes the batch is there, so it may have been acknowledged.
    #[error("{bytes} bytes from byte {offset} on are zeros: pages that were lost")]
    Lost {
        /// Where in the file they begin.
        offset: u64,
        /// How many there are.
        bytes: u64,
    },
    /// The compressed bytes, or the mark that closes a batch, are wrong.
    #[error("the compressed data near byte {offset} cannot be read: {reason}")]
    Compression {
        /// Where in the file, as far as is known.
        offset: u64,
        /// What the decoder says.
        reason: String,
    },
}
