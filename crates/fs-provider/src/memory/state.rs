//! What the clones of a memory provider share, and how it answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Fault;
use super::counters::Ledger;
use super::tree::{Miss, Tree};
use crate::{FaultKind, FileId, FsError, Listing, Metadata, PathBatch, Probe, ReadOutcome, Version};

/// What [`MemoryFs`](crate::MemoryFs) says of versions (P3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// A settled version, new with every write. The default.
    #[default]
    Settled,
    /// The same, but never settled, as right after a change.
    Unsettled,
    /// None, as of a provider without versions.
    Off,
}

pub(super) struct State {
    pub(super) tree: Tree,
    pub(super) faults: HashMap<PathBuf, Fault>,
    pub(super) versions: Versions,
    pub(super) identities: bool,
    pub(super) latency: Duration,
    pub(super) max_batch_bytes: u64,
    pub(super) ledger: Ledger,
}

impl Default for State {
    fn default() -> Self {
        Self {
            tree: Tree::default(),
            faults: HashMap::new(),
            versions: Versions::Settled,
            identities: true,
            latency: Duration::ZERO,
            max_batch_bytes: 64 << 20,
            ledger: Ledger::default(),
        }
    }
}

impl State {
    pub(super) fn probe(&self, path: &Path) -> Result<Probe, FsError> {
        if let Some(Fault::Stat(kind)) = self.faults.get(path) {
            return Err(FsError::new(path, kind.clone()));
        }
        Ok(self.find(path)?.map_or(Probe::Absent, |node| Probe::Present(self.metadata(node))))
    }

    pub(super) fn read_many(
        &mut self,
        paths: &PathBatch,
        max_bytes: u64,
    ) -> Vec<Result<ReadOutcome, FsError>> {
        let (mut held, mut full) = (0, false);
        let mut answers = Vec::with_capacity(paths.len());
        for path in paths.iter() {
            if full {
                answers.push(Ok(ReadOutcome::Deferred));
                continue;
            }
            let room = if held == 0 { u64::MAX } else { self.max_batch_bytes.saturating_sub(held) };
            let answer = self.read(path, max_bytes, room);
            match &answer {
                Ok(ReadOutcome::Content { bytes, .. }) => held += bytes.len() as u64,
                Ok(ReadOutcome::Deferred) => full = true,
                _ => {}
            }
            answers.push(answer);
        }
        self.ledger.deliver(held);
        answers
    }

    fn read(&self, path: &Path, max_bytes: u64, room: u64) -> Result<ReadOutcome, FsError> {
        let Some(node) = self.open(path)? else {
            return Ok(ReadOutcome::Absent);
        };
        let metadata = self.metadata(node);
        let Some(bytes) = self.tree.content(node) else {
            return Ok(ReadOutcome::NotAFile(metadata.kind));
        };
        match bytes.len() as u64 {
            len if len > max_bytes => Ok(ReadOutcome::TooLarge { len, metadata }),
            len if len > room => Ok(ReadOutcome::Deferred),
            _ => Ok(ReadOutcome::Content { bytes, metadata }),
        }
    }

    pub(super) fn list(&self, path: &Path, limit: usize) -> Result<Listing, FsError> {
        let Some(node) = self.open(path)? else {
            return Ok(Listing::Absent);
        };
        let metadata = self.metadata(node);
        let Some((count, entries)) = self.tree.entries(node) else {
            return Ok(Listing::NotADirectory(metadata.kind));
        };
        let entries: Vec<_> = entries.take(limit).collect();
        Ok(Listing::Entries { left_out: (count - entries.len()) as u64, entries, metadata })
    }

    /// As [`find`](Self::find), to read or to list it.
    fn open(&self, path: &Path) -> Result<Option<u64>, FsError> {
        match self.faults.get(path) {
            Some(Fault::Stat(kind) | Fault::Read(kind)) => Err(FsError::new(path, kind.clone())),
            None => self.find(path),
        }
    }

    fn find(&self, path: &Path) -> Result<Option<u64>, FsError> {
        if !path.has_root() {
            return Err(FsError::other(path, "not an absolute path"));
        }
        match self.tree.find(path) {
            Ok(node) => Ok(Some(node)),
            Err(Miss::Absent) => Ok(None),
            Err(Miss::Cycle) => Err(FsError::new(path, FaultKind::LinkCycle)),
        }
    }

    fn metadata(&self, node: u64) -> Metadata {
        let (kind, stamp) = self.tree.stat(node);
        let len = self.tree.content(node).map(|bytes| bytes.len() as u64);
        let version = match self.versions {
            Versions::Off => None,
            Versions::Settled | Versions::Unsettled => Some(Version::of(&stamp.to_le_bytes())),
        };
        Metadata {
            kind,
            len,
            file: self.identities.then(|| FileId::new(0, node)),
            version,
            settled: self.versions == Versions::Settled,
        }
    }
}
