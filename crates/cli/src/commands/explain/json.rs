//! The explanation for programs: version 1 of the shape that crates/cli/README.md documents.

use serde::Serialize;
use serde_json::Value;
use standing_orders::inspect::RootReason;
use standing_orders::inspect::path::shown;
use standing_orders::{Fate, InstructionMessage};

use super::Explanation;
use super::words;
use crate::configuration::ConfigFile;
use crate::notes::Note;
use crate::rows::Row;

/// Changes when a member goes, or means something else; new ones may come at any time.
const VERSION: u32 = 1;

/// Bytes that a candidate mostly takes, and that all else does.
const CANDIDATE: usize = 400;
const REST: usize = 4096;

/// The whole. Members stand in the order of their names, here and below.
#[derive(Serialize)]
struct Whole<'e> {
    candidates: Vec<Candidate<'e>>,
    configuration: Used<'e>,
    counts: Cost,
    home: Option<HomeDir<'e>>,
    messages: Vec<Message<'e>>,
    notes: Vec<Value>,
    problems: Vec<String>,
    root: Option<ProjectRoot<'e>>,
    session: Session<'e>,
    version: u32,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Candidate<'e> {
    broken_link: bool,
    dir: &'e str,
    fate: FateOf<'e>,
    injector: &'e str,
    looked: String,
    notes: Vec<Value>,
    path: &'e str,
    size: Option<u64>,
    user_global: bool,
}

#[derive(Default, Serialize)]
struct FateOf<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cap: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
}

#[derive(Serialize)]
struct Used<'e> {
    file: Option<String>,
    given: bool,
    /// A value, for its members to be in the order of their names.
    values: Value,
    variables: &'e [String],
}

#[derive(Serialize)]
struct Cost {
    bytes: u64,
    probes: usize,
    reads: usize,
    round_trips: usize,
}

#[derive(Serialize)]
struct HomeDir<'e> {
    path: String,
    shown: &'e str,
}

#[derive(Serialize)]
struct Message<'e> {
    baseline: bool,
    blocks: Vec<Block>,
    injector: &'e str,
}

#[derive(Serialize)]
struct Block {
    bytes: usize,
}

#[derive(Serialize)]
struct ProjectRoot<'e> {
    marker: Option<&'e str>,
    message: String,
    outer: Option<String>,
    path: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct Session<'e> {
    agent: Option<&'e str>,
    class: &'static str,
    cwd: String,
    depth: u32,
    mode: Option<&'e str>,
    touched: Vec<String>,
}

pub(super) fn of(explanation: &Explanation) -> Result<Vec<u8>, serde_json::Error> {
    let Explanation { subject, composition, rows, notes } = explanation;
    let report = &composition.report;
    let path = |path: &std::path::Path| shown(path).to_string();
    let counts = report.counts();
    let class = subject.header.class();
    let whole = Whole {
        candidates: rows.iter().map(candidate).collect(),
        configuration: Used {
            file: subject.configuration.file.path().map(path),
            given: matches!(subject.configuration.file, ConfigFile::Given(_)),
            values: serde_json::to_value(&subject.configuration.config)?,
            variables: &subject.configuration.variables,
        },
        counts: Cost {
            bytes: counts.bytes,
            probes: counts.probes,
            reads: counts.reads,
            round_trips: counts.round_trips,
        },
        home: subject.home.as_ref().map(|home| HomeDir { path: path(&home.dir), shown: &home.shown }),
        messages: composition.parts.iter().map(message).collect(),
        notes: notes.iter().map(Note::to_value).collect(),
        problems: report.problems().iter().map(ToString::to_string).collect(),
        root: report.root().map(|root| ProjectRoot {
            marker: match root.reason {
                Some(RootReason::Marker(marker)) => Some(marker.as_str()),
                _ => None,
            },
            message: words::root(root, &subject.configuration.config.project_root_markers),
            outer: root.outer.map(path),
            path: path(root.path),
            reason: words::root_kind(root),
        }),
        session: Session {
            agent: subject.header.agent_preset(),
            class: if class.is_main() { "main" } else { "subagent" },
            cwd: path(&subject.start),
            depth: class.depth(),
            mode: subject.mode.as_deref(),
            touched: subject.touched.iter().map(|touched| path(touched)).collect(),
        },
        version: VERSION,
        warnings: subject.ignored(),
    };
    let mut text = Vec::with_capacity(whole.candidates.len().saturating_mul(CANDIDATE) + REST);
    serde_json::to_writer_pretty(&mut text, &whole)?;
    text.push(b'\n');
    Ok(text)
}

fn message(part: &InstructionMessage) -> Message<'_> {
    Message {
        baseline: part.source.baseline,
        blocks: part.blocks.iter().map(|block| Block { bytes: block.len() }).collect(),
        injector: part.injector().as_str(),
    }
}

fn candidate(row: &Row) -> Candidate<'_> {
    Candidate {
        broken_link: row.broken_link,
        dir: &row.dir,
        fate: fate(&row.fate),
        injector: &row.injector,
        looked: row.trigger.to_string(),
        notes: row.notes.iter().map(Note::to_value).collect(),
        path: &row.path,
        size: row.size,
        user_global: row.user_global,
    }
}

fn fate(fate: &Fate) -> FateOf<'_> {
    let of = FateOf { kind: words::fate_kind(fate), message: fate.to_string(), ..FateOf::default() };
    match fate {
        Fate::ShadowedBy(path) | Fate::DuplicateOf(path) | Fate::SameFileAs(path) => {
            FateOf { by: Some(path), ..of }
        }
        Fate::Set { bytes } | Fate::Replaced { bytes } => FateOf { bytes: Some(*bytes), ..of },
        Fate::Truncated { from, to } => FateOf { from: Some(*from), to: Some(*to), ..of },
        Fate::TooLarge { len, cap } => FateOf { bytes: Some(*len), cap: Some(*cap), ..of },
        _ => of,
    }
}
