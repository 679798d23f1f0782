//! Why there is no configuration.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use standing_orders_discovery::path::shown;

use crate::injector::Trap;

/// Why configuration cannot be used (G1): one situation a variant, with its data.
///
/// The message is one line, whatever the files hold, and names the key, what was expected, the
/// nearest valid key, and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read: absent, a directory, no permission, too large, not UTF-8.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What was in the way.
        reason: String,
    },
    /// The file, or the list in a variable, is not TOML.
    Syntax {
        /// Where.
        origin: Origin,
        /// What the parser said.
        reason: String,
    },
    /// There is no such key.
    UnknownKey {
        /// The key, such as `wording.introductoin` or `gated[0].file`.
        key: String,
        /// Where it was set.
        origin: Origin,
        /// The key it may be meant to be, whole.
        nearest: Option<String>,
        /// The keys there are in that table.
        known: &'static [&'static str],
    },
    /// The value is of another type.
    WrongType {
        /// The key.
        key: String,
        /// Where it was set.
        origin: Origin,
        /// What can stand there.
        expected: Box<str>,
        /// What stands there.
        found: Box<str>,
    },
    /// The value is of the right type, and still means nothing.
    InvalidValue {
        /// The key.
        key: String,
        /// Where it was set.
        origin: Origin,
        /// What can stand there.
        expected: Box<str>,
        /// What stands there.
        found: Box<str>,
        /// The value it may be meant to be.
        nearest: Option<String>,
    },
    /// A key without a default is set nowhere.
    MissingKey {
        /// The key.
        key: String,
        /// Where it could have been set: each file and explicit source that was asked; for a key of
        /// an entry, the entry.
        looked: Vec<Origin>,
    },
    /// A gated file has the name of a workspace candidate, so any session would be shown it (I5).
    Trap {
        /// The key, such as `gated[0].files[1]`.
        key: String,
        /// Where it was set.
        origin: Origin,
        /// The file, and a better name.
        trap: Box<Trap>,
    },
}

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The host's own default.
    Fallback,
    /// A file.
    File {
        /// Its path, as it was given.
        path: PathBuf,
        /// Where in it, if that is known.
        at: Option<Box<Position>>,
    },
    /// An environment variable, by its name.
    Variable(String),
    /// An explicit value, by the name the host gave to its source, such as `--max-bytes`.
    Explicit(String),
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The bytes of the key or the value.
    pub span: Range<usize>,
}

impl ConfigError {
    /// The key it is about, if it is about one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Unreadable { .. } | Self::Syntax { .. } => None,
            Self::UnknownKey { key, .. }
            | Self::WrongType { key, .. }
            | Self::InvalidValue { key, .. }
            | Self::MissingKey { key, .. }
            | Self::Trap { key, .. } => Some(key),
        }
    }

    /// Where the fault is, if it is at one place.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Syntax { origin, .. }
            | Self::UnknownKey { origin, .. }
            | Self::WrongType { origin, .. }
            | Self::InvalidValue { origin, .. }
            | Self::Trap { origin, .. } => Some(origin),
            Self::MissingKey { looked, .. } => match looked.as_slice() {
                [origin @ Origin::File { at: Some(_), .. }] => Some(origin),
                _ => None,
            },
        }
    }

    /// What is wrong, without where.
    pub fn what(&self) -> String {
        match self {
            Self::Unreadable { path, reason } => format!("cannot read {}: {reason}", shown(path)),
            Self::Syntax { reason, .. } => format!("not valid TOML: {}", one_line(reason)),
            Self::UnknownKey { key, .. } => format!("unknown key `{}`", one_line(key)),
            Self::WrongType { key, expected, found, .. }
            | Self::InvalidValue { key, expected, found, .. } => {
                format!("`{}` is {found}, expected {expected}", one_line(key))
            }
            Self::MissingKey { key, .. } if key == "max_bytes" => {
                "missing key `max_bytes`: each deployment chooses its own, in bytes, and 0 turns loading off"
                    .to_owned()
            }
            Self::MissingKey { key, .. } => format!("missing key `{}`", one_line(key)),
            Self::Trap { key, trap, .. } => format!(
                "`{key}` is {}, which has the name of the instruction file {}: any session that touches its \
                 folder would be shown it",
                shown(&trap.path),
                trap.candidate
            ),
        }
    }

    /// What helps: the value that is expected, the key or value that may be meant, else the keys there are.
    pub fn help(&self) -> Option<String> {
        let nearest = self.nearest().map(|nearest| format!("did you mean `{nearest}`?"));
        match self {
            Self::UnknownKey { known, .. } => nearest.or_else(|| {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                (!known.is_empty()).then(|| format!("valid keys are {}", known.join(", ")))
            }),
            Self::Trap { trap, .. } => {
                Some(format!("call it {}, or name it in `allow_candidate_names`", shown(&trap.better)))
            }
            _ => nearest,
        }
    }

    /// The valid key or value that may be meant.
    pub fn nearest(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { nearest, .. } | Self::InvalidValue { nearest, .. } => nearest.as_deref(),
            _ => None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what())?;
        if let Some(help) = self.help() {
            write!(f, ", {help}")?;
        }
        if let Some(origin) = self.origin() {
            return write!(f, " ({origin})");
        }
        match self {
            Self::MissingKey { looked, .. } if looked.is_empty() => f.write_str(" (nothing sets anything)"),
            Self::MissingKey { looked, .. } => {
                f.write_str(" (not in ")?;
                for (index, origin) in looked.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    origin.fmt(f)?;
                }
                f.write_str(")")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fallback => f.write_str("the host's default"),
            Self::File { path, at } => {
                shown(path).fmt(f)?;
                match at.as_deref() {
                    Some(Position { line, column, .. }) => write!(f, ", line {line}, column {column}"),
                    None => Ok(()),
                }
            }
            Self::Variable(name) => write!(f, "variable {}", one_line(name)),
            Self::Explicit(name) => f.write_str(&one_line(name)),
        }
    }
}

/// The most characters of a text out of a file that an error repeats.
const SHOWN: usize = 80;

/// `text` on one line, and not too much of it.
pub(super) fn one_line(text: &str) -> String {
    let mut line: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        line.push('…');
    }
    line
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    // `escape_debug` leaves what is printed as one character alone, but for quotes and backslashes.
    let plain = matches!(c, '\'' | '"' | '\\');
    let escaped = (!plain).then(|| c.escape_debug());
    plain.then_some(c).into_iter().chain(escaped.into_iter().flatten())
}

impl Position {
    pub(super) fn of(text: &str, span: Range<usize>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        Self { line: lines + 1, column: line.chars().count() + 1, span }
    }
}
