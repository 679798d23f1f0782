//! A bound on the time of a batch.

use std::time::Duration;

use async_trait::async_trait;
use tokio::runtime::Handle;

use crate::sugar::all;
use crate::{FaultKind, FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

/// Gives every batch of the inner provider a time, and answers [`FaultKind::TimedOut`] for each of
/// its paths when it is over (P5). So a dead mount is unavailable, which is never absent (C7).
///
/// The time is tokio's, so a paused clock works. It is that of one batch: a read after a probe
/// has the whole of it again. The inner future is dropped when it is over, which is the
/// cancellation of P1: the caller goes on. A system call of [`LocalFs`](crate::LocalFs) that hangs keeps its
/// thread and its place all the same, and once all places are taken, healthy paths time out too while
/// they wait for one ([what to do](crate::LocalFs#when-a-system-call-hangs)).
///
/// Polled outside a tokio runtime, every path answers [`FaultKind::NoRuntime`].
///
/// # Panics
/// As tokio does, when polled in a runtime that was built without its timer (`enable_time`).
///
/// ```
/// use std::time::Duration;
/// use standing_orders_fs::{FaultKind, FsProviderExt, MemoryFs, Timeout};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let slow = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv.")]);
/// slow.set_latency(Duration::from_secs(60));
/// let fs = Timeout::new(slow, Duration::from_secs(2));
/// let fault = fs.probe("/ws/AGENTS.md").await.unwrap_err();
/// assert_eq!(fault.kind(), &FaultKind::TimedOut(Duration::from_secs(2)));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Timeout<P> {
    inner: P,
    after: Duration,
}

impl<P> Timeout<P> {
    /// Allows each batch of `inner` the time `after`. Zero allows only what answers at once.
    pub const fn new(inner: P, after: Duration) -> Self {
        Self { inner, after }
    }

    async fn bound<T: Send>(
        &self,
        paths: &PathBatch,
        batch: impl Future<Output = Vec<Result<T, FsError>>> + Send,
    ) -> Vec<Result<T, FsError>> {
        if paths.is_empty() {
            return Vec::new();
        }
        if Handle::try_current().is_err() {
            return all(paths, |path| FsError::new(path, FaultKind::NoRuntime));
        }
        tokio::time::timeout(self.after, batch)
            .await
            .unwrap_or_else(|_| all(paths, |path| FsError::new(path, FaultKind::TimedOut(self.after))))
    }
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl<P: FsProvider> FsProvider for Timeout<P> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.bound(paths, self.inner.probe_many(paths)).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        self.bound(paths, self.inner.read_many(paths, max_bytes)).await
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        self.bound(paths, self.inner.list_many(paths, limit)).await
    }

    /// In two trips: the reads have a time of their own.
    async fn probe_and_read(&self, paths: &PathBatch, _: &ReadPlan) -> Probed {
        Probed { probes: self.probe_many(paths).await, reads: Vec::new() }
    }
}
