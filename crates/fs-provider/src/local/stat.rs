//! From the system's metadata to ours.

use std::fs;
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::options::Clock;
use crate::{FileKind, FsError, Metadata, Probe};

pub(super) fn probe(path: &Path, clock: &Clock) -> Result<Probe, FsError> {
    // Before the look: a change after it is then in the future, hence unsettled.
    let now = clock.now();
    match fs::metadata(path) {
        Ok(found) => Ok(Probe::Present(metadata(&found, now))),
        Err(error) if is_absent(&error) => Ok(Probe::Absent),
        Err(error) => Err(FsError::from_io(path, error)),
    }
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn kind(found: &fs::Metadata) -> FileKind {
    if found.is_file() {
        FileKind::File
    } else if found.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Other
    }
}

#[cfg(unix)]
pub(super) fn metadata(found: &fs::Metadata, now: SystemTime) -> Metadata {
    use crate::{FileId, Version};
    use std::os::unix::fs::MetadataExt;

    let modified = nanos(found.mtime(), found.mtime_nsec());
    let changed = nanos(found.ctime(), found.ctime_nsec());
    // In 64 bits the nanoseconds are unambiguous for 584 years.
    let stamps = [found.dev(), found.ino(), found.len(), modified as u64, changed as u64];
    let mut packed = [0; 40];
    for (to, from) in packed.iter_mut().zip(stamps.iter().flat_map(|stamp| stamp.to_le_bytes())) {
        *to = from;
    }
    let kind = kind(found);
    Metadata {
        kind,
        len: (kind == FileKind::File).then_some(found.len()),
        file: Some(FileId::new(found.dev(), found.ino())),
        version: Some(Version::of(&packed)),
        settled: is_settled(modified.max(changed), since_epoch(now)),
    }
}

#[cfg(not(unix))]
pub(super) fn metadata(found: &fs::Metadata, _now: std::time::SystemTime) -> Metadata {
    let kind = kind(found);
    let len = (kind == FileKind::File).then_some(found.len());
    Metadata { kind, len, file: None, version: None, settled: false }
}

#[cfg(unix)]
const SECOND: i128 = 1_000_000_000;

#[cfg(unix)]
fn nanos(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * SECOND + i128::from(nanos)
}

#[cfg(unix)]
fn since_epoch(time: SystemTime) -> i128 {
    let signed = |span: Duration| i128::try_from(span.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

/// P3, in nanoseconds since the epoch. A change in the future has a negative age.
#[cfg(unix)]
fn is_settled(last_change: i128, now: i128) -> bool {
    let window = if last_change % SECOND == 0 { 2 * SECOND } else { SECOND / 50 };
    now - last_change >= window
}
