//! The end of a plain log: where the next line goes, and what a crash left behind it.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::Path;

use super::Found;
use super::disk::{Disk, Slice};
use super::open::ZSTD_MAGIC;
use super::reader::read_error;
use super::zeros;
use crate::event::LineHead;
use crate::{Damage, HeaderError, LogError, SessionHeader};

/// What is searched at a time.
const WINDOW: u64 = 64 * 1024;

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
        // What is left of a creation begins as a header or a frame does.
        let end = line.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let left = line.get(..end).unwrap_or_default();
        if left.starts_with(b"{") || ZSTD_MAGIC.starts_with(left) {
            return Err(LogError::NoHeader { path });
        }
        let reason = "it begins with neither a header nor a zstd frame".to_owned();
        return Err(LogError::Header { path, source: HeaderError::Malformed { reason } });
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
///
/// The line feed behind a batch is its mark, so each line that has one must read. What stands behind
/// the last one is torn, and so are the lines before of a batch that it leaves without its end. An
/// entry that is whole and has something other than its line feed behind it is damage.
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
    if has_more_than_an_entry(disk, end, len, max_line).map_err(io)? {
        return Err(damaged(
            end,
            not_an_event("a whole entry has something else than a line feed behind it"),
        ));
    }
    // The begin of the line that was taken last, and what it says.
    let (mut begin, mut taken) = (end, None::<LineHead>);
    let (mut last, mut head) = (None, 0);
    while begin > first {
        let start = back.line_start(begin - 1).map_err(io)?;
        let line = back.line(start, begin, max_line).map_err(io)?.map_err(|damage| damaged(start, damage))?;
        let ends_with = line.seq.checked_add(line.more).filter(|seq| *seq < u64::MAX);
        let ends_with = ends_with.ok_or_else(|| damaged(start, not_an_event(OUT_OF_RANGE)))?;
        if let Some(LineHead { seq: found, .. }) = taken
            && found != line.seq + 1
        {
            return Err(damaged(begin, Damage::Sequence { expected: line.seq + 1, found }));
        }
        if line.more == 0 && taken.is_some() {
            head = line.seq + 1;
            break;
        }
        let (known, _) = *last.get_or_insert((ends_with, line.more == 0));
        if known != ends_with {
            let reason = format!("its batch ends with entry {known}, and it says {ends_with}");
            return Err(damaged(start, not_an_event(&reason)));
        }
        (begin, taken) = (start, Some(line));
    }
    if begin == first
        && let Some(LineHead { seq: found @ 1.., .. }) = taken
    {
        return Err(damaged(begin, Damage::Sequence { expected: 0, found }));
    }
    let (head, end) = match last {
        Some((seq, true)) => (seq + 1, end),
        _ => (head, begin),
    };
    Ok((header, Found { head, end, torn: len - end }))
}

const OUT_OF_RANGE: &str = "the number of the entry is out of range";

fn not_an_event(reason: &str) -> Damage {
    Damage::NotAnEvent { reason: reason.to_owned() }
}

/// Whether what stands between the last line feed and the end begins with a whole entry and goes on:
/// no append leaves that behind.
fn has_more_than_an_entry(disk: &Disk, from: u64, len: u64, max_line: u64) -> io::Result<bool> {
    let to = zeros::trailing(disk, from, len)?;
    let bound = to.min(from.saturating_add(max_line).saturating_add(1));
    let source = io::BufReader::new(disk.slice(from, bound));
    let mut entries = serde_json::Deserializer::from_reader(source).into_iter::<LineHead>();
    match entries.next() {
        Some(Ok(_)) => Ok(from + (entries.byte_offset() as u64) < to),
        Some(Err(error)) if error.is_io() => Err(error.into()),
        _ => Ok(false),
    }
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
    fn line(&self, start: u64, end: u64, max_line: u64) -> io::Result<Result<LineHead, Damage>> {
        let damage = if end - start > max_line {
            Damage::TooLong { limit: max_line }
        } else {
            match serde_json::from_slice(&self.read(start, end)?) {
                Ok(place) => return Ok(Ok(place)),
                Err(error) => not_an_event(&error.to_string()),
            }
        };
        let lost = zeros::lost(self.disk, start, end)?;
        Ok(Err(lost.map_or(damage, |(offset, bytes)| Damage::Lost { offset, bytes })))
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
