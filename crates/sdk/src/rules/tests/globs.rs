use crate::rules::dialect::Dialect::{self, Claude, Copilot, Cursor, Devin, Plain};
use crate::rules::patterns::PathSet;

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
        let set = PathSet::compile(*dialect, &[pattern]);
        let name = dialect.name();
        assert_eq!(set.dropped(), [], "{pattern:?} ({name}) is used");
        let told = expected.then_some(*pattern);
        assert_eq!(set.matches(path), told, "F6: {pattern:?} ({name}) and {path:?}");
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
        let set = PathSet::compile(Cursor, &["規/*", pattern, "b/*"]);
        let [dropped] = set.dropped() else { panic!("{pattern:?}: {:?}", set.dropped()) };
        assert_eq!(dropped.pattern, pattern);
        assert!(dropped.reason.contains(why), "{pattern:?}: {}", dropped.reason);
        assert_eq!(set.used(), ["規/*", "b/*"], "{pattern:?} takes no other with it");
    }
}

#[test]
fn an_exclusion_takes_away_wherever_it_stands() {
    for patterns in [["!src/gen/**", "src/**"], ["src/**", "!src/gen/**"]] {
        let set = PathSet::compile(Claude, &patterns);
        assert_eq!(set.matches("src/規"), Some("src/**"));
        assert_eq!(set.matches("src/gen/a"), None, "{patterns:?}");
        assert_eq!(set.used(), ["src/**"]);
    }
    let set = PathSet::compile(Cursor, &["**/*.ts", "! *.d.ts"]);
    assert_eq!((set.matches("a/b.ts"), set.matches("a/b.d.ts")), (Some("**/*.ts"), None));
    assert!(PathSet::compile(Claude, &["!src/**"]).is_empty(), "it takes away, and gives nothing");
}

#[test]
fn the_first_pattern_that_matches_is_told_as_written() {
    let set = PathSet::compile(Claude, &["a/[b]", "./a/**", "**"]);
    assert_eq!(set.matches("a/[b]"), Some("a/[b]"));
    assert_eq!(set.matches("a/c"), Some("./a/**"));
    assert_eq!(set.matches("c"), Some("**"));
}

#[test]
fn a_rule_has_a_thousand_patterns_with_alternatives_counted() {
    let many: Vec<_> = (0..1_002).map(|n| format!("規{n}/**")).collect();
    let set = PathSet::compile(Claude, &many);
    assert_eq!(set.used().len(), 1_000, "the first are used");
    let [dropped] = set.dropped() else { panic!("the rest is one row") };
    assert_eq!(dropped.pattern, "規1000/**");
    assert!(dropped.reason.contains(" 2 are not used"), "{}", dropped.reason);
    assert!(set.matches("規999/a").is_some() && set.matches("規1000/a").is_none());

    let hundred = |first: usize| {
        let names: Vec<_> = (first..first + 100).map(|n| n.to_string()).collect();
        format!("{{{}}}/x", names.join(","))
    };
    let braces: Vec<_> = (0..11).map(|n| hundred(n * 100)).collect();
    let set = PathSet::compile(Claude, &braces);
    assert_eq!((set.used().len(), set.dropped().len()), (10, 1), "each alternative counts");

    let alone = format!("{{{}}}", vec!["a"; 10_000].join(","));
    let set = PathSet::compile(Claude, &[&alone, "src/**"]);
    assert_eq!((set.used(), set.dropped().len()), (&["src/**".to_owned()][..], 1), "too many alone: alone");
    let product = "{a,b}".repeat(10_000);
    assert!(PathSet::compile(Claude, &[&product]).is_empty());
}

#[test]
fn braces_of_any_depth_are_read_without_recursion() {
    for nested in ["{".repeat(10_000), format!("{}a{}", "{".repeat(10_000), "}".repeat(10_000))] {
        let set = PathSet::compile(Claude, &[&nested]);
        assert!(set.dropped()[0].reason.contains("deeper than 32"), "{}", set.dropped()[0].reason);
    }
    let hidden = format!(r"[\]{}a{}", "{".repeat(10_000), "}".repeat(10_000));
    assert!(PathSet::compile(Claude, &[&hidden]).is_empty(), "a class that ends sooner hides none");
    let deep = format!("{}a{}", "{".repeat(32), "}".repeat(32));
    assert_eq!(PathSet::compile(Claude, &[&deep]).matches("a"), Some(deep.as_str()));
}
