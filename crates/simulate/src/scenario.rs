//! What a scenario says.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub why: String,
    /// Settings.
    pub config: Map<String, Value>,
    /// The session.
    pub session: ScenarioSession,
    /// Gated files, with the keys of I4.
    #[serde(default)]
    pub injectors: Vec<Value>,
    /// The tree.
    #[serde(default)]
    pub files: BTreeMap<String, FileEntry>,
    /// What happens, in order.
    pub steps: Vec<ScenarioStep>,
}

/// The session's header, as far as it matters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioSession {
    /// Working directory.
    #[serde(default)]
    pub cwd: Option<String>,
    /// `subagent`, or nothing.
    #[serde(default)]
    pub origin: Option<String>,
    /// How deep it was delegated.
    #[serde(default)]
    pub delegation_depth: Option<u32>,
    /// Agent preset.
    #[serde(default)]
    pub agent_preset: Option<String>,
    /// The host's mode at the start.
    #[serde(default)]
    pub mode: Option<String>,
}

/// A text, in full or as a repetition.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// In full.
    Plain(String),
    /// A piece, so many times.
    Repeat {
        /// The piece.
        repeat: String,
        /// How often.
        times: usize,
    },
}

impl Text {
    /// The whole text.
    pub fn to_text(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Repeat { repeat, times } => repeat.repeat(*times),
        }
    }
}

/// One entry of the tree.
#[derive(Clone, Debug)]
pub enum FileEntry {
    /// A directory.
    Directory,
    /// A regular file.
    File(Text),
    /// A link.
    Symlink(String),
}

impl<'de> Deserialize<'de> for FileEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Link { symlink: String },
            Text(Text),
            Nothing,
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Link { symlink } => Self::Symlink(symlink),
            Form::Text(text) => Self::File(text),
            Form::Nothing => Self::Directory,
        })
    }
}

/// Whether a boundary's step goes ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepDecision {
    /// It does.
    #[default]
    Enter,
    /// It does not.
    Reject,
    /// The host drops the batch.
    Empty,
}

/// One thing that happens.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScenarioStep {
    /// A file is written, whatever is at the path.
    Write {
        /// Where.
        path: String,
        /// What.
        text: Text,
    },
    /// A directory is made.
    Mkdir {
        /// Where.
        path: String,
    },
    /// A link is made, whatever is at the path.
    Symlink {
        /// Where.
        path: String,
        /// To what.
        target: String,
    },
    /// Something goes; of a link, the link itself.
    Remove {
        /// What.
        path: String,
    },
    /// A fault begins or ends.
    Fault {
        /// Of which path, as it is asked for.
        path: String,
        /// Which.
        fail: Fail,
    },
    /// A step boundary.
    PreStep {
        /// A new turn with this prompt; without one the turn goes on.
        #[serde(default)]
        prompt: Option<String>,
        /// The host's mode from here on.
        #[serde(default)]
        mode: Option<String>,
        /// What becomes of it.
        #[serde(default)]
        decision: StepDecision,
        /// The rules that the host asks for, by their paths (F7).
        #[serde(default)]
        requested: Vec<String>,
    },
    /// A tool call has settled.
    Tool {
        /// The tool.
        name: String,
        /// Its `file_path` argument.
        #[serde(default)]
        path: Option<String>,
        /// Whether it succeeded.
        #[serde(default = "yes")]
        ok: bool,
        /// Its identity.
        #[serde(default)]
        id: Option<String>,
        /// The call it was made from.
        #[serde(default)]
        parent: Option<String>,
    },
    /// The open step ends.
    StepEnd,
    /// One summary replaces what is visible.
    Compact {
        /// All but so many messages at the end.
        #[serde(default)]
        keep: usize,
    },
    /// A new instance over the same history.
    Resume {
        /// Settings that change.
        #[serde(default)]
        config: Map<String, Value>,
        /// Parts of the header that change.
        #[serde(default)]
        session: Map<String, Value>,
    },
}

fn yes() -> bool {
    true
}

/// Which operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fail {
    /// Probes.
    Stat,
    /// Reads.
    Read,
    /// None any more.
    None,
}

/// Settings of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioConfig {
    /// The user-global folder.
    #[serde(default)]
    pub home: Option<String>,
    /// Bytes a block.
    pub max_bytes: u64,
    /// Bytes a file.
    #[serde(default)]
    pub max_source_bytes: Option<u64>,
    /// `drop` or `trim`.
    #[serde(default)]
    pub overflow: Option<String>,
    /// Root markers.
    #[serde(default)]
    pub project_root_markers: Option<Vec<String>>,
    /// Where the walk ends.
    #[serde(default)]
    pub ceiling_directories: Vec<String>,
    /// Base candidates.
    #[serde(default)]
    pub instruction_file_candidates: Option<Vec<String>>,
    /// Local candidates.
    #[serde(default)]
    pub local_instruction_file_candidates: Option<Vec<String>>,
    /// `first` or `all_distinct`.
    #[serde(default)]
    pub selection: Option<String>,
    /// `cwd` or `project`.
    #[serde(default)]
    pub nested_discovery: Option<String>,
    /// Globs of folders (D14).
    #[serde(default)]
    pub exclude: Option<Vec<String>>,
    /// `off`, `report` or `expand` (M).
    #[serde(default)]
    pub imports: Option<String>,
    /// Rules folders (F).
    #[serde(default)]
    pub rules: Vec<Value>,
    /// Overlays of the main checkout (D15).
    #[serde(default)]
    pub worktree_overlays: Option<bool>,
    /// The folders that may be imported from (M2).
    #[serde(default)]
    pub import_roots: Vec<String>,
    /// Rows (I10).
    #[serde(default)]
    pub policy: Vec<Value>,
    /// Sentences of R3.
    #[serde(default)]
    pub wording: BTreeMap<String, String>,
}
