//! What closes a batch: a frame that decoders skip (RFC 8878, section 3.1.2), right behind the
//! batch's own. 32 bytes: the magic number and the length of what follows; how many bytes the batch
//! has, as 8 bytes, the least first; the first 8 bytes of their SHA-1; `so-mark` and a line feed.
//!
//! Both ends are fixed and have no zeros at the edge, so a mark that is whole is told from one that
//! is cut, lost or changed without looking at the batch.

use std::io::{self, Read};

use sha1::{Digest as _, Sha1};

use crate::log::jsonl::disk::Disk;

pub(in crate::log::jsonl) const LEN: usize = 32;

const BEGIN: [u8; 8] = [0x5E, 0x2A, 0x4D, 0x18, 24, 0, 0, 0];
const END: [u8; 8] = *b"so-mark\n";
/// What is searched at a time.
const WINDOW: u64 = 64 * 1024;

/// The mark of this batch.
#[cfg(feature = "zstd-write")]
pub(in crate::log::jsonl) fn of(batch: &[u8]) -> [u8; LEN] {
    mark(batch.len() as u64, Sha1::new_with_prefix(batch))
}

/// The mark of the batch from `start` to `end`.
pub(super) fn expected(disk: &Disk, start: u64, end: u64) -> io::Result<[u8; LEN]> {
    let (mut source, mut sha, mut buffer) = (disk.slice(start, end), Sha1::new(), vec![0; 64 * 1024]);
    loop {
        match source.read(&mut buffer)? {
            0 => return Ok(mark(end.saturating_sub(start), sha)),
            read => sha.update(buffer.get(..read).unwrap_or_default()),
        }
    }
}

fn mark(len: u64, sha: Sha1) -> [u8; LEN] {
    let (len, sha) = (len.to_le_bytes(), sha.finalize());
    let bytes = BEGIN.iter().chain(&len).chain(sha.iter().take(8)).chain(&END);
    let mut mark = [0; LEN];
    for (to, from) in mark.iter_mut().zip(bytes) {
        *to = *from;
    }
    mark
}

/// How many bytes the batch has that a mark closes; `None` where these bytes are no whole mark.
pub(super) fn batch_len(bytes: &[u8]) -> Option<u64> {
    let len = bytes.strip_prefix(&BEGIN)?.strip_suffix(&END)?.first_chunk::<8>()?;
    (bytes.len() == LEN).then(|| u64::from_le_bytes(*len))
}

/// Whether a mark begins here, be it whole or not.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&BEGIN)
}

/// Whether a whole mark stands anywhere from `from` to `to`.
pub(super) fn stands_in(disk: &Disk, mut from: u64, to: u64) -> io::Result<bool> {
    let mut window = Vec::new();
    loop {
        window.clear();
        disk.slice(from, to.min(from.saturating_add(WINDOW))).read_to_end(&mut window)?;
        let found = memchr::memmem::find_iter(&window, &BEGIN)
            .any(|at| window.get(at..at + LEN).is_some_and(|bytes| batch_len(bytes).is_some()));
        if found {
            return Ok(true);
        }
        if (window.len() as u64) < WINDOW {
            return Ok(false);
        }
        // One may lie across two windows.
        from += WINDOW - LEN as u64 + 1;
    }
}
