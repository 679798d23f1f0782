//! The provider between engine and disk: what the walk knows is not asked again, and each file is read once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use standing_orders::fs::{FileId, FsError, FsProvider, Listing, LocalFs, PathBatch, Probe, ReadOutcome};

use super::walk::Seen;
use crate::disk;

/// What is known of the disk. Answers are as `LocalFs` gives them; those about a directory are dropped when
/// the walk leaves it, so that no more is held than the files of one chain.
#[derive(Debug)]
pub(super) struct HeldFs {
    local: LocalFs,
    /// The most bytes of one file that anybody asks for.
    cap: u64,
    /// The names whose absence the walk can tell.
    watched: HashSet<String>,
    start: PathBuf,
    /// Files that are asked for at every starting point, wherever they are.
    pinned: HashSet<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The directory that is being walked.
    current: PathBuf,
    /// The watched names of the directories on the way to it, those with none left out.
    seen: HashMap<PathBuf, Vec<String>>,
    probes: HashMap<PathBuf, Result<Probe, FsError>>,
    reads: HashMap<PathBuf, Result<ReadOutcome, FsError>>,
    by_file: HashMap<FileId, PathBuf>,
    counts: Counts,
}

/// What was asked of the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Paths probed.
    pub(crate) probes: u64,
    /// Files read.
    pub(crate) reads: u64,
    /// Bytes read.
    pub(crate) bytes: u64,
}

impl HeldFs {
    /// For a walk from `start` that watches for these names in any letter case.
    pub(super) fn new(
        start: &Path,
        cap: u64,
        watched: impl IntoIterator<Item = String>,
        pinned: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        Self {
            local: disk::local(),
            cap,
            // What the file system takes for the same letters is only sure in ASCII.
            watched: watched.into_iter().filter(|name| name.is_ascii()).collect(),
            start: start.to_path_buf(),
            pinned: pinned.into_iter().collect(),
            state: Mutex::default(),
        }
    }

    /// The walk is in this directory now.
    pub(super) fn enter(&self, dir: &Path, seen: &[Seen]) {
        let mut state = self.lock();
        state.current = dir.to_path_buf();
        if !seen.is_empty() {
            let names = seen.iter().map(|seen| seen.name.clone()).collect();
            state.seen.insert(dir.to_path_buf(), names);
        }
    }

    /// The walk has left this directory, in which it saw something.
    pub(super) fn leave(&self, dir: &Path) {
        let mut state = self.lock();
        let State { seen, probes, reads, by_file, .. } = &mut *state;
        seen.remove(dir);
        // What lies elsewhere below the start was asked for by an import, and is remembered by who asked.
        let stays = |path: &PathBuf| {
            let holds = |of: &Path| !of.starts_with(dir) && dir.starts_with(of);
            let folder = path.parent().unwrap_or(path);
            let folder = if folder.ends_with(".claude") { folder.parent().unwrap_or(folder) } else { folder };
            holds(folder) || !path.starts_with(&self.start) || self.pinned.contains(path)
        };
        probes.retain(|path, _| stays(path));
        reads.retain(|path, _| stays(path));
        by_file.retain(|_, path| stays(path));
    }

    pub(super) fn counts(&self) -> Counts {
        self.lock().counts
    }

    /// Whether the walk knows that there is nothing.
    fn is_absent(&self, state: &State, path: &Path) -> bool {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        let walked = dir.starts_with(&self.start) && state.current.starts_with(dir);
        let known = walked && self.watched.contains(name);
        known
            && !state.seen.get(dir).is_some_and(|seen| {
                // On some volumes letter case is no difference: then the disk says what is there.
                seen.iter().any(|there| there.eq_ignore_ascii_case(name))
            })
    }

    // A panic elsewhere leaves whole answers.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is read, for one who asks for at most `max_bytes`.
fn within(read: Result<ReadOutcome, FsError>, max_bytes: u64) -> Result<ReadOutcome, FsError> {
    match read {
        Ok(ReadOutcome::Content { bytes, metadata }) if bytes.len() as u64 > max_bytes => {
            Ok(ReadOutcome::TooLarge { len: bytes.len() as u64, metadata })
        }
        other => other,
    }
}

#[async_trait]
impl FsProvider for HeldFs {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let (mut answers, ask) = {
            let state = self.lock();
            disk::known(paths, |path| match state.probes.get(path) {
                Some(known) => Some(known.clone()),
                None => self.is_absent(&state, path).then_some(Ok(Probe::Absent)),
            })
        };
        if !ask.is_empty() {
            let batch = disk::batch(&ask);
            let found = self.local.probe_many(&batch).await;
            let mut state = self.lock();
            state.counts.probes += ask.len() as u64;
            state.probes.extend(ask.into_iter().zip(found.iter().cloned()));
            disk::fill(&mut answers, found);
        }
        disk::answered(paths, answers)
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let (mut answers, ask) = {
            let state = self.lock();
            disk::known(paths, |path| {
                if let Some(read) = state.reads.get(path) {
                    return Some(read.clone());
                }
                // Another path to the same file.
                let Some(Ok(Probe::Present(metadata))) = state.probes.get(path) else { return None };
                let read = state.reads.get(state.by_file.get(&metadata.file?)?)?;
                matches!(read, Ok(ReadOutcome::Content { .. })).then(|| read.clone())
            })
        };
        if !ask.is_empty() {
            let batch = disk::batch(&ask);
            let found = self.local.read_many(&batch, self.cap.max(max_bytes)).await;
            let mut state = self.lock();
            for (path, read) in ask.into_iter().zip(&found) {
                match read {
                    Ok(ReadOutcome::Deferred) => continue,
                    Ok(ReadOutcome::Content { bytes, metadata }) => {
                        state.counts.reads += 1;
                        state.counts.bytes += bytes.len() as u64;
                        if let Some(file) = metadata.file {
                            state.by_file.insert(file, path.clone());
                        }
                    }
                    _ => state.counts.reads += 1,
                }
                state.reads.insert(path, read.clone());
            }
            disk::fill(&mut answers, found);
        }
        disk::answered(paths, answers).into_iter().map(|read| within(read, max_bytes)).collect()
    }

    async fn list_many(&self, directories: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        self.local.list_many(directories, limit).await
    }
}
