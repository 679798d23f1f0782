//! The lines of a log, plain or compressed, one at a time.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use standing_orders::history::ZstdReader;

use crate::input::{self, Stdin, is_stdin};

/// What a line may have; a longer one is passed over without being held.
pub(super) const MAX_LINE_BYTES: u64 = 64 << 20;

const READ: usize = 256 * 1024;

/// A log as it is read: opened for reading alone, without a lock, so that a writer goes on.
pub(super) struct Lines {
    source: Box<dyn BufRead>,
    pub(super) compressed: bool,
    /// Of the line that was read last, from 1.
    pub(super) number: u64,
    /// That line, without its line feed.
    pub(super) line: Vec<u8>,
}

/// What the next line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    /// The last one, which has no line feed.
    Unended,
    TooLong,
    End,
}

impl Lines {
    /// Opens a file, or `-` for standard input.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if is_stdin(path) {
            return Self::new(io::stdin());
        }
        Self::new(input::open(path, Stdin::Dash)?)
    }

    pub(super) fn new(mut source: impl Read + 'static) -> io::Result<Self> {
        let mut magic = Vec::new();
        source.by_ref().take(4).read_to_end(&mut magic)?;
        let compressed = magic.first_chunk().is_some_and(|magic| is_zstd(u32::from_le_bytes(*magic)));
        let source = Cursor::new(magic).chain(source);
        let source: Box<dyn BufRead> = match compressed {
            true => Box::new(BufReader::with_capacity(READ, ZstdReader::new(source))),
            false => Box::new(BufReader::with_capacity(READ, source)),
        };
        Ok(Self { source, compressed, number: 0, line: Vec::new() })
    }

    /// Reads the next line into `line`.
    pub(super) fn next(&mut self) -> io::Result<Next> {
        self.line.clear();
        // What one long line took is not kept for the short ones.
        self.line.shrink_to(READ);
        let read = self.source.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line);
        self.number += u64::from(!self.line.is_empty() || read.is_err());
        match read? {
            0 => return Ok(Next::End),
            read if read as u64 == MAX_LINE_BYTES && !self.line.ends_with(b"\n") => {
                self.line = Vec::new();
                self.source.skip_until(b'\n')?;
                return Ok(Next::TooLong);
            }
            _ => {}
        }
        match self.line.pop_if(|last| *last == b'\n') {
            Some(_) => Ok(Next::Line),
            None => Ok(Next::Unended),
        }
    }
}

/// A frame, or a skippable one.
const fn is_zstd(magic: u32) -> bool {
    magic == 0xFD2F_B528 || magic & 0xFFFF_FFF0 == 0x184D_2A50
}
