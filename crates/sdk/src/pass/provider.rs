//! A provider whose panics are faults (C14).

use std::fmt;
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt;
use standing_orders_fs::{FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

use crate::panic::panic_message;

/// A provider of the host: where it panics, and unwinding is on, each path of the batch has failed.
pub(crate) struct Guarded<'a>(pub(crate) &'a dyn FsProvider);

impl fmt::Debug for Guarded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl FsProvider for Guarded<'_> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let answers = AssertUnwindSafe(async { self.0.probe_many(paths).await }).catch_unwind().await;
        answers.unwrap_or_else(|panic| failed(paths, panic_message(&*panic)))
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let answers =
            AssertUnwindSafe(async { self.0.read_many(paths, max_bytes).await }).catch_unwind().await;
        answers.unwrap_or_else(|panic| failed(paths, panic_message(&*panic)))
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let answers =
            AssertUnwindSafe(async { self.0.probe_and_read(paths, plan).await }).catch_unwind().await;
        answers.unwrap_or_else(|panic| Probed {
            probes: failed(paths, panic_message(&*panic)),
            reads: Vec::new(),
        })
    }

    async fn list_many(&self, directories: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        let answers =
            AssertUnwindSafe(async { self.0.list_many(directories, limit).await }).catch_unwind().await;
        answers.unwrap_or_else(|panic| failed(directories, panic_message(&*panic)))
    }
}

fn failed<T>(paths: &PathBatch, message: &str) -> Vec<Result<T, FsError>> {
    let failed = |path| Err(FsError::other(path, format!("the file system provider panicked: {message}")));
    paths.iter().map(failed).collect()
}
