//! Lines that import a file (M1).
//!
//! In doubt there is none: an `@` begins far more mentions, packages and decorators than imports.

use std::collections::HashMap;

/// The extensions of a single name that is taken for an import.
const EXTENSIONS: [&str; 7] = ["md", "mdc", "mdx", "markdown", "txt", "rst", "adoc"];

/// Single names that are taken for imports as they are: texts that every second project has. A person or a
/// package with such a name is rarer than a file.
const NAMES: [&str; 16] = [
    "README",
    "LICENSE",
    "CHANGELOG",
    "CONTRIBUTING",
    "Makefile",
    "Justfile",
    "Dockerfile",
    "Containerfile",
    "Gemfile",
    "package.json",
    "tsconfig.json",
    "composer.json",
    "Cargo.toml",
    "pyproject.toml",
    "go.mod",
    "build.gradle",
];

/// A line of a text that imports a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// From 1.
    pub line: usize,
    /// The path, without `@`, and with blanks for `\ `.
    pub target: String,
}

/// The imports of a text, in order (M1).
///
/// An import is a word of its own that begins with `@` and is a path: from `/`, `./`, `../` or `~/`, with a
/// folder and a file extension, or a single name that is a text's, such as `@README` or `@style.md`. A blank in
/// it is written `\ `, and a full stop, comma or bracket behind it is not its own. Code spans, fenced blocks,
/// HTML comments, folders, patterns, mail addresses, mentions and packages (`@scope/pkg`) are none.
pub fn imports(text: &str) -> Vec<Import> {
    if !text.contains('@') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut comment = false;
    for (index, line) in text.lines().enumerate() {
        match (fence, fence_marks(line)) {
            _ if comment => {}
            (Some(open), Some((marks, ""))) if marks.starts_with(open) => {
                fence = None;
                continue;
            }
            (Some(_), _) => continue,
            (None, Some((marks, info))) if !(marks.starts_with('`') && info.contains('`')) => {
                fence = Some(marks);
                continue;
            }
            (None, _) => {}
        }
        if !comment && !line.contains(['@', '<']) {
            continue;
        }
        let visible = without_comments(&without_code_spans(line, comment), &mut comment);
        let targets = words(&visible).into_iter().filter_map(|word| target(&word));
        found.extend(targets.map(|target| Import { line: index + 1, target }));
    }
    found
}

/// The import that a text consists of, comments and white space aside (M5).
pub fn only_import(text: &str) -> Option<Import> {
    let all = imports(text);
    let [import] = all.as_slice() else { return None };
    let mut comment = false;
    let visible: String = text.lines().map(|line| without_comments(line, &mut comment) + "\n").collect();
    let is_all = words(visible.trim()).as_slice().first().is_some_and(|word| target(word).is_some());
    (is_all && words(visible.trim()).len() == 1).then(|| import.clone())
}

/// The marks of a fence that `line` opens or closes, and what follows them, trimmed.
fn fence_marks(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let marks = line.strip_suffix(info)?;
    (marks.len() >= 3).then(|| (marks, info.trim()))
}

/// `line` with each code span as a single backtick, which holds on to its neighbours as the span did. A span
/// ends on its line, and none begins in a comment.
fn without_code_spans(line: &str, in_comment: bool) -> String {
    let last: HashMap<usize, usize> = ticks(line).map(|(at, run)| (run, at)).collect();
    if last.is_empty() || in_comment {
        return line.to_owned();
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
    outside
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

/// `line` without what stands in `<!-- … -->`, which may go on over lines.
fn without_comments(line: &str, comment: &mut bool) -> String {
    let mut visible = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        let (mark, len) = if *comment { ("-->", 3) } else { ("<!--", 4) };
        let Some(at) = rest.find(mark) else {
            visible.push_str(if *comment { "" } else { rest });
            return visible;
        };
        if !*comment {
            visible.push_str(rest.get(..at).unwrap_or_default());
            // A word does not go on behind a comment.
            visible.push(' ');
        }
        *comment = !*comment;
        rest = rest.get(at + len..).unwrap_or_default();
    }
}

/// The words of a line; `\ ` is a blank in one.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next_if_eq(&' ').is_some() => word.push(' '),
            c if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The path, if `word` is an import.
fn target(word: &str) -> Option<String> {
    let target = word.strip_prefix('@')?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '+' | ' ');
    if !target.chars().all(plain) {
        return None;
    }
    let (folder, name) =
        target.rsplit_once('/').map_or((None, target), |(folder, name)| (Some(folder), name));
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| target.starts_with(start));
    let import = match (folder, extension) {
        _ if matches!(name, "" | "." | "..") => false,
        _ if rooted => true,
        (Some(folder), Some(extension)) => {
            !folder.is_empty()
                && (1..=8).contains(&extension.len())
                && extension.chars().all(char::is_alphanumeric)
        }
        (None, Some(extension)) if EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) => true,
        (None, _) => NAMES.contains(&name),
        (Some(_), None) => false,
    };
    import.then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What users saw taken for an import that was none, and the other way round.
    #[test]
    fn what_is_an_import_and_what_is_none() {
        let rows: [(&str, &str, &[&str]); 34] = [
            ("a path", "@docs/style.md", &["docs/style.md"]),
            ("in a sentence", "See @docs/style.md, and @./b.", &["docs/style.md", "./b"]),
            ("not ASCII", "@größe/规则.md", &["größe/规则.md"]),
            ("upward", "@../shared/x", &["../shared/x"]),
            ("home", "@~/notes.md", &["~/notes.md"]),
            ("absolute", "@/etc/x.md", &["/etc/x.md"]),
            ("a single text", "@RULES.md", &["RULES.md"]),
            ("known names", "@README @Makefile @package.json", &["README", "Makefile", "package.json"]),
            ("a blank", r"@docs/my\ file.md x", &["docs/my file.md"]),
            ("in brackets it begins no word", "(@docs/a.md)", &[]),
            ("before a bracket", "@docs/a.md)", &["docs/a.md"]),
            ("two on a line", "@a/b.md @c/d.md", &["a/b.md", "c/d.md"]),
            ("a package", "npm i @types/node @scope/pkg", &[]),
            ("a package with a version", "@scope/pkg@1.2.3", &[]),
            ("a decorator", "@param x @Injectable() @override", &[]),
            ("a mail address", "me@docs/mail.md you@x.md", &[]),
            ("a mention", "thanks @octocat and @org/team", &[]),
            ("a folder", "@docs/ @./docs/", &[]),
            ("a pattern", "@docs/*.md @src/{a,b}.md", &[]),
            ("a code span", "`@docs/a.md` and ``@docs/`b.md``", &[]),
            ("an open span is none", "` @docs/a.md", &["docs/a.md"]),
            ("a fence", "```\n@docs/a.md\n```\n@docs/b.md", &["docs/b.md"]),
            ("a fence of tildes", "~~~ md\n@docs/a.md\n```\n~~~\n@docs/b.md", &["docs/b.md"]),
            ("a longer fence", "````\n```\n@docs/a.md\n````\n@docs/b.md", &["docs/b.md"]),
            ("a fence without an end", "```\n@docs/a.md", &[]),
            ("a comment", "<!-- @docs/a.md --> @docs/b.md", &["docs/b.md"]),
            ("a comment over lines", "<!--\n@docs/a.md\n```\n-->\n@docs/b.md", &["docs/b.md"]),
            ("a comment without an end", "<!-- \n@docs/a.md", &[]),
            ("glued to a comment", "@docs/a.md<!-- x -->", &["docs/a.md"]),
            ("a comment in a span is none", "`<!--` @docs/a.md", &["docs/a.md"]),
            ("quoted", "\"@docs/a.md\" '@docs/b.md'", &[]),
            ("an address", "https://x.y/@docs/a.md", &[]),
            ("nothing", "@ @. @.. @/ @~/", &[]),
            ("a handle with a dot", "@first.last", &[]),
        ];
        for (row, text, expected) in rows {
            let found: Vec<String> = imports(text).into_iter().map(|import| import.target).collect();
            assert_eq!(found, expected, "{row}: {text:?}");
        }
        assert_eq!(imports("a\n\n@é/b.md")[0].line, 3, "lines count from 1");
    }

    #[test]
    fn a_text_that_is_an_import_and_nothing_else() {
        for (text, is_all) in [
            ("@AGENTS.md", true),
            ("\n  @./AGENTS.md  \r\n\n", true),
            ("<!-- moved -->\n@AGENTS.md\n<!-- x\ny -->", true),
            ("@AGENTS.md.", true),
            ("See @AGENTS.md", false),
            ("@a.md @b.md", false),
            ("# Rules\n@AGENTS.md", false),
            ("```\n@AGENTS.md\n```", false),
            ("", false),
        ] {
            assert_eq!(only_import(text).is_some(), is_all, "{text:?}");
        }
    }
}
