mod globs;
mod heads;
mod laws;

use super::activation::Never;
use super::head::HeadFault;
use super::{Activation, Dialect, Rule};

/// What a rule's text means, on one line.
fn meaning(dialect: Dialect, text: &str) -> String {
    let rule = Rule::read(dialect, text);
    let mut meaning = match &rule.activation {
        Activation::Always => "always".to_owned(),
        Activation::Paths(patterns) => format!("paths {}", patterns.as_written().join(" | ")),
        Activation::Described(description) => match &rule.name {
            None => format!("described {description}"),
            Some(name) => format!("described {name}: {description}"),
        },
        Activation::Manual => "manual".to_owned(),
        Activation::Never(Never::Head(HeadFault::Open)) => "head-open".to_owned(),
        Activation::Never(Never::Head(HeadFault::Unclear { line, .. })) => format!("head-unclear {line}"),
        Activation::Never(_) => "never".to_owned(),
    };
    for (gate, names) in [("excludeAgent", &rule.not_for), ("agents", &rule.only_for)] {
        if !names.is_empty() {
            meaning += &format!(", {gate} {}", names.join(" "));
        }
    }
    meaning
}
