//! What came of a scenario.

use serde::Serialize;
use serde_json::{Value, json};
use standing_orders::{Action, Digest, InstructionMessage, Report, ReportEntry};

/// What came of a scenario: in the form of the conformance suite, with texts and reports beside.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioOutcome {
    /// One for each boundary.
    pub outcome: Vec<StepRecord>,
    /// What is in force at the end, sorted by path.
    pub visible: Vec<VisibleRecord>,
}

/// One boundary.
#[derive(Clone, Debug, Serialize)]
pub struct StepRecord {
    /// The index among the scenario's steps.
    pub step: usize,
    /// `enter` or `reject`.
    pub decision: &'static str,
    /// The step's messages.
    pub entered: Vec<MessageRecord>,
    /// What would have entered.
    pub due: Vec<MessageRecord>,
    /// What was considered and what became of it.
    pub report: Value,
}

/// One message.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MessageRecord {
    /// The claimed prompt.
    Prompt {
        /// Its text.
        text: String,
    },
    /// One of ours.
    Instructions {
        /// Whose.
        injector: String,
        /// A complete baseline.
        baseline: bool,
        /// What it did.
        changes: Vec<ChangeRecord>,
        /// Its blocks, a line end between two.
        text: String,
    },
}

/// One change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeRecord {
    /// What.
    pub action: Action,
    /// Of which file.
    pub path: String,
    /// Of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// One scope in force.
#[derive(Clone, Debug, Serialize)]
pub struct VisibleRecord {
    /// Its path.
    pub path: String,
    /// Of its content.
    pub digest: Digest,
}

impl MessageRecord {
    pub(super) fn of(message: &InstructionMessage) -> Self {
        let changes = message.source.changes.iter();
        Self::Instructions {
            injector: message.source.injector.to_string(),
            baseline: message.source.baseline,
            changes: changes
                .map(|change| ChangeRecord {
                    action: change.action,
                    path: change.path.clone(),
                    digest: change.digest,
                })
                .collect(),
            text: message.text(),
        }
    }
}

/// The report as JSON: counts, and a row a candidate.
pub(super) fn report(report: &Report) -> Value {
    let counts = report.counts();
    let row = |entry: ReportEntry<'_>| {
        json!({
            "injector": entry.injector.as_str(),
            "path": entry.path,
            "trigger": entry.trigger.to_string(),
            "fate": entry.fate.to_string(),
        })
    };
    json!({
        "probes": counts.probes,
        "reads": counts.reads,
        "bytes": counts.bytes,
        "round_trips": counts.round_trips,
        "candidates": report.entries().map(row).collect::<Vec<_>>(),
        "problems": report.problems().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
