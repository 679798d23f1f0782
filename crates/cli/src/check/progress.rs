//! Progress of a long walk, on a terminal.

use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::text::{count, number, pad, width};

/// From when on a walk is long.
const LONG: Duration = Duration::from_millis(500);

/// How long a line stands at least.
const STANDS: Duration = Duration::from_millis(100);

/// How many directories pass between two looks at the clock.
const STEP: u64 = 256;

/// A line on standard error while a walk takes long, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    /// Columns of the terminal, if there is one.
    columns: Option<usize>,
    /// What stands there, in columns, and since when.
    line: Cell<Option<(usize, Instant)>>,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let stderr = std::io::stderr();
        let terminal = (!quiet && stderr.is_terminal()).then(|| terminal_size::terminal_size_of(&stderr));
        let columns = terminal.flatten().map(|(width, _)| usize::from(width.0));
        Self { started: Instant::now(), columns, line: Cell::new(None) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// So far so many directories, and starting points that differ.
    pub(super) fn at(&self, directories: u64, starts: usize) {
        let Some(columns) = self.columns else { return };
        let stands = |(_, since): (usize, Instant)| since.elapsed() < STANDS;
        if !directories.is_multiple_of(STEP) || self.elapsed() <= LONG || self.line.get().is_some_and(stands)
        {
            return;
        }
        let starts = count(starts, "starting point differs", "starting points differ");
        let text = format!("{} directories, {starts}", number(directories));
        // What wraps cannot be written over.
        if width(&text) < columns {
            self.write(&text);
            self.line.set(Some((width(&text), Instant::now())));
        }
    }

    pub(crate) fn clear(&self) {
        if self.line.get().is_some() {
            self.write("");
            self.line.set(None);
        }
    }

    /// Over what stands there, and back to the first column. Progress that cannot be shown is no reason
    /// to give up.
    fn write(&self, text: &str) {
        let stood = self.line.get().map_or(0, |(columns, _)| columns);
        let mut stderr = std::io::stderr().lock();
        let _ = write!(stderr, "{text}{}\r", pad(text, stood)).and_then(|()| stderr.flush());
    }
}
