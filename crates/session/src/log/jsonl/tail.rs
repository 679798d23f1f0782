//! The end of a plain log: where the next line goes, and what a crash left behind it.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::Path;

use super::Found;
use super::batch::{Batch, Line, OUT_OF_RANGE, not_an_event};
use super::disk::{Disk, Slice};
use super::lost::zeros;
use super::reader::read_error;
use crate::event::LineHead;
use crate::{Damage, HeaderError, LogError, SessionHeader};

/// What is searched at a time.
const WINDOW: u64 = 64 * 1024;
/// What tells a line's place, if it can be told.
const HEAD: u64 = 128;

/// The header, from the first line; with the offset behind it.
pub(super) fn header(
    path: &Path,
    source: &mut dyn io::Read,
    max_line: u64,
) -> Result<(SessionHeader, u64), LogError> {
    let mut line = Vec::new();
    let mut byte_source = io::BufReader::new(source.take(max_line));
    let read = io::BufRead::read_until(&mut byte_source, b'\n', &mut line);
    let path = path.to_path_buf();
    match read {
        Ok(_) => {}
        // Only the decoder says so: its frame is cut off.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(LogError::NoHeader { path });
        }
        Err(error) => return Err(read_error(&path, 1, 0, error)),
    }
    if line.last() != Some(&b'\n') {
        if line.len() as u64 == max_line {
            return Err(LogError::Damaged { path, line: 1, damage: Damage::TooLong { limit: max_line } });
        }
        return Err(LogError::NoHeader { path });
    }
    let header = serde_json::from_slice(&line)
        .map_err(|error| HeaderError::Malformed { reason: error.to_string() })
        .and_then(|value| SessionHeader::from_value(&value));
    match header {
        Ok(header) => Ok((header, line.len() as u64)),
        Err(source) => Err(LogError::Header { path, source }),
    }
}

/// Looks from the end back over the last batch to where it begins: it is there as a whole, or torn.
pub(super) fn find(
    path: &Path,
    disk: &Disk,
    len: u64,
    max_line: u64,
) -> Result<(SessionHeader, Found), LogError> {
    let (header, first) = header(path, &mut disk.slice(0, len), max_line)?;
    let io = |source| LogError::Io { path: path.to_path_buf(), doing: "read", source };
    let damaged = |at, damage| match line_number(disk, at) {
        Ok(line) => LogError::Damaged { path: path.to_path_buf(), line, damage },
        Err(error) => io(error),
    };
    let mut back = Backwards { disk, window: Vec::new(), at: 0 };
    let end = back.line_start(len).map_err(io)?;
    let mut batch = Batch::ending_with(end < len);
    // The end of the line that is looked at, and the begin of the batch as far as it is known.
    let mut begin = end;
    let mut head = 0;
    while begin > first {
        let start = back.line_start(begin - 1).map_err(io)?;
        let line = back.line(start, begin, max_line).map_err(io)?.map_err(|damage| damaged(start, damage))?;
        if let Line::Whole(LineHead { seq, more: 0 }) = line
            && !batch.is_empty()
        {
            head = seq.checked_add(1).ok_or_else(|| damaged(start, not_an_event(OUT_OF_RANGE)))?;
            break;
        }
        batch.take(line).map_err(|wrong| damaged(wrong.place(start, begin), wrong.damage))?;
        begin = start;
    }
    batch.follows(head).map_err(|damage| damaged(begin, damage))?;
    if batch.has_zeros()
        && let Some(at) = zeros(disk, begin, end).map_err(io)?.stray
    {
        return Err(damaged(at, not_an_event("it has zeros that are no lost page")));
    }
    let (head, end) = match batch.whole() {
        Some(behind) => (behind, len),
        None => (head, begin),
    };
    Ok((header, Found { head, end, readable: end, torn: len - end }))
}

/// The lines of a file from its end on, read in windows.
struct Backwards<'a> {
    disk: &'a Disk,
    window: Vec<u8>,
    /// Where the window begins.
    at: u64,
}

impl Backwards<'_> {
    /// Where the line begins that the byte before `end` belongs to, if that is no line feed; else
    /// `end`.
    fn line_start(&mut self, end: u64) -> io::Result<u64> {
        let mut to = end;
        while to > 0 {
            if self.part(self.at, to).is_none_or(<[u8]>::is_empty) {
                self.at = to.saturating_sub(WINDOW);
                self.window.clear();
                self.disk.slice(self.at, to).read_to_end(&mut self.window)?;
            }
            // Shorter where somebody cut the file meanwhile.
            let part = self.part(self.at, to).ok_or(io::ErrorKind::UnexpectedEof)?;
            if let Some(at) = memchr::memrchr(b'\n', part) {
                return Ok(self.at + at as u64 + 1);
            }
            to = self.at;
        }
        Ok(0)
    }

    /// What stands from `from` to `to`, if all of it is in the window.
    fn part(&self, from: u64, to: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.at)?).ok()?;
        self.window.get(from..usize::try_from(to.checked_sub(self.at)?).ok()?)
    }

    /// The line from `start` to `end`, its line feed included.
    fn line(&self, start: u64, end: u64, max_line: u64) -> io::Result<Result<Line, Damage>> {
        if end - start > max_line {
            // Lost pages take line feeds with them.
            let has_zeros = zeros(self.disk, start, end)?.lost.is_some();
            let too_long = Err(Damage::TooLong { limit: max_line });
            return if has_zeros {
                self.read(start, end.min(start + HEAD)).map(|head| Ok(Line::lost(&head)))
            } else {
                Ok(too_long)
            };
        }
        let line = self.read(start, end)?;
        if memchr::memchr(0, &line).is_some() {
            return Ok(Ok(Line::lost(&line)));
        }
        Ok(match serde_json::from_slice(&line) {
            Ok(place) => Ok(Line::Whole(place)),
            Err(error) => Err(not_an_event(&error.to_string())),
        })
    }

    fn read(&self, from: u64, to: u64) -> io::Result<Cow<'_, [u8]>> {
        if let Some(part) = self.part(from, to) {
            return Ok(part.into());
        }
        let mut bytes = Vec::new();
        self.disk.slice(from, to).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// The number, from 1, of the line that `at` lies in.
fn line_number(disk: &Disk, at: u64) -> io::Result<u64> {
    let mut source: Slice = disk.slice(0, at);
    let mut window = vec![0; 256 * 1024];
    let mut line = 1;
    loop {
        match source.read(&mut window)? {
            0 => return Ok(line),
            read => line += memchr::memchr_iter(b'\n', window.get(..read).unwrap_or_default()).count() as u64,
        }
    }
}
