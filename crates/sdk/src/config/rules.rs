//! Rules folders as configuration has them (F).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parse::{self, Choice};
use crate::injector::{RulesError, RulesFolders};
use crate::policy::Sessions;
use crate::rules::Dialect;

/// Rules folders (F): one `[[rules]]` entry. [`RulesFolders`] are made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "Folders of rules that say by their heads when they apply: one `[[rules]]` entry.")]
#[non_exhaustive]
pub struct RulesConfig {
    /// The injector's id: unique, on one line, not `workspace`. History names it for good. Default: `rules`.
    #[serde(default = "default_id", deserialize_with = "super::gated::id")]
    #[schemars(length(min = 1))]
    pub id: String,
    /// Whose folders and heads: `claude`, `cursor`, `copilot`, `devin`, `plain`, or `auto`, all of them where
    /// they are there. Default: `auto`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Dialects>")]
    pub dialect: Dialects,
    /// Another folder than the dialect's own, relative to the root, `/` between folders; with `auto` it is a
    /// `plain` one.
    #[serde(default, deserialize_with = "folder", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub folder: Option<String>,
    /// Whether rules also lie in the folders down to the working directory and in those that are touched,
    /// each for what lies there. Default: false.
    #[serde(default)]
    pub nested: bool,
    /// Which sessions are given them. Default: `any`.
    #[serde(default = "any", deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Sessions>")]
    pub sessions: Sessions,
    /// How deep a session may have been delegated; main is 0. Default: no limit.
    #[serde(default, deserialize_with = "parse::depth", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub max_depth: Option<u32>,
    /// Names of agent presets: a listed one admits, `!name` excludes, exclusions alone admit the rest,
    /// and a session without a name passes exclusions only. Empty, the default: any.
    #[serde(default, deserialize_with = "super::gated::agents", skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Modes of the host. Empty, the default: any.
    #[serde(default, deserialize_with = "super::gated::modes", skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// Bytes a message of theirs may have; 0 is off. Default: 16384.
    #[serde(default = "default_max_bytes", deserialize_with = "parse::bytes")]
    pub max_bytes: u64,
}

/// Whose rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialects {
    /// Of every dialect, where they are there.
    #[default]
    Auto,
    /// Of this one.
    Only(Dialect),
}

impl Choice for Dialects {
    const NAMES: &'static [&'static str] = &["auto", "claude", "cursor", "copilot", "devin", "plain"];
    const VALUES: &'static [Self] = &[
        Self::Auto,
        Self::Only(Dialect::Claude),
        Self::Only(Dialect::Cursor),
        Self::Only(Dialect::Copilot),
        Self::Only(Dialect::Devin),
        Self::Only(Dialect::Plain),
    ];
}

fn default_id() -> String {
    RulesFolders::ID.to_owned()
}

const fn default_max_bytes() -> u64 {
    RulesFolders::MAX_BYTES
}

const fn any() -> Sessions {
    Sessions::Any
}

fn folder<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let is_folder =
        |folder: &str| RulesFolders::new("").folder(folder).is_ok() && !folder.contains(['\0', '\\']);
    parse::text(from, "a folder below the root: relative to it, without `..`", is_folder).map(Some)
}

/// As configuration has them (G1).
impl TryFrom<&RulesConfig> for RulesFolders {
    type Error = RulesError;

    fn try_from(config: &RulesConfig) -> Result<Self, RulesError> {
        let rules = Self::new(config.id.as_str())
            .nested(config.nested)
            .sessions(config.sessions)
            .agents(config.agents.iter().cloned())
            .modes(config.modes.iter().cloned())
            .max_bytes(config.max_bytes);
        let rules = match config.dialect {
            Dialects::Auto => rules,
            Dialects::Only(dialect) => rules.dialect(dialect),
        };
        let rules = match config.max_depth {
            Some(depth) => rules.max_depth(depth),
            None => rules,
        };
        match &config.folder {
            Some(folder) => rules.folder(folder),
            None => Ok(rules),
        }
    }
}
