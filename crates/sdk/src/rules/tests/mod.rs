mod globs;
mod heads;
mod laws;

use super::head::{HeadFault, read};
use super::{Activation, Dialect, Rule};

/// What a rule's text means, on one line.
fn meaning(dialect: Dialect, text: &str) -> String {
    let head = match read(text) {
        Ok((head, _)) => head,
        Err(HeadFault::Open) => return "head-open".to_owned(),
        Err(HeadFault::Unclear { line, .. }) => return format!("head-unclear {line}"),
    };
    let rule = Rule::read(dialect, text);
    let mut meaning = match &rule.activation {
        Activation::Always => "always".to_owned(),
        Activation::Paths(patterns) => format!("paths {}", patterns.as_written().join(" | ")),
        Activation::Described(description) => match &rule.name {
            Some(name) => format!("described {name}: {description}"),
            None => format!("described {description}"),
        },
        Activation::Manual => "manual".to_owned(),
        Activation::Never(_) => "never".to_owned(),
    };
    for (gate, names) in [("excludeAgent", head.exclude_agent), ("agents", head.agents)] {
        if let Some(names) = names {
            meaning += &format!(", {gate} {}", names.join(" "));
        }
    }
    meaning
}
