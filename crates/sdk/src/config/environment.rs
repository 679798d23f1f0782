//! Environment variables as a value.

use std::ffi::{OsStr, OsString};
use std::fmt;

use figment::value::{Dict, Num, Tag, Value};

use super::document;
use super::error::{ConfigError, Origin};
use super::home;
use super::keys::{self, Kind};

/// What the names of our variables begin with.
pub(super) const PREFIX: &str = "STANDING_ORDERS_";

/// The environment variables that count: ours, and those of the home. Others are not kept.
///
/// The rest of a name is the key in capitals, `__` for the dot: `STANDING_ORDERS_MAX_BYTES`,
/// `STANDING_ORDERS_WORDING__INTRODUCTION`. A list is written as in TOML
/// (`["AGENTS.md", "RULES.md"]`); any other text is its only entry, and a blank one is the empty
/// list. A sentence is taken as it stands. Any other variable that is blank is not set.
///
/// Of one name the last counts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Vec<(String, OsString)>,
}

impl Environment {
    /// These variables.
    pub fn new<K: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut kept: Vec<(String, OsString)> = Vec::new();
        for (name, value) in variables {
            // Names are matched as text; one that is not text is none of ours.
            let Ok(name) = name.into().into_string() else { continue };
            if name.starts_with(PREFIX) || home::VARIABLES.contains(&name.as_str()) {
                kept.retain(|(other, _)| *other != name);
                kept.push((name, value.into()));
            }
        }
        kept.sort();
        Self { variables: kept }
    }

    /// The variables of the process, as they are now.
    ///
    /// # Ambient
    /// The only function of this module that reads the environment.
    pub fn of_process() -> Self {
        Self::new(std::env::vars_os())
    }

    /// The names of the variables that set keys, sorted: without those that are blank and so not set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let sets = |(name, value): &&(String, OsString)| {
            let blank = || value.to_str().is_some_and(|text| text.trim().is_empty());
            key(name).is_some_and(|key| !(keys::kind(&key).is_some_and(Kind::ignores_blank) && blank()))
        };
        self.variables.iter().filter(sets).map(|(name, _)| name.as_str())
    }

    /// The value of a variable that is set, and not blank.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        let (_, value) = self.variables.iter().find(|(known, _)| known == name)?;
        Some(value.as_os_str()).filter(|value| !value.to_str().is_some_and(|text| text.trim().is_empty()))
    }

    /// Ours, each as a layer of its own, so that an error names the variable.
    pub(super) fn layers(&self) -> Result<Vec<(Origin, Dict)>, ConfigError> {
        let mut layers = Vec::new();
        for (name, value) in &self.variables {
            let Some(key) = key(name) else { continue };
            let origin = Origin::Variable(name.clone());
            let Some(text) = value.to_str() else {
                return Err(ConfigError::InvalidValue {
                    key,
                    origin,
                    expected: "text in UTF-8".into(),
                    found: "not UTF-8".into(),
                    nearest: None,
                });
            };
            if let Some(value) = read(&key, text, &origin)? {
                layers.push((origin, super::layer::nest(&key, value)));
            }
        }
        Ok(layers)
    }
}

/// The key that a variable sets, if it is one of ours.
fn key(name: &str) -> Option<String> {
    name.strip_prefix(PREFIX).map(|key| key.to_lowercase().replace("__", "."))
}

/// The value that `text` stands for; `None` when it counts as not set.
fn read(key: &str, text: &str, origin: &Origin) -> Result<Option<Value>, ConfigError> {
    let string = |text: &str| Value::String(Tag::Default, text.to_owned());
    let trimmed = text.trim();
    Ok(match keys::kind(key) {
        Some(kind) if kind.ignores_blank() && trimmed.is_empty() => None,
        Some(Kind::Number) => Some(number(trimmed).unwrap_or_else(|| string(trimmed))),
        Some(Kind::Flag) => Some(match trimmed {
            "true" => Value::Bool(Tag::Default, true),
            "false" => Value::Bool(Tag::Default, false),
            other => string(other),
        }),
        Some(Kind::Word) => Some(string(trimmed)),
        Some(Kind::List) if trimmed.is_empty() => Some(Value::Array(Tag::Default, Vec::new())),
        Some(Kind::List) if trimmed.starts_with('[') => match document::value(trimmed) {
            Ok(list) => Some(list),
            Err(fault) => return Err(fault.into_error(&[key.to_owned()], |_| origin.clone())),
        },
        Some(Kind::List) => Some(Value::Array(Tag::Default, vec![string(text)])),
        // What is wrong with an unknown key is not its value.
        Some(Kind::Sentence) | None => Some(string(text)),
    })
}

fn number(text: &str) -> Option<Value> {
    let whole = text.parse().map(Num::U64).or_else(|_| text.parse().map(Num::I64)).ok();
    let number = whole.or_else(|| text.parse().map(Num::F64).ok())?;
    Some(Value::Num(Tag::Default, number))
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.variables.iter().map(|(name, value)| (name, value))).finish()
    }
}
