//! When a rule is due, by what its head says (F5).

use std::fmt;

use super::head::{Head, HeadFault};
use super::{BadPattern, Dialect, Patterns};

/// When a rule is due.
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
    /// It is not loaded, and reported.
    Never(Never),
}

/// Why a rule is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Never {
    /// Its head (`head-open`, `head-unclear`).
    Head(HeadFault),
    /// Its key for patterns is there and empty.
    Empty(&'static str),
    /// None of its patterns can be used.
    NoUsablePattern(BadPattern),
    /// It is to be chosen by a description, and has none.
    NoDescription,
    /// Its trigger is none of those there are.
    Trigger(Box<str>),
}

impl From<HeadFault> for Never {
    fn from(fault: HeadFault) -> Self {
        Self::Head(fault)
    }
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head(fault) => fault.fmt(f),
            Self::Empty(key) => write!(f, "`{key}` is there and empty: name patterns, or take the key out"),
            Self::NoUsablePattern(bad) => write!(f, "no pattern can be used: {bad}"),
            Self::NoDescription => {
                f.write_str("the model is to choose it by its `description`, and it has none")
            }
            Self::Trigger(trigger) => write!(
                f,
                "`trigger` is {trigger:?}, expected `always_on`, `model_decision`, `glob` or `manual`"
            ),
        }
    }
}

/// By dialect:
///
/// | | always | paths | described | manual | never |
/// | --- | --- | --- | --- | --- | --- |
/// | claude, plain | no `paths` | `paths` | | | `paths` empty |
/// | cursor | `alwaysApply: true` | `globs` | `description` | none of them | `globs` empty and no `description` |
/// | copilot | | `applyTo` | | no `applyTo` | `applyTo` empty |
/// | devin | `trigger: always_on` | `trigger: glob`, or `globs` and no trigger | `trigger: model_decision` | `trigger: manual`, or none | `globs` empty with `trigger: glob` |
///
/// Cursor's own template writes an empty `globs` beside `alwaysApply` and `description`: there those say what
/// it is.
pub(super) fn of(dialect: Dialect, head: &Head) -> (Activation, Vec<BadPattern>) {
    let described = || head.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let described = || described().map(|text| Activation::Described(text.into()));
    match dialect {
        Dialect::Claude | Dialect::Plain => match &head.paths {
            None => (Activation::Always, Vec::new()),
            Some(paths) => by_paths(dialect, "paths", paths),
        },
        Dialect::Cursor => match (&head.globs, head.always_apply) {
            (_, Some(true)) => (Activation::Always, Vec::new()),
            (Some(globs), _) if !globs.is_empty() => by_paths(dialect, "globs", globs),
            (globs, _) => {
                let never = globs.is_some().then_some(Activation::Never(Never::Empty("globs")));
                (described().or(never).unwrap_or(Activation::Manual), Vec::new())
            }
        },
        Dialect::Copilot => match &head.apply_to {
            None => (Activation::Manual, Vec::new()),
            Some(apply_to) => by_paths(dialect, "applyTo", apply_to),
        },
        Dialect::Devin => {
            let globs = head.globs.clone().unwrap_or_default();
            let never = |why| (Activation::Never(why), Vec::new());
            match head.trigger.as_deref() {
                Some("always_on") => (Activation::Always, Vec::new()),
                Some("manual") => (Activation::Manual, Vec::new()),
                Some("glob") => by_paths(dialect, "globs", &globs),
                Some("model_decision") => match described() {
                    Some(described) => (described, Vec::new()),
                    None => never(Never::NoDescription),
                },
                Some(other) => never(Never::Trigger(other.into())),
                None if !globs.is_empty() => by_paths(dialect, "globs", &globs),
                None => (Activation::Manual, Vec::new()),
            }
        }
    }
}

fn by_paths(dialect: Dialect, key: &'static str, patterns: &[String]) -> (Activation, Vec<BadPattern>) {
    if patterns.is_empty() {
        return (Activation::Never(Never::Empty(key)), Vec::new());
    }
    let (patterns, mut bad) = Patterns::new(dialect, patterns);
    match patterns {
        Some(patterns) => (Activation::Paths(patterns), bad),
        // The first stands for all of them.
        None if bad.is_empty() => (Activation::Never(Never::Empty(key)), bad),
        None => (Activation::Never(Never::NoUsablePattern(bad.swap_remove(0))), bad),
    }
}
