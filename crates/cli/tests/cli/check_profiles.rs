//! Other products' rules: what Codex and Claude Code give, and what they lose.

use serde_json::Value;

use crate::check::{findings, json, lines};
use crate::repo::Repo;

/// The files that arrive at a starting point, with their bytes.
fn kept(value: &Value, start: &str, profile: &str) -> Vec<(String, u64)> {
    let starts = value["starts"].as_array().unwrap();
    let start =
        starts.iter().find(|found| found["path"] == start).unwrap_or_else(|| panic!("a start {start}"));
    let kept = start["profiles"][profile]["kept"].as_array().unwrap().iter();
    kept.map(|kept| (kept["path"].as_str().unwrap().to_owned(), kept["bytes"].as_u64().unwrap())).collect()
}

fn named(names: &[(&str, u64)]) -> Vec<(String, u64)> {
    names.iter().map(|(name, bytes)| ((*name).to_owned(), *bytes)).collect()
}

fn finding(code: &str, path: &str) -> (String, String) {
    (code.to_owned(), path.to_owned())
}

#[test]
fn codex_takes_one_file_a_directory_and_32_kib_root_first() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", &lines(30_000)),
        ("r/api/AGENTS.md", &format!("# Handlers\n{}\n# 規則\n{}", lines(3000), lines(3000))),
        ("r/api/AGENTS.override.md", ""),
        ("r/web/AGENTS.md", "plain"),
        ("r/web/AGENTS.override.md", "override"),
        ("r/docs/CLAUDE.md", "not its name"),
        ("r/late/AGENTS.md", &format!("# Handlers\n{}\n# 規則\n{}", lines(3000), lines(3000))),
        ("r/late/more/AGENTS.md", "nothing of it"),
    ]);
    let (value, status) = json(&repo, &["--profile", "codex"]);
    assert_eq!(kept(&value, "web", "codex"), named(&[("AGENTS.md", 30_000), ("web/AGENTS.override.md", 8)]));
    let starts: Vec<_> =
        value["starts"].as_array().unwrap().iter().map(|s| s["path"].as_str().unwrap()).collect();
    assert_eq!(
        starts,
        [".", "late", "late/more", "web"],
        "an empty override stands in for the file and adds nothing"
    );
    let cut = 32_768 - 30_000;
    assert_eq!(kept(&value, "late", "codex"), named(&[("AGENTS.md", 30_000), ("late/AGENTS.md", cut)]));
    let late = &value["starts"][1]["profiles"]["codex"];
    assert_eq!((&late["used"], &late["limit"]), (&32_768.into(), &32_768.into()));
    assert_eq!(late["lost"][0]["headings"][0]["text"], "規則", "the heading that never arrives");
    assert_eq!(
        (findings(&value), status),
        (
            vec![
                finding("near-budget", "AGENTS.md"),
                finding("over-budget", "late/AGENTS.md"),
                finding("over-budget", "late/more/AGENTS.md"),
            ],
            1
        ),
        "the root fills most of it, and what comes later is cut"
    );
}

#[test]
fn claude_expands_imports_four_steps_deep_and_each_file_once() {
    let repo = Repo::with(&[
        ("r/CLAUDE.md", "@AGENTS.md and @docs/one.md, `@docs/code.md`, @~/mine.md, @../outside.md\n"),
        ("outside.md", "not of the project"),
        ("r/AGENTS.md", "shared"),
        ("r/docs/one.md", "@two.md\n@one.md\n"),
        ("r/docs/two.md", "@./three.md"),
        ("r/docs/three.md", "@四.md\n@gone.md\n"),
        ("r/docs/四.md", "@five.md\n"),
        ("r/docs/five.md", "too deep"),
        ("r/pkg/.claude/CLAUDE.md", "folder"),
        ("r/pkg/CLAUDE.local.md", "local"),
    ]);
    let (value, _) = json(&repo, &["--profile", "claude"]);
    let chain = [
        ("CLAUDE.md", 73),
        ("AGENTS.md", 6),
        ("docs/one.md", 16),
        ("docs/two.md", 11),
        ("docs/three.md", 17),
        ("docs/四.md", 9),
    ];
    assert_eq!(kept(&value, ".", "claude"), named(&chain), "depth first, each once");
    let pkg = [&chain[..], &[("pkg/.claude/CLAUDE.md", 6), ("pkg/CLAUDE.local.md", 5)]].concat();
    assert_eq!(kept(&value, "pkg", "claude"), named(&pkg), "own files after those above");
    assert_eq!(
        findings(&value),
        [finding("import-dangling", "docs/three.md"), finding("import-too-deep", "docs/四.md")],
        "what is expanded is no finding, nor is a machine's own"
    );
}

#[test]
fn claude_reads_agents_md_only_where_no_claude_md_is_at_or_above() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "root"),
        ("r/api/AGENTS.md", "api"),
        ("r/web/CLAUDE.md", "web"),
        ("r/web/AGENTS.md", "web agents"),
        ("r/lib/AGENTS.md", "lib"),
    ]);
    repo.link("r/lib/CLAUDE.md", "AGENTS.md");
    let (value, _) = json(&repo, &["--profile", "claude"]);
    assert_eq!(kept(&value, "api", "claude"), named(&[("AGENTS.md", 4), ("api/AGENTS.md", 3)]));
    assert_eq!(kept(&value, "web", "claude"), named(&[("web/CLAUDE.md", 3)]), "CLAUDE.md stands in for all");
    assert_eq!(
        findings(&value),
        [finding("not-read", "AGENTS.md"), finding("not-read", "web/AGENTS.md")],
        "a link to it reads it"
    );
}

#[test]
fn several_profiles_stand_side_by_side() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "See @rules.md.\n"),
        ("r/rules.md", "Rules.\n"),
        ("r/規/CLAUDE.md", "@../AGENTS.md\n"),
    ]);
    let run = repo.run([
        "check",
        "--profile",
        "ours",
        "--profile",
        "codex",
        "--profile",
        "claude",
        "--color",
        "never",
    ]);
    run.assert()
        .code(1)
        .stdout_eq(snapbox::str![[r#"
AGENTS.md:1:5: warning[import-not-expanded]: ours: imports @rules.md, which is not expanded
AGENTS.md:1:5: warning[import-not-expanded]: codex: imports @rules.md, which is not expanded

start  directories           ours         codex  claude
.                1  279 of 65,536  15 of 32,768      22
規               1  329 of 65,536  15 of 32,768      36

"#]])
        .stderr_eq("...");
}
