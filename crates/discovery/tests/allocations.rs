#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
//! What the hot path costs in heap.
//!
//! The count is the process's, so this is a program of its own (`harness = false`): its one thread is
//! the only one, where libtest's keeps its tables while a test runs.

use std::alloc::System;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use standing_orders_discovery::path::chain;
use standing_orders_discovery::{Places, Rules, look};
use standing_orders_fs::{FsProvider, KnownVersion, MemoryFs, PathBatchBuilder};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Runs to the end on this thread, without a runtime that allocates beside it.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
            return done;
        }
    }
}

/// The allocations of an unchanged look at a chain of `depth` directories, the provider's left out.
fn unchanged_look(depth: usize) -> usize {
    let fs = MemoryFs::new();
    let cwd = format!("/workspace{}", "/directory".repeat(depth - 1));
    let root = Path::new("/workspace");
    let rules = Rules::default();
    let mut batch = PathBatchBuilder::new();
    for dir in chain(root, Path::new(&cwd)) {
        fs.write(dir.join("AGENTS.md"), "one");
        rules.names.iter().for_each(|(_, name)| batch.push_join(dir, name));
    }
    let batch = batch.build();
    let region = Region::new(HEAP);
    let answers = run(fs.probe_many(&batch));
    let provider = region.change().allocations;
    assert_eq!(answers.len(), 4 * depth);

    let region = Region::new(HEAP);
    let dirs = chain(root, Path::new(&cwd));
    let mut places = Places::with_capacity(dirs.len());
    for dir in dirs {
        places.push_directory(dir);
    }
    let look = run(look(&fs, &places, &rules, |_| KnownVersion::Any));
    let whole = region.change().allocations;
    assert_eq!((look.findings().len(), look.counts().reads), (4 * depth, 0));
    whole - provider
}

fn an_unchanged_look_allocates_a_fixed_number_of_times() {
    let eight = unchanged_look(8);
    assert!(eight <= 10, "{eight} allocations besides the provider's");
    assert_eq!(unchanged_look(64), eight, "nothing is allocated a directory, and nothing a candidate");
}

fn main() {
    an_unchanged_look_allocates_a_fixed_number_of_times();
}
