//! When a rule is due, by its dialect and head (F5).

use super::head::{Head, HeadFault, Trigger};
use super::{BadPattern, Dialect, Patterns};

/// When a rule is due (F7).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Activation {
    /// With the first message.
    Always,
    /// Once a path that these match was touched.
    Paths(Patterns),
    /// It is listed with this description, and due when it is asked for or its file is touched.
    Described(Box<str>),
    /// When it is asked for.
    Manual,
    /// It is not loaded, and reported: an error of `check`.
    Never(Never),
}

/// Why a rule is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Never {
    /// Its head cannot be understood (`head-open`, `head-unclear`).
    #[error(transparent)]
    Head(#[from] HeadFault),
    /// Its key for patterns is there and empty.
    #[error("`{0}` is there and empty: name patterns, or take the key out")]
    Empty(&'static str),
    /// None of its patterns can be used: the first one, which stands for all.
    #[error("no pattern can be used: {0}")]
    NoUsablePattern(BadPattern),
    /// It is to be chosen by a description, and has none.
    #[error("the model is to choose it by its `description`, and it has none")]
    NoDescription,
}

impl Never {
    /// Whether the head says nothing, rather than nothing that could be.
    pub(crate) fn is_of_head(&self) -> bool {
        matches!(self, Self::Head(_))
    }
}

/// What the head means in the dialect. The first line that holds decides:
///
/// | dialect | head | |
/// | --- | --- | --- |
/// | `claude`, `plain` | no `paths` | always |
/// | | `paths` | paths; never if it is empty |
/// | `copilot` | no `applyTo` | manual: Copilot attaches such a file only by hand |
/// | | `applyTo` | paths; never if it is empty. `*`, `**` and `**/*` are every file, which is not always: a session that touches no file does without |
/// | `cursor` | `alwaysApply: true` | always, whatever `globs` holds |
/// | | `globs` with a pattern | paths, described or not |
/// | | a `description` that is not blank | described |
/// | | `globs` empty, and neither `alwaysApply` nor `description` there | never |
/// | | else | manual: Cursor's editor writes all three keys, and leaves empty what is not meant |
/// | `devin` | `trigger: always_on` | always |
/// | | `trigger: model_decision` | described; never without a `description` |
/// | | `trigger: manual` | manual |
/// | | `trigger: glob`, or none and `globs` there | paths; never if `globs` is empty |
/// | | no `trigger`, no `globs` | manual: Devin does not put such a rule on every message, and nothing says which. So also in `.windsurf/rules` |
///
/// Where all patterns are dropped it is never.
pub(super) fn of(dialect: Dialect, head: &Head) -> (Activation, Vec<BadPattern>) {
    let described = head.description.as_deref().filter(|text| !text.is_empty());
    let described = described.map(|text| Activation::Described(text.into()));
    let activation = match (dialect, head.patterns.as_deref()) {
        (Dialect::Claude | Dialect::Plain, None) => Activation::Always,
        (Dialect::Copilot, None) => Activation::Manual,
        (Dialect::Claude | Dialect::Plain | Dialect::Copilot, Some(patterns)) => {
            return by_paths(dialect, patterns);
        }
        (Dialect::Cursor, _) if head.always_apply == Some(true) => Activation::Always,
        (Dialect::Cursor, Some(patterns)) if !patterns.is_empty() => return by_paths(dialect, patterns),
        (Dialect::Cursor, patterns) => {
            let is_template = head.always_apply.is_some() || head.description.is_some();
            let never = patterns.is_some() && !is_template;
            let other = if never { Activation::Never(Never::Empty("globs")) } else { Activation::Manual };
            described.unwrap_or(other)
        }
        (Dialect::Devin, patterns) => match (head.trigger, patterns) {
            (Some(Trigger::AlwaysOn), _) => Activation::Always,
            (Some(Trigger::ModelDecision), _) => described.unwrap_or(Activation::Never(Never::NoDescription)),
            (Some(Trigger::Manual), _) | (None, None) => Activation::Manual,
            (Some(Trigger::Glob) | None, patterns) => return by_paths(dialect, patterns.unwrap_or_default()),
        },
    };
    (activation, Vec::new())
}

fn by_paths(dialect: Dialect, patterns: &[String]) -> (Activation, Vec<BadPattern>) {
    let (patterns, mut bad) = Patterns::new(dialect, patterns);
    match patterns {
        Some(patterns) => (Activation::Paths(patterns), bad),
        None if bad.is_empty() => (Activation::Never(Never::Empty(dialect.pattern_key())), bad),
        None => (Activation::Never(Never::NoUsablePattern(bad.swap_remove(0))), bad),
    }
}
