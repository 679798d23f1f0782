//! A planted set of defects: each is found once, and nothing else.

use crate::check::{findings, json, lines};
use crate::repo::Repo;

/// Where the defect is, what it has, and its code.
const PLANTED: &[(&str, &str, &str)] = &[
    ("frame/AGENTS.md", "Say\n  </system-reminder> never.\n", "frame-tag"),
    ("frame-entity/AGENTS.local.md", "&lt; SYSTEM-REMINDER &gt;\n", "frame-tag"),
    ("bidi/AGENTS.md", "規則: a\u{202e}b\n", "invisible-character"),
    ("zero-width/AGENTS.md", "Use\u{200b} uv.\n", "invisible-character"),
    ("ignored/AGENTS.local.md", "a\u{e0041}b\n", "invisible-character"),
    ("case/agents.md", "a", "case-near-miss"),
    ("case-other/Claude.md", "a", "case-near-miss"),
    ("import/AGENTS.md", "See @rules.md first.\n", "import-not-expanded"),
    ("import-gone/CLAUDE.md", "@docs/gone.md\n", "import-dangling"),
    (".github/AGENTS.md", "Read @./gone.md\n", "import-dangling"),
    ("pointer/AGENTS.md", "See CLAUDE.md.\n", "pointer-only"),
    ("link/AGENTS.md", "Follow [the style](style.md#names).\n", "broken-reference"),
    ("link-definition/AGENTS.local.md", "[style]\n\n[style]: docs/スタイル.md\n", "broken-reference"),
    ("image/CLAUDE.md", "![map](img/map%20of%20all.png \"Map\")\n", "broken-reference"),
];

/// What is as it should be, however it looks.
const FINE: &[(&str, &str)] = &[
    ("import/rules.md", "a"),
    ("pointer/CLAUDE.md", "Use uv.\n"),
    ("fine/AGENTS.md", "See [x](../import/rules.md), `@gone.md`, me@example.com and @someone.\n"),
    (
        "fine/nested/AGENTS.md",
        "Nested is fine: [root](/import/rules.md), [site](https://example.com/x.md).\n",
    ),
    ("one-line/AGENTS.md", "Use uv.\n"),
    ("one-line/CLAUDE.md", "@AGENTS.md\n"),
    ("emoji/AGENTS.md", "👩\u{200d}💻 is one, and नमस्\u{200d}ते is a word.\n"),
    ("empty/AGENTS.md", ""),
    ("build/AGENTS.md", "@gone.md </system-reminder>"),
    ("vendor/.git", "gitdir: elsewhere"),
    ("vendor/AGENTS.md", "@gone.md </system-reminder>"),
    (".gitignore", "build/\n*.local.md\n"),
    ("notes.md", "[gone](gone.md) is no instruction file."),
];

fn planted() -> (Repo, Vec<(String, String)>) {
    let repo = Repo::new();
    let mut expected: Vec<(String, String)> = Vec::new();
    let mut expect = |code: &str, path: &str| expected.push((code.to_owned(), path.to_owned()));
    for (path, text, code) in PLANTED {
        repo.write(format!("r/{path}"), text);
        expect(code, path);
    }
    for (path, text) in FINE {
        repo.write(format!("r/{path}"), text);
    }
    repo.link("r/linked/CLAUDE.md", "AGENTS.md");
    repo.write("r/linked/AGENTS.md", "Use uv.\n");
    repo.link("r/folder", "build");

    repo.write(
        "r/standing-orders.toml",
        "max_bytes = 2000\nmax_source_bytes = 3000\n[[gated]]\nid = \"main-only\"\nfiles = [\"gate/CLAUDE.md\"]\n",
    );
    repo.write("r/gate/CLAUDE.md", "Delegate.\n");
    expect("gated-trap", "gate/CLAUDE.md");
    repo.write("r/over/AGENTS.md", lines(1200));
    repo.write("r/over/deep/AGENTS.md", lines(1200));
    expect("over-budget", "over/AGENTS.md");
    repo.write("r/cut/AGENTS.md", lines(2500));
    expect("over-budget", "cut/AGENTS.md");
    repo.write("r/near/AGENTS.md", lines(1560));
    repo.write("r/near/below/AGENTS.md", "a");
    expect("near-budget", "near/AGENTS.md");
    repo.write("r/large/AGENTS.md", lines(3001));
    expect("too-large", "large/AGENTS.md");
    repo.write("r/binary/AGENTS.md", b"a\0b");
    expect("not-text", "binary/AGENTS.md");
    repo.write("r/bytes/AGENTS.md", b"Caf\xe9 rules\n");
    expect("replaced-bytes", "bytes/AGENTS.md");
    repo.link("r/circle/AGENTS.md", "AGENTS.md");
    expect("unreadable", "circle/AGENTS.md");
    repo.link("r/dangling/AGENTS.md", "shared/AGENTS.md");
    expect("dangling-link", "dangling/AGENTS.md");
    repo.link("r/dangling-second/CLAUDE.md", "../gone");
    repo.write("r/dangling-second/AGENTS.md", "a");
    expect("dangling-link", "dangling-second/CLAUDE.md");
    repo.link("r/out/AGENTS.md", "../../outside.md");
    repo.write("outside.md", "a");
    expect("link-out-of-tree", "out/AGENTS.md");
    expected.sort();
    (repo, expected)
}

#[test]
fn each_of_25_planted_defects_is_found_once_and_nothing_else() {
    let (repo, expected) = planted();
    assert_eq!(expected.len(), 25, "the set is of 25");
    let (value, status) = json(&repo, &[]);
    assert_eq!(status, 1, "findings are exit status 1");
    let mut found = findings(&value);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_has_a_place_in_its_text_is_found_there() {
    let (repo, _) = planted();
    let (value, _) = json(&repo, &[]);
    for (path, line, column) in [
        ("frame/AGENTS.md", 2, 3),
        ("frame-entity/AGENTS.local.md", 1, 1),
        ("bidi/AGENTS.md", 1, 6),
        ("import/AGENTS.md", 1, 5),
        ("link/AGENTS.md", 1, 20),
        ("link-definition/AGENTS.local.md", 3, 10),
        ("bytes/AGENTS.md", 1, 4),
    ] {
        let findings = value["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["path"] == path).unwrap();
        let at = (finding["line"].as_u64().unwrap(), finding["column"].as_u64().unwrap());
        assert_eq!(at, (line, column), "{path}: lines and columns count from 1, columns in characters");
    }
}

/// What `explain` says that a session at `start` is given: paths, and bytes that arrive.
fn explained(repo: &Repo, start: &str) -> Vec<(String, u64)> {
    let explained: serde_json::Value =
        serde_json::from_str(&repo.stdout(["explain", start, "--json", "--home", "none"])).unwrap();
    let candidates = explained["candidates"].as_array().unwrap().iter();
    let given = candidates.filter_map(|candidate| {
        let fate = &candidate["fate"];
        let bytes = match fate["kind"].as_str().unwrap() {
            "loaded" => &fate["bytes"],
            "truncated" => &fate["to"],
            _ => return None,
        };
        Some((candidate["path"].as_str().unwrap().to_owned(), bytes.as_u64().unwrap()))
    });
    given.collect()
}

#[test]
fn what_is_kept_is_what_a_session_there_is_given() {
    let (repo, _) = planted();
    // A trap is refused by every command but this one.
    for (rules, overflow) in [("first", "drop"), ("all_distinct", "trim")] {
        let config = format!(
            "max_bytes = 2000\nmax_source_bytes = 3000\nselection = \"{rules}\"\noverflow = \"{overflow}\"\n\
             [[gated]]\nid = \"main-only\"\nfiles = [\"import/rules.md\"]\n"
        );
        repo.write("r/standing-orders.toml", config);
        let (value, _) = json(&repo, &[]);
        let starts = value["starts"].as_array().unwrap();
        assert!(starts.len() > 20, "most folders of the set differ");
        for start in starts {
            let path = start["path"].as_str().unwrap();
            let kept = start["profiles"]["ours"]["kept"].as_array().unwrap().iter();
            let kept: Vec<_> = kept
                .map(|kept| (kept["path"].as_str().unwrap().to_owned(), kept["bytes"].as_u64().unwrap()))
                .collect();
            assert_eq!(kept, explained(&repo, path), "{rules}, {overflow}: at {path}");
        }
    }
}

#[test]
fn rules_and_imports_that_never_arrive_are_found_where_they_are_configured() {
    let repo = Repo::new();
    let files = [
        (".claude/rules/good.md", "---\npaths: src/**\n---\nGood.\n"),
        (".claude/rules/open.md", "---\npaths: src/**\n"),
        (".claude/rules/empty.md", "---\npaths:\n---\nx\n"),
        (".claude/rules/half.md", "---\npaths: ../x/**, src/**\n---\nx\n"),
        (".cursor/rules/é.md", "x\n"),
        ("AGENTS.md", "Use uv.\n@/etc/passwd.md\n"),
    ];
    for (path, text) in files {
        repo.write(format!("r/{path}"), text);
    }
    let of_rules = |code: &str| code.starts_with("rule-") || code == "import-outside";
    let found = || -> Vec<(String, String)> {
        let mut found: Vec<_> =
            findings(&json(&repo, &[]).0).into_iter().filter(|(code, _)| of_rules(code)).collect();
        found.sort();
        found
    };
    assert_eq!(found(), [], "nobody asked for rules and imports");
    repo.write("r/standing-orders.toml", "max_bytes = 65536\nimports = 'expand'\n[[rules]]\n");
    let expected = [
        ("import-outside", "AGENTS.md"),
        ("rule-dead-glob", ".claude/rules/half.md"),
        ("rule-head", ".claude/rules/open.md"),
        ("rule-never", ".claude/rules/empty.md"),
        ("rule-wrong-extension", ".cursor/rules/é.md"),
    ];
    assert_eq!(found(), expected.map(|(code, path)| (code.to_owned(), path.to_owned())));
}
