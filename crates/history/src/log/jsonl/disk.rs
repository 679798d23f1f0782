//! The file: positioned reads and writes, the lock, and faults for tests.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "testing")]
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(super) struct Disk {
    file: Arc<File>,
    #[cfg(feature = "testing")]
    faults: Mutex<crate::log::testing::Faults>,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Create,
    Write,
    Read,
}

impl Disk {
    /// Opens without waiting for a lock: see [`lock`](Self::lock).
    pub(super) fn open(path: &Path, access: Access) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(access != Access::Read).create_new(access == Access::Create);
        #[cfg(windows)]
        if access != Access::Read {
            // FILE_SHARE_READ alone: a second writer cannot open it.
            std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 1);
        }
        let file = Arc::new(options.open(path)?);
        Ok(Self {
            file,
            #[cfg(feature = "testing")]
            faults: Mutex::default(),
        })
    }

    /// Whether this is the one writer now; the lock goes with the handle.
    #[cfg(unix)]
    pub(super) fn lock(&self) -> io::Result<bool> {
        use rustix::fs::{FlockOperation, flock};
        match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Sharing was settled when the file was opened.
    #[cfg(not(unix))]
    pub(super) fn lock(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether `path` leads to this file: somebody may have put another in its place before this one
    /// was locked.
    #[cfg(unix)]
    pub(super) fn is_at(&self, path: &Path) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt as _;
        let (ours, there) = (self.file.metadata()?, std::fs::metadata(path)?);
        Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
    }

    /// Nobody can put another in its place while it is open.
    #[cfg(not(unix))]
    pub(super) fn is_at(&self, _: &Path) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether `error`, from opening, means that another writer has the file.
    pub(super) fn is_sharing_violation(error: &io::Error) -> bool {
        cfg!(windows) && error.raw_os_error() == Some(32)
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The bytes from `from` to `to`, or to the file's end if that comes first.
    pub(super) fn slice(&self, from: u64, to: u64) -> Slice {
        Slice { file: Arc::clone(&self.file), at: from, end: to }
    }

    pub(super) fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        #[cfg(feature = "testing")]
        if let Some(room) = self.faults().take_room(bytes.len()) {
            write_all_at(&self.file, bytes.get(..room).unwrap_or(bytes), at)?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        write_all_at(&self.file, bytes, at)
    }

    pub(super) fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(feature = "testing")]
        if self.faults().sync {
            return Err(io::Error::other("injected"));
        }
        self.file.sync_data()
    }

    #[cfg(feature = "testing")]
    pub(super) fn faults(&self) -> std::sync::MutexGuard<'_, crate::log::testing::Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read that outlives the log does not keep the lock.
#[cfg(unix)]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.file, rustix::fs::FlockOperation::Unlock);
    }
}

/// A part of a file, read without moving anybody's cursor.
#[derive(Debug)]
pub(super) struct Slice {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for Slice {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else {
            return Ok(0);
        };
        let read = read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
        at += written as u64;
    }
    Ok(())
}

/// Makes a new name in the folder of `path` last, where the platform can.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
