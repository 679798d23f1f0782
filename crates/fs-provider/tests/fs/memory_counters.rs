//! What the memory provider counts, and its virtual time.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::{join, join_all};
use standing_orders_fs::{
    Counters, FaultKind, FsError, FsProvider, FsProviderExt, MemoryFs, PathBatch, Timeout,
};

use crate::fixtures::CAP;

fn fs() -> (MemoryFs, PathBatch) {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "four"), ("/ws/指示.md", "fives")]);
    (fs, ["/ws/AGENTS.md", "/gone", "/ws/指示.md"].into_iter().collect())
}

fn numbers(counters: Counters) -> [u64; 6] {
    let Counters { batches, probes, reads, listings, bytes, round_trips, .. } = counters;
    [batches, probes, reads, listings, bytes, round_trips]
}

#[tokio::test]
async fn paths_batches_and_bytes_are_counted() {
    let (fs, batch) = fs();
    assert_eq!(numbers(fs.counters()), [0; 6], "writing is not asking");
    fs.probe_many(&batch).await;
    assert_eq!(numbers(fs.counters()), [1, 3, 0, 0, 0, 1]);
    fs.clone().read_many(&batch, 4).await;
    assert_eq!(numbers(fs.counters()), [2, 3, 3, 0, 4, 2], "what is too large costs no bytes");
    fs.probe_many(&PathBatch::default()).await;
    fs.read_many(&PathBatch::default(), 4).await;
    fs.list_many(&PathBatch::default(), 4).await;
    assert_eq!(numbers(fs.counters()), [2, 3, 3, 0, 4, 2], "an empty batch is no trip");
    fs.list_many(&batch, 4).await;
    assert_eq!(numbers(fs.reset_counters()), [3, 3, 3, 3, 4, 3]);
    assert_eq!(numbers(fs.counters()), [0; 6]);
}

async fn round_trips(fs: &MemoryFs, work: impl Future) -> u64 {
    fs.reset_counters();
    work.await;
    fs.counters().round_trips
}

#[tokio::test(start_paused = true)]
async fn batches_beside_each_other_are_one_round_trip_with_and_without_latency() {
    for latency in [Duration::ZERO, Duration::from_millis(30)] {
        let (fs, batch) = fs();
        fs.set_latency(latency);
        let ask = async || fs.probe_many(&batch).await;
        let ask_twice = async || {
            ask().await;
            ask().await
        };
        assert_eq!(round_trips(&fs, join_all((0..9).map(|_| ask()))).await, 1, "all at once, {latency:?}");
        assert_eq!(round_trips(&fs, ask_twice()).await, 2, "one after the other, {latency:?}");
        assert_eq!(round_trips(&fs, join(ask_twice(), ask_twice())).await, 2, "two chains, {latency:?}");
        assert_eq!(round_trips(&fs, join(ask_twice(), ask())).await, 2, "the longer one, {latency:?}");
        let diamond = async {
            ask().await;
            join(ask_twice(), ask()).await;
            ask().await
        };
        assert_eq!(round_trips(&fs, diamond).await, 4, "the longest way through, {latency:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_batch_was_waited_for_and_counts() {
    let (fs, batch) = fs();
    fs.set_latency(Duration::from_secs(60));
    Timeout::new(&fs, Duration::from_secs(1)).read_many(&batch, CAP).await;
    assert_eq!(numbers(fs.counters()), [1, 0, 3, 0, 0, 1], "sent, and nothing came back");
    fs.set_latency(Duration::ZERO);
    fs.probe_many(&batch).await;
    assert_eq!(fs.counters().round_trips, 2, "the next one went out after it");
}

#[tokio::test]
async fn a_batch_under_way_at_a_reset_is_not_counted_afterwards() {
    let (fs, batch) = fs();
    let mut probe = fs.probe_many(&batch);
    std::future::poll_fn(|context| {
        assert!(probe.as_mut().poll(context).is_pending(), "every batch is suspended once");
        Poll::Ready(())
    })
    .await;
    fs.reset_counters();
    probe.await;
    assert_eq!(numbers(fs.counters()), [0; 6]);
    fs.probe_many(&batch).await;
    assert_eq!(fs.counters().round_trips, 1, "a chain starts anew");
}

#[tokio::test(start_paused = true)]
async fn latency_is_virtual_and_that_of_a_batch_and_not_of_a_path() {
    let (fs, _) = fs();
    fs.set_latency(Duration::from_secs(3600));
    let batch: PathBatch = (0..100).map(|index| format!("/gone/{index}")).collect();
    let start = tokio::time::Instant::now();
    join(fs.probe_many(&batch), fs.read_many(&batch, CAP)).await;
    assert_eq!(start.elapsed(), Duration::from_secs(3600), "both at one time");
}

#[tokio::test(start_paused = true)]
async fn a_batch_answers_with_the_tree_as_it_is_at_its_end() {
    let (fs, _) = fs();
    fs.set_latency(Duration::from_secs(2));
    let writer = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        fs.write("/late", "text");
    };
    let (found, ()) = join(fs.probe("/late"), writer).await;
    assert!(matches!(found, Ok(standing_orders_fs::Probe::Present(_))), "{found:?}");
}

#[test]
fn without_latency_no_runtime_is_needed_and_with_it_one_is_asked_for() {
    let (fs, batch) = fs();
    let mut context = Context::from_waker(Waker::noop());
    let mut probe = fs.probe_many(&batch);
    assert!(probe.as_mut().poll(&mut context).is_pending(), "suspended once");
    let Poll::Ready(answers) = probe.as_mut().poll(&mut context) else { panic!("and then ready") };
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");

    fs.set_latency(Duration::from_millis(1));
    let Poll::Ready(answers) = fs.probe_many(&batch).as_mut().poll(&mut context) else {
        panic!("nothing to wait for")
    };
    assert_eq!(
        answers,
        batch.iter().map(|path| Err(FsError::new(path, FaultKind::NoRuntime))).collect::<Vec<_>>()
    );
}
