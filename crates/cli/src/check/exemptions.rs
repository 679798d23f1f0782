//! Findings that a team does not want to hear of, each with its reason.

use std::cell::Cell;
use std::ops::Range;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::finding::{Code, Finding};
use super::gather::one_line;
use super::profile::Profile;
use super::scope::Scope;
use crate::failure::{Failure, Fault};
use crate::input;

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

/// The most bytes that are read: such a file is written by hand.
const MAX_BYTES: u64 = 1 << 20;

/// The keys of an entry.
const KEYS: [&str; 4] = ["path", "code", "profile", "reason"];

impl Exemptions {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = input::read_text(path, MAX_BYTES)
            .map_err(|error| Failure::Path { path: path.to_path_buf(), error })?;
        match Self::parse(&text) {
            Ok(rules) => Ok(Self { rules }),
            Err(fault) => Err(Failure::File { path: path.to_path_buf(), text, fault: Box::new(fault) }),
        }
    }

    fn parse(text: &str) -> Result<Vec<Rule>, Fault> {
        let document = DeTable::parse(text).map_err(|error| {
            let end = text.len();
            let title = format!("not valid TOML: {}", one_line(error.message()));
            fault(title, "", error.span().unwrap_or(end..end))
        })?;
        let mut rules = Vec::new();
        for (key, value) in document.get_ref().iter() {
            if key.get_ref() != "exempt" {
                let title = format!("unknown key `{}`", one_line(key.get_ref()));
                return Err(fault(title, "the only key is `exempt`", key.span()));
            }
            let DeValue::Array(entries) = value.get_ref() else {
                return Err(fault(
                    "`exempt` is no list".to_owned(),
                    "expected tables: `[[exempt]]`",
                    value.span(),
                ));
            };
            for (index, entry) in entries.iter().enumerate() {
                rules.push(rule(entry, &format!("exempt[{index}]"))?);
            }
        }
        Ok(rules)
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

fn fault(title: String, label: impl Into<String>, span: Range<usize>) -> Fault {
    Fault { title, label: label.into(), help: None, span }
}

fn rule(entry: &Spanned<DeValue<'_>>, name: &str) -> Result<Rule, Fault> {
    let DeValue::Table(table) = entry.get_ref() else {
        return Err(fault(format!("`{name}` is no table"), "expected a table", entry.span()));
    };
    let mut texts: [Option<(&str, Range<usize>)>; 4] = Default::default();
    for (key, value) in table.iter() {
        let known = KEYS.iter().zip(&mut texts).find(|(known, _)| *known == key.get_ref());
        let Some((_, text)) = known else {
            let title = format!("unknown key `{name}.{}`", one_line(key.get_ref()));
            let label = format!("valid keys are {}", KEYS.map(|key| format!("`{key}`")).join(", "));
            return Err(fault(title, label, key.span()));
        };
        let Some(found) = value.get_ref().as_str() else {
            let title = format!("`{name}.{}` is no text", key.get_ref());
            return Err(fault(title, "expected text", value.span()));
        };
        *text = Some((found, value.span()));
    }
    let missing = |key: &str| fault(format!("missing key `{name}.{key}`"), "", entry.span());
    let [path, code, profile, reason] = texts;
    let (path, path_at) = path.ok_or_else(|| missing("path"))?;
    let (code, code_at) = code.ok_or_else(|| missing("code"))?;
    let (reason, reason_at) = reason.ok_or_else(|| missing("reason"))?;
    if reason.trim().is_empty() {
        return Err(fault(format!("`{name}.reason` is blank"), "say why", reason_at));
    }
    let no_such = |what: &str, text: &str, names: Vec<&str>, at| Fault {
        help: Some(format!("{what}s are {}", names.join(", "))),
        ..fault(format!("there is no {what} \"{}\"", one_line(text)), "", at)
    };
    let code = Code::named(code)
        .ok_or_else(|| no_such("code", code, Code::ALL.iter().map(|code| code.name()).collect(), code_at))?;
    let profile = match profile {
        None => None,
        Some((name, at)) => Some(Profile::named(name).ok_or_else(|| {
            no_such("profile", name, Profile::ALL.iter().map(|profile| profile.name()).collect(), at)
        })?),
    };
    let glob = GlobBuilder::new(path).literal_separator(true).build();
    let glob =
        glob.map_err(|error| fault(format!("`{name}.path` is no glob: {}", error.kind()), "", path_at))?;
    Ok(Rule {
        path: path.to_owned(),
        glob: glob.compile_matcher(),
        code,
        profile,
        reason: reason.to_owned(),
        used: Cell::new(false),
    })
}
