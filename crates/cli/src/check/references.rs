//! Links of a Markdown text to files of the project. In doubt there is none.

use std::path::{Path, PathBuf};

use super::outcome::Fence;

/// A link to a file, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) line: usize,
    pub(super) column: usize,
    /// As written, without fragment and query.
    pub(super) target: String,
}

/// The inline links and images `[…](path)` and definitions `[…]: path` that lead to a path: no address, no
/// fragment, nothing with a blank or a placeholder, and none in code.
pub(super) fn references(text: &str) -> Vec<Reference> {
    let mut fence = Fence::default();
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if fence.holds(line) || indented || !line.contains("](") && !line.contains("]:") {
            continue;
        }
        let plain = without_code(line);
        let mut at = |byte: usize, target: &str| {
            if let Some(target) = path_of(target) {
                let column = plain.get(..byte).map_or(1, |before| before.chars().count() + 1);
                found.push(Reference { line: number, column, target });
            }
        };
        for (byte, _) in plain.match_indices("](") {
            let start = byte + 2;
            if let Some(target) = plain.get(start..).and_then(destination) {
                at(start, target);
            }
        }
        if let Some((label, target)) =
            plain.split_once("]:").filter(|(label, _)| label.trim_start().starts_with('['))
        {
            let is_note = label.trim_start().starts_with("[^");
            let word = target.split_whitespace().next().filter(|_| !is_note && !label.contains("]("));
            if let Some(word) = word {
                at(label.len() + 2 + target.find(word).unwrap_or(0), word);
            }
        }
    }
    found
}

/// What stands between the round brackets, without a title.
fn destination(rest: &str) -> Option<&str> {
    if let Some(rest) = rest.strip_prefix('<') {
        return rest.split_once('>').map(|(target, _)| target);
    }
    let mut depth = 0_usize;
    for (byte, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return rest.get(..byte),
            ')' => depth -= 1,
            // A title follows, or it is no link.
            ' ' | '\t' => {
                let title = rest.get(byte..)?.trim_start();
                return title.starts_with(['"', '\'', '(', ')']).then(|| rest.get(..byte)).flatten();
            }
            _ => {}
        }
    }
    None
}

fn path_of(target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or("");
    let placeholder = target.contains("...") || target.contains('…') || target.starts_with("path/to");
    let odd = |c: char| c.is_whitespace() || c.is_control() || "\\{}<>*$|\"'`,;@~^=".contains(c);
    let has_scheme = target.contains(':') || target.starts_with("//");
    // A word without dot and slash is as likely a name in a sentence.
    let is_path = target.contains(['.', '/']) && target.chars().any(char::is_alphanumeric);
    (is_path && !placeholder && !has_scheme && !target.chars().any(odd)).then(|| target.to_owned())
}

/// The line with blanks in place of its code spans, byte by byte.
fn without_code(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let (before, code) = rest.split_at(open);
        plain.push_str(before);
        let inside = code.trim_start_matches('`');
        let run = code.len() - inside.len();
        let close = closing(inside, run);
        let span = close.map_or(run, |close| 2 * run + close);
        let (span, after) = code.split_at(span);
        plain.extend(std::iter::repeat_n(' ', span.len()));
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// Where the run of so many backticks is that closes the span.
fn closing(inside: &str, run: usize) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + inside.get(from..)?.find('`')?;
        let marks = inside.get(at..)?;
        let length = marks.len() - marks.trim_start_matches('`').len();
        if length == run {
            return Some(at);
        }
        from = at + length;
    }
}

/// Where `target` may lead, written in a file of `dir`, or of the folder its link leads to.
pub(super) fn places(target: &str, dirs: &[&Path], root: &Path) -> Vec<PathBuf> {
    let decoded = percent_decoded(target);
    let spellings = std::iter::once(target).chain(decoded.as_deref());
    let mut places = Vec::new();
    for spelling in spellings {
        let below = spelling.trim_start_matches('/');
        places.push(root.join(below));
        match spelling.starts_with('/') {
            true => places.push(PathBuf::from(spelling)),
            false => places.extend(dirs.iter().map(|dir| dir.join(spelling))),
        }
    }
    places
}

fn percent_decoded(target: &str) -> Option<String> {
    let (first, rest) = target.split_once('%')?;
    let mut bytes = first.as_bytes().to_vec();
    for part in rest.split('%') {
        let (digits, plain) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(plain.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_that_lead_to_a_path_are_references() {
        for (name, text, expected) in [
            ("a link", "See [style](docs/style.md).", vec![(1, 13, "docs/style.md")]),
            ("a title, a fragment", "[a](b.md#c \"t\")", vec![(1, 5, "b.md")]),
            ("an image", "![a](img/a.png)", vec![(1, 6, "img/a.png")]),
            ("a definition", "[a]: docs/a.md", vec![(1, 6, "docs/a.md")]),
            ("a multi-byte line", "見て [規則](規/則.md)", vec![(1, 9, "規/則.md")]),
            ("brackets", "[a](b(c).md)", vec![(1, 5, "b(c).md")]),
            ("behind code", "`[x](y.md)` [a](b.md)", vec![(1, 17, "b.md")]),
            ("an address", "[a](https://example.com/a.md)", vec![]),
            ("a fragment alone", "[a](#there)", vec![]),
            ("a fenced block", "```\n[a](b.md)\n```", vec![]),
            ("a placeholder", "[a](path/to/file.md) [b](<name>.md) [c](src/*.rs)", vec![]),
            ("no link", "f[0](x, y.z)", vec![]),
            ("a foot note", "[^1]: see a.md", vec![]),
        ] {
            let found = references(text);
            let found: Vec<_> = found.iter().map(|r| (r.line, r.column, r.target.as_str())).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_target_is_looked_for_as_written_and_decoded() {
        let places = places("a%20b.md", &[Path::new("/ws/docs")], Path::new("/ws"));
        assert!(places.contains(&PathBuf::from("/ws/docs/a b.md")), "a blank may be written as %20");
        assert!(places.contains(&PathBuf::from("/ws/docs/a%20b.md")), "or the name may have it");
    }

    proptest::proptest! {
        #[test]
        fn a_reference_stands_where_it_says(text in "[\\[\\]()<>`a-c規./# \n]{0,60}") {
            for reference in references(&text) {
                let line = text.lines().nth(reference.line - 1).unwrap_or_default();
                let there: String = line.chars().skip(reference.column - 1).collect();
                let there = there.strip_prefix('<').unwrap_or(&there);
                proptest::prop_assert!(there.starts_with(&reference.target), "{reference:?} in {line:?}");
            }
        }
    }
}
