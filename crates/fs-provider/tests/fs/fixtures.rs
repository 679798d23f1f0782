//! Stores behind providers, and what every test asks.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use standing_orders_fs::{FaultKind, FsError, FsProvider, FsProviderExt, Metadata, Probe, ReadOutcome};
use tempfile::TempDir;

pub(crate) const CAP: u64 = 1 << 20;

pub(crate) fn make_fifo(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

pub(crate) async fn present(fs: &(impl FsProvider + ?Sized), path: impl AsRef<Path>) -> Metadata {
    match fs.probe(&path).await {
        Ok(Probe::Present(found)) => found,
        other => panic!("{:?} is there, but the probe says {other:?}", path.as_ref()),
    }
}

pub(crate) async fn content(fs: &(impl FsProvider + ?Sized), path: impl AsRef<Path>) -> (String, Metadata) {
    match fs.read(&path, CAP).await {
        Ok(ReadOutcome::Content { bytes, metadata }) => (String::from_utf8(bytes.into()).unwrap(), metadata),
        other => panic!("{:?} is a file, but the read says {other:?}", path.as_ref()),
    }
}

pub(crate) async fn absent(fs: &(impl FsProvider + ?Sized), path: impl AsRef<Path>) {
    assert_eq!(fs.probe(&path).await, Ok(Probe::Absent), "probe of {:?}", path.as_ref());
    assert_eq!(fs.read(&path, CAP).await, Ok(ReadOutcome::Absent), "read of {:?}", path.as_ref());
}

pub(crate) fn is_other<T>(answer: &Result<T, FsError>) -> bool {
    matches!(answer.as_ref().map_err(FsError::kind), Err(FaultKind::Other(_)))
}

pub(crate) fn brief<T>(answers: &[Result<T, FsError>]) -> Vec<&'static str> {
    answers.iter().map(|answer| if answer.is_ok() { "ok" } else { "fault" }).collect()
}

/// Real files in a temporary folder.
pub(crate) struct OnDisk {
    pub(crate) folder: TempDir,
}

impl OnDisk {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns when the file system's own clock, by the stamps it gives, has gone on by 20 ms.
    pub(crate) fn wait_settled(&self) {
        let path = self.path("scratch for the clock");
        let scratch = File::create(&path).unwrap();
        // Any change of the metadata takes a new change time.
        let stamp = || {
            scratch.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            ctime(&path)
        };
        let start = stamp();
        while stamp() < start + 20_000_000 {
            std::thread::yield_now();
        }
    }
}

/// Writes a file in place. Cutting it to nothing first, as `fs::write` does, makes some file
/// systems write to the disk at once.
pub(crate) fn edit(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)
}

pub(crate) fn ctime(path: &Path) -> i128 {
    let found = fs::metadata(path).unwrap();
    i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec())
}
