//! A batch has its time and no more.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use standing_orders_fs::{
    FaultKind, FsError, FsProvider, FsProviderExt, MemoryFs, PathBatch, ReadOutcome, Timeout,
};

use crate::fixtures::{CAP, content};

const LIMIT: Duration = Duration::from_secs(2);

fn slow(latency: Duration) -> (MemoryFs, Timeout<MemoryFs>) {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "one"), ("/ws/指示.md", "two")]);
    fs.set_latency(latency);
    (fs.clone(), Timeout::new(fs, LIMIT))
}

#[tokio::test(start_paused = true)]
async fn every_path_of_a_late_batch_timed_out() {
    let (_, fs) = slow(LIMIT + Duration::from_millis(1));
    let batch: PathBatch = ["/ws/AGENTS.md", "/ws/指示.md", "/gone"].into_iter().collect();
    let late = |path: &std::path::Path| FsError::new(path, FaultKind::TimedOut(LIMIT));
    let start = tokio::time::Instant::now();
    let probes = fs.probe_many(&batch).await;
    assert_eq!(start.elapsed(), LIMIT, "it is waited for no longer");
    assert_eq!(probes, batch.iter().map(|path| Err(late(path))).collect::<Vec<_>>());
    let reads = fs.read_many(&batch, CAP).await;
    assert_eq!(reads, batch.iter().map(|path| Err(late(path))).collect::<Vec<_>>());
    let lists = fs.list_many(&batch, 9).await;
    assert_eq!(lists, batch.iter().map(|path| Err(late(path))).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_batch_in_time_is_answered_and_the_next_has_the_whole_time_again() {
    let (_, fs) = slow(LIMIT - Duration::from_millis(1));
    assert!(fs.probe("/ws/AGENTS.md").await.is_ok());
    assert_eq!(content(&fs, "/ws/指示.md").await.0, "two");
}

#[tokio::test(start_paused = true)]
async fn after_a_late_batch_the_provider_is_in_working_order() {
    let (memory, fs) = slow(Duration::from_secs(60));
    assert!(fs.probe("/ws/AGENTS.md").await.is_err());
    memory.set_latency(Duration::ZERO);
    assert_eq!(content(&fs, "/ws/AGENTS.md").await.0, "one");
}

#[test]
fn outside_a_runtime_every_path_answers_that_one_is_needed() {
    let (_, fs) = slow(Duration::ZERO);
    let batch: PathBatch = ["/ws/AGENTS.md", "/gone"].into_iter().collect();
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(reads) = fs.read_many(&batch, CAP).as_mut().poll(&mut context) else {
        panic!("nothing to wait for");
    };
    let needed: Vec<Result<ReadOutcome, _>> =
        batch.iter().map(|path| Err(FsError::new(path, FaultKind::NoRuntime))).collect();
    assert_eq!(reads, needed);
}
