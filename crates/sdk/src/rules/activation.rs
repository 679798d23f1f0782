//! When a rule is due, by its dialect and head (F5).

use super::dialect::Dialect;
use super::head::{Head, Trigger};
use super::patterns::{Dropped, PathSet};

/// When a rule is due (F7).
#[derive(Clone, Debug)]
pub(crate) enum Activation {
    /// With the first message.
    Always,
    /// When a path of the set is touched.
    Paths(PathSet),
    /// It is listed by name and description; the body when the host asks.
    Described {
        /// `None`: the file's.
        name: Option<String>,
        /// Devin's may be empty.
        description: String,
    },
    /// When the host asks.
    Manual,
    /// At no time. It is not loaded, and an error of `check`.
    Never(Never),
}

/// Why a rule is never due.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Never {
    /// The pattern key is there and holds nothing, or Devin's `trigger: glob` has none.
    #[error("`{key}` has no pattern, so no path is meant")]
    NoPattern { key: &'static str },
    /// Each pattern was dropped, or only takes away.
    #[error("no pattern of `{key}` can match")]
    NoUsablePattern { key: &'static str, dropped: Vec<Dropped> },
}

impl Activation {
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
    /// | | `trigger: model_decision` | described |
    /// | | `trigger: manual` | manual |
    /// | | `trigger: glob`, or none and `globs` there | paths; never if `globs` is empty |
    /// | | no `trigger`, no `globs` | manual: Devin does not put such a rule on every message, and nothing says which. So also in `.windsurf/rules` |
    ///
    /// Where all patterns are dropped it is never.
    pub(crate) fn of(dialect: Dialect, head: &Head) -> Self {
        let described = head.description.as_deref().is_some_and(|text| !text.trim().is_empty());
        let patterns = head.patterns.as_deref();
        match dialect {
            Dialect::Claude | Dialect::Plain => match patterns {
                None => Self::Always,
                Some(patterns) => Self::for_paths(dialect, patterns),
            },
            Dialect::Copilot => match patterns {
                None => Self::Manual,
                Some(patterns) => Self::for_paths(dialect, patterns),
            },
            Dialect::Cursor => match patterns {
                _ if head.always_apply == Some(true) => Self::Always,
                Some(patterns) if !patterns.is_empty() => Self::for_paths(dialect, patterns),
                _ if described => Self::described(head),
                Some(empty) if head.always_apply.is_none() && head.description.is_none() => {
                    Self::for_paths(dialect, empty)
                }
                _ => Self::Manual,
            },
            Dialect::Devin => match (head.trigger, patterns) {
                (Some(Trigger::AlwaysOn), _) => Self::Always,
                (Some(Trigger::ModelDecision), _) => Self::described(head),
                (Some(Trigger::Manual), _) | (None, None) => Self::Manual,
                (Some(Trigger::Glob) | None, patterns) => {
                    Self::for_paths(dialect, patterns.unwrap_or_default())
                }
            },
        }
    }

    fn described(head: &Head) -> Self {
        Self::Described { name: head.name.clone(), description: head.description.clone().unwrap_or_default() }
    }

    fn for_paths(dialect: Dialect, patterns: &[String]) -> Self {
        let key = dialect.pattern_key();
        if patterns.is_empty() {
            return Self::Never(Never::NoPattern { key });
        }
        let set = PathSet::compile(dialect, patterns);
        if set.is_empty() {
            return Self::Never(Never::NoUsablePattern { key, dropped: set.dropped().to_vec() });
        }
        Self::Paths(set)
    }

    /// The patterns that are not used, also where others are.
    pub(crate) fn dropped(&self) -> &[Dropped] {
        match self {
            Self::Paths(set) => set.dropped(),
            Self::Never(Never::NoUsablePattern { dropped, .. }) => dropped,
            Self::Always | Self::Described { .. } | Self::Manual | Self::Never(Never::NoPattern { .. }) => {
                &[]
            }
        }
    }
}
