//! Rows of a policy as configuration has them (I10).

use std::fmt;
use std::num::NonZeroU64;

use schemars::{JsonSchema, Schema, json_schema};
use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize, Serializer};

use super::parse::{self, Choice};
use crate::plugin::{Admission, Part, PolicyError, PolicyRow, Sessions};

/// Who may see what (I10): one `[[policy]]` row. The first row that fits a request decides; a row only
/// narrows. [`PolicyRow`]s are made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    description = "Who may see what: one `[[policy]]` row. The first row that fits decides; a row only narrows."
)]
#[non_exhaustive]
pub struct PolicyConfig {
    /// The answer: `allow`, `deny`, or a number, the bytes a message may have, at least 1.
    #[serde(deserialize_with = "admit", serialize_with = "admit_value")]
    #[schemars(schema_with = "admit_schema")]
    pub admit: Admission,
    /// Whose instructions: `workspace`, the id of another injector, or a glob over ids. Default: `*`, all.
    #[serde(default = "every", deserialize_with = "injector")]
    pub injector: String,
    /// Which parts of it: `user_global`, `base`, `local`, `nested` and `additional` are the workspace's,
    /// `gated` is all of any other injector. Default: all.
    #[serde(default, deserialize_with = "parts", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "parts_schema")]
    pub parts: Option<Vec<Part>>,
    /// Which sessions. Default: `any`.
    #[serde(default = "any", deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Sessions>")]
    pub sessions: Sessions,
    /// How deep a session may have been delegated; main is 0. Default: no limit.
    #[serde(default, deserialize_with = "parse::depth", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub max_depth: Option<u32>,
    /// Names of agent presets: a listed one fits, `!name` excludes, exclusions alone fit the rest, and a
    /// session without a name fits exclusions only. Empty, the default: any.
    #[serde(default, deserialize_with = "super::gated::agents", skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Modes of the host. Empty, the default: any.
    #[serde(default, deserialize_with = "super::gated::modes", skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
}

impl PolicyConfig {
    /// The first part that no injector of the row has, so that the row would never fit.
    pub(super) fn impossible_part(&self) -> Option<(usize, Part)> {
        match PolicyRow::try_from(self) {
            Err(PolicyError::NoSuchPart { part, .. }) => {
                let parts = self.parts.iter().flatten();
                parts.enumerate().find(|(_, known)| **known == part).map(|(position, _)| (position, part))
            }
            _ => None,
        }
    }
}

impl Choice for Part {
    const NAMES: &'static [&'static str] = &["user_global", "base", "local", "nested", "additional", "gated"];
    const VALUES: &'static [Self] =
        &[Self::UserGlobal, Self::Base, Self::Local, Self::Nested, Self::Additional, Self::Gated];
}

impl TryFrom<&PolicyConfig> for PolicyRow {
    type Error = PolicyError;

    fn try_from(config: &PolicyConfig) -> Result<Self, PolicyError> {
        let row = match config.admit {
            Admission::Allow => Self::allow(),
            Admission::AllowWithin(bytes) => Self::allow_within(bytes),
            Admission::Deny => Self::deny(),
        };
        let row = row
            .sessions(config.sessions)
            .agents(config.agents.iter().cloned())
            .modes(config.modes.iter().cloned())
            .injector(&config.injector)?;
        let row = match config.max_depth {
            Some(depth) => row.max_depth(depth),
            None => row,
        };
        match &config.parts {
            Some(parts) => row.parts(parts.iter().copied()),
            None => Ok(row),
        }
    }
}

fn every() -> String {
    "*".to_owned()
}

const fn any() -> Sessions {
    Sessions::Any
}

/// The answers that are no number.
pub(super) const WORDS: &[&str] = &["allow", "deny"];

struct Admit;

impl Visitor<'_> for Admit {
    type Value = Admission;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"allow\", \"deny\", or a whole number of bytes, 1 or more")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Admission, E> {
        match word {
            "allow" => Ok(Admission::Allow),
            "deny" => Ok(Admission::Deny),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Admission, E> {
        let bytes = NonZeroU64::new(bytes);
        bytes.map(Admission::AllowWithin).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(0), &self))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Admission, E> {
        match u64::try_from(bytes) {
            Ok(bytes) => self.visit_u64(bytes),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(bytes), &self)),
        }
    }

    fn visit_f64<E: de::Error>(self, bytes: f64) -> Result<Admission, E> {
        // Whole numbers as some writers of JSON have them; above 2^53 a float cannot tell.
        let whole = bytes.fract() == 0.0 && (1.0..=9_007_199_254_740_992.0).contains(&bytes);
        match whole.then(|| bytes.to_string().parse().ok()).flatten() {
            Some(bytes) => self.visit_u64(bytes),
            None => Err(E::invalid_value(Unexpected::Float(bytes), &self)),
        }
    }
}

fn admit<'de, D: Deserializer<'de>>(from: D) -> Result<Admission, D::Error> {
    from.deserialize_any(Admit)
}

fn admit_value<S: Serializer>(admission: &Admission, to: S) -> Result<S::Ok, S::Error> {
    match admission {
        Admission::Allow => "allow".serialize(to),
        Admission::Deny => "deny".serialize(to),
        Admission::AllowWithin(bytes) => bytes.serialize(to),
    }
}

fn admit_schema(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string", "enum": WORDS }, { "type": "integer", "minimum": 1 }] })
}

fn injector<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match PolicyRow::deny().injector(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let reason = match error {
                PolicyError::BadPattern { message, .. } => message,
                other => other.to_string(),
            };
            let expected = format!("the id of an injector, or a glob over ids: {reason}");
            Err(de::Error::invalid_value(Unexpected::Str(&text), &&*expected))
        }
    }
}

fn parts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Part>>, D::Error> {
    struct One(Part);
    impl<'de> Deserialize<'de> for One {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            parse::choice(from).map(Self)
        }
    }
    let list: Vec<One> = Deserialize::deserialize(from)?;
    if list.is_empty() {
        return Err(de::Error::invalid_length(0, &"at least one part, or no such key for all of them"));
    }
    Ok(Some(list.into_iter().map(|One(part)| part).collect()))
}

fn parts_schema(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1, "items": { "type": "string", "enum": Part::NAMES } })
}
