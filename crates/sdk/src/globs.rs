//! Globs over paths relative to the root, and why one could match nothing (I4, D14).
//!
//! What is matched is a plain path below the root, its components joined by `/`: no component of it
//! is empty, `.` or `..`, and none begins at the top.

use globset::{Glob, GlobBuilder};

/// The most alternatives that the braces of one glob may stand for.
const MAX_ALTERNATIVES: usize = 1_000;

/// Compiles a glob over files: `*` stays within a component, a leading `./` is dropped, and `src/` is
/// all below `src`.
///
/// # Errors
/// It is no glob, or it, or an alternative of its braces, can match nothing; the text says why.
pub(crate) fn file_glob(glob: &str) -> Result<Glob, String> {
    let plain = plain(glob);
    let below = plain.strip_suffix('/').filter(|folder| !folder.is_empty());
    let below = below.map(|folder| format!("{folder}/**"));
    compile(below.as_deref().unwrap_or(plain))
}

/// The same over folders: `src/` is `src`.
///
/// # Errors
/// As [`file_glob`].
pub(crate) fn folder_glob(glob: &str) -> Result<Glob, String> {
    let plain = plain(glob);
    compile(plain.strip_suffix('/').filter(|folder| !folder.is_empty()).unwrap_or(plain))
}

fn plain(glob: &str) -> &str {
    let mut plain = glob;
    while let Some(rest) = plain.strip_prefix("./") {
        plain = rest;
    }
    plain
}

fn compile(plain: &str) -> Result<Glob, String> {
    let compiled = GlobBuilder::new(plain).literal_separator(true).empty_alternates(true).build();
    let glob = compiled.map_err(|error| error.kind().to_string())?;
    let alternatives = alternatives(plain)?;
    match alternatives.iter().find_map(|one| dead(one).map(|why| (one, why))) {
        None => Ok(glob),
        Some((one, why)) if one == plain => Err(why.to_owned()),
        Some((one, why)) => Err(format!("its alternative {one:?} can match nothing: {why}")),
    }
}

/// Why a glob without alternatives matches no path below the root.
fn dead(glob: &str) -> Option<&'static str> {
    if glob.trim().is_empty() {
        return Some("it is blank, and matches nothing");
    }
    if glob.contains('\0') {
        return Some("no path has a NUL");
    }
    if glob.starts_with('/') {
        return Some("it begins with `/`, and paths are relative to the project root");
    }
    for part in glob.split('/') {
        match part {
            "" => return Some("it has an empty component (`//`), which no path has"),
            "." => return Some("it has a component `.`, which no path has"),
            ".." => return Some("it has a component `..`, and nothing out of the project root is matched"),
            part if part != "**" && has_double_star(part) => {
                return Some(
                    "`**` stands for folders only as a component of its own: write `**/*x` for `**x`, and \
                     `x/**` for `x**`",
                );
            }
            _ => {}
        }
    }
    None
}

/// Whether two `*` stand together outside a class.
fn has_double_star(part: &str) -> bool {
    let (mut stars, mut in_class) = (0, false);
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        stars = if c == '*' && !in_class { stars + 1 } else { 0 };
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        if stars == 2 {
            return true;
        }
    }
    false
}

/// What the braces of a glob stand for. The glob compiles, so they are balanced.
fn alternatives(glob: &str) -> Result<Vec<String>, String> {
    let (mut done, mut open) = (Vec::new(), vec![glob.to_owned()]);
    while let Some(glob) = open.pop() {
        match first_braces(&glob) {
            None => done.push(glob),
            Some((before, inside, after)) => {
                open.extend(inside.iter().rev().map(|one| format!("{before}{one}{after}")));
            }
        }
        if done.len() + open.len() > MAX_ALTERNATIVES {
            return Err(format!("its braces stand for more than {MAX_ALTERNATIVES} alternatives"));
        }
    }
    Ok(done)
}

/// The text before the first braces, their alternatives, and the text behind.
fn first_braces(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut depth, mut in_class) = (0_usize, false);
    let (mut start, mut from) = (None, 0);
    let mut inside = Vec::new();
    let mut chars = glob.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            ']' => in_class = false,
            '[' => in_class = true,
            _ if in_class => {}
            '{' => {
                depth += 1;
                if start.is_none() {
                    (start, from) = (Some(at), at + 1);
                }
            }
            ',' if depth == 1 => {
                inside.push(glob.get(from..at)?);
                from = at + 1;
            }
            '}' if depth == 1 => {
                inside.push(glob.get(from..at)?);
                return Some((glob.get(..start?)?, inside, glob.get(at + 1..)?));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_can_match_nothing_is_refused_with_the_reason() {
        for (glob, why) in [
            ("", "blank"),
            (" \t", "blank"),
            ("./", "blank"),
            ("/", "begins with `/`"),
            ("/abs/ñ/**", "begins with `/`"),
            (".//a", "begins with `/`"),
            ("../x/**", "`..`"),
            ("a/../b", "`..`"),
            ("a/..", "`..`"),
            (".", "`.`"),
            ("a/./規", "`.`"),
            ("a//b", "`//`"),
            ("a//", "`//`"),
            ("**a", "component of its own"),
            ("a/b**/c", "component of its own"),
            ("***", "component of its own"),
            ("{src,../x}/**", "\"../x/**\""),
            ("{a,{b,/c}}", "\"/c\""),
            ("a/{,x}/b", "\"a//b\""),
            ("a\0b", "NUL"),
            ("src/[", "unclosed character class"),
        ] {
            let error = file_glob(glob).expect_err(glob);
            assert!(error.contains(why), "{glob:?}: {error}");
        }
        let many = "{a,b}".repeat(12);
        assert!(file_glob(&many).unwrap_err().contains("1000 alternatives"), "nothing is judged by half");
    }

    #[test]
    fn what_can_match_is_taken_and_matches() {
        for (glob, path) in [
            ("src/**/*.rs", "src/lib.rs"),
            ("./src/*.rs", "src/ñ.rs"),
            ("src/", "src/a/b.rs"),
            ("**", "a/b"),
            ("**/*a", "b/ba"),
            ("x/**", "x/規"),
            ("a{,/b}", "a"),
            ("{**/a,b}/c", "x/a/c"),
            ("[**]", "*"),
            (r"\*\*a", "**a"),
            ("..a/b..", "..a/b.."),
            ("...", "..."),
            ("[{]a,b", "{a,b"),
            (" a", " a"),
        ] {
            let glob = file_glob(glob).unwrap_or_else(|error| panic!("{glob:?}: {error}"));
            assert!(glob.compile_matcher().is_match(path), "{glob} and {path}");
        }
    }

    #[test]
    fn a_glob_of_folders_names_the_folder_itself() {
        for glob in ["third_party", "third_party/", "./third_party", "**/third_party"] {
            let glob = folder_glob(glob).unwrap().compile_matcher();
            assert!(glob.is_match("third_party") && !glob.is_match("third_party/a"), "{glob:?}");
        }
        assert!(folder_glob("/").is_err() && folder_glob("./").is_err());
    }
}
