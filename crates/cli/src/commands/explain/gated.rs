//! What is to be said of gated files (I4) that no row says.

use standing_orders::Fate;
use standing_orders::config::GatedConfig;
use standing_orders::plugin::{GatedFiles, SessionClass, SessionHeader, Sessions};

use super::Explanation;
use crate::rows::Row;

/// Why gated files that are configured are not looked at, and which of them are not there; those are rows
/// where `all` names are shown.
pub(super) fn notes(explanation: &Explanation, all: bool) -> Vec<String> {
    let entries = explanation.subject.gated.iter().zip(&explanation.subject.configuration.config.gated);
    let of_entry = |(files, config): (&GatedFiles, &GatedConfig)| {
        let looked = explanation.rows.iter().any(|row| row.injector == config.id);
        let texts = match looked {
            false => vec![why_not(explanation, files, config)],
            true if all => Vec::new(),
            true => absent(explanation, config),
        };
        texts.into_iter().map(|text| format!("gated files {:?}: {text}", config.id)).collect::<Vec<_>>()
    };
    entries.flat_map(of_entry).collect()
}

fn why_not(explanation: &Explanation, files: &GatedFiles, config: &GatedConfig) -> String {
    let subject = &explanation.subject;
    match files.admits(&subject.header, subject.mode.as_deref()) {
        false => {
            let unmet = unmet(config, &subject.header, subject.mode.as_deref()).join("; ");
            format!("not for this session: {unmet}")
        }
        true if config.max_bytes.unwrap_or(subject.settings.max_bytes.bytes()) == 0 => "off".to_owned(),
        true => format!("not before a path is touched that matches {}", config.when_touched.join(" or ")),
    }
}

/// Each condition that does not hold.
fn unmet(config: &GatedConfig, header: &SessionHeader, mode: Option<&str>) -> Vec<String> {
    let mut unmet = Vec::new();
    let class = header.class();
    match (config.sessions, class) {
        (Sessions::Main, SessionClass::Subagent { .. }) => {
            unmet.push("it is a subagent's, and `sessions` is \"main\"".to_owned());
        }
        (Sessions::Subagent, SessionClass::Main) => {
            unmet.push("it is a main session, and `sessions` is \"subagent\"".to_owned());
        }
        _ => {}
    }
    if let Some(max) = config.max_depth.filter(|max| class.depth() > *max) {
        unmet.push(format!("its depth is {}, and `max_depth` is {max}", class.depth()));
    }
    let agent = header.agent_preset();
    let excluded = |name: &str| config.agents.iter().any(|agent| agent.strip_prefix('!') == Some(name));
    let listed: Vec<&str> =
        config.agents.iter().map(String::as_str).filter(|agent| !agent.starts_with('!')).collect();
    match agent {
        Some(name) if excluded(name) => unmet.push(format!("its agent is {name:?}, which `agents` excludes")),
        _ if listed.is_empty() || agent.is_some_and(|name| listed.contains(&name)) => {}
        Some(name) => unmet.push(format!("its agent is {name:?}, and `agents` has {}", quoted(&listed))),
        None => unmet.push(format!("it names no agent, and `agents` has {}", quoted(&listed))),
    }
    let modes: Vec<&str> = config.modes.iter().map(String::as_str).collect();
    match mode {
        _ if modes.is_empty() => {}
        Some(mode) if modes.contains(&mode) => {}
        Some(mode) => unmet.push(format!("its mode is {mode:?}, and `modes` has {}", quoted(&modes))),
        None => unmet.push(format!("it is in no mode, and `modes` has {}", quoted(&modes))),
    }
    unmet
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// The files that are looked for and not there.
fn absent(explanation: &Explanation, config: &GatedConfig) -> Vec<String> {
    // A broken link has a row.
    let is_absent = |row: &&Row| row.injector == config.id && row.fate == Fate::Absent && !row.broken_link;
    explanation.rows.iter().filter(is_absent).map(|row| format!("{} is not there", row.path)).collect()
}
