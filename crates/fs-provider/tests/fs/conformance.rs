//! Every provider of ours keeps the rules (P7), plain, behind pointers and decorated.

use std::sync::Arc;
use std::time::Duration;

use standing_orders_fs::testing::conformance;
use standing_orders_fs::{
    ContentOver, FsError, FsProvider, LocalFs, LocalFsOptions, MemoryFs, PathBatch, Probe, ReadOutcome,
    Timeout, Traced, Versions,
};

use crate::conformance_fixtures::{InMemory, Locking};

async fn holds(provider: &dyn FsProvider, mut fixture: impl standing_orders_fs::testing::Fixture) {
    let report = conformance(provider, &mut fixture).await.unwrap();
    assert_eq!(report.skipped(), &[], "every law was checked");
    assert!(report.passed().len() > 25, "the suite has its laws");
}

async fn on_disk(provider: impl FsProvider) {
    holds(&provider, Locking::new()).await;
}

async fn in_memory(wrap: impl FnOnce(MemoryFs) -> Box<dyn FsProvider>) {
    let fs = MemoryFs::new();
    holds(&wrap(fs.clone()), InMemory(fs)).await;
}

#[tokio::test]
async fn local_conforms() {
    on_disk(LocalFs::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn local_conforms_on_many_threads() {
    on_disk(LocalFs::new()).await;
}

#[tokio::test]
async fn local_conforms_with_one_blocking_task_and_little_room() {
    let options = LocalFsOptions::default().max_blocking_tasks(0).max_batch_bytes(150_000);
    on_disk(LocalFs::with(options)).await;
}

#[tokio::test]
async fn local_conforms_behind_pointers_and_decorators() {
    let boxed: Box<dyn FsProvider> = Box::new(LocalFs::new());
    on_disk(Traced::new(Timeout::new(Arc::new(boxed), Duration::from_secs(600)))).await;
}

#[tokio::test]
async fn local_content_over_local_metadata_conforms() {
    let fs = LocalFs::new();
    on_disk(ContentOver::new(&fs, fs.clone())).await;
}

#[tokio::test]
async fn memory_conforms() {
    in_memory(|fs| Box::new(fs)).await;
}

#[tokio::test]
async fn memory_conforms_by_reference_in_an_arc_and_in_a_box() {
    in_memory(|fs| Box::new(Arc::new(fs))).await;
    in_memory(|fs| Box::new(Box::new(fs))).await;
    let fs = MemoryFs::new();
    holds(&&fs, InMemory(fs.clone())).await;
}

#[tokio::test(start_paused = true)]
async fn memory_conforms_with_latency_through_every_decorator() {
    in_memory(|fs| {
        fs.set_latency(Duration::from_millis(40));
        let over = ContentOver::new(fs.clone(), fs);
        Box::new(Traced::new(Timeout::new(over, Duration::from_secs(1))))
    })
    .await;
}

#[tokio::test]
async fn memory_conforms_with_little_room() {
    in_memory(|fs| {
        fs.set_max_batch_bytes(150_000);
        Box::new(fs)
    })
    .await;
}

#[tokio::test]
async fn a_provider_without_versions_and_identities_conforms_and_the_report_says_what_was_skipped() {
    let fs = MemoryFs::new();
    fs.set_versions(Versions::Off);
    fs.set_identities(false);
    let report = conformance(&fs, &mut InMemory(fs.clone())).await.unwrap();
    let rule = |law: &'static str| law.split_once(':').unwrap().0;
    let skipped: Vec<_> = report.skipped().iter().map(|(law, why)| (rule(law), why.as_str())).collect();
    let (no_version, no_identity) = ("the provider has no versions", "the provider tells no identities");
    let expected = [
        ("P3", no_version),
        ("P3", no_version),
        ("P3", no_version),
        ("P3", no_version),
        ("P3", no_version),
        ("P4", no_identity),
        ("P4", no_identity),
        ("P4", no_identity),
        ("P10", no_version),
    ];
    assert_eq!(skipped, expected, "exactly the laws of versions and identities");
}

#[tokio::test]
async fn a_provider_that_cannot_list_conforms_and_the_report_says_what_was_skipped() {
    let fs = MemoryFs::new();
    let report = conformance(&NoListing(fs.clone()), &mut InMemory(fs)).await.unwrap();
    assert_eq!(report.skipped().len(), 14, "exactly the laws of listings\n{report}");
    for (law, why) in report.skipped() {
        assert!(law.starts_with("P10: ") && why == "the provider cannot list", "{law}: {why}");
    }
}

#[derive(Debug)]
struct NoListing(MemoryFs);

#[async_trait::async_trait]
impl FsProvider for NoListing {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.0.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        self.0.read_many(paths, max_bytes).await
    }
}
