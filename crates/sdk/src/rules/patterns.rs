//! The patterns of one rule (F6).

use std::fmt;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::Dialect;
use crate::globs::{alternatives_of, file_glob};

/// The most patterns of a rule, each alternative of braces counted.
const MAX_PATTERNS: usize = 1_000;

/// Patterns over paths relative to the folder that a rule is for.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    written: Vec<String>,
    set: GlobSet,
    /// For each glob of the set the pattern it is of.
    of: Vec<usize>,
}

/// A pattern that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadPattern {
    pub(crate) pattern: String,
    pub(crate) why: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.pattern, self.why)
    }
}

/// The compiled set follows from the patterns.
impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Patterns {
    /// The patterns that can be used, if any, and those that cannot.
    ///
    /// A pattern that begins with `!` excludes what it matches in no two products alike: it is refused, and
    /// never taken for one that includes.
    pub(super) fn new(dialect: Dialect, patterns: &[String]) -> (Option<Self>, Vec<BadPattern>) {
        let (mut written, mut of, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        let mut set = GlobSetBuilder::new();
        let mut count = 0;
        for (number, pattern) in patterns.iter().enumerate() {
            if count >= MAX_PATTERNS {
                let more = patterns.len() - number;
                let why =
                    format!("a rule has at most {MAX_PATTERNS} patterns: it and what follows, {more} in all");
                bad.push(BadPattern { pattern: pattern.clone(), why });
                break;
            }
            let compiled = compile(dialect, pattern, MAX_PATTERNS - count);
            match compiled {
                Ok((globs, alternatives)) => {
                    count += alternatives;
                    for glob in globs {
                        set.add(glob);
                        of.push(written.len());
                    }
                    written.push(pattern.clone());
                }
                Err(why) => bad.push(BadPattern { pattern: pattern.clone(), why }),
            }
        }
        if written.is_empty() {
            return (None, bad);
        }
        match set.build() {
            Ok(set) => (Some(Self { written, set, of }), bad),
            Err(error) => {
                bad.push(BadPattern { pattern: written.swap_remove(0), why: error.kind().to_string() });
                (None, bad)
            }
        }
    }

    /// As they are written, in order.
    pub(crate) fn as_written(&self) -> &[String] {
        &self.written
    }

    /// The first pattern that matches a path relative to the folder, with `/` between its components.
    pub(crate) fn matches(&self, path: &str) -> Option<&str> {
        let first = self.set.matches(path).into_iter().filter_map(|glob| self.of.get(glob)).min()?;
        self.written.get(*first).map(String::as_str)
    }
}

/// What a pattern stands for, and how many alternatives that has.
fn compile(dialect: Dialect, pattern: &str, most: usize) -> Result<(Vec<Glob>, usize), String> {
    let mut plain = pattern.trim();
    if plain.starts_with('!') {
        return Err("patterns that exclude are not read: name what it is for".to_owned());
    }
    // It stands in a sentence of ours, which is one line.
    if plain.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err("a pattern has no line ends and no other control characters".to_owned());
    }
    while let Some(rest) = plain.strip_prefix("./").or_else(|| plain.strip_prefix('/')) {
        plain = rest;
    }
    let everywhere = matches!(plain, "*" | "**") && dialect == Dialect::Copilot;
    let plain = match plain {
        _ if everywhere => "**".to_owned(),
        _ if pattern.contains('/') || plain == "**" || !dialect.matches_at_any_depth() => plain.to_owned(),
        _ => format!("**/{plain}"),
    };
    let mut globs = Vec::new();
    let written = file_glob(&plain);
    let alternatives = alternatives_of(&plain).unwrap_or(1);
    if alternatives > most {
        return Err(format!("a rule has at most {MAX_PATTERNS} patterns, each alternative counted"));
    }
    // A folder named `[id]` is one, whatever brackets mean to globs.
    let literal = plain.contains('[').then(|| file_glob(&escaped(&plain))).and_then(Result::ok);
    match (written, literal) {
        (Ok(glob), literal) => {
            globs.push(glob);
            globs.extend(literal);
        }
        (Err(_), Some(literal)) => globs.push(literal),
        (Err(why), None) => return Err(why),
    }
    Ok((globs, alternatives))
}

/// With brackets that stand for themselves.
fn escaped(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                escaped.push(c);
                escaped.extend(chars.next());
            }
            '[' | ']' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
