//! The disk, as the commands ask it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use standing_orders::fs::{
    FsError, FsProvider, Listing, LocalFs, LocalFsOptions, PathBatch, PathBatchBuilder, Probe, ReadOutcome,
};

/// The disk, on the calling thread: a command waits for nothing else, and starts no thread for it.
pub(crate) fn local() -> LocalFs {
    LocalFs::with(LocalFsOptions::default().on_calling_thread(true))
}

/// A provider that is asked once for each path: what a session is given and what is said of it are of
/// one look, whatever is written meanwhile.
#[derive(Debug)]
pub(crate) struct Remembered<P> {
    inner: P,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By path, as it is spelt.
    probes: BTreeMap<OsString, Result<Probe, FsError>>,
    /// The same, with the most bytes that were asked for.
    reads: BTreeMap<OsString, (u64, Result<ReadOutcome, FsError>)>,
}

impl<P> Remembered<P> {
    pub(crate) fn new(inner: P) -> Self {
        Self { inner, state: Mutex::default() }
    }

    // A panic elsewhere leaves whole answers.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl<P: FsProvider> FsProvider for Remembered<P> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let (mut answers, ask) = {
            let state = self.lock();
            known(paths, |path| state.probes.get(path.as_os_str()).cloned())
        };
        if !ask.is_empty() {
            let found = self.inner.probe_many(&batch(&ask)).await;
            let spelt = ask.into_iter().map(PathBuf::into_os_string);
            self.lock().probes.extend(spelt.zip(found.iter().cloned()));
            fill(&mut answers, found);
        }
        answered(paths, answers)
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let (mut answers, ask) = {
            let state = self.lock();
            known(paths, |path| {
                let (within, read) = state.reads.get(path.as_os_str())?;
                (*within == max_bytes).then(|| read.clone())
            })
        };
        if !ask.is_empty() {
            let found = self.inner.read_many(&batch(&ask), max_bytes).await;
            // What was put off is asked for again.
            let spelt = ask.into_iter().map(PathBuf::into_os_string);
            let read = spelt.zip(&found).filter(|(_, read)| !matches!(read, Ok(ReadOutcome::Deferred)));
            self.lock().reads.extend(read.map(|(path, read)| (path, (max_bytes, read.clone()))));
            fill(&mut answers, found);
        }
        answered(paths, answers)
    }

    async fn list_many(&self, directories: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        self.inner.list_many(directories, limit).await
    }
}

/// What is known of each path, and the paths of which nothing is.
pub(crate) fn known<T>(
    paths: &PathBatch,
    known: impl Fn(&Path) -> Option<T>,
) -> (Vec<Option<T>>, Vec<PathBuf>) {
    let mut ask = Vec::new();
    let answers = paths.iter().map(|path| {
        let answer = known(path);
        if answer.is_none() {
            ask.push(path.to_path_buf());
        }
        answer
    });
    (answers.collect(), ask)
}

/// These paths, in order.
pub(crate) fn batch(paths: &[PathBuf]) -> PathBatch {
    let mut batch = PathBatchBuilder::new();
    paths.iter().for_each(|path| batch.push(path));
    batch.build()
}

/// Fills the answers that are still open, in order.
pub(crate) fn fill<T>(open: &mut [Option<T>], found: impl IntoIterator<Item = T>) {
    let mut found = found.into_iter();
    for slot in open.iter_mut().filter(|slot| slot.is_none()) {
        *slot = found.next();
    }
}

/// One answer a path, also of a provider that gave too few.
pub(crate) fn answered<T>(
    paths: &PathBatch,
    answers: Vec<Option<Result<T, FsError>>>,
) -> Vec<Result<T, FsError>> {
    let unanswered = |path: &Path| Err(FsError::other(path, "the file system gave no answer"));
    let answers = answers.into_iter().zip(paths.iter());
    answers.map(|(answer, path)| answer.unwrap_or_else(|| unanswered(path))).collect()
}

#[cfg(test)]
mod tests {
    use standing_orders::fs::{Fault, FaultKind, MemoryFs};

    use super::*;

    #[test]
    fn each_path_is_asked_for_once_and_what_was_said_of_it_stands() {
        let memory = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv."), ("/ws/grüße.md", "Hallo.")]);
        let fs = Remembered::new(memory.clone());
        let paths = |paths: &[&str]| paths.iter().map(Path::new).collect::<PathBatch>();
        let all = paths(&["/ws/AGENTS.md", "/ws/grüße.md", "/ws/CLAUDE.md", "/ws/AGENTS.md"]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let first = fs.probe_many(&paths(&["/ws/AGENTS.md", "/ws/CLAUDE.md"])).await;
            let read = fs.read_many(&all, 1024).await;
            memory.remove("/ws/AGENTS.md");
            memory.write("/ws/CLAUDE.md", "Use pip.");
            let again = fs.probe_many(&all).await;
            assert_eq!(again[0], first[0], "a file that went since is still there");
            assert_eq!(again[2], first[1], "a file that came since is still not there");
            assert_eq!(again[3], first[0], "of one path there is one answer");
            assert!(matches!(again[1], Ok(Probe::Present(_))), "what was not known is asked: {again:?}");
            assert_eq!(fs.read_many(&all, 1024).await, read, "the content too is of one moment");
            let round_trips = memory.counters().round_trips;
            fs.read_many(&all, 1024).await;
            fs.probe_many(&all).await;
            assert_eq!(memory.counters().round_trips, round_trips, "what is known costs nothing");
            let smaller = fs.read_many(&paths(&["/ws/grüße.md"]), 3).await;
            assert!(matches!(smaller[0], Ok(ReadOutcome::TooLarge { len: 6, .. })), "{smaller:?}");
        });
    }

    #[test]
    fn a_fault_is_an_answer() {
        let memory = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv.")]);
        memory.fault("/ws/AGENTS.md", Fault::Stat(FaultKind::PermissionDenied));
        let fs = Remembered::new(memory.clone());
        let batch = batch(&[PathBuf::from("/ws/AGENTS.md")]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let first = fs.probe_many(&batch).await;
            assert!(first[0].is_err(), "the fault is told");
            assert_eq!(fs.probe_many(&batch).await, first, "and told again");
            assert_eq!(memory.counters().round_trips, 1, "without another look");
        });
    }
}
