//! Where zstd frames end, from their headers and block headers alone (RFC 8878, section 3.1).

use std::io::{self, Read as _};

use super::ZSTD_MAGIC;
use crate::log::jsonl::disk::Disk;

/// What is read at a time.
const WINDOW: u64 = 64 * 1024;
/// The largest block the format allows.
const MAX_BLOCK: u64 = 128 * 1024;

/// Where a frame ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Here.
    At(u64),
    /// Here, and it is one that decoders skip.
    Skipped(u64),
    /// Beyond the end of the file.
    Torn,
    /// It is no frame.
    Damaged,
}

/// The frames of a file, one behind the other.
pub(super) struct Frames<'a> {
    disk: &'a Disk,
    len: u64,
    at: u64,
    window: Vec<u8>,
    window_at: u64,
}

impl<'a> Frames<'a> {
    pub(super) const fn new(disk: &'a Disk, len: u64) -> Self {
        Self { disk, len, at: 0, window: Vec::new(), window_at: 0 }
    }

    /// Where the next one begins.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    /// The end of the next one, which is passed; one that is torn or damaged is not. `None` at the
    /// end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<End>> {
        if self.at >= self.len {
            return Ok(None);
        }
        let end = self.end_of_frame()?;
        if let End::At(end) | End::Skipped(end) = end {
            self.at = end;
        }
        Ok(Some(end))
    }

    fn end_of_frame(&mut self) -> io::Result<End> {
        let Some(magic) = self.bytes::<4>(self.at)? else {
            let mut rest = Vec::new();
            self.disk.slice(self.at, self.len).read_to_end(&mut rest)?;
            return Ok(if ZSTD_MAGIC.starts_with(&rest) { End::Torn } else { End::Damaged });
        };
        if u32::from_le_bytes(magic) & 0xFFFF_FFF0 == 0x184D_2A50 {
            let Some(size) = self.bytes::<4>(self.at + 4)? else { return Ok(End::Torn) };
            let end = self.at + 8 + u64::from(u32::from_le_bytes(size));
            return Ok(if end > self.len { End::Torn } else { End::Skipped(end) });
        }
        if magic != ZSTD_MAGIC {
            return Ok(End::Damaged);
        }
        let Some([descriptor]) = self.bytes::<1>(self.at + 4)? else { return Ok(End::Torn) };
        if descriptor & 0b1000 != 0 {
            return Ok(End::Damaged);
        }
        let single_segment = descriptor & 0b10_0000 != 0;
        let window_bytes = u64::from(!single_segment);
        let dictionary_bytes = match descriptor & 0b11 {
            3 => 4,
            bytes => u64::from(bytes),
        };
        let size_bytes = match descriptor >> 6 {
            0 => u64::from(single_segment),
            power => 1 << power,
        };
        let checksum_bytes = if descriptor & 0b100 == 0 { 0 } else { 4 };
        let mut at = self.at + 5 + window_bytes + dictionary_bytes + size_bytes;
        loop {
            let Some([low, middle, high]) = self.bytes::<3>(at)? else { return Ok(End::Torn) };
            let block = u32::from_le_bytes([low, middle, high, 0]);
            let size = u64::from(block >> 3);
            if size > MAX_BLOCK {
                return Ok(End::Damaged);
            }
            at += 3 + match block >> 1 & 0b11 {
                0 | 2 => size,
                1 => 1,
                _ => return Ok(End::Damaged),
            };
            if block & 1 == 1 {
                let end = at + checksum_bytes;
                return Ok(if end > self.len { End::Torn } else { End::At(end) });
            }
        }
    }

    /// The `N` bytes at `at`; `None` when the file ends before.
    fn bytes<const N: usize>(&mut self, at: u64) -> io::Result<Option<[u8; N]>> {
        if at.saturating_add(N as u64) > self.len {
            return Ok(None);
        }
        for _ in 0..2 {
            let found = at
                .checked_sub(self.window_at)
                .and_then(|from| usize::try_from(from).ok())
                .and_then(|from| self.window.get(from..)?.first_chunk());
            if let Some(found) = found {
                return Ok(Some(*found));
            }
            self.window.clear();
            self.window_at = at;
            let to = self.len.min(at.saturating_add(WINDOW));
            self.disk.slice(at, to).read_to_end(&mut self.window)?;
        }
        Ok(None)
    }
}

/// Whether behind the frame that begins at `start` another whole one begins: then the first is not
/// torn but damaged, since a torn one is the last.
pub(super) fn follows(disk: &Disk, start: u64, len: u64) -> io::Result<bool> {
    any_magic(disk, start.saturating_add(1), len, |at| {
        let mut frames = Frames::new(disk, len);
        frames.at = at;
        Ok(matches!(frames.next()?, Some(End::At(_))))
    })
}

/// Whether another frame seems to begin from `from` to `to`.
pub(super) fn begins_between(disk: &Disk, from: u64, to: u64) -> io::Result<bool> {
    any_magic(disk, from, to, |_| Ok(true))
}

fn any_magic(disk: &Disk, mut from: u64, to: u64, is: impl Fn(u64) -> io::Result<bool>) -> io::Result<bool> {
    while from < to {
        let window_end = to.min(from.saturating_add(WINDOW));
        let mut window = Vec::new();
        disk.slice(from, window_end).read_to_end(&mut window)?;
        for at in memchr::memmem::find_iter(&window, &ZSTD_MAGIC) {
            if is(from + at as u64)? {
                return Ok(true);
            }
        }
        // A magic may lie across two windows.
        from = if window_end == to { to } else { window_end - 3 };
    }
    Ok(false)
}

/// Whether the frame from `start` to `end` decodes to its end.
pub(super) fn is_sound(disk: &Disk, start: u64, end: u64) -> io::Result<bool> {
    let mut decoder = zstd::stream::read::Decoder::new(disk.slice(start, end))?;
    match io::copy(&mut decoder, &mut io::sink()) {
        Ok(_) => Ok(true),
        // The decoder reports its own faults without a code of the operating system.
        Err(error) if error.raw_os_error().is_none() => Ok(false),
        Err(error) => Err(error),
    }
}
