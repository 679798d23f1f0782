//! A ratchet: what is known already may stay, and only worse counts.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use standing_orders::inspect::path::shown;

use super::finding::{Code, Finding};
use super::profile::Profile;
use super::scope::Scope;
use crate::failure::Failure;
use crate::input;

/// The shape that is read and written.
const VERSION: u32 = 1;

/// The most bytes that are read of one: some hundred thousand findings.
const MAX_BYTES: u64 = 64 << 20;

/// What a finding is recognised by.
type Key = (Code, Option<Profile>, String, String);

/// The findings that a team has accepted for now.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    known: BTreeMap<Key, u64>,
    /// Those by whose rules entries without a profile were found.
    profiles: BTreeSet<Profile>,
}

/// What was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// Findings of this run.
    pub(crate) findings: usize,
    /// Entries that this run does not look at, and that stay.
    pub(crate) kept: usize,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    #[serde(default)]
    profiles: Vec<String>,
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
        let text = input::read_text(path, MAX_BYTES)
            .map_err(|error| Failure::Path { path: path.to_path_buf(), error })?;
        Self::parse(&text).map_err(|reason| Failure::Input(format!("{}: no baseline: {reason}", shown(path))))
    }

    /// Reads the one that is to be written anew; none is there at first.
    pub(crate) fn read_if_there(path: &Path) -> Result<Self, Failure> {
        match Self::read(path) {
            Err(Failure::Path { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            other => other,
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if document.version != VERSION {
            return Err(format!("version {}, where this program writes {VERSION}", document.version));
        }
        let unknown = |what: &str, name: &str| format!("there is no {what} {name:?}");
        let profile = |name: &String| Profile::named(name).ok_or_else(|| unknown("profile", name));
        let mut known = BTreeMap::new();
        let mut profiles: BTreeSet<Profile> =
            document.profiles.iter().map(profile).collect::<Result<_, _>>()?;
        for entry in document.findings {
            let code = Code::named(&entry.code).ok_or_else(|| unknown("code", &entry.code))?;
            let profile = entry.profile.as_ref().map(profile).transpose()?;
            profiles.extend(profile);
            known.insert((code, profile, entry.path, entry.subject), entry.measure);
        }
        if profiles.is_empty() {
            profiles.insert(Profile::Ours);
        }
        Ok(Self { known, profiles })
    }

    /// Writes these findings as the ones that may stay, with the entries of this baseline that the run
    /// did not look at.
    pub(crate) fn write<'f>(
        &self,
        path: &Path,
        findings: impl Iterator<Item = &'f Finding>,
        scope: &Scope,
    ) -> Result<Written, Failure> {
        let stays = self.known.iter().filter(|(key, _)| !self.is_of(key, scope));
        let mut entries: BTreeMap<Key, u64> = stays.map(|(key, measure)| (key.clone(), *measure)).collect();
        let mut profiles: BTreeSet<Profile> = scope.profiles().iter().copied().collect();
        if !entries.is_empty() {
            profiles.extend(&self.profiles);
        }
        let mut written = Written { findings: 0, kept: entries.len() };
        for finding in findings {
            written.findings += 1;
            // Of what is only looked at in part, the whole may be worse.
            let before = entries.get(&key(finding)).copied();
            written.kept -= usize::from(before.is_some());
            entries.insert(key(finding), before.unwrap_or(0).max(finding.measure));
        }
        let entry = |((code, profile, path, subject), measure): (Key, u64)| Entry {
            code: code.name().to_owned(),
            profile: profile.map(|profile| profile.name().to_owned()),
            path,
            subject,
            measure,
        };
        let mut findings: Vec<Entry> = entries.into_iter().map(entry).collect();
        findings.sort_by(|a, b| {
            (&a.path, &a.code, &a.profile, &a.subject).cmp(&(&b.path, &b.code, &b.profile, &b.subject))
        });
        let profiles = profiles.iter().map(|profile| profile.name().to_owned()).collect();
        let document = Document { version: VERSION, profiles, findings };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| Failure::Input(format!("the baseline cannot be written: {error}")))?;
        std::fs::write(path, text + "\n")
            .map_err(|error| Failure::Path { path: path.to_path_buf(), error })?;
        Ok(written)
    }

    /// Whether the finding is known and no worse than it was.
    pub(crate) fn has(&self, finding: &Finding) -> bool {
        self.measure(finding).is_some_and(|known| finding.measure <= known)
    }

    /// How bad it was.
    pub(crate) fn measure(&self, finding: &Finding) -> Option<u64> {
        self.known.get(&key(finding)).copied()
    }

    /// How many of its entries are better now, or gone, as far as the run looks at them.
    pub(crate) fn improved(&self, findings: &[Finding], scope: &Scope) -> usize {
        let still: BTreeMap<Key, u64> =
            findings.iter().map(|finding| (key(finding), finding.measure)).collect();
        let judged = self.known.iter().filter(|(key, _)| self.is_of(key, scope));
        judged.filter(|(key, known)| still.get(*key).is_none_or(|measure| measure < known)).count()
    }

    /// Whether the run finds what this entry is about, if it is still there.
    fn is_of(&self, (code, profile, path, subject): &Key, scope: &Scope) -> bool {
        let profiles = match profile {
            Some(profile) => scope.has(*profile),
            None => self.profiles.iter().all(|profile| scope.has(*profile)),
        };
        profiles && scope.holds(path) && (*code != Code::NearBudget || scope.holds(subject))
    }
}

fn key(finding: &Finding) -> Key {
    let (code, profile, path, subject) = finding.key();
    (code, profile, path.to_owned(), subject.to_owned())
}
