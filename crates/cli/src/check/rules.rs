//! Rules folders and imports, as a session at the root is told of them (F, M).

use std::path::Path;
use std::sync::Arc;

use standing_orders::config::Config;
use standing_orders::fs::FsProvider;
use standing_orders::inspect::path::lexical;
use standing_orders::plugin::{RulesFolders, SessionHeader};
use standing_orders::{Engine, Fate, ImportFault, Imports, Inactive, Problem, Settings};

use super::finding::{Code, Finding};
use crate::failure::Failure;

/// What is wrong with rules and imports that are configured; nothing where none are. Rules of folders below the
/// root are not among it: they are looked at when something there is touched.
pub(crate) async fn rules(
    fs: &Arc<dyn FsProvider>,
    config: &Config,
    settings: &Settings,
    root: &Path,
) -> Result<Vec<Finding>, Failure> {
    if config.rules.is_empty() && settings.imports != Imports::Expand {
        return Ok(Vec::new());
    }
    let mut settings = settings.clone();
    settings.policy.clear();
    let mut engine = Engine::builder(settings);
    for rules in &config.rules {
        let rules = RulesFolders::try_from(rules).map_err(|error| Failure::Input(error.to_string()))?;
        engine = engine.injector(rules);
    }
    let engine = engine.build().map_err(Failure::Engine)?;
    let cwd = lexical(root).map_err(|error| Failure::Input(error.to_string()))?;
    let setup = engine.session(SessionHeader::main("check", 0).with_cwd(cwd)).fs(Arc::clone(fs));
    let report = setup.compose(&[]).await.map_err(Failure::Open)?.report;
    let mut findings = Vec::new();
    for entry in report.entries() {
        let code = match &entry.fate {
            Fate::Inactive(Inactive::Head(_)) => Code::RuleHead,
            Fate::Inactive(Inactive::Never(_)) => Code::RuleNever,
            Fate::NotImported(ImportFault::Outside) => Code::ImportOutside,
            Fate::NotImported(ImportFault::TooDeep { .. }) => Code::ImportTooDeep,
            _ => continue,
        };
        let (path, place) = match code {
            // `TARGET (IMPORTER, line N)`: the finding is the importer's.
            Code::ImportOutside | Code::ImportTooDeep => importer_of(&entry.path),
            _ => (entry.path.as_str(), None),
        };
        let target = entry.path.split(" (").next().unwrap_or_default();
        let (subject, message) = match place {
            Some(_) => (target, format!("imports @{target}, which is {}", entry.fate)),
            None => ("", entry.fate.to_string()),
        };
        let finding = Finding::new(code, path.to_owned(), message).about(subject, 1);
        findings.push(place.map_or(finding.clone(), |line| finding.at(line, 1)));
    }
    for problem in report.problems() {
        let (code, path, subject, message) = match problem {
            Problem::RulePattern { path, pattern, why } => (
                Code::RuleDeadGlob,
                path,
                pattern.as_str(),
                format!("the pattern {pattern:?} is dropped: {why}"),
            ),
            Problem::RuleName { path, expected } => {
                let message = format!("not a rule, for its name does not end with `{expected}`");
                (Code::RuleWrongExtension, path, "", message)
            }
            _ => continue,
        };
        findings.push(Finding::new(code, path.clone(), message).about(subject, 1));
    }
    Ok(findings)
}

fn importer_of(shown: &str) -> (&str, Option<usize>) {
    let place = shown.rsplit_once(" (").and_then(|(_, place)| place.strip_suffix(')'));
    let Some((importer, line)) = place.and_then(|place| place.rsplit_once(", line ")) else {
        return (shown, None);
    };
    (importer, line.parse().ok())
}
