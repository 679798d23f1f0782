mod globs;
mod heads;
mod laws;
mod names;

use super::activation::Activation;
use super::dialect::Dialect;
use super::head::{HeadFault, read};

/// What a rule's text means, on one line.
fn meaning(dialect: Dialect, text: &str) -> String {
    let head = match read(dialect, text) {
        Ok(head) => head,
        Err(fault @ HeadFault::Open) => return fault.code().to_owned(),
        Err(ref fault @ HeadFault::Unclear { line, .. }) => return format!("{} {line}", fault.code()),
    };
    let mut meaning = match Activation::of(dialect, &head) {
        Activation::Always => "always".to_owned(),
        Activation::Paths(set) => format!("paths {}", set.used().join(" | ")),
        Activation::Described { name: None, description } => format!("described {description}"),
        Activation::Described { name: Some(name), description } => format!("described {name}: {description}"),
        Activation::Manual => "manual".to_owned(),
        Activation::Never(_) => "never".to_owned(),
    };
    for (gate, names) in [("excludeAgent", head.exclude_agent), ("agents", head.agents)] {
        if !names.is_empty() {
            meaning += &format!(", {gate} {}", names.join(" "));
        }
    }
    meaning
}
