//! Diagnostics of the batches.

use async_trait::async_trait;
use tokio::time::Instant;
use tracing::{Instrument, Span, debug, debug_span};

use crate::{FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

/// Tells `tracing` of every batch of the inner provider (P5, X1).
///
/// Each batch is a span at debug level, `probe_many`, `read_many`, `probe_and_read` or `list_many`, with its
/// `paths` (a count), for reads `max_bytes` and for listings `limit`. In it stands an event for each fault, with the path, escaped to one
/// line, and one at the end: `present`, `absent`, `faults` for probes; `read`, `absent`,
/// `not_files`, `too_large`, `deferred`, `faults`, `bytes` for reads; `listed`, `absent`, `not_directories`,
/// `faults`, `entries`, `left_out` for listings; `micros` for all. A span that closes without the last event was a batch that was dropped.
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

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// An event for each fault; answers how many there are.
fn faults<'a, T: 'a>(answers: impl IntoIterator<Item = &'a Result<T, FsError>>) -> usize {
    let faults = answers.into_iter().filter_map(|answer| answer.as_ref().err());
    faults.inspect(|fault| debug!(%fault, "fault")).count()
}

fn probed(answers: &[Result<Probe, FsError>], since: Instant) {
    let faults = faults(answers);
    let absent = answers.iter().filter(|answer| matches!(answer, Ok(Probe::Absent))).count();
    let present = answers.len() - absent - faults;
    debug!(present, absent, faults, micros = micros(since), "probed");
}

fn read<'a>(answers: impl Iterator<Item = &'a Result<ReadOutcome, FsError>> + Clone, since: Instant) {
    let faults = faults(answers.clone());
    let (mut read, mut absent, mut not_files, mut too_large, mut deferred, mut total) = (0, 0, 0, 0, 0, 0);
    for answer in answers.flatten() {
        match answer {
            ReadOutcome::Content { bytes, .. } => {
                read += 1;
                total += bytes.len();
            }
            ReadOutcome::Absent => absent += 1,
            ReadOutcome::NotAFile(_) => not_files += 1,
            ReadOutcome::TooLarge { .. } => too_large += 1,
            ReadOutcome::Deferred => deferred += 1,
        }
    }
    let micros = micros(since);
    debug!(read, absent, not_files, too_large, deferred, faults, bytes = total, micros, "read");
}

fn listed(answers: &[Result<Listing, FsError>], since: Instant) {
    let faults = faults(answers);
    let (mut listed, mut absent, mut not_directories, mut names, mut left_out) = (0, 0, 0, 0, 0);
    for answer in answers.iter().flatten() {
        match answer {
            Listing::Entries { entries, left_out: more, .. } => {
                listed += 1;
                names += entries.len();
                left_out += more;
            }
            Listing::Absent => absent += 1,
            Listing::NotADirectory(_) => not_directories += 1,
        }
    }
    let micros = micros(since);
    debug!(listed, absent, not_directories, faults, entries = names, left_out, micros, "listed");
}

/// Awaits the batch within its span, and has its answers told with the moment it began.
async fn traced<T>(span: Span, batch: impl Future<Output = T>, tell: impl FnOnce(&T, Instant)) -> T {
    let told = async {
        let start = Instant::now();
        let answers = batch.await;
        tell(&answers, start);
        answers
    };
    told.instrument(span).await
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl<P: FsProvider> FsProvider for Traced<P> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let span = debug_span!("probe_many", paths = paths.len());
        traced(span, self.inner.probe_many(paths), |answers, start| probed(answers, start)).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let span = debug_span!("read_many", paths = paths.len(), max_bytes);
        traced(span, self.inner.read_many(paths, max_bytes), |answers, start| read(answers.iter(), start))
            .await
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        let span = debug_span!("list_many", paths = paths.len(), limit);
        traced(span, self.inner.list_many(paths, limit), |answers, start| listed(answers, start)).await
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let span = debug_span!("probe_and_read", paths = paths.len(), max_bytes = plan.max_bytes());
        let tell = |answers: &Probed, start| {
            probed(&answers.probes, start);
            read(answers.reads.iter().map(|(_, answer)| answer), start);
        };
        traced(span, self.inner.probe_and_read(paths, plan), tell).await
    }
}
