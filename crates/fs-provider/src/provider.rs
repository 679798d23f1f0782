//! The trait.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::{FsError, PathBatch, Probe, ReadOutcome};

/// A file system, asked in batches (P1).
///
/// Dropping a future cancels: nothing is waited for any longer, and blocking work stops between
/// two paths.
#[async_trait]
pub trait FsProvider: Send + Sync + Debug {
    /// Looks at every path, links followed; one answer a path, in order (P2).
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>>;

    /// Reads every path that leads to a regular file, up to `max_bytes` each; one answer a path,
    /// in order (P6).
    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>>;
}
