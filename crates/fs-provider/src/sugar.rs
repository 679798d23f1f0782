//! Batches of one, and answers that are the same for a whole batch.

use std::path::Path;

use crate::{FsError, FsProvider, Listing, PathBatch, Probe, ReadOutcome};

/// Single calls: a batch of one path each (P1). Every provider has them, boxed ones too.
///
/// ```
/// use standing_orders_fs::{FsProviderExt, MemoryFs, Probe};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), standing_orders_fs::FsError> {
/// let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv.")]);
/// assert!(matches!(fs.probe("/ws/AGENTS.md").await?, Probe::Present(_)));
/// assert_eq!(fs.probe("/ws/CLAUDE.md").await?, Probe::Absent);
/// # Ok(())
/// # }
/// ```
pub trait FsProviderExt: FsProvider {
    /// Looks at one path. Cancelled by dropping.
    ///
    /// # Errors
    /// Whatever [`FsProvider::probe_many`] answers for it.
    fn probe(&self, path: impl AsRef<Path>) -> impl Future<Output = Result<Probe, FsError>> + Send {
        let batch = PathBatch::one(path);
        async move { only(&batch, self.probe_many(&batch).await) }
    }

    /// Reads one path of at most `max_bytes` bytes. Cancelled by dropping. Never
    /// [`ReadOutcome::Deferred`]: the first file of a batch is always answered.
    ///
    /// # Errors
    /// Whatever [`FsProvider::read_many`] answers for it.
    fn read(
        &self,
        path: impl AsRef<Path>,
        max_bytes: u64,
    ) -> impl Future<Output = Result<ReadOutcome, FsError>> + Send {
        let batch = PathBatch::one(path);
        async move { only(&batch, self.read_many(&batch, max_bytes).await) }
    }

    /// Lists the first `limit` entries of one directory. Cancelled by dropping.
    ///
    /// # Errors
    /// Whatever [`FsProvider::list_many`] answers for it.
    fn list(
        &self,
        directory: impl AsRef<Path>,
        limit: usize,
    ) -> impl Future<Output = Result<Listing, FsError>> + Send {
        let batch = PathBatch::one(directory);
        async move { only(&batch, self.list_many(&batch, limit).await) }
    }
}

impl<P: FsProvider + ?Sized> FsProviderExt for P {}

fn only<T>(batch: &PathBatch, answers: Vec<Result<T, FsError>>) -> Result<T, FsError> {
    let path = batch.get(0).unwrap_or(Path::new(""));
    answers.into_iter().next().unwrap_or_else(|| Err(unanswered(path)))
}

/// What stands for the answer that a provider owed and did not give.
pub(crate) fn unanswered(path: &Path) -> FsError {
    FsError::other(path, "the provider gave no answer for this path")
}

/// The same fault for every path.
pub(crate) fn all<T>(paths: &PathBatch, fault: impl Fn(&Path) -> FsError) -> Vec<Result<T, FsError>> {
    paths.iter().map(|path| Err(fault(path))).collect()
}
