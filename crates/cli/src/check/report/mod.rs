//! What a check found, written for people and for programs.

mod json;
mod markdown;
mod page;
mod sarif;

pub(crate) use json::json;
pub(crate) use markdown::markdown;
pub(crate) use page::page;
pub(crate) use sarif::sarif;

use std::path::Path;

use standing_orders::inspect::path::{shown, shown_in};

use super::evaluate::Evaluator;
use super::finding::Finding;
use super::scan::Scan;
use super::since::Change;
use crate::text::{count, number};

/// All there is to say.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) evaluator: Evaluator,
    pub(crate) scan: Scan,
    /// Findings that count.
    pub(crate) counted: Vec<Counted>,
    /// Findings that are exempt, with the reason.
    pub(crate) exempt: Vec<(Finding, String)>,
    /// Findings that the baseline has, no worse.
    pub(crate) known: Vec<Finding>,
    /// With `--since`: the name of the commit, and what it takes.
    pub(crate) since: Option<(String, Vec<Change>)>,
}

/// A finding that counts.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) finding: Finding,
    /// What the baseline has, when this is worse.
    pub(crate) was: Option<u64>,
}

impl Checked {
    /// How many findings count, are known, are exempt.
    pub(crate) fn tally(&self) -> String {
        let mut text = match self.counted.len() {
            0 => "no findings".to_owned(),
            findings => count(findings, "finding", "findings"),
        };
        for (findings, what) in [(self.known.len(), "known"), (self.exempt.len(), "exempt")] {
            if findings > 0 {
                text.push_str(&format!(", {} {what}", number(findings as u64)));
            }
        }
        text
    }

    /// A path as findings have it.
    fn shown(&self, path: &Path) -> String {
        let home = self.evaluator.home.as_ref();
        let below = home.and_then(|home| Some((home, shown_in(&home.dir, path)?)));
        match below {
            Some((home, below)) => format!("{}/{below}", home.shown),
            None => shown_in(&self.evaluator.root, path).unwrap_or_else(|| shown(path)).to_string(),
        }
    }
}

/// `message`, with what the baseline has.
fn message(counted: &Counted) -> String {
    let Counted { finding, was } = counted;
    match was {
        Some(was) => format!(
            "{} (worse than the baseline: {} to {} {})",
            finding.message,
            number(*was),
            number(finding.measure),
            finding.code.unit(),
        ),
        None => finding.message.clone(),
    }
}
