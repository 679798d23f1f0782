//! Progress of a long walk, on a terminal.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::{count, number};

/// From when on a walk is long.
const LONG: Duration = Duration::from_millis(500);

/// How many directories pass between two looks at the clock.
const STEP: u64 = 256;

/// A line on standard error while a walk takes long, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::default_spinner());
            bar
        });
        Self { started: Instant::now(), bar }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// So far so many directories, and starting points that differ.
    pub(super) fn at(&self, directories: u64, starts: usize) {
        let Some(bar) = &self.bar else { return };
        if directories.is_multiple_of(STEP) && self.elapsed() > LONG {
            let starts = count(starts, "starting point differs", "starting points differ");
            bar.set_message(format!("{} directories, {starts}", number(directories)));
            bar.tick();
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
