//! What a session was given, and when, from its log (L5).
//!
//! The log is read here line by line rather than opened as a log, because an audit goes on where a log
//! refuses to be opened: past damage, in other programs' logs, and from a pipe. It takes no lock, changes
//! nothing, and holds one line, one unfinished batch and what is in view.

mod entry;
mod foreign;
mod json;
mod lines;
mod operation;
mod page;
mod state;
mod tally;

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use standing_orders::Change;
use standing_orders::history::Event;
use standing_orders::plugin::SessionHeader;

use self::entry::{Entry, Instruction};
use self::foreign::Said;
use self::lines::{Lines, Next};
use self::operation::Operation;
use self::state::State;
use self::tally::Steps;

pub(crate) use self::entry::Session;
pub(crate) use self::json::Json;
pub(crate) use self::page::Page;
pub(crate) use self::state::{Repeat, Standing};
pub(crate) use self::tally::{Tally, Totals};

/// How many faults are named; the rest is counted.
const NAMED: usize = 20;

/// How much text of an unfinished batch is kept apart until its end comes.
const MAX_BATCH_BYTES: u64 = lines::MAX_LINE_BYTES;

/// Where an audit is said, while it is made.
pub(crate) trait Sink {
    fn begin(&mut self, name: &str) -> io::Result<()>;
    fn entered(&mut self, entered: &Entered<'_>) -> io::Result<()>;
    fn end(&mut self, audited: &Audited) -> io::Result<()>;
    /// In place of `end`.
    fn failed(&mut self, message: &str) -> io::Result<()>;
    fn finish(&mut self, totals: &Totals) -> io::Result<()>;
}

/// An instruction message that entered.
pub(crate) struct Entered<'a> {
    /// From 1; 0 before the first.
    pub(crate) step: u64,
    pub(crate) line: u64,
    pub(crate) injector: &'a str,
    pub(crate) baseline: bool,
    pub(crate) changes: &'a [Change],
    pub(crate) blocks: &'a [String],
    pub(crate) bytes: u64,
    pub(crate) repeat: Option<Repeat>,
}

/// A log as a whole.
#[derive(Default)]
pub(crate) struct Audited {
    pub(crate) ours: bool,
    pub(crate) compressed: bool,
    pub(crate) session: Session,
    pub(crate) lines: u64,
    /// Of kinds that are not known, and the first of them.
    pub(crate) unknown: u64,
    pub(crate) first_unknown: Option<u64>,
    pub(crate) steps: u64,
    /// Compactions that name the entries they took out of view, and those that name none.
    pub(crate) named: u64,
    pub(crate) unnamed: u64,
    pub(crate) tally: Tally,
    pub(crate) standing: Vec<Standing>,
    pub(crate) system: Option<System>,
    pub(crate) damage: Vec<Damage>,
    pub(crate) damage_count: u64,
}

/// The system prompt as it was last recorded.
pub(crate) struct System {
    pub(crate) text: String,
    pub(crate) line: u64,
    /// How often one was recorded.
    pub(crate) times: u64,
}

/// Something wrong with the log.
pub(crate) struct Damage {
    pub(crate) line: u64,
    pub(crate) message: String,
}

/// Why there is no audit.
#[derive(Debug)]
pub(crate) enum AuditError {
    /// The log.
    Log(String),
    /// Standard output.
    Output(io::Error),
}

impl From<io::Error> for AuditError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Audits one log, saying each message as it is read.
pub(crate) fn audit(path: &Path, sink: &mut dyn Sink) -> Result<Audited, AuditError> {
    let failed = |error: io::Error| AuditError::Log(crate::failure::plain(&error));
    let mut lines = Lines::open(path).map_err(failed)?;
    let mut run =
        Run { audited: Audited { compressed: lines.compressed, ..Audited::default() }, ..Run::new(sink) };
    loop {
        match lines.next() {
            Ok(Next::End) => break,
            Ok(Next::TooLong) => {
                let message = format!("longer than {} bytes: passed over", lines::MAX_LINE_BYTES);
                run.damaged(lines.number, message);
                run.expected = run.expected.map(|expected| expected.saturating_add(1));
            }
            Ok(next @ (Next::Line | Next::Unended)) => {
                run.line(&lines.line, lines.number, next == Next::Unended)?;
            }
            // The system's own faults have a number; the rest is the decoder's.
            Err(error) if error.raw_os_error().is_some() => return Err(failed(error)),
            Err(error) => {
                let what = match error.kind() {
                    io::ErrorKind::UnexpectedEof => "the compressed data ends here, cut".to_owned(),
                    _ => format!("the compressed data cannot be read from here on: {error}"),
                };
                run.damaged(lines.number, what);
                break;
            }
        }
    }
    run.end(lines.number)
}

struct Run<'a> {
    sink: &'a mut dyn Sink,
    audited: Audited,
    state: State,
    steps: Steps,
    /// Lines that say something of a session.
    recognised: u64,
    begun: bool,
    /// In a log of ours: the number of the next entry.
    expected: Option<u64>,
    /// In another log: the same. Where lines say no numbers they are counted, the first one as 0.
    next: u64,
    /// Entries of a batch whose end is still to come, each with its number and line.
    batch: Vec<(u64, u64, Entry)>,
    batch_bytes: u64,
    /// Its first entries were too large to be kept apart, and are counted.
    batch_begun: bool,
    /// How many entries of the batch are still to come.
    more: u64,
}

/// An entry's place in a log of ours.
#[derive(Deserialize)]
struct Place {
    seq: u64,
    #[serde(default)]
    more: u64,
}

impl<'a> Run<'a> {
    fn new(sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            audited: Audited::default(),
            state: State::default(),
            steps: Steps::default(),
            recognised: 0,
            begun: false,
            expected: None,
            next: 0,
            batch: Vec::new(),
            batch_bytes: 0,
            batch_begun: false,
            more: 0,
        }
    }

    fn line(&mut self, line: &[u8], number: u64, unended: bool) -> Result<(), AuditError> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        self.audited.lines += 1;
        if !self.begun {
            self.begun = true;
            if let Ok(value) = serde_json::from_slice::<Value>(line)
                && value.get("format").is_some_and(Value::is_u64)
                && value.get("created_at").is_some()
            {
                self.audited.ours = true;
                self.expected = Some(0);
                match SessionHeader::from_value(&value) {
                    Ok(header) => self.audited.session = Session::of_header(&header),
                    Err(error) => self.damaged(number, error.to_string()),
                }
                return Ok(());
            }
        }
        match self.audited.ours {
            true => self.entry_of_ours(line, number, unended),
            false => self.foreign_entry(line, number, unended),
        }
    }

    fn entry_of_ours(&mut self, line: &[u8], number: u64, unended: bool) -> Result<(), AuditError> {
        if unended {
            let message = "the log ends within this line, which was never acknowledged".to_owned();
            self.damaged(number, message);
            return Ok(());
        }
        let parsed = serde_json::from_slice::<Place>(line)
            .and_then(|place| serde_json::from_slice::<Event>(line).map(|event| (place, event)));
        let (Place { seq, more }, event) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                // A line is a text of its own to the parser.
                let reason = error.to_string().replace(" at line 1 column ", ", at column ");
                self.damaged(number, format!("not an entry of a log: {reason}"));
                self.expected = self.expected.map(|expected| expected.saturating_add(1));
                // What the batch had is kept: its line is there, and only not to be read.
                self.more = self.more.saturating_sub(1);
                return if self.more == 0 { self.flush() } else { Ok(()) };
            }
        };
        if let Some(expected) = self.expected.filter(|expected| *expected != seq) {
            self.damaged(number, format!("entry {seq} stands where {expected} belongs"));
        }
        self.expected = Some(seq.saturating_add(1));
        self.batch.push((seq, number, entry::of_event(event, number)));
        self.batch_bytes += line.len() as u64;
        self.more = more;
        let too_large = self.batch_bytes > MAX_BATCH_BYTES;
        self.batch_begun = more > 0 && (self.batch_begun || too_large);
        if more == 0 || too_large { self.flush() } else { Ok(()) }
    }

    fn foreign_entry(&mut self, line: &[u8], number: u64, unended: bool) -> Result<(), AuditError> {
        let counted = self.next;
        self.next = counted.saturating_add(1);
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => {
                let Said { seq, operation, entry } = foreign::of_value(&value, number);
                let seq = seq.unwrap_or(counted);
                self.next = seq.saturating_add(1);
                match operation {
                    Operation::Append => {}
                    Operation::Replace(ranges) => {
                        self.audited.named += 1;
                        self.replaced(seq, number, &ranges);
                    }
                    Operation::Unnamed => self.audited.unnamed += 1,
                    Operation::Unclear(reason) => {
                        self.damaged(number, format!("what leaves the view cannot be read: {reason}"));
                    }
                }
                self.take(entry, seq, number)
            }
            Err(error) if unended && error.is_eof() => {
                self.damaged(number, "the log ends within this line".to_owned());
                Ok(())
            }
            Err(_) => self.take(Entry::Unknown, counted, number),
        }
    }

    fn flush(&mut self) -> Result<(), AuditError> {
        self.batch_bytes = 0;
        for (seq, line, entry) in std::mem::take(&mut self.batch) {
            self.take(entry, seq, line)?;
        }
        Ok(())
    }

    fn take(&mut self, entry: Entry, seq: u64, line: u64) -> Result<(), AuditError> {
        self.recognised += u64::from(!matches!(entry, Entry::Unknown));
        self.steps.see(&entry);
        match entry {
            Entry::Session(session) => {
                // The first that says it: later ones may be of children.
                if self.audited.session.class.is_none() {
                    self.audited.session = session;
                }
            }
            Entry::Instruction(instruction) => self.entered(&instruction, seq, line)?,
            Entry::System(text) => {
                let times = self.audited.system.as_ref().map_or(0, |system| system.times) + 1;
                self.audited.system = Some(System { text, line, times });
            }
            Entry::Replaced { first, last } => self.replaced(seq, line, &[(first, last)]),
            Entry::Malformed(reason) => {
                self.damaged(line, format!("the source of an instruction message cannot be read: {reason}"));
            }
            Entry::Unknown => {
                self.audited.unknown += 1;
                self.audited.first_unknown.get_or_insert(line);
            }
            Entry::StepStart | Entry::StepEnd | Entry::Heard | Entry::Said | Entry::Other => {}
        }
        Ok(())
    }

    fn entered(&mut self, instruction: &Instruction, seq: u64, line: u64) -> io::Result<()> {
        let step = self.steps.current();
        let repeat = self.state.enter(instruction, seq, step);
        let Instruction { source, blocks, .. } = instruction;
        let bytes = blocks.iter().map(|block| block.len() as u64).sum();
        let entered = Entered {
            step,
            line,
            injector: source.injector.as_str(),
            baseline: source.baseline,
            changes: &source.changes,
            blocks,
            bytes,
            repeat,
        };
        self.audited.tally.add(&entered);
        self.sink.entered(&entered)
    }

    fn replaced(&mut self, seq: u64, line: u64, ranges: &[(u64, u64)]) {
        if let Some((first, last)) = self.state.replaced(seq, ranges) {
            let message = format!("what leaves the view ends with {last}, which stands before {first}");
            self.damaged(line, message);
        }
    }

    fn damaged(&mut self, line: u64, message: String) {
        self.audited.damage_count += 1;
        if self.audited.damage.len() < NAMED {
            self.audited.damage.push(Damage { line, message });
        }
    }

    fn end(mut self, last: u64) -> Result<Audited, AuditError> {
        if !self.batch.is_empty() || self.more > 0 {
            let count = crate::text::count(self.batch.len(), "entry is", "entries are");
            let mut message = format!("the log ends within a batch, never acknowledged: {count} left out");
            if self.batch_begun {
                message.push_str(", and those before, too large to be held back, are counted");
            }
            self.damaged(last, message);
        }
        let mut audited = self.audited;
        if !audited.ours && self.recognised == 0 {
            return Err(AuditError::Log(match (audited.lines, audited.damage.first()) {
                (0, None) => "not a log: the file is empty".to_owned(),
                (0, Some(damage)) => format!("not a log: line {}: {}", damage.line, damage.message),
                (lines, _) => format!(
                    "not a session log: {}, and none is a session header, a step or a message",
                    crate::text::count(usize::try_from(lines).unwrap_or(usize::MAX), "line", "lines")
                ),
            }));
        }
        audited.steps = self.steps.count();
        audited.standing = self.state.standing();
        Ok(audited)
    }
}
