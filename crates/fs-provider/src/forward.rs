//! A provider behind a pointer is a provider.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

macro_rules! forward {
    ($pointer:ty) => {
        #[deny(clippy::missing_trait_methods)]
        #[async_trait]
        impl<P: FsProvider + ?Sized> FsProvider for $pointer {
            async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
                (**self).probe_many(paths).await
            }

            async fn read_many(
                &self,
                paths: &PathBatch,
                max_bytes: u64,
            ) -> Vec<Result<ReadOutcome, FsError>> {
                (**self).read_many(paths, max_bytes).await
            }

            async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
                (**self).probe_and_read(paths, plan).await
            }

            async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
                (**self).list_many(paths, limit).await
            }
        }
    };
}

forward!(Box<P>);
forward!(Arc<P>);
forward!(&P);
