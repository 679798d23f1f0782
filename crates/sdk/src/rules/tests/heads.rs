use super::meaning;
use crate::rules::Dialect::{self, Claude, Copilot, Cursor, Devin, Plain};
use crate::rules::head::{HeadFault, MAX_HEAD, read};

/// The keys, in a head with a body behind it, and what they mean.
#[test]
fn a_head_means_what_its_writer_meant() {
    let rows: &[(&str, Dialect, &str, &str)] = &[
        // What activates, by dialect (F5).
        ("no key", Claude, "", "always"),
        ("no pattern key", Claude, "owner: web", "always"),
        ("another dialect's key", Claude, "globs: src/**", "always"),
        ("a list", Claude, "paths:\n  - src/**\n  - \"lib/**\"", "paths src/** | lib/**"),
        ("present and empty", Claude, "paths:", "never"),
        ("an empty list", Claude, "paths: []", "never"),
        ("empty quotes", Claude, "paths: \"\"", "never"),
        ("null", Claude, "paths: null", "never"),
        ("a comment for a value", Claude, "paths: # later", "never"),
        ("no usable pattern", Claude, "paths: ../x/**", "never"),
        ("a bad one among good ones", Claude, "paths: ../x/**, src/**", "paths src/**"),
        ("no pattern key", Plain, "name: x", "always"),
        ("a list", Plain, "paths: [docs/**, '規/**']", "paths docs/** | 規/**"),
        ("present and empty", Plain, "paths: ''", "never"),
        ("no key", Copilot, "description: a", "manual"),
        ("one string", Copilot, "applyTo: \"**/*.ts,**/*.tsx\"", "paths **/*.ts | **/*.tsx"),
        ("a list, which VS Code drops", Copilot, "applyTo:\n- \"**/*.m\"", "paths **/*.m"),
        ("everything", Copilot, "applyTo: \"*\"", "paths *"),
        ("present and empty", Copilot, "applyTo: ", "never"),
        (
            "an excluded agent",
            Copilot,
            "applyTo: '**'\nexcludeAgent: \"code-review\"",
            "paths **, excludeAgent code-review",
        ),
        (
            "two of them",
            Copilot,
            "excludeAgent: [code-review, cloud-agent]",
            "manual, excludeAgent code-review cloud-agent",
        ),
        ("always", Cursor, "description: x\nglobs: src/**\nalwaysApply: true", "always"),
        ("as its editor writes it: always", Cursor, "description: \nglobs: \nalwaysApply: true", "always"),
        (
            "as its editor writes it: described",
            Cursor,
            "description: API\nglobs: \nalwaysApply: false",
            "described API",
        ),
        ("as its editor writes it: manual", Cursor, "description: \nglobs: \nalwaysApply: false", "manual"),
        ("no key", Cursor, "", "manual"),
        ("not always", Cursor, "alwaysApply: false", "manual"),
        ("empty globs alone", Cursor, "globs:", "never"),
        ("empty globs and a description", Cursor, "globs: []\ndescription: x", "described x"),
        ("globs and a description", Cursor, "description: x\nglobs: *.ts,*.tsx", "paths *.ts | *.tsx"),
        ("dead globs and a description", Cursor, "description: x\nglobs: src/**.ts", "never"),
        ("a name", Cursor, "name: api\ndescription: handlers", "described api: handlers"),
        ("always on", Devin, "trigger: always_on\nglobs: x", "always"),
        ("by glob", Devin, "trigger: glob\nglobs: **/*.ts, *.規", "paths **/*.ts | *.規"),
        ("by glob without one", Devin, "trigger: glob\nglobs:", "never"),
        ("by description", Devin, "trigger: model_decision\ndescription: x", "described x"),
        ("by description without one", Devin, "trigger: model_decision\nglobs: a", "never"),
        ("by hand", Devin, "trigger: manual", "manual"),
        ("no trigger", Devin, "description: x", "manual"),
        ("no trigger, but globs", Devin, "globs: src/**", "paths src/**"),
        ("an unknown trigger", Devin, "trigger: sometimes", "head-unclear 2"),
        ("agents", Claude, "agents: [\"!explore\", plan]", "always, agents !explore plan"),
        // What YAML libraries reject (PRODUCTS 1b).
        ("a star", Cursor, "globs: **/*.ts", "paths **/*.ts"),
        ("stars alone", Copilot, "applyTo: **", "paths **"),
        ("a star in an item", Claude, "paths:\n  - **/*.ts", "paths **/*.ts"),
        ("stars and a comma", Cursor, "globs: *.ts, *.tsx", "paths *.ts | *.tsx"),
        ("braces first", Claude, "paths: {src,lib}/**/*.ts", "paths {src,lib}/**/*.ts"),
        ("braces first, in globs", Cursor, "globs: {a,b}.ts", "paths {a,b}.ts"),
        ("a colon", Cursor, "description: a: b", "described a: b"),
        ("an at sign", Copilot, "applyTo: @x", "paths @x"),
        ("a comma", Claude, "paths: src/**, lib/**", "paths src/** | lib/**"),
        ("a comma in braces", Claude, "paths: src/*.{ts,tsx}", "paths src/*.{ts,tsx}"),
        ("only an exclusion", Cursor, "globs: !x/**", "never"),
        ("an exclusion", Cursor, "globs: src/**, !src/gen/**", "paths src/** | !src/gen/**"),
        // Lists, quotes, brackets.
        ("a flow list over lines", Claude, "paths: [\n  \"a/**\", # one\n  b/**,\n]", "paths a/** | b/**"),
        ("a flow list below its key", Claude, "paths:\n  [a/**, b/**]", "paths a/** | b/**"),
        ("mixed quotes in a list", Claude, "paths: [src/**, \"b\", 'c,d']", "paths src/** | b | c,d"),
        (
            "quoted, with commas between",
            Claude,
            "paths: \"src/**\", 'lib/**' # both",
            "paths src/** | lib/**",
        ),
        ("a list in quotes", Cursor, "globs: 'a/**, b/**'", "paths a/** | b/**"),
        (
            "items without indentation",
            Claude,
            "paths:\n- a/**\n# no\n\n- b/**\nowner: x",
            "paths a/** | b/**",
        ),
        ("an item with a comma", Claude, "paths:\n  - a/**, b/**", "paths a/** | b/**"),
        ("a folder in brackets", Claude, "paths: [id]/**", "paths [id]/**"),
        ("two of them", Claude, "paths: [id]/**, app/[...slug]/**", "paths [id]/** | app/[...slug]/**"),
        ("a class first", Claude, "paths: [a-z]*.ts", "paths [a-z]*.ts"),
        ("a class in a list", Claude, "paths: [[id]/**, b]", "paths [id]/** | b"),
        ("an open bracket", Claude, "paths: photos [2024/**", "paths photos [2024/**"),
        ("an open bracket first", Claude, "paths: [2024/**", "paths [2024/**"),
        ("lines of a block", Claude, "paths: |\n  src/**\n  lib/**", "paths src/** | lib/**"),
        ("a value over lines", Claude, "paths: src/**,\n  lib/**\n  規/**", "paths src/** | lib/** | 規/**"),
        ("escapes", Claude, "paths: \"src/\\[id\\]/\\u898f\\x41\"", r"paths src/\[id\]/規A"),
        ("a quote within quotes", Cursor, "description: 'it''s \"so\"'", "described it's \"so\""),
        ("a hash that is no comment", Claude, "paths: src/C#/**", "paths src/C#/**"),
        ("a hash that is one", Claude, "paths: src/** # all", "paths src/**"),
        ("an apostrophe in a name", Claude, "paths: src/don't/**, b", "paths src/don't/** | b"),
        // Texts and booleans.
        ("folded", Cursor, "description: >-\n  one\n  two\n\n  three\nglobs:", "described one two\nthree"),
        ("literal", Cursor, "description: |\n  one\n    two\n", "described one\n  two"),
        ("over lines", Cursor, "description: one\n  two # no\n\tthree", "described one two three"),
        ("a bracket in a text", Cursor, "description: [WIP] handlers", "described [WIP] handlers"),
        ("brackets and a comma in a text", Cursor, "description: [WIP, \"a\"] b", "described [WIP, \"a\"] b"),
        ("an open bracket in a text", Cursor, "description: [\"a\" b", "described [\"a\" b"),
        ("a boolean in quotes", Cursor, "alwaysApply: \"true\"", "always"),
        ("a boolean in capitals", Cursor, "alwaysApply: TRUE # yes", "always"),
        ("a quoted key", Claude, "\"paths\": a", "paths a"),
        ("a blank before the colon", Claude, "paths : a", "paths a"),
        ("tabs", Claude, "paths:\t\n\t- a/**\t\n\t- b/**", "paths a/** | b/**"),
        // Keys that are not known.
        ("a map", Claude, "meta:\n  paths: x\n  - y\npaths: a", "paths a"),
        ("a block", Claude, "notes: |\n  paths: x\n\n  - y\npaths: a", "paths a"),
        ("a list", Claude, "tags:\n- x: y\n- z\npaths: a", "paths a"),
        ("a flow list over lines", Claude, "tags: [\n  x,\n]\npaths: a", "paths a"),
        ("twice", Claude, "tag: a\ntag: b", "always"),
        ("an anchor", Claude, "base: &b x\npaths: a", "paths a"),
        // What is unclear.
        ("a key twice", Claude, "paths: a\n\npaths: b", "head-unclear 4"),
        ("a list where a text belongs", Cursor, "x: 1\ndescription:\n  - a", "head-unclear 3"),
        ("a flow list where a text belongs", Cursor, "description: [a, b]", "head-unclear 2"),
        ("a list where a boolean belongs", Cursor, "alwaysApply: [true]", "head-unclear 2"),
        ("no boolean", Cursor, "alwaysApply: yes", "head-unclear 2"),
        ("no key", Claude, "paths: a\nprose", "head-unclear 3"),
        ("no blank behind the colon", Claude, "paths:src/**", "head-unclear 2"),
        ("a key with indentation", Claude, "owner:\npaths: a\n  agents: b", "head-unclear 4"),
        ("a map below a key", Claude, "paths:\n  include: a", "head-unclear 3"),
        ("a map for patterns", Claude, "paths: {include: [a]}", "head-unclear 2"),
        ("a head in braces", Claude, "{paths: [a]}", "head-unclear 2"),
        ("a map in a list", Claude, "paths:\n  - path: a", "head-unclear 3"),
        ("a list in a list", Claude, "paths:\n  - [a, b]", "head-unclear 3"),
        ("a value and a list", Claude, "paths: a\n  - b", "head-unclear 3"),
        ("a value and a list below", Claude, "paths: a\n- b", "head-unclear 3"),
        ("an item behind the colon", Claude, "paths: - a", "head-unclear 2"),
        ("items at two indentations", Claude, "paths:\n  - a\n    - b", "head-unclear 4"),
        ("an open list", Claude, "paths: [a, b\nowner: x]", "head-unclear 2"),
        ("an open quote", Claude, "paths: \"a\nowner: \"x\"", "head-unclear 2"),
        ("a comma behind a list", Claude, "paths: [a],", "head-unclear 2"),
        ("an open list of quotes", Claude, "paths: [\"a/**\"\nowner: x", "head-unclear 2"),
        ("words behind a list", Claude, "paths: [a, b] c", "head-unclear 2"),
        ("words behind a quote", Cursor, "description: \"a\" b", "head-unclear 2"),
        ("no comma between quotes", Claude, "paths: \"a\" \"b\"", "head-unclear 2"),
        ("a no-break blank before a key", Claude, "\u{a0}paths: a", "head-unclear 2"),
    ];
    for (row, dialect, keys, expected) in rows {
        for end in ["\n", "\r\n"] {
            let text = format!("---\n{keys}\n---\n規 ---\n---\n").replace('\n', end);
            assert_eq!(
                meaning(*dialect, &text).replace('\r', ""),
                *expected,
                "F4, F5: {row} ({dialect:?}), {end:?}"
            );
            if let Ok(head) = read(*dialect, &text) {
                assert_eq!(text[head.body..], format!("規 ---{end}---{end}"), "F3: {row}");
            }
        }
    }
}

#[test]
fn a_head_ends_where_its_mark_is() {
    let rows: &[(&str, &str, &str, &str)] = &[
        ("no head", "Use uv.\n---\npaths: a\n---\n", "always", "Use uv.\n---\npaths: a\n---\n"),
        ("nothing", "", "always", ""),
        ("a mark alone", "\u{feff}", "always", ""),
        ("more dashes", "----\npaths: a\n----\n", "always", "----\npaths: a\n----\n"),
        ("a rule below", "\n---\npaths: a\n---\n", "always", "\n---\npaths: a\n---\n"),
        ("a byte-order mark", "\u{feff}---\npaths: a\n---\nB", "paths a", "B"),
        ("no head behind a mark", "\u{feff}B", "always", "B"),
        ("dots", "---\npaths: a\n...\nB", "paths a", "B"),
        ("no keys", "---\n---\nB", "always", "B"),
        ("only comments", "---\n# a\n\n---\nB", "always", "B"),
        ("no body", "---\npaths: a\n---", "paths a", ""),
        ("two rules lines", "---\npaths: a\n---\nB\n---\nC\n---\n", "paths a", "B\n---\nC\n---\n"),
        ("CR LF", "---\r\npaths: a\r\n---\r\nB\r\n", "paths a", "B\r\n"),
        ("no end", "---\npaths: a\nB", "head-open", ""),
        ("only the first mark", "---", "head-open", ""),
        ("only the first mark, CR", "---\r\n", "head-open", ""),
        ("an end with a blank", "---\npaths: a\n--- \nB", "head-open", ""),
        ("an indented end", "---\npaths: a\n ---\nB", "head-open", ""),
        ("a beginning with a blank", "--- \npaths: a\n---\nB", "head-unclear 1", ""),
    ];
    for (row, text, expected, body) in rows {
        assert_eq!(meaning(Claude, text), *expected, "F3, {row}");
        if let Ok(head) = read(Claude, text) {
            assert_eq!(&text[head.body..], *body, "F3, {row}");
        }
    }
}

#[test]
fn a_head_has_64_kib_at_most() {
    for (over, expected) in [(0, "paths a"), (1, "head-open")] {
        let start = "---\npaths: a\n#";
        let fill = "規".repeat(100) + &"x".repeat(MAX_HEAD - start.len() - 300 - "\n---".len() + over);
        let text = format!("{start}{fill}\n---\nB");
        assert_eq!(meaning(Claude, &text), expected, "F3, {over} bytes over");
    }
}

#[test]
fn a_fault_says_where_and_what_was_expected() {
    let rows = [
        (
            Claude,
            "---\nx: y\npaths:\n  - [a, b]\n---",
            "line 4: expected a text as item of the list, and no list",
        ),
        (Cursor, "---\nalwaysApply: yes\n---", "line 2: expected `alwaysApply` to be `true` or `false`"),
        (
            Cursor,
            "---\ndescription: [a, b]\n---",
            "line 2: expected `description` to be one text, and no list",
        ),
        (Claude, "---\npaths: a\npaths: b\n---", "line 3: expected `paths` once, and here it is again"),
        (Claude, "---\nprose\n---", "line 2: expected `key: value`, from the line's first character"),
        (Claude, "---\npaths: a", "line 1 begins a head, and no line `---` or `...` ends it within 64 KiB"),
    ];
    for (dialect, text, expected) in rows {
        let fault: HeadFault = read(dialect, text).unwrap_err();
        assert_eq!(fault.to_string(), expected, "{text:?}");
    }
}
