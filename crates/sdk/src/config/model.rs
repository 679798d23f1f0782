//! The configuration itself.

use std::num::NonZeroU64;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use standing_orders_discovery::{CandidateNames, PlainName, RootOptions, RootRule, Rules, Selection, Slot};
use standing_orders_render::{Frame, Overflow, Wording};

use super::environment::Environment;
use super::error::{ConfigError, Origin};
use super::gated::GatedConfig;
use super::policy::PolicyConfig;
use super::rules::RulesConfig;
use super::schema::plain_descriptions;
use super::warning::ConfigWarning;
use super::{home, parse};
use crate::injector::{GatedError, GatedFiles, RulesFolders, Trap};
use crate::policy::PolicyRow;
use crate::{Budget, Engine, EngineBuilder, Exclude, Home, Imports, NestedDiscovery, Settings};

/// The configuration of a deployment, every key with its value.
///
/// [`Sources`](super::Sources) loads it and says which source wins. Read by serde alone it has
/// the same checks, but errors that do not know where a value was set, and `~` in
/// `ceiling_directories` stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    title = "Standing Orders configuration",
    description = "The configuration of a deployment. `max_bytes` is the only key that is required."
)]
#[non_exhaustive]
pub struct Config {
    /// Bytes a whole block of instructions may have, frame and notice included (R5). 0 turns loading
    /// off. Required: each deployment chooses its own.
    #[serde(deserialize_with = "parse::bytes")]
    pub max_bytes: u64,
    /// The largest file that is read, in bytes, at least 1. A larger one is unavailable (D7). Default:
    /// 1048576.
    #[serde(default = "default_max_source_bytes", deserialize_with = "parse::positive_bytes")]
    pub max_source_bytes: NonZeroU64,
    /// What gives way over budget: `drop` whole files from the broad end, or `trim` the last one that
    /// does not fit (R5). Default: `drop`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Overflow>")]
    pub overflow: Overflow,
    /// Which candidates of a directory count: the `first` present one of each list, or `all_distinct`
    /// (D4, D5). Default: `first`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Selection>")]
    pub selection: Selection,
    /// What a touched path reaches: folders below `cwd`, or anywhere in the `project` (C4). Default:
    /// `cwd`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<NestedDiscovery>")]
    pub nested_discovery: NestedDiscovery,
    /// Where the user-global file is: a profile (`dsh`: `$DSH_HOME`, else `~/.dsh`), `none`, or a folder,
    /// absolute or below `~` (D6). Default: `dsh`.
    #[serde(default = "default_home", deserialize_with = "parse::home")]
    pub home: String,
    /// Names that make a directory the root (D1). Empty: the working directory is the root. Default:
    /// `.git`.
    #[serde(default = "default_markers")]
    pub project_root_markers: Vec<String>,
    /// Directories, absolute or below `~`, that are not examined for markers and end the search (D1).
    /// Default: none.
    #[serde(default)]
    pub ceiling_directories: Vec<PathBuf>,
    /// File names looked for in each directory, best first (D3). Default: `AGENTS.md`, `CLAUDE.md`.
    #[serde(default = "default_candidates")]
    pub instruction_file_candidates: Vec<String>,
    /// File names of overlays, best first; empty turns overlays off (D3). Default: `AGENTS.local.md`,
    /// `CLAUDE.local.md`.
    #[serde(default = "default_local_candidates")]
    pub local_instruction_file_candidates: Vec<String>,
    /// Globs of folders, relative to the root, from which no touch loads anything (D14). Default:
    /// `**/node_modules`, `**/site-packages`.
    #[serde(default = "default_exclude", deserialize_with = "parse::folders")]
    pub exclude: Vec<String>,
    /// What becomes of lines that import a file, `@docs/style.md`: `off`, `report` that they are there, or
    /// `expand`: what they name follows as a section of its own (M). Default: `report`.
    #[serde(default, deserialize_with = "parse::choice", serialize_with = "parse::choice_name")]
    #[schemars(schema_with = "parse::choice_schema::<Imports>")]
    pub imports: Imports,
    /// Folders, absolute or below `~`, out of which nothing is imported (M2). Default: none named, which is
    /// the root of the project.
    #[serde(default)]
    pub import_roots: Vec<PathBuf>,
    /// Whether a linked git worktree without an overlay of its own in a folder has that of the main checkout
    /// there (D15). Default: true.
    #[serde(default = "yes")]
    pub worktree_overlays: bool,
    /// Whether every subagent session is told that it is one, also where the host has no runtime context
    /// (S3). Default: false.
    #[serde(default)]
    pub delegation_notice: bool,
    /// Sentences in place of ours (R3).
    #[serde(default, deserialize_with = "parse::table")]
    pub wording: WordingConfig,
    /// Files that only some sessions are given (I4).
    #[serde(default, deserialize_with = "parse::tables", skip_serializing_if = "Vec::is_empty")]
    pub gated: Vec<GatedConfig>,
    /// Folders of rules that say by their heads when they apply (F).
    #[serde(default, deserialize_with = "parse::tables", skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulesConfig>,
    /// Who may see what, the first row that fits deciding (I10).
    #[serde(default, deserialize_with = "parse::tables", skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<PolicyConfig>,
}

/// Sentences in place of ours (R3); one that is not set stays ours, one that is empty is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WordingConfig {
    /// Opens every complete message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introduction: Option<String>,
    /// In place of the introduction where the budget is tight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact_introduction: Option<String>,
    /// Before the introduction of a complete message that replaces earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_earlier: Option<String>,
    /// In place of `replaces_earlier` where files of other folders stay in force; when only that one is set,
    /// it stands here too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_chain: Option<String>,
    /// After `replaces_earlier`, when nothing stays in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none_active: Option<String>,
    /// Where an additional file applies; `{scope}` is its directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<String>,
    /// In place of `applies_to` for the user-global file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_everywhere: Option<String>,
    /// Under the heading of an updated file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// After `changed`, when the file has another name now; `{previous}` is the earlier one, `{scope}` the
    /// directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched: Option<String>,
    /// Under the heading of a file that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// Under the heading of an imported file; `{importer}` is the file that names it, `{line}` the line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<String>,
    /// Under the heading of a rule for some paths; `{patterns}` is its patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to_paths: Option<String>,
    /// Under the heading of a file that has no room any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The name of the tag around every block.
    #[serde(deserialize_with = "parse::frame_tag", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", regex(pattern = "^[A-Za-z][A-Za-z0-9._:-]*$"))]
    pub frame: Option<String>,
}

impl Config {
    /// An engine with everything it says, ready for more injectors and a policy of the host's own: its
    /// settings, the home in this environment (D6) and the gated files, in their order. With a warning for
    /// each entry that is ignored (D1, D3).
    ///
    /// # Errors
    /// As [`home`](Self::home); and for a configuration that code has changed since it was read, a gated
    /// entry or a row of the policy that cannot be.
    pub fn engine(
        &self,
        environment: &Environment,
    ) -> Result<(EngineBuilder, Vec<ConfigWarning>), ConfigError> {
        let (mut settings, warnings) = self.settings();
        settings.home = self.home(environment)?;
        let by_code = |key: String, expected: String| ConfigError::InvalidValue {
            key,
            origin: Origin::Explicit("changed by code".to_owned()),
            expected: expected.into(),
            found: "not one that can be".into(),
            nearest: None,
        };
        for (index, row) in self.policy.iter().enumerate().skip(settings.policy.len()) {
            let row = PolicyRow::try_from(row);
            let row = row.map_err(|error| by_code(format!("policy[{index}]"), error.to_string()))?;
            settings.policy.push(row);
        }
        let mut engine = Engine::builder(settings);
        for (index, files) in self.gated.iter().enumerate() {
            let files = GatedFiles::try_from(files);
            let files = files.map_err(|error| by_code(format!("gated[{index}]"), error.to_string()))?;
            engine = engine.gated(files);
        }
        for (index, rules) in self.rules.iter().enumerate() {
            let rules = RulesFolders::try_from(rules);
            let rules = rules.map_err(|error| by_code(format!("rules[{index}]"), error.to_string()))?;
            engine = engine.injector(rules);
        }
        Ok((engine, warnings))
    }

    /// Its settings, and a warning for each entry that is ignored (D1, D3). Without the home, which needs
    /// an environment, and the gated files: [`engine`](Self::engine) has all of it.
    pub fn settings(&self) -> (Settings, Vec<ConfigWarning>) {
        let mut warnings = Vec::new();
        let (names, ignored) = self.names();
        warnings.extend(ignored);
        let mut markers: Vec<PlainName> = Vec::new();
        for (position, name) in self.project_root_markers.iter().enumerate() {
            match PlainName::new(name) {
                Ok(marker) if markers.contains(&marker) => {}
                Ok(marker) => markers.push(marker),
                Err(fault) => warnings.push(ConfigWarning::IgnoredName {
                    key: "project_root_markers",
                    position,
                    name: name.clone(),
                    fault,
                }),
            }
        }
        let mut absolute = |key, paths: &[PathBuf]| {
            let (absolute, relative): (Vec<_>, Vec<_>) =
                paths.iter().cloned().enumerate().partition(|(_, path)| path.is_absolute());
            let warning = |(position, path)| ConfigWarning::RelativeFolder { key, position, path };
            warnings.extend(relative.into_iter().map(warning));
            absolute.into_iter().map(|(_, path)| path).collect::<Vec<_>>()
        };
        let ceilings = absolute("ceiling_directories", &self.ceiling_directories);
        let import_roots = absolute("import_roots", &self.import_roots);
        let mut globs: Vec<&str> = Vec::new();
        for (position, glob) in self.exclude.iter().enumerate() {
            match Exclude::new([glob]) {
                Ok(_) => globs.push(glob),
                Err(error) => warnings.push(ConfigWarning::IgnoredGlob { position, error }),
            }
        }
        let settings = Settings {
            max_bytes: Budget::from_bytes(self.max_bytes),
            overflow: self.overflow,
            rules: Rules { names, selection: self.selection, max_source_bytes: self.max_source_bytes },
            root: RootOptions { rule: RootRule::Markers(markers), ceilings },
            nested_discovery: self.nested_discovery,
            exclude: Exclude::new(globs).unwrap_or_default(),
            imports: self.imports,
            import_roots,
            worktree_overlays: self.worktree_overlays,
            wording: self.wording.wording(),
            // Reading it has checked the rows: up to the first that code has spoiled.
            policy: self.policy.iter().map_while(|row| PolicyRow::try_from(row).ok()).collect(),
            delegation_notice: self.delegation_notice,
            home: None,
        };
        (settings, warnings)
    }

    /// The folder of the user-global file in this environment; `None` for `none`, and when the profile
    /// has no folder: neither its variable nor the user's home is set (D6).
    ///
    /// # Errors
    /// The folder begins with `~` and the user's home is not known, or the profile's variable holds no
    /// absolute path.
    pub fn home(&self, environment: &Environment) -> Result<Option<Home>, ConfigError> {
        home::resolve(&self.home, environment)
    }

    /// The gated files, as injectors, in their order.
    ///
    /// # Errors
    /// Nothing of a configuration that was read.
    pub fn gated_files(&self) -> Result<Vec<GatedFiles>, GatedError> {
        self.gated.iter().map(GatedFiles::try_from).collect()
    }

    /// The gated files that any session would be shown, for they have the name of a candidate (I5).
    /// [`EngineBuilder::build`](crate::EngineBuilder::build) refuses them, unless code allows them by name.
    ///
    /// # Errors
    /// Nothing of a configuration that was read.
    pub fn gated_traps(&self) -> Result<Vec<Trap>, GatedError> {
        let (names, _) = self.names();
        Ok(self.gated_files()?.iter().flat_map(|files| files.traps(&names)).collect())
    }

    /// The JSON Schema of a configuration file, its descriptions for people who write one.
    pub fn json_schema() -> Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        plain_descriptions(&mut schema);
        schema
    }

    fn names(&self) -> (CandidateNames, impl Iterator<Item = ConfigWarning> + use<>) {
        let (names, ignored) =
            CandidateNames::new(&self.instruction_file_candidates, &self.local_instruction_file_candidates);
        let warning = |ignored: standing_orders_discovery::NameWarning| ConfigWarning::IgnoredName {
            key: match ignored.slot {
                Slot::Base => "instruction_file_candidates",
                Slot::Local => "local_instruction_file_candidates",
            },
            position: ignored.position,
            name: ignored.name,
            fault: ignored.fault,
        };
        (names, ignored.into_iter().map(warning))
    }
}

impl WordingConfig {
    fn wording(&self) -> Wording {
        let mut wording = Wording::default();
        macro_rules! set {
            ($($sentence:ident)*) => {$(
                if let Some(chosen) = &self.$sentence {
                    wording.$sentence = chosen.clone().into();
                }
            )*};
        }
        set!(introduction compact_introduction replaces_earlier replaces_chain none_active);
        set!(applies_to applies_everywhere changed switched removed left_out imported_by applies_to_paths);
        // Reading it has checked the name.
        if let Some(frame) = self.frame.as_ref().and_then(|tag| Frame::new(tag).ok()) {
            wording.frame = frame;
        }
        wording
    }
}

fn default_max_source_bytes() -> NonZeroU64 {
    Rules::default().max_source_bytes
}

const fn yes() -> bool {
    true
}

fn default_home() -> String {
    home::DEFAULT.to_owned()
}

fn default_exclude() -> Vec<String> {
    Exclude::default().globs().map(str::to_owned).collect()
}

fn default_markers() -> Vec<String> {
    match RootRule::default() {
        RootRule::Markers(markers) => markers.iter().map(ToString::to_string).collect(),
        RootRule::Fixed(_) => Vec::new(),
    }
}

fn default_names(slot: Slot) -> Vec<String> {
    let names = CandidateNames::default();
    names.iter().filter(|(of, _)| *of == slot).map(|(_, name)| name.to_owned()).collect()
}

fn default_candidates() -> Vec<String> {
    default_names(Slot::Base)
}

fn default_local_candidates() -> Vec<String> {
    default_names(Slot::Local)
}
