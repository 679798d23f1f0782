//! For programs: version 1 of the shape that docs/check.md documents.

use serde_json::{Value, json};
use standing_orders::inspect::path::shown;

use super::{Checked, Counted};
use crate::check::finding::Finding;
use crate::check::gather::Start;
use crate::check::outcome::{Lost, Outcome};

/// Changes when a member goes, or means something else; new ones may come at any time.
const VERSION: u32 = 1;

pub(crate) fn json(checked: &Checked) -> String {
    let Checked { evaluator, scan, counted, exempt, known, since } = checked;
    let counted = counted.iter().map(|Counted { finding: found, was }| {
        let mut value = finding(found);
        if let (Some(was), Some(members)) = (was, value.as_object_mut()) {
            members.insert("was".to_owned(), (*was).into());
        }
        value
    });
    let exempt = exempt.iter().map(|(found, reason)| {
        let mut value = finding(found);
        if let Some(members) = value.as_object_mut() {
            members.insert("reason".to_owned(), reason.clone().into());
        }
        value
    });
    let value = json!({
        "version": VERSION,
        "root": shown(&evaluator.root).to_string(),
        "profiles": evaluator.profiles.iter().map(|profile| profile.name()).collect::<Vec<_>>(),
        "starts": scan.starts.iter().map(|start| self::start(checked, start)).collect::<Vec<_>>(),
        "findings": counted.collect::<Vec<_>>(),
        "exempt": exempt.collect::<Vec<_>>(),
        "known": known.iter().map(finding).collect::<Vec<_>>(),
        "since": since.as_ref().map(|(commit, changes)| json!({
            "commit": commit,
            "changes": changes.iter().map(|change| json!({
                "start": checked.shown(&change.start),
                "profile": change.profile.name(),
                "used_before": change.used.0,
                "used": change.used.1,
                "taken": change.taken.iter().map(|lost| self::lost(checked, lost)).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        })),
        "counts": {
            "directories": scan.walked.directories,
            "listings": scan.walked.listings,
            "entries": scan.walked.entries,
            "ignored_directories": scan.walked.ignored,
            "nested_repositories": scan.walked.nested,
            "instruction_files": scan.files,
            "starts": scan.starts.len(),
            "probes": scan.asked.probes,
            "reads": scan.asked.reads,
            "bytes": scan.asked.bytes,
        },
    });
    format!("{value:#}\n")
}

fn start(checked: &Checked, start: &Start) -> Value {
    let profiles = checked.evaluator.profiles.iter().zip(&start.outcomes);
    let outcomes: serde_json::Map<String, Value> =
        profiles.map(|(profile, found)| (profile.name().to_owned(), outcome(checked, found))).collect();
    json!({
        "path": checked.shown(&start.path),
        "directories": start.directories,
        "profiles": outcomes,
    })
}

fn outcome(checked: &Checked, outcome: &Outcome) -> Value {
    json!({
        "used": outcome.used,
        "limit": outcome.limit,
        "kept": outcome.kept.iter().map(|kept| json!({
            "path": checked.shown(&kept.path),
            "bytes": kept.bytes,
        })).collect::<Vec<_>>(),
        "lost": outcome.lost.iter().map(|lost| self::lost(checked, lost)).collect::<Vec<_>>(),
    })
}

fn lost(checked: &Checked, lost: &Lost) -> Value {
    let lines = (lost.lines.0 > 0).then_some(lost.lines);
    json!({
        "path": checked.shown(&lost.path),
        "from": lost.from,
        "to": lost.to,
        "first_line": lines.map(|lines| lines.0),
        "last_line": lines.map(|lines| lines.1),
        "headings": lost.headings.iter().map(|heading| json!({
            "line": heading.line,
            "text": heading.text,
        })).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code.name(),
        "severity": finding.code.severity().name(),
        "profile": finding.profile.map(|profile| profile.name()),
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "subject": finding.subject,
        "measure": finding.measure,
        "message": finding.message,
    })
}
