//! Pages that never reached the disk.
//!
//! Zeros in the last batch mean that it was never acknowledged. A batch is written behind the end
//! and acknowledged once `fdatasync` has returned; the next one is written after that (where the
//! sync failed, not before the log was opened again, which looks here). So a batch that is not yet
//! acknowledged is the last one, and a power cut leaves any of its pages out, in any order, while
//! the length of the file is there: the file system shows those as zeros. Of an acknowledged one
//! every page is on disk. Zeros before the last batch, and zeros of another shape, are the work of
//! something else, and stay damage.
//!
//! A plain log does not mark where a batch begins. So where a disk that loses what it had synced
//! takes the place (`seq`, `more`) of a line right before the last batch, that line counts as part
//! of it: both are cut off, kept beside and reported. Frames of a compressed log say where they
//! begin.

use std::io::{self, Read as _};

use super::disk::Disk;

/// The least that a disk writes or does not write, in bytes. Pages are multiples of it.
const SECTOR: u64 = 512;
/// What is read at a time; a multiple of [`SECTOR`].
const WINDOW: u64 = 64 * 1024;

/// Where zeros stand in a part of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Zeros {
    /// The begin of the first sector that is zero as far as the part reaches: lost.
    pub(super) lost: Option<u64>,
    /// Something else stands behind that.
    pub(super) data_behind: bool,
    /// The first zero in a sector that has other bytes too: not lost.
    pub(super) stray: Option<u64>,
}

/// The zeros from `from` to `to`.
pub(super) fn zeros(disk: &Disk, from: u64, to: u64) -> io::Result<Zeros> {
    let mut found = Zeros::default();
    let mut at = from;
    let mut window = Vec::new();
    while at < to {
        window.clear();
        disk.slice(at, to.min((at / WINDOW + 1) * WINDOW)).read_to_end(&mut window)?;
        if window.is_empty() {
            break;
        }
        let mut rest = &*window;
        while !rest.is_empty() {
            let left = usize::try_from(SECTOR - at % SECTOR).unwrap_or(usize::MAX);
            let (sector, behind) = rest.split_at_checked(left).unwrap_or((rest, &[]));
            if sector.iter().all(|byte| *byte == 0) {
                found.lost.get_or_insert(at);
            } else {
                found.data_behind |= found.lost.is_some();
                if let (None, Some(zero)) = (found.stray, memchr::memchr(0, sector)) {
                    found.stray = Some(at + zero as u64);
                }
            }
            at += sector.len() as u64;
            rest = behind;
        }
    }
    Ok(found)
}
