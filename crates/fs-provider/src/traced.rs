//! Diagnostics of the batches.

use async_trait::async_trait;
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span};

use crate::{FsError, FsProvider, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

/// Tells `tracing` of every batch of the inner provider (P5, X1).
///
/// Each batch is a span at debug level, `probe_many`, `read_many` or `probe_and_read`, with its `paths` (a count)
/// and for reads `max_bytes`. In it stands an event for each fault, with the path, escaped to one
/// line, and one at the end: `present`, `absent`, `faults` for probes; `read`, `absent`,
/// `not_files`, `too_large`, `deferred`, `faults`, `bytes` for reads; `micros` for both. A span
/// that closes without the last event was a batch that was dropped.
///
/// # Ambient
/// The duration is taken from tokio's clock: that of the process, or the paused one.
#[derive(Clone, Debug)]
pub struct Traced<P> {
    inner: P,
}

impl<P> Traced<P> {
    /// Traces the batches of `inner`.
    pub const fn new(inner: P) -> Self {
        Self { inner }
    }
}

#[derive(Default)]
struct Tally {
    good: usize,
    absent: usize,
    not_files: usize,
    too_large: usize,
    deferred: usize,
    faults: usize,
    bytes: u64,
}

impl Tally {
    fn fault(&mut self, fault: &FsError) {
        self.faults += 1;
        debug!(%fault, "fault");
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn probed(answers: &[Result<Probe, FsError>], since: Instant) {
    let mut tally = Tally::default();
    for answer in answers {
        match answer {
            Ok(Probe::Present(_)) => tally.good += 1,
            Ok(Probe::Absent) => tally.absent += 1,
            Err(fault) => tally.fault(fault),
        }
    }
    let Tally { good: present, absent, faults, .. } = tally;
    debug!(present, absent, faults, micros = micros(since), "probed");
}

fn read<'a>(answers: impl IntoIterator<Item = &'a Result<ReadOutcome, FsError>>, since: Instant) {
    let mut tally = Tally::default();
    for answer in answers {
        match answer {
            Ok(ReadOutcome::Content { bytes, .. }) => {
                tally.good += 1;
                tally.bytes += bytes.len() as u64;
            }
            Ok(ReadOutcome::Absent) => tally.absent += 1,
            Ok(ReadOutcome::NotAFile(_)) => tally.not_files += 1,
            Ok(ReadOutcome::TooLarge { .. }) => tally.too_large += 1,
            Ok(ReadOutcome::Deferred) => tally.deferred += 1,
            Err(fault) => tally.fault(fault),
        }
    }
    let Tally { good: read, absent, not_files, too_large, deferred, faults, bytes } = tally;
    debug!(read, absent, not_files, too_large, deferred, faults, bytes, micros = micros(since), "read");
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl<P: FsProvider> FsProvider for Traced<P> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let span = debug_span!("probe_many", paths = paths.len());
        let batch = async {
            let start = Instant::now();
            let answers = self.inner.probe_many(paths).await;
            probed(&answers, start);
            answers
        };
        batch.instrument(span).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let span = debug_span!("read_many", paths = paths.len(), max_bytes);
        let batch = async {
            let start = Instant::now();
            let answers = self.inner.read_many(paths, max_bytes).await;
            read(&answers, start);
            answers
        };
        batch.instrument(span).await
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let span = debug_span!("probe_and_read", paths = paths.len(), max_bytes = plan.max_bytes());
        let batch = async {
            let start = Instant::now();
            let answers = self.inner.probe_and_read(paths, plan).await;
            probed(&answers.probes, start);
            read(answers.reads.iter().map(|(_, answer)| answer), start);
            answers
        };
        batch.instrument(span).await
    }
}
