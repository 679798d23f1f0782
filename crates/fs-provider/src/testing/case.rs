//! One law under check, in a directory of its own.

use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::{Fixture, NotPrepared};
use crate::{
    DirectoryEntry, FaultKind, FileKind, FsError, FsProvider, Listing, Metadata, PathBatch, Probe,
    ReadOutcome,
};

/// Enough for every file of the suite.
pub(super) const CAP: u64 = 1 << 20;

pub(super) type Outcome<T = ()> = Result<T, Stop>;

/// Why a check ended before its end.
pub(super) enum Stop {
    Skipped(String),
    Violated(String),
}

impl From<NotPrepared> for Stop {
    fn from(reason: NotPrepared) -> Self {
        match reason {
            NotPrepared::Unsupported(why) => Self::Skipped(why),
            NotPrepared::Failed(_) => Self::Violated(reason.to_string()),
        }
    }
}

pub(super) fn violated<T>(found: impl Into<String>) -> Outcome<T> {
    Err(Stop::Violated(found.into()))
}

pub(super) fn require(holds: bool, found: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { violated(found()) }
}

pub(super) struct Case<'a> {
    provider: &'a dyn FsProvider,
    pub(super) fixture: &'a mut dyn Fixture,
    directory: PathBuf,
}

impl<'a> Case<'a> {
    pub(super) async fn open(
        provider: &'a dyn FsProvider,
        fixture: &'a mut dyn Fixture,
        directory: &str,
    ) -> Outcome<Self> {
        let directory = fixture.root().join(directory);
        fixture.make_dir(&directory).await?;
        Ok(Self { provider, fixture, directory })
    }

    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn batch(&self, names: &[&str]) -> PathBatch {
        names.iter().map(|name| self.path(name)).collect()
    }

    pub(super) fn provider(&self) -> &'a dyn FsProvider {
        self.provider
    }

    pub(super) async fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.write(&path, content.as_ref()).await?)
    }

    pub(super) async fn make_dir(&mut self, name: &str) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.make_dir(&path).await?)
    }

    pub(super) async fn symlink(&mut self, target: impl AsRef<Path>, name: &str) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.symlink(target.as_ref(), &path).await?)
    }

    pub(super) async fn special(&mut self, name: &str) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.special(&path).await?)
    }

    pub(super) async fn remove(&mut self, name: &str) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.remove(&path).await?)
    }

    pub(super) async fn deny(&mut self, name: &str) -> Outcome {
        let path = self.path(name);
        Ok(self.fixture.deny(&path).await?)
    }

    pub(super) async fn settle(&mut self) -> Outcome {
        Ok(self.fixture.settle().await?)
    }

    /// The answers of one batch, one for each name.
    pub(super) async fn probe_all(&self, names: &[&str]) -> Outcome<Vec<Result<Probe, FsError>>> {
        counted(names, self.provider.probe_many(&self.batch(names)).await)
    }

    /// The answers of one batch, one for each name.
    pub(super) async fn read_all(
        &self,
        names: &[&str],
        cap: u64,
    ) -> Outcome<Vec<Result<ReadOutcome, FsError>>> {
        counted(names, self.provider.read_many(&self.batch(names), cap).await)
    }

    /// The answers of one batch, one for each name; a law of listings is skipped where there are none.
    pub(super) async fn list_all(
        &self,
        names: &[&str],
        limit: usize,
    ) -> Outcome<Vec<Result<Listing, FsError>>> {
        let answers = counted(names, self.provider.list_many(&self.batch(names), limit).await)?;
        let cannot = |answer: &Result<_, FsError>| {
            answer.as_ref().is_err_and(|fault| *fault.kind() == FaultKind::Unsupported)
        };
        if !answers.iter().any(cannot) {
            return Ok(answers);
        }
        require(answers.iter().all(cannot), || format!("it lists some paths and others not: {answers:?}"))?;
        Err(Stop::Skipped("the provider cannot list".into()))
    }

    pub(super) async fn entries(
        &self,
        name: &str,
        limit: usize,
    ) -> Outcome<(Vec<DirectoryEntry>, u64, Metadata)> {
        match only(self.list_all(&[name], limit).await?)? {
            Ok(Listing::Entries { entries, left_out, metadata }) => Ok((entries, left_out, metadata)),
            other => violated(format!("{name:?} is a directory, but the listing says {other:?}")),
        }
    }

    pub(super) async fn read(&self, name: &str, cap: u64) -> Outcome<Result<ReadOutcome, FsError>> {
        only(self.read_all(&[name], cap).await?)
    }

    pub(super) async fn present(&self, name: &str, kind: FileKind) -> Outcome<Metadata> {
        match only(self.probe_all(&[name]).await?)? {
            Ok(Probe::Present(found)) if found.kind == kind => Ok(found),
            other => violated(format!("{name:?} is there as {kind:?}, but the probe says {other:?}")),
        }
    }

    /// A regular file of so many bytes, as far as the provider knows sizes before reading.
    pub(super) async fn file_of(&self, name: &str, len: usize) -> Outcome {
        let found = self.present(name, FileKind::File).await?;
        require(found.len.is_none_or(|reported| reported == len as u64), || {
            format!("{name:?} has {len} bytes, but the probe says {:?}", found.len)
        })
    }

    pub(super) async fn content(&self, name: &str, cap: u64) -> Outcome<(Bytes, Metadata)> {
        match self.read(name, cap).await? {
            Ok(ReadOutcome::Content { bytes, metadata }) => Ok((bytes, metadata)),
            other => violated(format!("{name:?} is a file within the cap, but the read says {other:?}")),
        }
    }
}

fn counted<T>(names: &[&str], answers: Vec<T>) -> Outcome<Vec<T>> {
    let (asked, got) = (names.len(), answers.len());
    require(asked == got, || format!("{got} answers for {asked} paths"))?;
    Ok(answers)
}

fn only<T>(answers: Vec<T>) -> Outcome<T> {
    answers.into_iter().next().ok_or_else(|| Stop::Violated("no answer".into()))
}
