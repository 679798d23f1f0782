//! Which situations the runs reach, so that the test cannot pass emptily.

use std::collections::{BTreeMap, BTreeSet};

/// The situations of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(BTreeSet<&'static str>);

impl Seen {
    pub(super) fn note(&mut self, situation: &'static str, reached: bool) {
        if reached {
            self.0.insert(situation);
        }
    }
}

/// How many runs reached each situation.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    pub(super) runs: usize,
    reached: BTreeMap<&'static str, usize>,
}

/// Each situation, and the share of runs, in hundredths, that must reach it.
const LEAST: [(&str, usize); 1] = [("an entered step", 90)];

impl Coverage {
    pub(super) fn add(&mut self, seen: &Seen) {
        self.runs += 1;
        seen.0.iter().for_each(|situation| *self.reached.entry(situation).or_default() += 1);
    }

    /// The situations that too few runs reached.
    pub(super) fn lacking(&self) -> Vec<String> {
        let share = |situation| 100 * self.reached.get(situation).copied().unwrap_or(0);
        LEAST
            .iter()
            .filter(|(situation, least)| share(situation) < least * self.runs)
            .map(|(situation, least)| format!("{situation}: {} of {} hundredths", share(situation), least * self.runs))
            .collect()
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (situation, runs) in &self.reached {
            writeln!(f, "{:>6.1} % {situation}", 100.0 * *runs as f64 / self.runs as f64)?;
        }
        Ok(())
    }
}
