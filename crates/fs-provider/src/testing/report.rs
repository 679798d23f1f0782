//! What the suite found.

use std::fmt;

use super::case::{Outcome, Stop};

/// Every law of the suite, with its outcome. `Display` is one line a law, violations first; `Debug` is the same,
/// so that an `unwrap` in a test shows it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Report {
    passed: Vec<&'static str>,
    skipped: Vec<(&'static str, String)>,
    violated: Vec<(&'static str, String)>,
}

impl Report {
    /// The laws that hold; each starts with its rule.
    pub fn passed(&self) -> &[&'static str] {
        &self.passed
    }

    /// The laws that were not checked, with the reason.
    pub fn skipped(&self) -> &[(&'static str, String)] {
        &self.skipped
    }

    /// The laws that are violated, with what was found.
    pub fn violated(&self) -> &[(&'static str, String)] {
        &self.violated
    }

    pub(super) fn push(&mut self, law: &'static str, outcome: Outcome) {
        match outcome {
            Ok(()) => self.passed.push(law),
            Err(Stop::Skipped(why)) => self.skipped.push((law, why)),
            Err(Stop::Violated(found)) => self.violated.push((law, found)),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (law, found) in &self.violated {
            writeln!(f, "VIOLATED {law}\n         {found}")?;
        }
        for (law, why) in &self.skipped {
            writeln!(f, "skipped  {law} ({why})")?;
        }
        self.passed.iter().try_for_each(|law| writeln!(f, "passed   {law}"))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Report {}
