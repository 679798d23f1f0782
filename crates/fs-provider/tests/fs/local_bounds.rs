//! What the local provider may use at most, and that it stops when nobody waits.
//!
//! The clock is asked once a path, from the blocking task: where it waits, the task waits.

use std::fs;
use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use standing_orders_fs::{
    FaultKind, FsError, FsProvider, FsProviderExt, LocalFs, LocalFsOptions, PathBatch, ReadOutcome, Timeout,
};

use crate::fixtures::{CAP, OnDisk, is_other};

/// A clock that says when it is asked, and answers when it is told to.
struct Gate {
    asked: Receiver<()>,
    answer: Sender<()>,
    calls: Arc<AtomicUsize>,
}

fn gated(options: LocalFsOptions) -> (Gate, LocalFs) {
    let (say, asked) = channel();
    let (answer, told) = channel();
    let calls = Arc::new(AtomicUsize::new(0));
    let told = Mutex::new(told);
    let clock = {
        let calls = Arc::clone(&calls);
        move || {
            calls.fetch_add(1, Ordering::SeqCst);
            let _ = say.send(());
            // An error when the test has opened the gate for good.
            let _ = told.lock().unwrap().recv();
            SystemTime::UNIX_EPOCH
        }
    };
    (Gate { asked, answer, calls }, LocalFs::with(options.clock(clock)))
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_ready())).await
}

#[tokio::test]
async fn dropping_the_future_stops_the_blocking_task_between_two_paths() {
    let (gate, fs) = gated(LocalFsOptions::default().max_blocking_tasks(1));
    let batch: PathBatch = (0..100).map(|index| format!("/gone/{index}")).collect();
    let mut probe = fs.probe_many(&batch);
    assert!(!poll_once(&mut probe).await, "the task is under way");
    for _ in 0..2 {
        gate.asked.recv().unwrap();
        gate.answer.send(()).unwrap();
    }
    gate.asked.recv().unwrap();
    drop(probe);
    drop(gate.answer);
    // With one blocking task, this one begins only after the dropped one has ended.
    let next = fs.probe("/gone").await;
    assert!(next.is_ok(), "the provider is in working order");
    assert_eq!(gate.calls.load(Ordering::SeqCst), 3 + 1, "three of a hundred paths, and the next probe's");
}

#[tokio::test]
async fn dropping_a_batch_that_waits_for_its_turn_never_starts_it() {
    let (gate, fs) = gated(LocalFsOptions::default().max_blocking_tasks(1));
    let batch = PathBatch::one("/gone");
    let mut first = fs.probe_many(&batch);
    let mut second = fs.probe_many(&batch);
    assert!(!poll_once(&mut first).await && !poll_once(&mut second).await);
    gate.asked.recv().unwrap();
    drop(second);
    drop(gate.answer);
    first.await;
    fs.probe("/gone").await.unwrap();
    assert_eq!(gate.calls.load(Ordering::SeqCst), 2, "the dropped batch asked for nothing");
}

#[tokio::test]
async fn no_more_blocking_tasks_run_than_allowed_over_all_clones() {
    let (running, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let clock = {
        let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
        move || {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            SystemTime::UNIX_EPOCH
        }
    };
    let fs = LocalFs::with(LocalFsOptions::default().max_blocking_tasks(2).clock(clock));
    let batch: PathBatch = (0..50).map(|index| format!("/gone/{index}")).collect();
    let clones = [fs.clone(), fs.clone(), fs];
    let probes = (0..12).map(|index| clones[index % 3].probe_many(&batch));
    let answers = join_all(probes).await;
    assert!(answers.iter().flatten().all(Result::is_ok), "every batch is answered");
    assert!(peak.load(Ordering::SeqCst) <= 2, "never more than two at one time: {peak:?}");
}

#[tokio::test(start_paused = true)]
async fn a_hanging_file_system_times_out_and_the_caller_goes_on() {
    let (gate, fs) = gated(LocalFsOptions::default());
    let fs = Timeout::new(fs, Duration::from_secs(5));
    let batch = PathBatch::one("/gone");
    let mut probe = fs.probe_many(&batch);
    assert!(!poll_once(&mut probe).await, "the task hangs");
    gate.asked.recv().unwrap();
    // A paused clock does not go on by itself while a blocking task runs.
    tokio::time::advance(Duration::from_secs(5)).await;
    let late = FsError::new("/gone", FaultKind::TimedOut(Duration::from_secs(5)));
    assert_eq!(probe.await, [Err(late)]);
    drop(gate.answer);
}

#[tokio::test(start_paused = true)]
async fn calls_that_hang_in_every_place_hold_up_healthy_paths_of_all_clones_and_no_provider_apart() {
    let (gate, fs) = gated(LocalFsOptions::default());
    let batch = PathBatch::one("/gone");
    let mut hanging: Vec<_> = (0..8).map(|_| fs.probe_many(&batch)).collect();
    for probe in &mut hanging {
        assert!(!poll_once(probe).await, "the task hangs");
        gate.asked.recv().unwrap();
    }
    let limit = Duration::from_secs(5);
    let healthy = Timeout::new(fs.clone(), limit);
    let late = FsError::new("/", FaultKind::TimedOut(limit));
    let mut probe = healthy.probe("/").boxed();
    assert!(!poll_once(&mut probe).await, "it waits for a place");
    tokio::time::advance(limit).await;
    assert_eq!(probe.await, Err(late), "and its session goes on without");
    assert_eq!(gate.calls.load(Ordering::SeqCst), 8, "eight places by default, and no ninth");
    assert!(LocalFs::new().probe("/").await.is_ok(), "a provider of its own has places of its own");
    drop(gate.answer);
    join_all(hanging).await;
    assert!(fs.probe("/").await.is_ok(), "once the calls return, so do their places");
}

#[test]
fn a_runtime_with_a_call_that_hangs_ends_when_it_is_told_not_to_wait() {
    for row in ["shutdown_background", "shutdown_timeout"] {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (gate, fs) = gated(LocalFsOptions::default());
        runtime.block_on(async {
            let mut probe = fs.probe("/gone").boxed();
            assert!(!poll_once(&mut probe).await, "{row}: the task hangs");
            gate.asked.recv().unwrap();
        });
        match row {
            "shutdown_background" => runtime.shutdown_background(),
            _ => runtime.shutdown_timeout(Duration::from_millis(1)),
        }
        // It still hangs: the gate is opened only here.
        drop(gate.answer);
        assert_eq!(gate.calls.load(Ordering::SeqCst), 1, "{row}");
    }
}

#[tokio::test]
async fn a_clock_that_panics_is_a_fault_of_every_path() {
    let fs = LocalFs::with(LocalFsOptions::default().clock(|| panic!("no battery")));
    let answers = fs.probe_many(&["/", "/tmp"].into_iter().collect()).await;
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(is_other), "{answers:?}");
}

#[test]
fn a_runtime_that_shuts_down_is_a_fault_and_no_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let handle = runtime.handle().clone();
    runtime.shutdown_background();
    let fs = LocalFs::new();
    let answer = handle.block_on(fs.probe("/"));
    assert!(is_other(&answer), "{answer:?}");
}

fn shape(answers: &[Result<ReadOutcome, FsError>]) -> Vec<String> {
    let name = |answer: &Result<ReadOutcome, FsError>| match answer {
        Ok(ReadOutcome::Content { bytes, .. }) => bytes.len().to_string(),
        Ok(ReadOutcome::TooLarge { .. }) => "too large".into(),
        Ok(other) => format!("{other:?}"),
        Err(fault) => fault.to_string(),
    };
    answers.iter().map(name).collect()
}

#[tokio::test]
async fn a_batch_holds_no_more_than_allowed_and_the_rest_is_deferred() {
    let disk = OnDisk::new();
    let file = |len: usize| -> PathBuf {
        let path = disk.path(&format!("file of {len}"));
        fs::write(&path, vec![b'x'; len]).unwrap();
        path
    };
    let (gone, huge) = (disk.path("gone"), file(3_000_000));
    let rows: [(&str, Vec<PathBuf>, &[&str]); 5] = [
        ("all fit", vec![file(400), file(600)], &["400", "600"]),
        ("one byte over", vec![file(400), file(601), file(1)], &["400", "Deferred", "Deferred"]),
        ("the first is read whatever its size", vec![file(5000), file(1)], &["5000", "Deferred"]),
        (
            "what holds nothing does not count",
            vec![gone.clone(), huge.clone(), file(0), file(5000), gone],
            &["Absent", "too large", "0", "5000", "Absent"],
        ),
        ("full to the last byte", vec![file(1000), file(0), file(1)], &["1000", "0", "Deferred"]),
    ];
    let fs = LocalFs::with(LocalFsOptions::default().max_batch_bytes(1000));
    for (row, paths, expected) in rows {
        let answers = fs.read_many(&paths.iter().collect(), CAP).await;
        assert_eq!(shape(&answers), expected, "{row}");
    }
}

#[tokio::test]
async fn asking_again_for_what_was_deferred_comes_to_an_end() {
    let disk = OnDisk::new();
    let mut open: Vec<PathBuf> = (0..20).map(|index| disk.path(&format!("{index}"))).collect();
    for path in &open {
        fs::write(path, vec![b'x'; 700]).unwrap();
    }
    let fs = LocalFs::with(LocalFsOptions::default().max_batch_bytes(0));
    let mut rounds = 0;
    while !open.is_empty() {
        let answers = fs.read_many(&open.iter().collect(), CAP).await;
        let mut answers = answers.into_iter();
        open.retain(|_| answers.next() == Some(Ok(ReadOutcome::Deferred)));
        rounds += 1;
        assert!(rounds <= 20, "each round answers at least one file");
    }
    assert_eq!(rounds, 20, "with no room, one file a batch");
}

#[test]
fn on_the_calling_thread_a_batch_needs_no_runtime_and_is_done_when_it_is_first_polled() {
    let calling = std::thread::current().id();
    let asked = Arc::new(AtomicUsize::new(0));
    let clock = {
        let asked = Arc::clone(&asked);
        move || {
            assert_eq!(std::thread::current().id(), calling, "the work is done on another thread");
            asked.fetch_add(1, Ordering::SeqCst);
            SystemTime::now()
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let paths = ["small.md", "größer.md", "gone.md"].map(|name| folder.path().join(name));
    // Small, then one of several chunks: the buffer grows between them.
    let larger = "ü".repeat(100_000);
    fs::write(&paths[0], "Use uv.").unwrap();
    fs::write(&paths[1], &larger).unwrap();
    let batch: PathBatch = paths.iter().collect();
    let fs = LocalFs::with(LocalFsOptions::default().clock(clock).on_calling_thread(true));
    let reads = fs.read_many(&batch, CAP).now_or_never().expect("the batch waits for nothing");
    let content = |index: usize| match &reads[index] {
        Ok(ReadOutcome::Content { bytes, .. }) => bytes.clone(),
        other => panic!("{index}: {other:?}"),
    };
    assert_eq!(content(0), "Use uv.", "the first file");
    assert_eq!(content(1), larger, "the second, which is larger than any chunk");
    assert_eq!(reads[2], Ok(ReadOutcome::Absent), "the third");
    let probes = fs.probe_many(&batch).now_or_never().expect("the batch waits for nothing");
    assert!(probes.iter().all(Result::is_ok), "{probes:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 5, "each look asked the clock here");
}
