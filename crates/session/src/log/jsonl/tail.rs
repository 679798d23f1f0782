//! The end of a plain log: where the next line goes, and what a crash left behind it.

use std::io::{self, Read as _};
use std::path::Path;

use super::Found;
use super::disk::{Disk, Slice};
use super::reader::read_error;
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

/// Looks from the end back to the last complete batch.
pub(super) fn find(
    path: &Path,
    disk: &Disk,
    len: u64,
    max_line: u64,
) -> Result<(SessionHeader, Found), LogError> {
    let io = |source| LogError::Io { path: path.to_path_buf(), doing: "read", source };
    let (header, first) = header(path, &mut disk.slice(0, len), max_line)?;
    let mut end = line_start(disk, len).map_err(io)?;
    let mut head = 0;
    while end > first {
        let start = line_start(disk, end - 1).map_err(io)?;
        let damaged = |damage| match line_number(disk, start) {
            Ok(line) => LogError::Damaged { path: path.to_path_buf(), line, damage },
            Err(error) => io(error),
        };
        if end - start > max_line {
            return Err(damaged(Damage::TooLong { limit: max_line }));
        }
        let mut line = Vec::new();
        disk.slice(start, end).read_to_end(&mut line).map_err(io)?;
        let last: LineHead = serde_json::from_slice(&line)
            .map_err(|error| damaged(Damage::NotAnEvent { reason: error.to_string() }))?;
        if last.more == 0 {
            head = last.seq.checked_add(1).ok_or_else(|| {
                damaged(Damage::NotAnEvent { reason: "the number of the entry is out of range".to_owned() })
            })?;
            break;
        }
        // The rest of its batch never came.
        end = start;
    }
    Ok((header, Found { head, end, readable: end, torn: len - end }))
}

/// Where the line begins that the byte before `end` belongs to, if that is no line feed; else `end`.
fn line_start(disk: &Disk, end: u64) -> io::Result<u64> {
    let mut to = end;
    while to > 0 {
        let from = to.saturating_sub(WINDOW);
        let mut window = Vec::new();
        disk.slice(from, to).read_to_end(&mut window)?;
        if let Some(at) = memchr::memrchr(b'\n', &window) {
            return Ok(from + at as u64 + 1);
        }
        to = from;
    }
    Ok(0)
}

/// The number, from 1, of the line that begins at `start`.
fn line_number(disk: &Disk, start: u64) -> io::Result<u64> {
    let mut source: Slice = disk.slice(0, start);
    let mut window = vec![0; 256 * 1024];
    let mut line = 1;
    loop {
        match source.read(&mut window)? {
            0 => return Ok(line),
            read => line += memchr::memchr_iter(b'\n', window.get(..read).unwrap_or_default()).count() as u64,
        }
    }
}
