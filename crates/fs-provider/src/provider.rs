//! The trait.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::sugar::all;
use crate::{FaultKind, FsError, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

/// A file system, asked in batches (P1).
///
/// A batch is one trip: one hop to a blocking pool, one request to a remote store. Single calls
/// are sugar, in [`FsProviderExt`](crate::FsProviderExt). Paths are absolute: a provider has no
/// working directory.
///
/// # Behavior
/// - One answer a path, in the order of the batch, repeated paths included. An empty batch has an
///   empty answer and costs no trip.
/// - A fault is the answer of its own path and leaves the other answers of the batch alone.
/// - Dropping a future cancels: nothing is waited for any longer, and blocking work stops between
///   two paths. The provider stays usable.
#[async_trait]
pub trait FsProvider: Send + Sync + Debug {
    /// Looks at every path, links followed; one answer a path, in order (P2).
    ///
    /// # Behavior
    /// - Regular file, directory, anything else: [`Probe::Present`] with what the path leads to.
    /// - No such entry, a parent that is not a directory, a dangling link: [`Probe::Absent`].
    /// - Link cycle, missing permission, time-out, any other fault: an error, never absent.
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>>;

    /// Reads every path that leads to a regular file, up to `max_bytes` each; one answer a path,
    /// in order (P6).
    ///
    /// # Behavior
    /// - A regular file of at most `max_bytes` bytes: [`ReadOutcome::Content`], the whole of it.
    /// - A larger one: [`ReadOutcome::TooLarge`]; the reported size decides first, then the count
    ///   while streaming, so that never more than the cap and one chunk is held (D8).
    /// - Directory, FIFO, socket, device: [`ReadOutcome::NotAFile`], without blocking on it.
    /// - Absent as in a probe: [`ReadOutcome::Absent`]; a fault: an error.
    /// - Content held for one batch is bounded. What does not fit is [`ReadOutcome::Deferred`];
    ///   never the first file of a batch, so asking again for what was deferred comes to an end.
    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>>;

    /// Probes every path and, in the same trip where the provider can, reads what `plan` picks.
    ///
    /// # Behavior
    /// - The probes are those of [`probe_many`](Self::probe_many); a read is one of
    ///   [`read_many`](Self::read_many), begun after the probe of its path.
    /// - What is picked and not among the reads was left for `read_many`: by default all of it, and
    ///   always what would be deferred, and a second path to a file that was read.
    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let _ = plan;
        Probed { probes: self.probe_many(paths).await, reads: Vec::new() }
    }

    /// Lists every directory, at most `limit` names each; one answer a path, in order (P10).
    ///
    /// # Behavior
    /// - A directory, or a link to one: [`Listing::Entries`], names and kinds in byte order of the name. Of more
    ///   than `limit` entries they are the first `limit` in that order, whatever order the directory is stored
    ///   in, and the answer says that more are there; no more than `limit` of them are held at one time.
    /// - Links among the entries are not followed: the kind is [`EntryKind::Link`](crate::EntryKind::Link), also
    ///   where one dangles. To follow them, probe their paths.
    /// - What was changed while it was listed may be in the answer or not; the version then does not count.
    /// - Absent as in a probe: [`Listing::Absent`]; anything else there: [`Listing::NotADirectory`].
    /// - A directory that cannot be read, or not to its end: an error, never absent and never a part of it.
    /// - A provider that cannot list: [`FaultKind::Unsupported`] for every path, as by default.
    /// - Dropping the future stops blocking work between two entries.
    async fn list_many(&self, directories: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        let _ = limit;
        all(directories, |path| FsError::new(path, FaultKind::Unsupported))
    }
}
