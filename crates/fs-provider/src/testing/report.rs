//! What the suite found.

use std::fmt;

use super::case::{Outcome, Stop};

/// Every law of the suite, with its outcome. `Display` is one line a law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    passed: Vec<&'static str>,
    skipped: Vec<(&'static str, String)>,
    violated: Vec<(&'static str, String)>,
}

/// At least one law is violated. `Display` and `Debug` are the report, violations first, so that
/// an `unwrap` in a test shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Violations(Report);

impl Report {
    /// The laws that hold; each starts with its rule.
    pub fn passed(&self) -> &[&'static str] {
        &self.passed
    }

    /// The laws that were not checked, with the reason.
    pub fn skipped(&self) -> &[(&'static str, String)] {
        &self.skipped
    }

    pub(super) fn push(&mut self, law: &'static str, outcome: Outcome) {
        match outcome {
            Ok(()) => self.passed.push(law),
            Err(Stop::Skipped(why)) => self.skipped.push((law, why)),
            Err(Stop::Violated(found)) => self.violated.push((law, found)),
        }
    }

    pub(super) fn finish(self) -> Result<Self, Violations> {
        if self.violated.is_empty() { Ok(self) } else { Err(Violations(self)) }
    }
}

impl Violations {
    /// The laws that are violated, with what was found.
    pub fn violated(&self) -> &[(&'static str, String)] {
        &self.0.violated
    }

    /// The whole report.
    pub fn report(&self) -> &Report {
        &self.0
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
        for law in &self.passed {
            writeln!(f, "passed   {law}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the provider does not conform:")?;
        self.0.fmt(f)
    }
}

impl fmt::Debug for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Violations {}
