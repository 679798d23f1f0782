//! The explanation for programs: version 1 of the shape that crates/cli/README.md documents.

use serde_json::{Map, Value, json};
use standing_orders::Fate;
use standing_orders::discovery::RootReason;
use standing_orders::discovery::notes::Note;
use standing_orders::discovery::path::shown;

use super::Explanation;
use super::rows::Row;
use super::words;
use crate::configuration::ConfigFile;

/// Changes when a member goes, or means something else; new ones may come at any time.
const VERSION: u32 = 1;

pub(super) fn of(explanation: &Explanation) -> String {
    let Explanation { subject, composition, rows, outer } = explanation;
    let report = &composition.report;
    let path = |path: &std::path::Path| shown(path).to_string();
    let root = report.root().map(|root| {
        json!({
            "path": path(root.path),
            "reason": words::root_kind(root),
            "marker": match &root.reason {
                Some(RootReason::Marker(marker)) => Some(marker.as_str()),
                _ => None,
            },
            "message": words::root(root, &subject.configuration.config.project_root_markers),
            "outer": root.outer.map(path),
        })
    });
    let home = subject.home.as_ref().map(|home| json!({ "path": path(&home.dir), "shown": home.shown }));
    let counts = report.counts();
    let messages = composition.parts.iter().map(|part| {
        json!({
            "injector": part.injector().as_str(),
            "baseline": part.source.baseline,
            "blocks": part.blocks.iter().map(|block| json!({ "bytes": block.len() })).collect::<Vec<_>>(),
        })
    });
    let class = subject.header.class();
    let value = json!({
        "version": VERSION,
        "session": {
            "cwd": path(&subject.start),
            "class": if class.is_main() { "main" } else { "subagent" },
            "depth": class.depth(),
            "agent": subject.header.agent_preset(),
            "mode": subject.mode,
            "touched": subject.touched.iter().map(|touched| path(touched)).collect::<Vec<_>>(),
        },
        "root": root,
        "home": home,
        "configuration": {
            "file": subject.configuration.file.path().map(path),
            "given": matches!(subject.configuration.file, ConfigFile::Given(_)),
            "variables": subject.configuration.variables,
            "values": serde_json::to_value(&subject.configuration.config).unwrap_or(Value::Null),
        },
        "messages": messages.collect::<Vec<_>>(),
        "candidates": rows.iter().map(candidate).collect::<Vec<_>>(),
        "notes": outer.iter().map(note).collect::<Vec<_>>(),
        "warnings": subject.ignored(),
        "problems": report.problems().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "counts": {
            "probes": counts.probes,
            "reads": counts.reads,
            "bytes": counts.bytes,
            "round_trips": counts.round_trips,
        },
    });
    format!("{value:#}\n")
}

fn candidate(row: &Row) -> Value {
    json!({
        "injector": row.injector,
        "path": row.path,
        "dir": row.dir,
        "user_global": row.user_global,
        "looked": row.looked.to_string(),
        "fate": fate(&row.fate),
        "broken_link": row.broken_link,
        "size": row.size,
        "notes": row.notes.iter().map(note).collect::<Vec<_>>(),
    })
}

fn fate(fate: &Fate) -> Value {
    let mut members = Map::new();
    members.insert("kind".to_owned(), words::fate_kind(fate).into());
    members.insert("message".to_owned(), fate.to_string().into());
    match fate {
        Fate::ShadowedBy(path) | Fate::DuplicateOf(path) | Fate::SameFileAs(path) => {
            members.insert("by".to_owned(), path.clone().into());
        }
        Fate::Set { bytes } | Fate::Replaced { bytes } => {
            members.insert("bytes".to_owned(), (*bytes).into());
        }
        Fate::Truncated { from, to } => {
            members.insert("from".to_owned(), (*from).into());
            members.insert("to".to_owned(), (*to).into());
        }
        Fate::TooLarge { len, cap } => {
            members.insert("bytes".to_owned(), (*len).into());
            members.insert("cap".to_owned(), (*cap).into());
        }
        _ => {}
    }
    Value::Object(members)
}

fn note(note: &Note) -> Value {
    let message = words::note(note);
    match note {
        Note::Import { line, target } => {
            json!({ "kind": "import", "message": message, "line": line, "target": target })
        }
        Note::Pointer { to } => json!({ "kind": "pointer", "message": message, "to": to }),
        Note::Invisible { character, line, column, count } => json!({
            "kind": "invisible",
            "message": message,
            "character": format!("U+{:04X}", u32::from(*character)),
            "line": line,
            "column": column,
            "count": count,
        }),
        Note::Replaced(replaced) => json!({
            "kind": "replaced",
            "message": message,
            "count": replaced.count,
            "first": replaced.first,
        }),
        Note::HidesOuter { outer, files, failed } => json!({
            "kind": "hides_outer",
            "message": message,
            "outer": shown(outer).to_string(),
            "files": files.iter().map(|file| shown(file).to_string()).collect::<Vec<_>>(),
            "failed": failed.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        _ => json!({ "kind": "other", "message": message }),
    }
}
