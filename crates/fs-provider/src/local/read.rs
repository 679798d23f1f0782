//! Reading regular files, bounded.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;

use super::LocalFsOptions;
use super::stat::{is_absent, kind, metadata};
use crate::{FileKind, FsError, ReadOutcome};

/// How much of what is longer than reported is read at once.
const CHUNK: usize = 64 << 10;

/// Reads the files of one batch, one after the other.
pub(super) struct Reader<'a> {
    max_bytes: u64,
    options: &'a LocalFsOptions,
    held: u64,
    full: bool,
}

/// How far reading got.
enum Streamed {
    Whole(Vec<u8>),
    TooLarge(u64),
    NoRoom,
}

impl<'a> Reader<'a> {
    pub(super) fn new(max_bytes: u64, options: &'a LocalFsOptions) -> Self {
        Self { max_bytes, options, held: 0, full: false }
    }

    pub(super) fn read(&mut self, path: &Path) -> Result<ReadOutcome, FsError> {
        if self.full {
            return Ok(ReadOutcome::Deferred);
        }
        // Opening has effects of its own on a FIFO (it lets a waiting writer go on) and on some
        // devices, so what is known not to be a file is not even opened.
        match fs::metadata(path).map(|found| kind(&found)) {
            Ok(FileKind::File) => self.read_file(path),
            Ok(found) => Ok(ReadOutcome::NotAFile(found)),
            Err(error) if is_absent(&error) => Ok(ReadOutcome::Absent),
            Err(error) => Err(FsError::from_io(path, error)),
        }
    }

    /// What was a regular file a moment ago.
    pub(super) fn read_file(&mut self, path: &Path) -> Result<ReadOutcome, FsError> {
        if self.full {
            return Ok(ReadOutcome::Deferred);
        }
        match self.read_now(path) {
            Ok(outcome) => {
                match &outcome {
                    ReadOutcome::Content { bytes, .. } => self.held += bytes.len() as u64,
                    ReadOutcome::Deferred => self.full = true,
                    _ => {}
                }
                Ok(outcome)
            }
            Err(error) if is_absent(&error) => Ok(ReadOutcome::Absent),
            Err(error) => Err(FsError::from_io(path, error)),
        }
    }

    fn read_now(&mut self, path: &Path) -> io::Result<ReadOutcome> {
        let mut file = open(path)?;
        let now = self.options.clock.now();
        let before = metadata(&file.metadata()?, now);
        if before.kind != FileKind::File {
            return Ok(ReadOutcome::NotAFile(before.kind));
        }
        let reported = before.len.unwrap_or(0);
        if reported > self.max_bytes {
            return Ok(ReadOutcome::TooLarge { len: reported, metadata: before });
        }
        if reported > self.room() {
            return Ok(ReadOutcome::Deferred);
        }
        match self.stream(&mut file, reported)? {
            Streamed::TooLarge(len) => Ok(ReadOutcome::TooLarge { len, metadata: before }),
            Streamed::NoRoom => Ok(ReadOutcome::Deferred),
            Streamed::Whole(bytes) => {
                let after = metadata(&file.metadata()?, now);
                let metadata = before.of_reading(Some(after), Some(bytes.len() as u64));
                Ok(ReadOutcome::Content { bytes: Bytes::from(bytes), metadata })
            }
        }
    }

    /// What the batch may still hold; without bound for the first content.
    fn room(&self) -> u64 {
        match self.held {
            0 => u64::MAX,
            held => self.options.max_batch_bytes.saturating_sub(held),
        }
    }

    fn stream(&self, file: &mut File, reported: u64) -> io::Result<Streamed> {
        let room = self.room();
        let limit = usize::try_from(self.max_bytes.min(room)).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(reported).unwrap_or(usize::MAX))?;
        file.by_ref().take(reported).read_to_end(&mut bytes)?;
        // Mostly that was all, and a small look tells so.
        let (mut small, mut large) = ([0; 64], Vec::new());
        loop {
            let chunk = if large.is_empty() { small.as_mut_slice() } else { large.as_mut_slice() };
            let got = match file.read(chunk) {
                Ok(0) => return Ok(Streamed::Whole(bytes)),
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let counted = bytes.len().saturating_add(got);
            if counted as u64 > self.max_bytes {
                return Ok(Streamed::TooLarge(counted as u64));
            }
            if counted as u64 > room {
                return Ok(Streamed::NoRoom);
            }
            if counted > bytes.capacity() {
                // Doubling alone could hold twice the limit.
                let target = bytes.capacity().saturating_mul(2).min(limit).max(counted);
                bytes.try_reserve_exact(target - bytes.len())?;
            }
            bytes.extend_from_slice(chunk.get(..got).unwrap_or_default());
            if large.is_empty() {
                large = vec![0; CHUNK];
            }
        }
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    // The path may have become a FIFO or a terminal since it was looked at.
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
