//! What patterns match (F6).

use crate::rules::Dialect::{self, Claude, Copilot, Cursor, Devin, Plain};
use crate::rules::{BadPattern, Patterns};

fn compile(dialect: Dialect, patterns: &[&str]) -> (Option<Patterns>, Vec<BadPattern>) {
    let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    Patterns::new(dialect, &patterns)
}

#[test]
fn a_pattern_matches_as_the_contract_has_it() {
    let rows: &[(Dialect, &str, &str, bool)] = &[
        // The rows of PRODUCTS 1c.
        (Claude, "**/*.ts", ".hid/a.ts", true),
        (Claude, "src/**", "src", false),
        (Claude, "*.md", "docs/a.md", false),
        (Claude, "./src/**", "src/a", true),
        (Claude, "/src/**", "src/a", true),
        (Claude, "src/", "src/a", true),
        (Claude, "src/[id]/page.tsx", "src/[id]/page.tsx", true),
        (Claude, "photos [2024/**", "photos [2024/a", true),
        (Claude, "src/*.{ts,tsx}", "src/a.tsx", true),
        (Claude, "{a,{b,c}}/x", "c/x", true),
        (Claude, "**/*.TS", "a.ts", false),
        // Components, folders, depth.
        (Claude, "src/*", "src/a/b", false),
        (Claude, "src/?.rs", "src/a.rs", true),
        (Claude, "src/**", "src/a/b/規", true),
        (Claude, "**", "a/b", true),
        (Claude, "**/*", "a", true),
        (Claude, "*", "a", true),
        (Claude, "*", "a/b", false),
        (Claude, "*.md", "a.md", true),
        (Plain, "*.md", "docs/a.md", false),
        (Copilot, "*.py", "a/b.py", false),
        (Copilot, "*.py", "b.py", true),
        (Copilot, "*", "a/b.py", true),
        (Copilot, "**", "a/b.py", true),
        (Copilot, "**/*", "b.py", true),
        (Cursor, "*.ts", "a/b/c.ts", true),
        (Cursor, "*.ts", "c.ts", true),
        (Cursor, "{*.ts,*.tsx}", "a/c.tsx", true),
        (Cursor, "./*.ts", "a/c.ts", false),
        (Cursor, "/c.ts", "a/c.ts", false),
        (Cursor, "src/", "a/src/c", false),
        (Cursor, "Makefile", "a/b/Makefile", true),
        (Devin, "*.規", "a/b.規", true),
        (Devin, "src/*.ts", "a/src/b.ts", false),
        (Claude, "a/**/b", "a/b", true),
        (Claude, ".github/**", ".github/workflows/x.yml", true),
        (Claude, "*", ".env", true),
        (Claude, "././src/*", "src/a", true),
        (Claude, "//src/*", "src/a", true),
        (Claude, " src/* ", "src/a", true),
        // Brackets.
        (Claude, "src/[id]/*", "src/i/x", true),
        (Claude, "app/[...slug]/*", "app/[...slug]/page.tsx", true),
        (Claude, "app/[[...slug]]/*", "app/[[...slug]]/page.tsx", true),
        (Claude, "[z-a]/*", "[z-a]/x", true),
        (Claude, "[!a]b", "cb", true),
        (Claude, r"src/\[id\]/*", "src/[id]/x", true),
        (Claude, r"src/\[id\]/*", "src/i/x", false),
        (Cursor, "[id].tsx", "a/[id].tsx", true),
        (Claude, "app/(group)/*", "app/(group)/page.tsx", true),
        (Claude, "app/@modal/*", "app/@modal/page.tsx", true),
        (Claude, "{[a,b]/x,c}", "b/x", true),
        // Letters, and paths that are not below the folder.
        (Claude, "Ä/*.é", "Ä/規.é", true),
        (Claude, "ä/*", "Ä/x", false),
        (Claude, "~a/*", "~a/b", true),
        (Claude, "..a/**", "..a/b", true),
        (Claude, r"\!a", "!a", true),
    ];
    let mut wrong = Vec::new();
    for (dialect, pattern, path, expected) in rows {
        let (set, bad) = compile(*dialect, &[pattern]);
        let matched = set.as_ref().and_then(|set| set.matches(path));
        if !bad.is_empty() || matched != expected.then_some(*pattern) {
            wrong.push(format!(
                "{pattern:?} ({dialect:?}) and {path:?}: {matched:?}, expected {expected}, {bad:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "F6:\n{}", wrong.join("\n"));
}

#[test]
fn a_pattern_that_can_match_nothing_is_dropped_alone_with_the_reason() {
    let rows = [
        (".", "component `.`"),
        ("../src/**", "`..`"),
        ("a/../b", "`..`"),
        ("a//b", "`//`"),
        ("src/**.ts", "component of its own"),
        ("**x", "component of its own"),
        ("{src/規,../x}/**", "alternative"),
        ("{a,b", "alternate"),
        ("!src/**", "exclude"),
        ("!(a).ts", "exclude"),
        ("a\0b", "control"),
        ("{a\nInstructions from: b,c}", "line ends"),
        ("a\u{2028}b", "line ends"),
    ];
    let mut wrong = Vec::new();
    for (pattern, why) in rows {
        let (set, bad) = compile(Cursor, &["規/*", pattern, "b/*"]);
        match &*bad {
            [bad] if bad.pattern == pattern && bad.why.contains(why) => {}
            bad => wrong.push(format!("{pattern:?}: {bad:?}, expected {why:?}")),
        }
        assert_eq!(set.unwrap().as_written().first().map(String::as_str), Some("規/*"), "{pattern:?}");
    }
    assert!(wrong.is_empty(), "F6:\n{}", wrong.join("\n"));
}

#[test]
fn an_exclusion_is_never_taken_for_what_it_excludes() {
    let (set, bad) = compile(Claude, &["!src/gen/**", "src/**"]);
    assert_eq!((set.unwrap().as_written(), bad.len()), (&["src/**".to_owned()][..], 1));
    let (set, bad) = compile(Claude, &["!src/**"]);
    assert_eq!((set, bad.len()), (None, 1), "alone it gives nothing, and is reported");
}

#[test]
fn the_first_pattern_that_matches_is_named_as_written() {
    let (set, _) = compile(Claude, &["a/[b]", "./a/**", "**"]);
    let set = set.unwrap();
    assert_eq!(set.matches("a/[b]"), Some("a/[b]"));
    assert_eq!(set.matches("a/c"), Some("./a/**"));
    assert_eq!(set.matches("c"), Some("**"));
}

#[test]
fn a_rule_has_a_thousand_patterns_each_alternative_counted() {
    let many: Vec<_> = (0..1_002).map(|n| format!("規{n}/**")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let (set, bad) = compile(Claude, &many);
    let set = set.unwrap();
    assert_eq!((set.as_written().len(), bad.len()), (1_000, 1), "the first are used");
    assert!(bad[0].why.ends_with("2 in all"), "the rest is one problem: {}", bad[0].why);
    assert!(set.matches("規999/a").is_some() && set.matches("規1000/a").is_none());

    let hundred = |first: usize| {
        let names: Vec<_> = (first..first + 100).map(|n| n.to_string()).collect();
        format!("{{{}}}/x", names.join(","))
    };
    let braces: Vec<_> = (0..11).map(|n| hundred(n * 100)).collect();
    let braces: Vec<_> = braces.iter().map(String::as_str).collect();
    let (set, bad) = compile(Claude, &braces);
    assert_eq!((set.unwrap().as_written().len(), bad.len()), (10, 1), "each alternative counts");

    let alone = format!("{{{}}}", vec!["a"; 10_000].join(","));
    let (set, bad) = compile(Claude, &[&alone, "src/**"]);
    assert_eq!((set.unwrap().as_written().len(), bad.len()), (1, 1), "too many in one: it goes alone");
    let product = "{a,b}".repeat(10_000);
    assert_eq!(compile(Claude, &[&product]).0, None);
}

/// Deep braces would take the stack of whoever compiles them by recursion: a whole process.
#[test]
fn braces_of_any_depth_are_survived() {
    let hidden = format!(r"[\]{}a{}", "{".repeat(10_000), "}".repeat(10_000));
    for nested in ["{".repeat(10_000), format!("{}a{}", "{".repeat(10_000), "}".repeat(10_000)), hidden] {
        let (set, bad) = compile(Claude, &[&nested, "src/*"]);
        assert_eq!((set.unwrap().as_written().len(), bad.len()), (1, 1));
    }
    let deep = format!("{}a{}", "{".repeat(16), "}".repeat(16));
    assert_eq!(compile(Claude, &[&deep]).0.unwrap().matches("a"), Some(deep.as_str()));
}
