//! Just enough Markdown to tell an import from code.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Note;

/// The longest line, in bytes, that can be a pointer.
const POINTER: usize = 200;

/// The extensions of a single name that is taken for an import.
const TEXT: [&str; 7] = ["md", "mdc", "mdx", "markdown", "txt", "rst", "adoc"];

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

/// Imports, by line.
pub(super) fn imports(text: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        match (fence, fence_marks(line)) {
            (Some(open), Some((marks, ""))) if marks.starts_with(open) => fence = None,
            (Some(_), _) => {}
            (None, Some((marks, info))) if !(marks.starts_with('`') && info.contains('`')) => {
                fence = Some(marks)
            }
            (None, _) if line.contains('@') => {
                let words = without_code_spans(line);
                let targets = words.split_whitespace().filter_map(import_target);
                notes.extend(
                    targets.map(|target| Note::Import { line: index + 1, target: target.to_owned() }),
                );
            }
            (None, _) => {}
        }
    }
    notes
}

/// The marks of a fence that `line` opens or closes, and what follows them, trimmed.
fn fence_marks(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let marks = line.strip_suffix(info)?;
    (marks.len() >= 3).then(|| (marks, info.trim()))
}

/// `line` with each code span as a single backtick, which holds on to its neighbours as the span did.
/// A span ends on its line.
fn without_code_spans(line: &str) -> Cow<'_, str> {
    let last: HashMap<usize, usize> = ticks(line).map(|(at, run)| (run, at)).collect();
    if last.is_empty() {
        return Cow::Borrowed(line);
    }
    let mut outside = String::with_capacity(line.len());
    let mut runs = ticks(line);
    let mut from = 0;
    while let Some((at, run)) = runs.next() {
        outside.push_str(line.get(from..at).unwrap_or(""));
        outside.push('`');
        from = at + run;
        if last.get(&run).is_some_and(|&last| last > at)
            && let Some((close, _)) = runs.by_ref().find(|&(_, other)| other == run)
        {
            from = close + run;
        }
    }
    outside.push_str(line.get(from..).unwrap_or(""));
    Cow::Owned(outside)
}

/// The runs of backticks in `line`: where each begins, and how long it is.
fn ticks(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = line.get(from..)?;
        let at = rest.find('`')?;
        let run = rest.bytes().skip(at).take_while(|&byte| byte == b'`').count();
        let start = from + at;
        from = start + run;
        Some((start, run))
    })
}

/// The target, if `word` is an import.
fn import_target(word: &str) -> Option<&str> {
    let target = word.strip_prefix('@')?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '+');
    if !target.chars().all(plain) {
        return None;
    }
    let (folder, name) =
        target.rsplit_once('/').map_or((None, target), |(folder, name)| (Some(folder), name));
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| target.starts_with(start));
    let import = match (folder, extension) {
        _ if name.is_empty() => false,
        _ if rooted => true,
        (Some(folder), Some(extension)) => {
            !folder.is_empty()
                && (1..=8).contains(&extension.len())
                && extension.chars().all(char::is_alphanumeric)
        }
        (None, Some(extension)) => TEXT.contains(&extension.to_ascii_lowercase().as_str()),
        (_, None) => false,
    };
    import.then_some(target)
}

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
