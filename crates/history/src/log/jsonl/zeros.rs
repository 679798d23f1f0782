//! Zeros, as pages that never reached the disk read. They are named, never guessed at: zeros to the
//! end of the file were not written, and zeros before a mark are damage of their own kind.

use std::io::{self, Read as _};

use super::disk::Disk;

/// What is read at a time.
const WINDOW: u64 = 64 * 1024;
/// The least that a disk writes or does not write, in bytes: from here on zeros are called lost.
const LOST: u64 = 512;

/// Where the zeros begin that reach up to `to`; `to` where there are none. One alone may be a byte
/// that was changed, and counts as none.
pub(super) fn trailing(disk: &Disk, from: u64, to: u64) -> io::Result<u64> {
    let mut behind = from;
    each_window(disk, from, to, |at, window| {
        if let Some(last) = window.iter().rposition(|byte| *byte != 0) {
            behind = at + last as u64 + 1;
        }
        true
    })?;
    Ok(if behind + 1 == to { to } else { behind })
}

/// The first zeros that are long enough to be called lost: where they begin, and how many.
pub(super) fn lost(disk: &Disk, from: u64, to: u64) -> io::Result<Option<(u64, u64)>> {
    let (mut begin, mut found) = (from, None);
    each_window(disk, from, to, |at, window| {
        for other in (at..).zip(window).filter(|(_, byte)| **byte != 0).map(|(at, _)| at) {
            if other - begin >= LOST {
                found = Some((begin, other - begin));
                return false;
            }
            begin = other + 1;
        }
        true
    })?;
    Ok(found.or_else(|| (to.saturating_sub(begin) >= LOST).then(|| (begin, to - begin))))
}

/// Calls `take` with each part of `from..to` and where it begins, until it returns false.
fn each_window(
    disk: &Disk,
    mut from: u64,
    to: u64,
    mut take: impl FnMut(u64, &[u8]) -> bool,
) -> io::Result<()> {
    let mut window = Vec::new();
    while from < to {
        window.clear();
        disk.slice(from, to.min(from.saturating_add(WINDOW))).read_to_end(&mut window)?;
        if window.is_empty() || !take(from, &window) {
            break;
        }
        from += window.len() as u64;
    }
    Ok(())
}
