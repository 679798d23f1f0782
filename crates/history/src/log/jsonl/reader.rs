//! One read of a log: read in the blocking pool, one chunk ahead, and parsed where it is asked for.
//!
//! Parsing in the pool too costs more than it saves: entries that one thread allocates and another
//! frees took half as long again. Chunks are small for the same reason: what was parsed is still
//! near when it is used and freed.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tokio::task::JoinHandle;

use super::finished;
use super::lines::{Buffer, Lines, LinesError};
use crate::event::Line;
use crate::{Chunk, Damage, Event, LogChunks, LogError};

/// The chunks of a file.
pub(super) struct FileChunks {
    parser: Parser,
    ahead: Ahead,
    /// Lines, of which those before `parsed` are entries already.
    buffer: Buffer,
    parsed: usize,
    /// A buffer to use again.
    spare: Buffer,
}

/// How much text makes a chunk, if it is not one line alone.
const CHUNK: usize = 32 * 1024;

/// What the blocking pool does meanwhile.
enum Ahead {
    /// Nothing yet.
    Idle(Box<Source>),
    /// Reads; kept here so that a call that is dropped loses nothing.
    Busy(JoinHandle<Fetched>),
    /// At the end, or failed.
    Done,
}

type Source = Lines<Box<dyn Read + Send>>;

struct Fetched {
    source: Box<Source>,
    buffer: Buffer,
    more: Result<bool, LinesError>,
}

/// Turns lines into entries and checks their numbers.
pub(super) struct Parser {
    pub(super) path: PathBuf,
    /// The header is still to come.
    pub(super) before_header: bool,
    /// The number of the next line's entry.
    pub(super) next: u64,
    /// The first one wanted.
    pub(super) from: u64,
    /// The first one that is none of ours: the head when the read began.
    pub(super) head: u64,
    pub(super) max_line: u64,
    /// How many entries the last chunk had.
    pub(super) usual: usize,
    /// Where the source began, for messages.
    pub(super) offset: u64,
}

impl Parser {
    /// The wanted entries of the first lines, and how much text that was: about a chunk.
    fn parse(&mut self, lines: &[u8]) -> Result<(Vec<Event>, usize), LogError> {
        let near = lines.get(..CHUNK).unwrap_or(lines);
        let last = memchr::memrchr(b'\n', near).or_else(|| memchr::memchr(b'\n', lines));
        let lines = last.and_then(|last| lines.get(..=last)).unwrap_or(lines);
        // Checked once a chunk, which is quicker than once a string.
        let text = std::str::from_utf8(lines).ok();
        let mut events = Vec::with_capacity(self.usual);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', lines) {
            let line = start..end;
            start = end + 1;
            if std::mem::take(&mut self.before_header) {
                continue;
            }
            if self.next == self.head {
                break;
            }
            let parsed = match text {
                _ if line.len() as u64 >= self.max_line => Err(Damage::TooLong { limit: self.max_line }),
                Some(text) => entry(self.next, serde_json::from_str(text.get(line).unwrap_or_default())),
                None => entry(self.next, serde_json::from_slice(lines.get(line).unwrap_or_default())),
            };
            let event = parsed.map_err(|damage| self.damaged(damage))?;
            if self.next >= self.from {
                events.push(event);
            }
            self.next += 1;
        }
        self.usual = events.len();
        Ok((events, lines.len()))
    }

    fn line(&self) -> u64 {
        if self.before_header { 1 } else { self.next + 2 }
    }

    fn damaged(&self, damage: Damage) -> LogError {
        LogError::Damaged { path: self.path.clone(), line: self.line(), damage }
    }

    /// There are no more lines, though entries were still to come.
    fn ended(&self, why: Result<bool, LinesError>) -> LogError {
        match why {
            Ok(_) => self.damaged(Damage::NotAnEvent { reason: "the file ends here".to_owned() }),
            Err(LinesError::TooLong) => self.damaged(Damage::TooLong { limit: self.max_line }),
            Err(LinesError::Read(error)) => read_error(&self.path, self.line(), self.offset, error),
        }
    }
}

fn entry(expected: u64, line: Result<Line, serde_json::Error>) -> Result<Event, Damage> {
    match line {
        Ok(Line { seq, event }) if seq == expected => Ok(event),
        Ok(Line { seq, .. }) => Err(Damage::Sequence { expected, found: seq }),
        Err(error) => Err(Damage::NotAnEvent { reason: error.to_string() }),
    }
}

/// A failed read: the decoder's complaints are damage, the rest is the system's.
pub(super) fn read_error(path: &Path, line: u64, offset: u64, error: std::io::Error) -> LogError {
    let path = path.to_path_buf();
    // The decoder reports its own faults without a code of the operating system.
    if error.raw_os_error().is_none() {
        let damage = Damage::Compression { offset, reason: error.to_string() };
        return LogError::Damaged { path, line, damage };
    }
    LogError::Io { path, doing: "read", source: error }
}

impl FileChunks {
    pub(super) fn new(source: Source, parser: Parser) -> Self {
        let (buffer, spare) = (Buffer::default(), Buffer::default());
        Self { parser, ahead: Ahead::Idle(Box::new(source)), buffer, parsed: 0, spare }
    }

    /// Lets the pool read on.
    fn fetch(&mut self) -> Result<(), LogError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| LogError::NoRuntime)?;
        if let Ahead::Idle(mut source) = std::mem::replace(&mut self.ahead, Ahead::Done) {
            let mut buffer = std::mem::take(&mut self.spare);
            self.ahead = Ahead::Busy(runtime.spawn_blocking(move || {
                let more = source.next_lines(&mut buffer);
                Fetched { source, buffer, more }
            }));
        }
        Ok(())
    }
}

impl fmt::Debug for FileChunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parser { path, next, head, .. } = &self.parser;
        f.debug_struct("FileChunks").field("path", path).field("next", next).field("head", head).finish()
    }
}

#[async_trait]
impl LogChunks for FileChunks {
    async fn next_chunk(&mut self) -> Result<Option<Chunk>, LogError> {
        while self.parser.next < self.parser.head {
            let lines = self.buffer.lines().get(self.parsed..).unwrap_or_default();
            if !lines.is_empty() {
                let first = self.parser.next.max(self.parser.from);
                match self.parser.parse(lines) {
                    Ok((events, parsed)) => {
                        self.parsed += parsed;
                        if !events.is_empty() {
                            return Ok(Some(Chunk { first, events }));
                        }
                    }
                    Err(error) => {
                        (self.buffer, self.ahead) = (Buffer::default(), Ahead::Done);
                        return Err(error);
                    }
                }
                continue;
            }
            if let Ahead::Idle(_) = self.ahead {
                self.fetch()?;
            }
            let Ahead::Busy(task) = &mut self.ahead else { return Ok(None) };
            let ended = task.await;
            self.ahead = Ahead::Done;
            let Fetched { source, buffer, more } = ended.map_err(finished)?;
            if !matches!(more, Ok(true)) {
                return Err(self.parser.ended(more));
            }
            self.spare = std::mem::replace(&mut self.buffer, buffer);
            self.parsed = 0;
            self.ahead = Ahead::Idle(source);
            self.fetch()?;
        }
        Ok(None)
    }
}
