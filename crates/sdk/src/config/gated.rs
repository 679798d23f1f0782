//! Gated files as configuration has them (I4).

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, Unexpected};
use serde::{Deserialize as DeriveDeserialize, Serialize};

use super::parse;
use crate::globs::file_glob;
use crate::injector::{GatedError, GatedFiles};
use crate::policy::Sessions;

/// Files that only some sessions are given (I4): one `[[gated]]` entry.
/// [`GatedFiles`] are made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "Files that only some sessions are given: one `[[gated]]` entry.")]
#[non_exhaustive]
pub struct GatedConfig {
    /// The injector's id: unique, on one line, not `workspace`. History names it for good.
    #[serde(deserialize_with = "id")]
    #[schemars(length(min = 1))]
    pub id: String,
    /// The files, relative to the root, `/` between folders, in the order in which they are shown.
    /// At least one, each once. Absent ones are silent.
    #[serde(deserialize_with = "files")]
    #[schemars(length(min = 1))]
    pub files: Vec<String>,
    /// Which sessions are given them. Default: `main`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Sessions>")]
    pub sessions: Sessions,
    /// How deep a session may have been delegated; main is 0. Default: no limit.
    #[serde(default, deserialize_with = "parse::depth", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub max_depth: Option<u32>,
    /// Names of agent presets: a listed one admits, `!name` excludes, exclusions alone admit the rest,
    /// and a session without a name passes exclusions only. Empty, the default: any.
    #[serde(default, deserialize_with = "agents", skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Modes of the host. Empty, the default: any.
    #[serde(default, deserialize_with = "modes", skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// Globs relative to the root, `*` within one component: due once a touched path matched one. Empty,
    /// the default: due from the start.
    #[serde(default, deserialize_with = "globs", skip_serializing_if = "Vec::is_empty")]
    pub when_touched: Vec<String>,
    /// Those of `files` that may have the name of a workspace candidate (I5): it is known that every
    /// session that touches their folder is shown them. Empty, the default: none.
    #[serde(default, deserialize_with = "allowed", skip_serializing_if = "Vec::is_empty")]
    pub allow_candidate_names: Vec<String>,
    /// Bytes a message of theirs may have; 0 is off. Default: the workspace's `max_bytes`.
    #[serde(default, deserialize_with = "parse::optional_bytes", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u64>")]
    pub max_bytes: Option<u64>,
}

/// A list whose every entry is as it should be.
fn list<'de, D: Deserializer<'de>, E: Deserialize<'de> + Into<String>>(
    from: D,
) -> Result<Vec<String>, D::Error> {
    let list: Vec<E> = Deserialize::deserialize(from)?;
    Ok(list.into_iter().map(Into::into).collect())
}

macro_rules! entry {
    ($name:ident, $expected:expr, $valid:expr) => {
        struct $name(String);
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                parse::text(from, $expected, $valid).map(Self)
            }
        }
        impl From<$name> for String {
            fn from($name(text): $name) -> Self {
                text
            }
        }
    };
}

entry!(File, "a file below the root: relative to it, without `..`", is_file);
entry!(Agent, "the name of an agent preset, or `!` and a name", |agent| {
    !agent.strip_prefix('!').unwrap_or(agent).trim().is_empty()
});
entry!(Mode, "the name of a mode", |mode| !mode.trim().is_empty());

fn is_file(file: &str) -> bool {
    let plain = |part| matches!(part, Component::CurDir | Component::Normal(_));
    let path = Path::new(file);
    path.file_name().is_some()
        && !file.ends_with(['/', '\\'])
        && !file.contains('\0')
        && path.components().all(plain)
}

/// A glob that can match something (I4).
struct Glob(String);

impl<'de> Deserialize<'de> for Glob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let glob = String::deserialize(from)?;
        match file_glob(&glob) {
            Ok(_) => Ok(Self(glob)),
            Err(reason) => {
                let expected = format!("a glob relative to the root, such as `src/**/*.rs`: {reason}");
                Err(de::Error::invalid_value(Unexpected::Str(&glob), &&*expected))
            }
        }
    }
}

impl From<Glob> for String {
    fn from(Glob(glob): Glob) -> Self {
        glob
    }
}

pub(super) fn id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    parse::text(
        from,
        "an id: not blank, on one line, and not `workspace`, which is the built-in loader's",
        |id| !id.trim().is_empty() && id != "workspace" && !id.contains(char::is_control),
    )
}

fn files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let files = list::<D, File>(from)?;
    if files.is_empty() {
        return Err(de::Error::invalid_length(0, &"at least one file"));
    }
    let plain = |file: &str| Path::new(file).components().filter(|part| *part != Component::CurDir).collect();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for file in &files {
        if !seen.insert(plain(file)) {
            return Err(de::Error::invalid_value(Unexpected::Str(file), &"each file once"));
        }
    }
    Ok(files)
}

fn allowed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list::<D, File>(from)
}

pub(super) fn agents<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list::<D, Agent>(from)
}

pub(super) fn modes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list::<D, Mode>(from)
}

fn globs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list::<D, Glob>(from)
}

/// As configuration has them (G1).
impl TryFrom<&GatedConfig> for GatedFiles {
    type Error = GatedError;

    fn try_from(config: &GatedConfig) -> Result<Self, GatedError> {
        let files = Self::new(config.id.as_str(), &config.files)?
            .sessions(config.sessions)
            .agents(config.agents.iter().cloned())
            .modes(config.modes.iter().cloned())
            .when_touched(&config.when_touched)?;
        let allowed = config.allow_candidate_names.iter();
        let files = allowed.fold(files, |files, file| files.allow_candidate_name(file));
        let files = match config.max_depth {
            Some(depth) => files.max_depth(depth),
            None => files,
        };
        Ok(match config.max_bytes {
            Some(bytes) => files.max_bytes(bytes),
            None => files,
        })
    }
}
