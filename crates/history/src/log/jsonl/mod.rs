//! A log in a file: JSON lines, plain or compressed.

mod create;
mod disk;
mod lines;
mod open;
mod reader;
mod tail;
mod write;
mod zeros;
#[cfg(feature = "zstd")]
mod zstd;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::task::JoinError;

use super::{LogChunks, SessionLog};
use crate::{Event, LogError, SessionHeader};
use disk::Disk;
use write::Writer;

/// A log in a file of JSON lines, plain or zstd (H2).
///
/// # Form
/// The first line is the header. Entry n is line n + 2:
/// `{"seq":0,"type":"turn_start"}`, with `"more":k` behind `seq` where k further lines belong to
/// the same batch. A compressed log has one zstd frame a batch, with a checksum, and behind it one
/// of 32 bytes that decoders skip, so `zstd -dc` prints the log at any time; a closed one may be
/// packed anew by other tools (`zstd -dc LOG | zstd -19`) and opens as before.
///
/// # Guarantees
/// `append` returns once its batch is on disk (`fdatasync`). A batch is there as a whole or not at
/// all. One writer at a time, by an exclusive lock (`flock`; on Windows by sharing) on the file
/// that the name leads to once it is locked; the lock goes when the log is dropped and its last
/// append has ended.
///
/// # Torn and damaged
/// Each batch ends with a mark (H2): in a plain log the line feed of its last line, in a compressed
/// one the skipped frame, which has the length and a checksum of the batch's own. What follows the
/// last whole mark is torn and was never acknowledged: a part of a batch and of its mark, and zeros
/// up to the end of the file where something belongs that was not written. Opening copies it into
/// a file beside the log, cuts it off, and says so ([`cut`](Self::cut)).
///
/// Whatever else does not read is damage, an error that names the line, and opening changes nothing
/// then: bytes before a mark that are others than were written ([`Damage::Lost`](crate::Damage)
/// where they are zeros, 512 or more), and a batch that is whole but has another byte in its mark or
/// in the place of its line feed. One byte that was changed is never taken for a torn end. In a
/// plain log a byte changed within a string is other text: no entry is missing, and nothing tells.
/// Where power was lost while a batch was being written, its mark can be there and a page before it
/// not. Nothing tells that from damage to a batch that was acknowledged, so it is an error: keep a
/// copy and cut the file where the last batch begins.
///
/// Opening looks at the header, the last batch and the line before that, in a compressed log that
/// does not end with a mark at all of it; what lies between is checked by the read that parses it.
///
/// # Logs without marks
/// Compressed logs that were written before there were marks, or packed anew, are read. Up to the
/// first mark every whole frame counts as closed by itself; what follows the last is torn if it is
/// the begin of a frame with no more than one batch, and damage otherwise. A byte changed in the
/// header of the last such frame can make it look cut short: only marks rule that out. Behind the
/// first mark each frame needs its own.
///
/// # Errors
/// After a failed write, as on a full disk, the log is as it was before and can be appended to
/// again. Where even that is not known, as after a failed `fdatasync`, every further append is
/// [`LogError::Broken`] until the log is opened again.
///
/// # Assumptions
/// A tokio runtime with its blocking pool; no clock and no I/O driver is needed. Nobody else
/// changes the file while it is open.
#[derive(Debug)]
pub struct JsonlLog {
    header: SessionHeader,
    cut: Option<Cut>,
    shared: Arc<Shared>,
}

/// How the lines are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As they are.
    #[default]
    Plain,
    /// Compressed, one frame a batch. Written with the feature `zstd-write`, read with `zstd` alone; else
    /// [`LogError::Unsupported`].
    Zstd,
}

/// What a log file is opened with.
///
/// ```no_run
/// # async fn f() -> Result<(), standing_orders_history::LogError> {
/// use standing_orders_history::{Encoding, JsonlOptions};
/// use standing_orders_session::SessionHeader;
///
/// let header = SessionHeader::main("s1", 0).with_cwd("/ws");
/// let log = JsonlOptions::default().encoding(Encoding::Zstd).create("s1.jsonl.zst", header).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct JsonlOptions {
    encoding: Encoding,
    level: i32,
    max_line_bytes: u64,
}

impl Default for JsonlOptions {
    fn default() -> Self {
        Self { encoding: Encoding::Plain, level: 3, max_line_bytes: 64 << 20 }
    }
}

impl JsonlOptions {
    /// How a new log is stored. Default: plain. An existing one says so itself.
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// The zstd level, 1 to 22. Default: 3. Without effect on plain logs.
    #[must_use]
    pub fn level(mut self, level: i32) -> Self {
        self.level = level.clamp(1, 22);
        self
    }

    /// How long a line may be, its line feed included. Default: 64 MiB. A longer one is refused
    /// when appended ([`LogError::TooLarge`]), as is a longer header when the log is created
    /// ([`LogError::HeaderTooLarge`]), and is damage when found: a reader never holds more than
    /// this and one chunk, and a log can be read back with the options it was made with.
    #[must_use]
    pub fn max_line_bytes(mut self, bytes: u64) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// Creates a log, which must not exist. The header is written into a file beside (the name of
    /// the log with `.new` and perhaps a number behind it), which then takes the name if that is
    /// free: whoever finds the name finds a log. Where the file system has no hard links the log is
    /// written under its own name.
    ///
    /// # Errors
    /// [`LogError::Io`] when the file exists or cannot be written, [`LogError::HeaderTooLarge`] when
    /// the options would not let it be read, among others. Nothing is left then. A crash may leave the file beside, with the header or as a second name of the log: it
    /// can be removed.
    ///
    /// # Cancellation
    /// A future that was polled and dropped may have created the file.
    pub async fn create(self, path: impl Into<PathBuf>, header: SessionHeader) -> Result<JsonlLog, LogError> {
        let path = path.into();
        blocking(move || create::create(path, header, &self)).await?
    }

    /// Opens a log as its writer.
    ///
    /// # Errors
    /// [`LogError::Locked`] while another writer has it; [`LogError`] for whatever is wrong with
    /// the file, which is unchanged then.
    ///
    /// # Cancellation
    /// A future that was polled and dropped may have cut a torn end off.
    pub async fn open(self, path: impl Into<PathBuf>) -> Result<JsonlLog, LogError> {
        let path = path.into();
        blocking(move || open::open(path, disk::Access::Write, &self)).await?
    }

    /// Opens a log for reading, up to the last complete batch as of now. Takes no lock and changes
    /// nothing, so a log with a live writer can be read; a torn end is reported and left.
    ///
    /// # Errors
    /// [`LogError`] for whatever is wrong with the file.
    pub async fn read_only(self, path: impl Into<PathBuf>) -> Result<JsonlLog, LogError> {
        let path = path.into();
        blocking(move || open::open(path, disk::Access::Read, &self)).await?
    }
}

/// A torn end that was found on opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where the log ends now, in bytes.
    pub offset: u64,
    /// How many bytes were behind that.
    pub bytes: u64,
    /// The file that has them now. `None` when the log was opened for reading only.
    pub kept_in: Option<PathBuf>,
}

impl JsonlLog {
    /// [`JsonlOptions::create`] with the defaults.
    ///
    /// # Errors
    /// As there.
    pub async fn create(path: impl Into<PathBuf>, header: SessionHeader) -> Result<Self, LogError> {
        JsonlOptions::default().create(path, header).await
    }

    /// [`JsonlOptions::open`] with the defaults.
    ///
    /// # Errors
    /// As there.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, LogError> {
        JsonlOptions::default().open(path).await
    }

    /// [`JsonlOptions::read_only`] with the defaults.
    ///
    /// # Errors
    /// As there.
    pub async fn read_only(path: impl Into<PathBuf>) -> Result<Self, LogError> {
        JsonlOptions::default().read_only(path).await
    }

    /// The torn end that was found on opening, if any.
    pub const fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Makes the disk fail from here on, for tests.
    #[cfg(feature = "testing")]
    pub fn inject(&self, faults: super::testing::Faults) {
        *self.shared.disk.faults() = faults;
    }
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    disk: Disk,
    encoding: Encoding,
    max_line: u64,
    /// Held in the blocking pool only, where a write may last.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    head: u64,
    /// Where the next batch goes.
    end: u64,
    /// Where reading can begin, in order, the file's start first.
    places: Vec<Place>,
    /// `None` for reading only.
    writer: Option<Writer>,
    broken: Option<String>,
}

/// An offset at which the line of an entry begins; at 0 the header stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    seq: u64,
    offset: u64,
}

/// What the end of a file tells.
struct Found {
    head: u64,
    end: u64,
    /// Bytes behind `end`.
    torn: u64,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state changes only after the file did, in one go.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SessionLog for JsonlLog {
    fn header(&self) -> &SessionHeader {
        &self.header
    }

    async fn head(&self) -> Result<u64, LogError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || shared.state().head).await
    }

    async fn append(&self, expected_next: u64, batch: &[Event]) -> Result<u64, LogError> {
        let lines = lines::encode(expected_next, batch, self.shared.max_line)?;
        let (shared, count) = (Arc::clone(&self.shared), batch.len() as u64);
        blocking(move || write::append(&shared, expected_next, count, &lines)).await?
    }

    async fn read(&self, from: u64) -> Result<Box<dyn LogChunks>, LogError> {
        let shared = Arc::clone(&self.shared);
        let chunks = blocking(move || open::chunks(&shared, from)).await??;
        Ok(Box::new(chunks))
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, LogError> {
    let runtime = tokio::runtime::Handle::try_current().map_err(|_| LogError::NoRuntime)?;
    runtime.spawn_blocking(work).await.map_err(finished)
}

/// A blocking task that did not end by itself.
fn finished(error: JoinError) -> LogError {
    LogError::Other { doing: "the log's blocking task did not finish".to_owned(), source: error.into() }
}
