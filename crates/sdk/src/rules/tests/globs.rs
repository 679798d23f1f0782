use crate::rules::Dialect::{self, Claude, Copilot, Cursor, Devin, Plain};
use crate::rules::{BadPattern, Patterns};

/// The patterns, which can match, and those that are dropped.
fn compiled<S: AsRef<str>>(dialect: Dialect, patterns: &[S]) -> (Patterns, Vec<BadPattern>) {
    let (patterns, bad) = Patterns::new(dialect, patterns);
    (patterns.expect("one can match"), bad)
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
        (Claude, "**", "../a", false),
        (Claude, "**", "/a", false),
        (Claude, "**", "", false),
        (Claude, "~a/*", "~a/b", true),
        (Claude, "..a/**", "..a/b", true),
        (Claude, r"\!a", "!a", true),
    ];
    for (dialect, pattern, path, expected) in rows {
        let (set, bad) = compiled(*dialect, &[pattern]);
        assert_eq!(bad, [], "{pattern:?} ({dialect:?}) is used");
        let told = expected.then_some(*pattern);
        assert_eq!(set.matches(path), told, "F6: {pattern:?} ({dialect:?}) and {path:?}");
    }
}

#[test]
fn a_pattern_that_can_match_nothing_is_dropped_alone_with_the_reason() {
    let rows = [
        ("", "blank"),
        ("./", "blank"),
        ("/", "blank"),
        (".", "component `.`"),
        ("../src/**", "`..`"),
        ("a/../b", "`..`"),
        ("a//b", "`//`"),
        ("src/**.ts", "component of its own"),
        ("**x", "component of its own"),
        ("{src/規,../x}/**", "alternative"),
        ("{a,b", "alternate"),
        (r"src\utils\*.ts", "separated by `/`"),
        (r"src\*.ts", "separated by `/`"),
        (r"src\\utils\\**", "separated by `/`"),
        ("C:/src/**", "drive"),
        ("~/src/**", "`~`"),
        ("src/@(a|b)/*", "groups"),
        ("!(a).ts", "groups"),
        ("a\tb", "control"),
        ("a\0b", "control"),
    ];
    for (pattern, why) in rows {
        let (set, bad) = compiled(Cursor, &["規/*", pattern, "b/*"]);
        let [bad] = bad.as_slice() else { panic!("{pattern:?}: {bad:?}") };
        assert_eq!(bad.pattern, pattern);
        assert!(bad.why.contains(why), "{bad}");
        assert_eq!(set.as_written(), ["規/*", "b/*"], "{pattern:?} takes no other with it");
    }
}

#[test]
fn an_exclusion_takes_away_wherever_it_stands() {
    for patterns in [["!src/gen/**", "src/**"], ["src/**", "!src/gen/**"]] {
        let (set, _) = compiled(Claude, &patterns);
        assert_eq!(set.matches("src/規"), Some("src/**"));
        assert_eq!(set.matches("src/gen/a"), None, "{patterns:?}");
        assert_eq!(set.as_written(), patterns, "a reader is told what is excluded");
    }
    let (set, _) = compiled(Cursor, &["**/*.ts", "! *.d.ts"]);
    assert_eq!((set.matches("a/b.ts"), set.matches("a/b.d.ts")), (Some("**/*.ts"), None));
    let (none, bad) = Patterns::new(Claude, &["!src/**"]);
    assert_eq!((none, bad.len()), (None, 1), "it takes away, and gives nothing");
}

#[test]
fn the_first_pattern_that_matches_is_told_as_written() {
    let (set, _) = compiled(Claude, &["a/[b]", "./a/**", "**"]);
    assert_eq!(set.matches("a/[b]"), Some("a/[b]"));
    assert_eq!(set.matches("a/c"), Some("./a/**"));
    assert_eq!(set.matches("c"), Some("**"));
}

#[test]
fn a_rule_has_a_thousand_patterns_with_alternatives_counted() {
    let many: Vec<_> = (0..1_002).map(|n| format!("規{n}/**")).collect();
    let (set, bad) = compiled(Claude, &many);
    assert_eq!(set.as_written().len(), 1_000, "the first are used");
    let [bad] = bad.as_slice() else { panic!("the rest is one row") };
    assert_eq!(bad.pattern, "規1000/**");
    assert!(bad.why.contains(" 2 are not used"), "{bad}");
    assert!(set.matches("規999/a").is_some() && set.matches("規1000/a").is_none());

    let hundred = |first: usize| {
        let names: Vec<_> = (first..first + 100).map(|n| n.to_string()).collect();
        format!("{{{}}}/x", names.join(","))
    };
    let braces: Vec<_> = (0..11).map(|n| hundred(n * 100)).collect();
    let (set, bad) = compiled(Claude, &braces);
    assert_eq!((set.as_written().len(), bad.len()), (10, 1), "each alternative counts");

    let alone = format!("{{{}}}", vec!["a"; 10_000].join(","));
    let (set, bad) = compiled(Claude, &[&alone, "src/**"]);
    assert_eq!((set.as_written(), bad.len()), (&["src/**".to_owned()][..], 1), "too many alone: alone");
    let product = "{a,b}".repeat(10_000);
    assert_eq!(Patterns::new(Claude, &[&product]).0, None);
}

#[test]
fn braces_of_any_depth_are_read_without_recursion() {
    for nested in ["{".repeat(10_000), format!("{}a{}", "{".repeat(10_000), "}".repeat(10_000))] {
        let (none, bad) = Patterns::new(Claude, &[&nested]);
        assert!(none.is_none() && bad[0].why.contains("deeper than 32"), "{}", bad[0].why);
    }
    let hidden = format!(r"[\]{}a{}", "{".repeat(10_000), "}".repeat(10_000));
    assert!(Patterns::new(Claude, &[&hidden]).0.is_none(), "a class that ends sooner hides none");
    let deep = format!("{}a{}", "{".repeat(32), "}".repeat(32));
    assert_eq!(compiled(Claude, &[&deep]).0.matches("a"), Some(deep.as_str()));
}
