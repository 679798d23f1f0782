use snapbox::str;

use crate::repo::Repo;

/// A project with something of everything.
pub(crate) fn project() -> Repo {
    let repo = Repo::with(&[
        ("home/.dsh/AGENTS.md", "Mine, everywhere.\n"),
        ("r/AGENTS.md", "# House rules\nBe kind.\n"),
        ("r/CLAUDE.md", "See AGENTS.md\n"),
        ("r/AGENTS.local.md", "Only here.\n"),
        ("r/api/CLAUDE.md", "@docs/style.md\nHidden\u{200b}.\n"),
        ("r/api/v1/Ünïcödé/AGENTS.md", "Größe.\n"),
        ("r/web/AGENTS.md", "Web.\n"),
        ("r/web/ui/main.ts", ""),
    ]);
    repo.link("r/web/CLAUDE.local.md", "../AGENTS.md");
    repo.link("r/api/v1/AGENTS.md", "gone.md");
    repo
}

#[test]
fn a_session_at_the_root() {
    project().run(["explain"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r is given 3 instruction files, 393 bytes in all.

starts in    [TOP]/r (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: loaded
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 393 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r up to /

~/.dsh  user-global: for every project
└─ AGENTS.md        18 B  loaded
[TOP]/r  root, and where the session starts
├─ AGENTS.md        23 B  loaded
├─ CLAUDE.md        14 B  not loaded: AGENTS.md comes first
└─ AGENTS.local.md  11 B  loaded

"#]]);
}

#[test]
fn a_session_deep_in_the_project() {
    let args = ["explain", "api/v1/Ünïcödé"];
    project().run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r/api/v1/Ünïcödé is given 5 instruction files, 515 bytes in all.

starts in    [TOP]/r/api/v1/Ünïcödé (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: loaded
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 515 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r/api/v1/Ünïcödé up to /

~/.dsh  user-global: for every project
└─ AGENTS.md           18 B  loaded
[TOP]/r  root
├─ AGENTS.md           23 B  loaded
├─ CLAUDE.md           14 B  not loaded: AGENTS.md comes first
├─ AGENTS.local.md     11 B  loaded
└─ api
   ├─ CLAUDE.md        26 B  loaded
   │    note: line 1: the import @docs/style.md is not expanded, the model sees the line as it is
   │    note: 1 invisible character, U+200B, the first at line 2, column 7
   └─ v1
      ├─ AGENTS.md           a broken link, so as good as not there
      │    note: the link leads to gone.md, which is not there
      └─ Ünïcödé  where the session starts
         └─ AGENTS.md   9 B  loaded

"#]]);
}

#[test]
fn a_file_means_a_session_at_the_root_that_touches_it() {
    let args = ["explain", "web/ui/main.ts"];
    project().run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r is given 4 instruction files, 527 bytes in all.

starts in    [TOP]/r (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: loaded
touches      web/ui/main.ts
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 393 of 65,536 bytes, under 1% (root to start)
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 134 of 65,536 bytes, under 1% (touched)
configured   defaults, for there is no standing-orders.toml from [TOP]/r/web/ui up to /

~/.dsh  user-global: for every project
└─ AGENTS.md           18 B  loaded
[TOP]/r  root, and where the session starts
├─ AGENTS.md           23 B  loaded
├─ CLAUDE.md           14 B  not loaded: AGENTS.md comes first
├─ AGENTS.local.md     11 B  loaded
└─ web  touched
   ├─ AGENTS.md         5 B  loaded, by touch
   └─ CLAUDE.local.md  23 B  not loaded again: the same file as AGENTS.md
        note: a link to AGENTS.md

"#]]);
}

#[test]
fn touches_are_relative_to_where_the_session_starts() {
    let args = ["explain", "web", "--touch", "ui/new.ts", "--touch", "../api/x", "--touch", "/etc/passwd"];
    project().run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r/web is given 4 instruction files, 434 bytes in all.

starts in    [TOP]/r/web (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: loaded
touches      web/ui/new.ts: not there; its folders are looked at all the same
touches      api/x: not below where the session starts, so that it brings nothing (nested_discovery = "cwd")
touches      /etc/passwd: outside of the project, so that it brings nothing
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 434 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r/web up to /

~/.dsh  user-global: for every project
└─ AGENTS.md           18 B  loaded
[TOP]/r  root
├─ AGENTS.md           23 B  loaded
├─ CLAUDE.md           14 B  not loaded: AGENTS.md comes first
├─ AGENTS.local.md     11 B  loaded
└─ web  where the session starts
   ├─ AGENTS.md         5 B  loaded
   └─ CLAUDE.local.md  23 B  not loaded again: the same file as AGENTS.md
        note: a link to AGENTS.md

"#]]);
}

#[test]
fn all_names_that_were_looked_for() {
    let args = [
        "explain",
        "api",
        "--all",
        "--home",
        "none",
        "--class",
        "subagent:2",
        "--agent",
        "ü",
        "--mode",
        "plan",
    ];
    project().run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r/api is given 3 instruction files, 398 bytes in all.

starts in    [TOP]/r/api (subagent session, depth 2, agent "ü", mode "plan")
root         [TOP]/r: it has .git
user-global  none, as configured
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 398 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r/api up to /

[TOP]/r  root
├─ AGENTS.md           23 B  loaded
├─ CLAUDE.md           14 B  not loaded: AGENTS.md comes first
├─ AGENTS.local.md     11 B  loaded
├─ CLAUDE.local.md           not there
└─ api  where the session starts
   ├─ AGENTS.md              not there
   ├─ CLAUDE.md        26 B  loaded
   │    note: line 1: the import @docs/style.md is not expanded, the model sees the line as it is
   │    note: 1 invisible character, U+200B, the first at line 2, column 7
   ├─ AGENTS.local.md        not there
   └─ CLAUDE.local.md        not there

"#]]);
}

#[test]
fn what_the_budget_leaves_out_is_said() {
    let args = ["explain", "api/v1/Ünïcödé", "--max-bytes", "350", "--overflow", "trim"];
    project().run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r/api/v1/Ünïcödé is given 2 instruction files, 319 bytes in all. The budget leaves out 3.

starts in    [TOP]/r/api/v1/Ünïcödé (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: left out for the budget
budget       █████████████████████░░░ 319 of 350 bytes, 91%
configured   defaults, for there is no standing-orders.toml from [TOP]/r/api/v1/Ünïcödé up to /

~/.dsh  user-global: for every project
└─ AGENTS.md           18 B  left out for the budget
[TOP]/r  root
├─ AGENTS.md           23 B  left out for the budget
├─ CLAUDE.md           14 B  not loaded: AGENTS.md comes first
├─ AGENTS.local.md     11 B  left out for the budget
└─ api
   ├─ CLAUDE.md        26 B  loaded
   │    note: line 1: the import @docs/style.md is not expanded, the model sees the line as it is
   │    note: 1 invisible character, U+200B, the first at line 2, column 7
   └─ v1
      ├─ AGENTS.md           a broken link, so as good as not there
      │    note: the link leads to gone.md, which is not there
      └─ Ünïcödé  where the session starts
         └─ AGENTS.md   9 B  loaded

"#]]);
}

#[test]
fn loading_that_is_off_is_said() {
    project().run(["explain", "--max-bytes", "0"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Loading is off (max_bytes = 0): a session in [TOP]/r is given nothing.

starts in    [TOP]/r (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: not looked at
configured   defaults, for there is no standing-orders.toml from [TOP]/r up to /

[TOP]/r  root, and where the session starts

"#]]);
}

#[test]
fn every_distinct_candidate_when_that_is_the_selection() {
    let args = ["explain", "--selection", "all_distinct"];
    let repo = project();
    repo.write("r/CLAUDE.md", "  # House rules\nBe kind.\n\n");
    repo.run(args).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r is given 3 instruction files, 393 bytes in all.

starts in    [TOP]/r (main session)
root         [TOP]/r: it has .git
user-global  ~/.dsh/AGENTS.md: loaded
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 393 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r up to /

~/.dsh  user-global: for every project
└─ AGENTS.md        18 B  loaded
[TOP]/r  root, and where the session starts
├─ AGENTS.md        23 B  loaded
├─ CLAUDE.md        26 B  not loaded again: AGENTS.md says the same
└─ AGENTS.local.md  11 B  loaded

"#]]);
}

#[test]
fn nothing_anywhere() {
    let repo = Repo::new();
    repo.mkdir("plain");
    repo.run_in("plain", ["explain"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/plain is given no instruction files.

starts in    [TOP]/plain (main session)
root         [TOP]/plain: where the session starts, for no folder from there up has .git
budget       ░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 65,536 bytes, 0%
configured   defaults, for there is no standing-orders.toml from [TOP]/plain up to /

[TOP]/plain  root, and where the session starts

"#]]);
}

#[test]
fn gated_files_are_shown_or_it_is_said_why_not() {
    let repo = Repo::with(&[
        (
            "r/standing-orders.toml",
            "max_bytes = 9000\n[[gated]]\nid = 'main-only'\nfiles = ['m/RULES.md', 'm/none.md']\nmax_bytes = 800\n\
             [[gated]]\nid = 'workers'\nfiles = ['w.md']\nsessions = 'subagent'\n\
             [[gated]]\nid = 'rust'\nfiles = ['rust.md']\nwhen_touched = ['src/**/*.rs']\n",
        ),
        ("r/m/RULES.md", "Delegate.\n"),
        ("r/rust.md", "No unwrap.\n"),
    ]);
    repo.run(["explain"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r is given 1 instruction file, 275 bytes in all.

starts in    [TOP]/r (main session)
root         [TOP]/r: it has .git
budget       ████████░░░░░░░░░░░░░░░░ 275 of 800 bytes, 34% (main-only)
configured   [TOP]/r/standing-orders.toml

[TOP]/r  root, and where the session starts
main-only  gated
└─ m/RULES.md  10 B  loaded

note: gated files "main-only": m/none.md is not there
note: gated files "workers": not for this session: it is a main session, and `sessions` is "subagent"
note: gated files "rust": not before a path is touched that matches src/**/*.rs

"#]]);
    let touched = repo.stdout(["explain", "--touch", "src/a/b.rs"]);
    assert!(touched.contains("rust.md"), "in force once a path matched (I4): {touched}");
    assert!(!touched.contains("not before a path"), "and then nothing is to be said about it");
}

#[test]
fn a_default_home_that_is_not_there_is_nobodys_but_for_all() {
    let repo = Repo::with(&[("r/AGENTS.md", "A\n"), ("other/é", "")]);
    let with = |args: &[&str], variables: &[(&str, &str)]| {
        let output =
            repo.run(["explain"].iter().chain(args)).envs(variables.iter().copied()).output().unwrap();
        let page = String::from_utf8(output.stdout).unwrap();
        let about = page.lines().filter(|line| line.contains("user-global") || line.contains(".dsh"));
        about.map(|line| line.replace(repo.top.to_str().unwrap(), "[TOP]")).collect::<Vec<_>>()
    };
    let other = repo.path("other");
    let other = other.to_str().unwrap();
    assert_eq!(with(&[], &[]), [""; 0], "nobody asked for it");
    assert_eq!(with(&["--all"], &[]), ["user-global  ~/.dsh/AGENTS.md: not there"], "one line");
    assert_eq!(
        with(&[], &[("DSH_HOME", other)]),
        ["user-global  $DSH_HOME/AGENTS.md, which is [TOP]/other/AGENTS.md: not there"],
        "somebody named it"
    );
    assert_eq!(
        with(&["--home", "../other"], &[]),
        ["user-global  …/other/AGENTS.md, which is [TOP]/other/AGENTS.md: not there"],
        "so here"
    );
    repo.write("home/.dsh/AGENTS.md", "D\n");
    assert_eq!(
        with(&[], &[]),
        ["user-global  ~/.dsh/AGENTS.md: loaded", "~/.dsh  user-global: for every project"],
        "it is there"
    );
}

#[test]
fn rules_and_imports_say_why_they_are_there() {
    let repo = Repo::with(&[
        ("r/.git/HEAD", ""),
        ("r/standing-orders.toml", "max_bytes = 65536\nhome = 'none'\nimports = 'expand'\n[[rules]]\n"),
        ("r/AGENTS.md", "House.\n@docs/é.md\n@docs/none.md\n@../out.md\n"),
        ("r/docs/é.md", "Style.\n"),
        ("r/.claude/rules/always.md", "Always.\n"),
        ("r/.claude/rules/ts.md", "---\npaths: src/**/*.ts, lib/**\n---\nTS.\n"),
        ("r/.claude/rules/words.md", "---\npaths src\n---\nWords.\n"),
        ("r/.cursor/rules/tests.mdc", "---\ndescription: How we test\n---\nTests.\n"),
        ("r/.cursor/rules/wrong.md", "x"),
        ("r/.devin/rules/m.md", "---\ntrigger: manual\n---\nM.\n"),
    ]);
    let output = repo.run(["explain", "--touch", "src/a.ts"]).env("COLUMNS", "300").output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    for row in [
        "docs/é.md                     7 B  loaded, imported by AGENTS.md, line 2",
        "docs/none.md                       not there, imported by AGENTS.md, line 3",
        "../out.md (AGENTS.md, line 4)      not imported: outside of the folders that may be imported from",
        ".claude/rules/always.md            loaded, always",
        ".claude/rules/ts.md                loaded, src/a.ts matches src/**/*.ts",
        ".claude/rules/words.md             never loaded: line 2: expected",
        ".cursor/rules/tests.mdc            listed by its description",
        ".devin/rules/m.md                  waits to be asked for",
        "problem: .cursor/rules/wrong.md: not a rule, for its name does not end with `.mdc`",
    ] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts: Vec<String> = words(row).split("  ").map(str::to_owned).collect();
        let name = parts[0].split(' ').next().unwrap().to_owned();
        let why = row.rsplit("  ").next().unwrap().trim();
        let found = page.lines().any(|line| line.contains(&name) && words(line).contains(&words(why)));
        assert!(found, "{row}\n{page}");
    }
    assert!(!page.contains("rules are there and not loaded"), "{page}");
}
