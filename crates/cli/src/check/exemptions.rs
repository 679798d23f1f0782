//! Findings that a team does not want to hear of, each with its reason.

use std::cell::Cell;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::finding::{Code, Finding};
use super::profile::Profile;
use super::scope::Scope;
use crate::failure::Failure;

/// The exemptions of a file.
#[derive(Debug, Default)]
pub(crate) struct Exemptions {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    path: String,
    glob: GlobMatcher,
    code: Code,
    profile: Option<Profile>,
    reason: String,
    used: Cell<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    exempt: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    code: String,
    profile: Option<String>,
    reason: String,
}

impl Exemptions {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Path { path: path.to_path_buf(), error })?;
        let fault = |reason: String| Failure::Input(format!("{path:?}: {reason}"));
        let document: Document = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        let mut rules = Vec::with_capacity(document.exempt.len());
        for (entry, number) in document.exempt.into_iter().zip(1..) {
            let fault = |reason: String| fault(format!("exemption {number}: {reason}"));
            if entry.reason.trim().is_empty() {
                return Err(fault("`reason` is blank: say why".to_owned()));
            }
            let code = Code::named(&entry.code).ok_or_else(|| {
                let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
                fault(format!("there is no code {:?}: one of {}", entry.code, codes.join(", ")))
            })?;
            let profile = match &entry.profile {
                None => None,
                Some(name) => Some(Profile::named(name).ok_or_else(|| {
                    fault(format!("there is no profile {name:?}: one of ours, codex, claude"))
                })?),
            };
            let glob = GlobBuilder::new(&entry.path).literal_separator(true).build();
            let glob = glob.map_err(|error| fault(format!("`path`: {}", error.kind())))?;
            let glob = glob.compile_matcher();
            let used = Cell::new(false);
            rules.push(Rule { path: entry.path, glob, code, profile, reason: entry.reason, used });
        }
        Ok(Self { rules })
    }

    /// Why the finding does not count, if it does not.
    pub(crate) fn reason(&self, finding: &Finding) -> Option<&str> {
        let holds = |rule: &&Rule| {
            let of_profile = rule.profile.is_none() || rule.profile == finding.profile;
            rule.code == finding.code && of_profile && rule.glob.is_match(&finding.path)
        };
        let rule = self.rules.iter().find(holds)?;
        rule.used.set(true);
        Some(&rule.reason)
    }

    /// Those that no finding needed, as path and code, as far as the run would find one.
    pub(crate) fn unused<'e>(&'e self, scope: &'e Scope) -> impl Iterator<Item = (&'e str, Code)> {
        let judged = |rule: &&Rule| {
            let of_profile = rule.profile.is_none_or(|profile| scope.has(profile));
            of_profile && scope.holds_all(&rule.path, rule.code, |path| rule.glob.is_match(path))
        };
        let unused = self.rules.iter().filter(|rule| !rule.used.get()).filter(judged);
        unused.map(|rule| (rule.path.as_str(), rule.code))
    }
}
