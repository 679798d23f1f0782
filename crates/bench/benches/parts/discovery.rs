//! One look at a chain: all of it read, and none of it.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use criterion::{BenchmarkId, Criterion};
use standing_orders_discovery::{Places, Rules};
use standing_orders_fs::KnownVersion;

use crate::project::{DEPTHS, chain};

/// Without a runtime: `MemoryFs` needs none.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
            return done;
        }
    }
}

pub(crate) fn look(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("look");
    for depth in DEPTHS {
        let (fs, dirs) = chain(depth);
        let rules = Rules::default();
        let mut places = Places::with_capacity(depth);
        dirs.iter().for_each(|dir| places.push_directory(dir.as_path()));
        for (name, known) in [("read", KnownVersion::Nothing), ("known", KnownVersion::Any)] {
            let reads = if known == KnownVersion::Any { 0 } else { depth };
            group.bench_function(BenchmarkId::new(name, depth), |bencher| {
                bencher.iter(|| {
                    let look = run(standing_orders_discovery::look(&fs, &places, &rules, |_| known));
                    assert_eq!(look.counts().reads, reads, "all is read, or none");
                    look
                });
            });
        }
    }
}
