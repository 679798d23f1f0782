//! A ratchet: what is known already may stay, and only worse counts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finding::{Code, Finding};
use super::profile::Profile;
use crate::failure::Failure;

/// The shape that is read and written.
const VERSION: u32 = 1;

/// The findings that a team has accepted for now.
#[derive(Debug)]
pub(crate) struct Baseline {
    known: BTreeMap<(Code, Option<Profile>, String, String), u64>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    findings: Vec<Entry>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    subject: String,
    measure: u64,
}

impl Baseline {
    /// Reads it.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Path { path: path.to_path_buf(), error })?;
        let fault = |reason: String| Failure::Input(format!("{path:?} is no baseline: {reason}"));
        let document: Document = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        if document.version != VERSION {
            return Err(fault(format!("version {}, where this program writes {VERSION}", document.version)));
        }
        let mut known = BTreeMap::new();
        for entry in document.findings {
            let unknown = |what: &str, name: &str| fault(format!("there is no {what} {name:?}"));
            let code = Code::named(&entry.code).ok_or_else(|| unknown("code", &entry.code))?;
            let profile = match &entry.profile {
                None => None,
                Some(name) => Some(Profile::named(name).ok_or_else(|| unknown("profile", name))?),
            };
            known.insert((code, profile, entry.path, entry.subject), entry.measure);
        }
        Ok(Self { known })
    }

    /// Writes these findings as the ones that may stay.
    pub(crate) fn write<'f>(path: &Path, findings: impl Iterator<Item = &'f Finding>) -> Result<(), Failure> {
        let entry = |finding: &Finding| Entry {
            code: finding.code.name().to_owned(),
            profile: finding.profile.map(|profile| profile.name().to_owned()),
            path: finding.path.clone(),
            subject: finding.subject.clone(),
            measure: finding.measure,
        };
        let mut findings: Vec<Entry> = findings.map(entry).collect();
        findings.sort_by(|a, b| {
            (&a.path, &a.code, &a.profile, &a.subject).cmp(&(&b.path, &b.code, &b.profile, &b.subject))
        });
        let document = Document { version: VERSION, findings };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| Failure::Input(format!("the baseline cannot be written: {error}")))?;
        std::fs::write(path, text + "\n").map_err(|error| Failure::Path { path: path.to_path_buf(), error })
    }

    /// Whether the finding is known and no worse than it was.
    pub(crate) fn has(&self, finding: &Finding) -> bool {
        self.measure(finding).is_some_and(|known| finding.measure <= known)
    }

    /// How bad it was.
    pub(crate) fn measure(&self, finding: &Finding) -> Option<u64> {
        let (code, profile, path, subject) = finding.key();
        self.known.get(&(code, profile, path.to_owned(), subject.to_owned())).copied()
    }

    /// How many of its entries are better now, or gone.
    pub(crate) fn improved(&self, findings: &[Finding]) -> usize {
        let still = findings
            .iter()
            .filter(|finding| self.measure(finding).is_some_and(|known| finding.measure >= known));
        self.known.len().saturating_sub(still.count())
    }
}
