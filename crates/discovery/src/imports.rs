//! Which words of a text are imports, and just enough Markdown to tell them from code (M1).

use std::borrow::Cow;
use std::collections::HashMap;

/// A word that asks for another file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The line, from 1.
    pub line: usize,
    /// The path as written, without `@`; `\ ` is a blank.
    pub target: String,
}

/// The extensions of a single name that is taken for an import.
const TEXT: [&str; 7] = ["md", "mdc", "mdx", "markdown", "txt", "rst", "adoc"];

/// Single names that are imports as they are: files that a guide points at, and whose names are no tag, no
/// handle and no host. `TODO`, `VERSION` and `AUTHORS` are tags of doc comments too, and are not here.
const NAMES: [&str; 23] = [
    "CHANGELOG",
    "CODEOWNERS",
    "CONTRIBUTING",
    "Cargo.toml",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "Procfile",
    "README",
    "Rakefile",
    "build.gradle",
    "compose.yaml",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "go.mod",
    "justfile",
    "package.json",
    "pyproject.toml",
    "tsconfig.json",
];

/// How names of packages end that have a dot: `@types/chart.js`, `@nestjs/platform-socket.io`.
const PACKAGES: [&str; 2] = ["js", "io"];

/// The imports of a text, by line and in the order of the line. Linear in the text.
///
/// An import is a word of its own that begins with `@`, outside code spans, fenced blocks and HTML
/// comments, and is a path of letters, digits and `/.-_~+`:
/// - from `/`, `./`, `../` or `~/`, or
/// - with a folder and a file extension, or
/// - a single name with the extension of a text file, or a known one (`README`, `Makefile`,
///   `package.json`).
///
/// `\ ` is a blank within it; punctuation that ends a sentence is not of it. A folder (`@docs/`) and a
/// glob (`@docs/*.md`) are none, nor are mail addresses, mentions, tags and decorators. `@scope/pkg` never
/// is one, and with a single folder neither is a name that ends as packages do, in `.js` or `.io`: write
/// `@./src/index.js`. `@scope/pkg.md` is one, for no registry has such names.
///
/// A comment that begins a line and has no end is one to the text's end; within a line it is none.
///
/// ```
/// use standing_orders_discovery::imports;
///
/// let found = imports("# Rules\nSee @docs/house\\ style.md and `@docs/old.md`, not @types/node.\n");
/// assert_eq!((found.len(), found[0].line, found[0].target.as_str()), (1, 2, "docs/house style.md"));
/// ```
pub fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for (line, prose) in prose(text).filter(|(_, prose)| prose.contains('@')) {
        found.extend(words(&prose).filter_map(target).map(|target| Import { line, target }));
    }
    found
}

/// The import that is all a text says, blank lines, HTML comments and a full stop aside (M5).
///
/// Whether it names a sibling is for the caller.
pub fn only_import(text: &str) -> Option<Import> {
    let mut lines = prose(text).filter(|(_, prose)| !prose.trim().is_empty());
    let (line, prose) = lines.next()?;
    let mut words = words(&prose);
    let target = target(words.next()?)?;
    (words.next().is_none() && lines.next().is_none()).then_some(Import { line, target })
}

/// The lines outside fenced blocks and HTML comments, with their numbers. Lines of fenced blocks, and code
/// spans, are a backtick; comments are a blank.
fn prose(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let last_end = text.rfind("-->");
    let mut offset = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, line)| {
        // A comment within a line is one only if it ends.
        let ends_from = last_end.and_then(|end| end.checked_sub(offset));
        offset += line.len();
        let line = line.trim_end_matches(['\r', '\n']);
        let marks = if in_comment { None } else { fence_marks(line) };
        let code = Cow::Borrowed("`");
        let prose = match (fence, marks) {
            (Some(open), Some((marks, ""))) if marks.starts_with(open) => {
                fence = None;
                code
            }
            (Some(_), _) => code,
            (None, Some((marks, info))) if !(marks.starts_with('`') && info.contains('`')) => {
                fence = Some(marks);
                code
            }
            (None, _) => outside(line, &mut in_comment, ends_from),
        };
        (index + 1, prose)
    })
}

/// The marks of a fence that `line` opens or closes, and what follows them, trimmed.
fn fence_marks(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let marks = line.strip_suffix(info)?;
    (marks.len() >= 3).then(|| (marks, info.trim()))
}

/// `line` with each code span as a single backtick, which holds on to its neighbours as the span did, and
/// each comment as a blank. A span ends on its line; of a span and a comment the one that begins first is.
fn outside<'l>(line: &'l str, in_comment: &mut bool, ends_from: Option<usize>) -> Cow<'l, str> {
    if !*in_comment && !line.contains('`') && !line.contains("<!--") {
        return Cow::Borrowed(line);
    }
    let last: HashMap<usize, usize> = ticks(line).map(|(at, run)| (run, at)).collect();
    let mut outside = String::with_capacity(line.len());
    let mut runs = ticks(line).peekable();
    let find_comment = |from: usize| {
        let at = from + line.get(from..)?.find("<!--")?;
        let begins_line = line.get(..at)?.trim().is_empty();
        (begins_line || ends_from.is_some_and(|end| at < end)).then_some(at)
    };
    let (mut from, mut comment) = (0, find_comment(0));
    loop {
        let rest = line.get(from..).unwrap_or("");
        if *in_comment {
            let Some(end) = rest.find("-->") else { break };
            *in_comment = false;
            outside.push(' ');
            from += end + "-->".len();
            continue;
        }
        while runs.next_if(|&(at, _)| at < from).is_some() {}
        if comment.is_some_and(|at| at < from) {
            comment = find_comment(from);
        }
        match (runs.peek().copied(), comment) {
            (tick, Some(at)) if tick.is_none_or(|(tick, _)| at < tick) => {
                outside.push_str(line.get(from..at).unwrap_or(""));
                *in_comment = true;
                // `<!-->` is a whole comment.
                from = at + "<!".len();
            }
            (Some((at, run)), _) => {
                runs.next();
                outside.push_str(line.get(from..at).unwrap_or(""));
                outside.push('`');
                from = at + run;
                if last.get(&run).is_some_and(|&last| last > at)
                    && let Some((close, _)) = runs.by_ref().find(|&(_, other)| other == run)
                {
                    from = close + run;
                }
            }
            (None, _) => {
                outside.push_str(rest);
                break;
            }
        }
    }
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

/// The words of a line; a blank behind a backslash does not end one.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    let words = line.split(move |c: char| {
        let ends = c.is_whitespace() && !(escaped && c == ' ');
        escaped = c == '\\' && !escaped;
        ends
    });
    words.filter(|word| !word.is_empty())
}

/// The target, if `word` is an import.
fn target(word: &str) -> Option<String> {
    let written = word.strip_prefix('@')?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let target = written.replace("\\ ", " ");
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '+' | ' ');
    if !target.chars().all(plain) || target.ends_with(' ') {
        return None;
    }
    let (folder, name) =
        target.rsplit_once('/').map_or((None, &*target), |(folder, name)| (Some(folder), name));
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| target.starts_with(start));
    let import = match (folder, extension) {
        _ if name.is_empty() => false,
        _ if rooted => true,
        (Some(folder), Some(extension)) => {
            let package = !folder.contains('/') && PACKAGES.contains(&extension);
            let is_extension =
                (1..=8).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric);
            !folder.is_empty() && is_extension && !package
        }
        (None, Some(extension)) if TEXT.contains(&extension.to_ascii_lowercase().as_str()) => true,
        (None, _) => NAMES.contains(&name),
        (Some(_), None) => false,
    };
    import.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What users saw taken for an import that was none, and the other way round.
    #[test]
    fn what_is_an_import_and_what_is_none() {
        let rows: [(&str, &str, &[&str]); 36] = [
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
            ("a comment within a line without an end", "a <!-- @b.md\n@docs/a.md", &["b.md", "docs/a.md"]),
            ("a package with a dot", "@types/chart.js", &[]),
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
