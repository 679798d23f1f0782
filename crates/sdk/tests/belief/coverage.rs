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
const LEAST: [(&str, usize); 31] = [
    ("a baseline after something was believed", 15),
    ("a baseline beside nested files that stay", 7),
    ("a compaction", 40),
    ("a compaction of everything", 20),
    ("a compaction that kept a tail", 12),
    ("a file with two names", 9),
    ("a gated file is believed", 15),
    ("a gated file is revoked", 2),
    ("a gated file under another name", 5),
    ("a kept tail with a file of the chain", 5),
    ("a kept tail with a nested file", 6),
    ("a nested file is believed", 40),
    ("a rejected step", 15),
    ("a removal", 15),
    ("a restart", 35),
    ("a restart elsewhere", 8),
    ("a revoked text counts again", 2),
    ("a rewind", 20),
    ("a step over faults", 25),
    ("a step that another overtook", 20),
    ("a step that another overtook and that was appended", 9),
    ("a touch while a step was prepared", 35),
    ("an append was repeated", 12),
    ("an earlier text counts again", 1),
    ("an unreadable file that stands", 3),
    ("an unreadable folder to be looked at again", 2),
    ("an update", 12),
    ("another name in a folder", 8),
    ("copies of one message left the view", 10),
    ("two writers", 50),
    ("two writers appended one message", 7),
];
/// Besides, where budgets bind.
const LEAST_WITHIN_BUDGETS: [(&str, usize); 2] = [("left out", 3), ("a file that was cut", 7)];

impl Coverage {
    pub(super) fn add(&mut self, seen: &Seen) {
        self.runs += 1;
        seen.0.iter().for_each(|situation| *self.reached.entry(situation).or_default() += 1);
    }

    /// The situations that too few runs reached.
    pub(super) fn lacking(&self, budgets: bool) -> Vec<String> {
        let least = LEAST.iter().chain(LEAST_WITHIN_BUDGETS.iter().filter(|_| budgets));
        let runs = |situation: &str| self.reached.get(situation).copied().unwrap_or(0);
        least
            .filter(|(situation, least)| 100 * runs(situation) < least * self.runs)
            .map(|(situation, least)| {
                format!("{situation}: {} of {} runs, not {least} %", runs(situation), self.runs)
            })
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
