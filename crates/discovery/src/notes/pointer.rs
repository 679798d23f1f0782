//! Texts that say no more than to read another file.

/// The longest line, in bytes, that can be a pointer.
const POINTER: usize = 200;

/// The words, in lower case, that may stand around the name in a pointer.
const POINTING: [&str; 42] = [
    "a",
    "agent",
    "agents",
    "all",
    "and",
    "are",
    "at",
    "check",
    "file",
    "follow",
    "for",
    "found",
    "from",
    "guidance",
    "guidelines",
    "here",
    "in",
    "instead",
    "instructions",
    "into",
    "is",
    "live",
    "look",
    "moved",
    "please",
    "project",
    "read",
    "refer",
    "repo",
    "repository",
    "rules",
    "same",
    "see",
    "the",
    "these",
    "this",
    "to",
    "use",
    "using",
    "we",
    "with",
    "you",
];

/// The only line of `text` that is neither blank nor a heading, if it is short enough to be a pointer.
pub(super) fn only_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = lines.next().filter(|line| line.len() <= POINTER)?;
    lines.next().is_none().then_some(line)
}

/// Whether `line` says no more than that `name` is to be read.
pub(super) fn points_at(line: &str, name: &str) -> bool {
    let decoration = |c: char| c.is_whitespace() || "`*_\"'()[]<>@,;:!?".contains(c);
    let is_name = |word: &str| {
        let word = word.strip_prefix("./").unwrap_or(word);
        word == name || word.strip_suffix('.') == Some(name)
    };
    let says_no_more = |word: &str| {
        is_name(word)
            || word == "."
            || POINTING.contains(&word.trim_end_matches('.').to_ascii_lowercase().as_str())
    };
    let mut words = line.split(decoration).filter(|word| !word.is_empty());
    words.clone().any(is_name) && words.all(says_no_more)
}
