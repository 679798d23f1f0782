//! A scenario's settings.

use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};
use standing_orders::config::RulesConfig;
use standing_orders::inspect::{PlainName, Slot};
use standing_orders::plugin::{GatedFiles, PolicyRow, RulesFolders, Sessions};
use standing_orders::{
    Budget, CandidateNames, Engine, Exclude, Frame, Imports, NestedDiscovery, Overflow, RootRule, Selection,
    Settings, Wording,
};

use crate::run::SimulateError;
use crate::scenario::ScenarioConfig;

/// The engine and the user-global folder of a scenario.
pub(super) fn engine(
    config: &Map<String, Value>,
    injectors: &[Value],
) -> Result<(Engine, Option<String>), SimulateError> {
    let config = ScenarioConfig::deserialize(Value::Object(config.clone()))
        .map_err(|error| SimulateError::Config(error.to_string()))?;
    let home = config.home.clone();
    let rules = config.rules.iter().enumerate().map(|(index, rules)| {
        let wrong = |error: &dyn std::fmt::Display| SimulateError::Config(format!("rules[{index}]: {error}"));
        let rules = RulesConfig::deserialize(rules).map_err(|error| wrong(&error))?;
        RulesFolders::try_from(&rules).map_err(|error| wrong(&error))
    });
    let rules = rules.collect::<Result<Vec<_>, _>>()?;
    let mut engine = Engine::builder(settings(config)?);
    for (index, entry) in injectors.iter().enumerate() {
        engine = engine.gated(gated(entry).map_err(|message| SimulateError::Injector { index, message })?);
    }
    for rules in rules {
        engine = engine.injector(rules);
    }
    Ok((engine.build()?, home))
}

/// One entry, with the keys of I4.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GatedEntry {
    id: String,
    files: Vec<PathBuf>,
    #[serde(default)]
    sessions: Option<String>,
    #[serde(default)]
    max_depth: Option<u32>,
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    modes: Vec<String>,
    #[serde(default)]
    when_touched: Vec<String>,
    #[serde(default)]
    max_bytes: Option<u64>,
}

fn gated(entry: &Value) -> Result<GatedFiles, String> {
    let entry = GatedEntry::deserialize(entry).map_err(|error| error.to_string())?;
    let sessions = match entry.sessions.as_deref() {
        None | Some("main") => Sessions::Main,
        Some("subagent") => Sessions::Subagent,
        Some("any") => Sessions::Any,
        Some(other) => return Err(format!("sessions is {other:?}, expected main, subagent or any")),
    };
    let files = GatedFiles::new(entry.id, entry.files).map_err(|error| error.to_string())?;
    let files = files.sessions(sessions).agents(entry.agents).modes(entry.modes);
    let mut files = files.when_touched(&entry.when_touched).map_err(|error| error.to_string())?;
    if let Some(depth) = entry.max_depth {
        files = files.max_depth(depth);
    }
    if let Some(bytes) = entry.max_bytes {
        files = files.max_bytes(bytes);
    }
    Ok(files)
}

fn settings(config: ScenarioConfig) -> Result<Settings, SimulateError> {
    let wrong = |key: &str, value: &str, expected: &str| {
        SimulateError::Config(format!("{key} is {value:?}, expected {expected}"))
    };
    let mut settings = Settings::new(Budget::from_bytes(config.max_bytes));
    if let Some(bytes) = config.max_source_bytes {
        settings.rules.max_source_bytes =
            NonZeroU64::new(bytes).ok_or_else(|| wrong("max_source_bytes", "0", "a positive number"))?;
    }
    settings.overflow = match config.overflow.as_deref() {
        None | Some("drop") => Overflow::Drop,
        Some("trim") => Overflow::Trim,
        Some(other) => return Err(wrong("overflow", other, "drop or trim")),
    };
    settings.rules.selection = match config.selection.as_deref() {
        None | Some("first") => Selection::First,
        Some("all_distinct") => Selection::AllDistinct,
        Some(other) => return Err(wrong("selection", other, "first or all_distinct")),
    };
    settings.nested_discovery = match config.nested_discovery.as_deref() {
        None | Some("cwd") => NestedDiscovery::Cwd,
        Some("project") => NestedDiscovery::Project,
        Some(other) => return Err(wrong("nested_discovery", other, "cwd or project")),
    };
    if let Some(globs) = config.exclude {
        settings.exclude = Exclude::new(globs).map_err(|error| SimulateError::Config(error.to_string()))?;
    }
    settings.imports = match config.imports.as_deref() {
        None | Some("report") => Imports::Report,
        Some("off") => Imports::Off,
        Some("expand") => Imports::Expand,
        Some(other) => return Err(wrong("imports", other, "off, report or expand")),
    };
    settings.worktree_overlays = config.worktree_overlays.unwrap_or(true);
    settings.import_roots = config.import_roots.into_iter().map(PathBuf::from).collect();
    for (index, row) in config.policy.iter().enumerate() {
        let row = PolicyRow::deserialize(row);
        settings
            .policy
            .push(row.map_err(|error| SimulateError::Config(format!("policy[{index}]: {error}")))?);
    }
    if let Some(markers) = config.project_root_markers {
        let markers = markers.iter().map(|name| {
            PlainName::new(name)
                .map_err(|fault| SimulateError::Config(format!("project_root_markers: {fault}")))
        });
        settings.root.rule = RootRule::Markers(markers.collect::<Result<_, _>>()?);
    }
    settings.root.ceilings = config.ceiling_directories.into_iter().map(PathBuf::from).collect();
    let own = |names: Option<Vec<String>>, slot| {
        names.unwrap_or_else(|| {
            let defaults = CandidateNames::default();
            defaults.iter().filter(|(of, _)| *of == slot).map(|(_, name)| name.to_owned()).collect()
        })
    };
    let base = own(config.instruction_file_candidates, Slot::Base);
    let local = own(config.local_instruction_file_candidates, Slot::Local);
    settings.rules.names = CandidateNames::new(base, local).0;
    for (key, sentence) in config.wording {
        set(&mut settings.wording, &key, sentence)?;
    }
    Ok(settings)
}

fn set(wording: &mut Wording, key: &str, sentence: String) -> Result<(), SimulateError> {
    let place = match key {
        "introduction" => &mut wording.introduction,
        "compact_introduction" => &mut wording.compact_introduction,
        "replaces_earlier" => &mut wording.replaces_earlier,
        "replaces_chain" => &mut wording.replaces_chain,
        "none_active" => &mut wording.none_active,
        "applies_to" => &mut wording.applies_to,
        "applies_everywhere" => &mut wording.applies_everywhere,
        "changed" => &mut wording.changed,
        "switched" => &mut wording.switched,
        "removed" => &mut wording.removed,
        "left_out" => &mut wording.left_out,
        "imported_by" => &mut wording.imported_by,
        "applies_to_paths" => &mut wording.applies_to_paths,
        "frame" => {
            wording.frame = Frame::new(sentence)
                .map_err(|error| SimulateError::Config(format!("wording.frame: {error}")))?;
            return Ok(());
        }
        other => return Err(SimulateError::Config(format!("wording has no key {other:?}"))),
    };
    *place = sentence.into();
    Ok(())
}
