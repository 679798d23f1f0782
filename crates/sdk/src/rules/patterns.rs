//! The patterns of one rule, compiled (F6).

use std::fmt;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::Dialect;
use crate::globs::file_glob;

/// The most patterns of a rule; alternatives of braces count one each.
pub(super) const MAX_PATTERNS: usize = 1_000;

/// The most bytes of one pattern with its alternatives written out.
const MAX_WRITTEN_OUT: usize = 4 << 20;

/// The most braces within each other.
const MAX_DEPTH: usize = 32;

/// The paths for which a rule is meant, relative to the folder that holds the dot folder.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    /// As written, those that exclude among them.
    written: Vec<String>,
    /// For each glob of `matching`, which of `written` it is.
    pattern_of: Vec<usize>,
    matching: GlobSet,
    excluding: GlobSet,
}

/// What is compiled follows from the patterns, and those of one file are of one dialect.
impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// A pattern that is not used: the finding `rule-dead-glob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadPattern {
    /// As written. Of those over the limit, the first.
    pub(crate) pattern: String,
    pub(crate) why: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.pattern, self.why)
    }
}

impl Patterns {
    /// The patterns that can be used, if one of them can match, and those that cannot.
    ///
    /// `*` and `?` stay within a component, `**` is folders, braces nest. Dot names match, letter case
    /// counts; `?` and a class stand for one byte, so for no letter outside ASCII.
    ///
    /// - A leading `./` or `/` is dropped, and `dir/` is `dir/**`.
    /// - A pattern written without `/` means the folder's own files, in `cursor` and `devin` files at any
    ///   depth. `./x` and `/x` are the folder's own everywhere. In `copilot`, `*` alone is every file.
    /// - A class also counts as plain text (`[id]`), and a bracket that begins no class does so only.
    /// - `!x` takes away what `x` matches, wherever it stands in the list. No product but one says what
    ///   it does with `!`; nobody writes it to mean a file whose name begins with it, which is `\!x`.
    /// - A backslash takes the meaning from a mark. Before a letter, a digit or one of `._*?\` it is
    ///   taken for a folder separator of Windows, and the pattern dropped.
    ///
    /// A pattern that is none, or that can match nothing, is dropped alone. Of more than [`MAX_PATTERNS`]
    /// the first are used; the rest is one [`BadPattern`]. A pattern whose braces alone are more is dropped
    /// alone, as is one with braces deeper than 32 or longer than 4 MiB when written out.
    pub(super) fn new<S: AsRef<str>>(dialect: Dialect, patterns: &[S]) -> (Option<Self>, Vec<BadPattern>) {
        let (mut written, mut pattern_of, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        let (mut matching, mut excluding) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut count = 0;
        for (index, pattern) in patterns.iter().map(AsRef::as_ref).enumerate() {
            let refused = |why| BadPattern { pattern: pattern.to_owned(), why };
            let compiled = compile(dialect, pattern);
            count += match &compiled {
                Ok(compiled) => compiled.alternatives,
                Err((_, alternatives)) => *alternatives,
            };
            if count > MAX_PATTERNS {
                let rest = patterns.len() - index;
                bad.push(refused(format!(
                    "a rule has at most {MAX_PATTERNS} patterns, alternatives of braces counted: from here on \
                     {rest} are not used"
                )));
                break;
            }
            let Compiled { negated, globs, .. } = match compiled {
                Ok(compiled) => compiled,
                Err((why, _)) => {
                    bad.push(refused(why));
                    continue;
                }
            };
            for glob in globs {
                if negated {
                    excluding.add(glob);
                } else {
                    pattern_of.push(written.len());
                    matching.add(glob);
                }
            }
            written.push(pattern.to_owned());
        }
        if pattern_of.is_empty() {
            let alone = "it only takes away, and no pattern gives";
            bad.extend(written.into_iter().map(|pattern| BadPattern { pattern, why: alone.to_owned() }));
            return (None, bad);
        }
        match (matching.build(), excluding.build()) {
            (Ok(matching), Ok(excluding)) => (Some(Self { written, pattern_of, matching, excluding }), bad),
            // Without what it excludes a rule would be too wide, so nothing of it counts.
            (Err(error), _) | (_, Err(error)) => {
                let why = format!("the patterns together are too large: {}", error.kind());
                bad.extend(written.into_iter().map(|pattern| BadPattern { pattern, why: why.clone() }));
                (None, bad)
            }
        }
    }

    /// As they are written, in order; those that begin with `!` exclude.
    pub(crate) fn as_written(&self) -> &[String] {
        &self.written
    }

    /// The first pattern, as written, that matches `relative`: a path below the folder that holds the dot
    /// folder, with `/`. No pattern matches the folder itself, or a path that leaves it.
    pub(crate) fn matches(&self, relative: &str) -> Option<&str> {
        if relative.is_empty() || relative.starts_with('/') || relative.split('/').any(|part| part == "..") {
            return None;
        }
        let first = self.matching.matches(relative).into_iter().min()?;
        let pattern = self.pattern_of.get(first).and_then(|&index| self.written.get(index))?;
        (!self.excluding.is_match(relative)).then_some(pattern.as_str())
    }
}

struct Compiled {
    negated: bool,
    /// The pattern, and as plain text.
    globs: Vec<Glob>,
    alternatives: usize,
}

/// # Errors
/// Why it matches nothing, and how many alternatives were read.
fn compile(dialect: Dialect, written: &str) -> Result<Compiled, (String, usize)> {
    let trimmed = written.trim();
    let (negated, pattern) = match trimmed.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed),
    };
    let group = negated && pattern.starts_with('(');
    if let Some(reason) = foreign(pattern).or(group.then_some(GROUPS)) {
        return Err((reason.to_owned(), 1));
    }
    let mut plain = pattern;
    while let Some(rest) = plain.strip_prefix("./").or_else(|| plain.strip_prefix('/')) {
        plain = rest;
    }
    let any_depth = match (plain, dialect) {
        ("*", Dialect::Copilot) => true,
        _ => dialect.matches_at_any_depth() && !pattern.contains('/') && !plain.is_empty(),
    };
    let plain = if any_depth { format!("**/{plain}") } else { plain.to_owned() };
    let as_text = plain.contains('[').then(|| bounded(&without_classes(&plain))).and_then(Result::ok);
    let (globs, alternatives) = match (bounded(&plain), as_text) {
        (Ok((glob, count)), text) => {
            (std::iter::once(glob).chain(text.map(|(glob, _)| glob)).collect(), count)
        }
        (Err(_), Some((glob, count))) => (vec![glob], count),
        (Err(fault), None) => return Err(fault),
    };
    Ok(Compiled { negated, globs, alternatives })
}

const GROUPS: &str = "groups such as `@(a|b)` are not read: write `{a,b}`";

/// What of other pattern languages a pattern has that is not read here.
fn foreign(pattern: &str) -> Option<&'static str> {
    if pattern.chars().any(char::is_control) {
        return Some("it has a control character");
    }
    if pattern.contains('(') && pattern.contains('|') {
        return Some(GROUPS);
    }
    if pattern == "~" || pattern.starts_with("~/") {
        return Some("it begins with `~`, and patterns are relative to the folder of the rules");
    }
    let mut chars = pattern.chars();
    if chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':') {
        return Some("it begins with a drive, and patterns are relative to the folder of the rules");
    }
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let next = if c == '\\' { chars.next() } else { None };
        if next.is_some_and(|next| next.is_alphanumeric() || "._*?\\".contains(next)) {
            return Some("folders are separated by `/`, and `\\` only takes the meaning from a mark");
        }
    }
    None
}

/// The glob, and how many alternatives it has.
fn bounded(pattern: &str) -> Result<(Glob, usize), (String, usize)> {
    let count = alternatives(pattern).map_err(|reason| (reason, 1))?;
    match file_glob(pattern) {
        Ok(glob) => Ok((glob, count)),
        Err(reason) => Err((reason, count)),
    }
}

/// How many alternatives the braces of a pattern stand for, without writing them out.
fn alternatives(pattern: &str) -> Result<usize, String> {
    // What is open: the alternatives of the braces so far, and of the one at hand.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut current = 1_usize;
    // Of braces in what looks like a class too: globset knows no escapes there, and may see it end sooner.
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("its braces are deeper than {MAX_DEPTH}"));
        }
        match c {
            '\\' => drop(chars.next()),
            ']' => in_class = false,
            '[' => in_class = true,
            _ if in_class => {}
            '{' => {
                open.push((current, 0));
                current = 1;
            }
            ',' => {
                if let Some((_, sum)) = open.last_mut() {
                    *sum += current;
                    current = 1;
                }
            }
            '}' => {
                if let Some((before, sum)) = open.pop() {
                    current = before.saturating_mul(sum + current);
                }
            }
            _ => {}
        }
        if current > MAX_PATTERNS || open.last().is_some_and(|(_, sum)| *sum > MAX_PATTERNS) {
            return Err(format!("its braces stand for more than {MAX_PATTERNS} alternatives"));
        }
    }
    if current.saturating_mul(pattern.len()) > MAX_WRITTEN_OUT {
        return Err("its alternatives take more than 4 MiB when written out".to_owned());
    }
    Ok(current)
}

/// The pattern with each bracket as plain text.
fn without_classes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if matches!(c, '[' | ']') {
            plain.push('\\');
        }
        plain.push(c);
        if c == '\\' {
            plain.extend(chars.next());
        }
    }
    plain
}
