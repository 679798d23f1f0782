//! Lines of entries: written, and read in chunks.

use std::io::{self, Read};

use crate::event::LineRef;
use crate::{Event, LogError};

/// What is read at a time.
const READ: usize = 256 * 1024;

/// The lines of `batch`, each with its line feed.
pub(super) fn encode(first: u64, batch: &[Event], max_line: u64) -> Result<Vec<u8>, LogError> {
    let mut lines = Vec::new();
    for (at, event) in (0..).zip(batch) {
        // A number that wraps is of a stale append, which is refused before it is written.
        let (seq, left) = (first.wrapping_add(at), batch.len() as u64 - at - 1);
        let start = lines.len();
        serde_json::to_writer(&mut lines, &LineRef { seq, more: left, event })
            .map_err(|source| LogError::Form { seq, source })?;
        lines.push(b'\n');
        let bytes = (lines.len() - start) as u64;
        if bytes > max_line {
            return Err(LogError::TooLarge { seq, bytes, limit: max_line });
        }
    }
    Ok(lines)
}

/// Whole lines of a source, as many at a time as one read brings.
pub(super) struct Lines<R> {
    source: R,
    /// Of the next line, what was read already.
    rest: Vec<u8>,
    max_line: usize,
}

/// Whole lines, at the front of a buffer that is used again.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    end: usize,
}

/// Why there are no more lines.
pub(super) enum LinesError {
    /// The next one is longer than allowed.
    TooLong,
    /// The source failed, after the lines before were handed out.
    Read(io::Error),
}

impl Buffer {
    /// The lines, each with its line feed.
    pub(super) fn lines(&self) -> &[u8] {
        self.bytes.get(..self.end).unwrap_or_default()
    }
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R, max_line: u64) -> Self {
        let max_line = usize::try_from(max_line).unwrap_or(usize::MAX);
        Self { source, rest: Vec::new(), max_line }
    }

    /// Puts the next lines into `buffer`; false at the end.
    pub(super) fn next_lines(&mut self, buffer: &mut Buffer) -> Result<bool, LinesError> {
        let Buffer { bytes, end } = buffer;
        *end = 0;
        let mut filled = self.rest.len();
        if bytes.len() < filled + READ {
            bytes.resize(filled + READ, 0);
        }
        if let Some(front) = bytes.get_mut(..filled) {
            front.copy_from_slice(&self.rest);
        }
        self.rest.clear();
        loop {
            let read = match self.source.read(bytes.get_mut(filled..).unwrap_or_default()) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(LinesError::Read(error)),
            };
            let old = filled;
            filled += read;
            if read == 0 {
                self.rest.extend_from_slice(bytes.get(..filled).unwrap_or_default());
                return Ok(false);
            }
            if let Some(at) = memchr::memrchr(b'\n', bytes.get(old..filled).unwrap_or_default()) {
                *end = old + at + 1;
                self.rest.extend_from_slice(bytes.get(*end..filled).unwrap_or_default());
                return Ok(true);
            }
            if filled > self.max_line {
                return Err(LinesError::TooLong);
            }
            if bytes.len() - filled < READ {
                bytes.resize(bytes.len().saturating_mul(2), 0);
            }
        }
    }
}
