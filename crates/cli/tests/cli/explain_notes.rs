//! What `explain` and `render` say that a reader should know (X2).

use serde_json::Value;

use crate::repo::Repo;

/// A repository, and where the session starts.
type Put = fn(&Repo) -> &'static str;

/// The notes of `explain --json` of this kind, those of candidates with their path.
fn notes(repo: &Repo, dir: &str, kind: &str) -> Vec<(Option<String>, Value)> {
    let output = repo.run_in(dir, ["explain", "--json"]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let is_kind = |note: &&Value| note["kind"] == kind;
    let of_whole = value["notes"].as_array().unwrap().iter().filter(is_kind);
    let mut found: Vec<_> = of_whole.map(|note| (None, note.clone())).collect();
    for candidate in value["candidates"].as_array().unwrap() {
        let path = candidate["path"].as_str().unwrap();
        let notes = candidate["notes"].as_array().unwrap().iter().filter(is_kind);
        found.extend(notes.map(|note| (Some(path.to_owned()), note.clone())));
    }
    found
}

#[test]
fn each_is_said_by_explain_and_render() {
    // Name, what is there, kind, candidate, words.
    let rows: &[(&str, Put, &str, Option<&str>, &str)] = &[
        (
            "a link out of the project",
            |repo| {
                repo.write("ssh/cönfig", "Host x\n");
                repo.link("r/AGENTS.md", "../ssh/cönfig");
                "r"
            },
            "link",
            Some("AGENTS.md"),
            "a link that leads out of the project, to [TOP]/ssh/cönfig",
        ),
        (
            "a link out of the project by way of another",
            |repo| {
                repo.write("out/x.md", "X\n");
                repo.link("r/docs/in.md", "../../out/x.md");
                repo.link("r/é/AGENTS.md", "../docs/in.md");
                "r/é"
            },
            "link",
            Some("é/AGENTS.md"),
            "a link that leads out of the project, to [TOP]/out/x.md",
        ),
        (
            "a link within the project",
            |repo| {
                repo.write("r/docs/regeln.md", "R\n");
                repo.link("r/AGENTS.md", "docs/regeln.md");
                "r"
            },
            "link",
            Some("AGENTS.md"),
            "a link to docs/regeln.md",
        ),
        (
            "a user-global file that is a link",
            |repo| {
                repo.write("dotfiles/ägents.md", "D\n");
                repo.link("home/.dsh/AGENTS.md", "../../dotfiles/ägents.md");
                "r"
            },
            "link",
            Some("~/.dsh/AGENTS.md"),
            "a link to [TOP]/dotfiles/ägents.md",
        ),
        (
            "a home that is a link",
            |repo| {
                repo.write("dotfiles/AGENTS.md", "D\n");
                repo.link("home/.dsh", "../dotfiles");
                "r"
            },
            "link",
            Some("~/.dsh/AGENTS.md"),
            "a link to [TOP]/dotfiles/AGENTS.md",
        ),
        (
            "a gated file that leads out of the project",
            |repo| {
                repo.write("out/ü.md", "Ü\n");
                repo.link("r/g.md", "../out/ü.md");
                repo.write(
                    "r/standing-orders.toml",
                    "max_bytes = 900\n[[gated]]\nid = 'g'\nfiles = ['g.md']\n",
                );
                "r"
            },
            "link",
            Some("g.md"),
            "a link that leads out of the project, to [TOP]/out/ü.md",
        ),
        (
            "a broken link at a candidate",
            |repo| {
                repo.link("r/AGENTS.md", "gône.md");
                "r"
            },
            "broken_link",
            Some("AGENTS.md"),
            "the link leads to gône.md, which is not there",
        ),
        (
            "a broken link at the user-global file",
            |repo| {
                repo.link("home/.dsh/AGENTS.md", "/nöwhere/x");
                "r"
            },
            "broken_link",
            Some("~/.dsh/AGENTS.md"),
            "the link leads to /nöwhere/x, which is not there",
        ),
        (
            "a broken link at the home",
            |repo| {
                repo.link("home/.dsh", "dötfiles/dsh");
                "r"
            },
            "broken_link",
            None,
            "~/.dsh is a link to dötfiles/dsh, which is not there",
        ),
        (
            "another letter case",
            |repo| {
                repo.write("r/agents.md", "a\n");
                "r"
            },
            "letter_case",
            None,
            "agents.md is not AGENTS.md: where letter case counts, no session is given it",
        ),
        (
            "another letter case in a folder of the chain",
            |repo| {
                repo.write("r/AGENTS.md", "A\n");
                repo.write("r/ö/Claude.Local.MD", "a\n");
                "r/ö"
            },
            "letter_case",
            None,
            "ö/Claude.Local.MD is not CLAUDE.local.md: where letter case counts, no session is given it",
        ),
        (
            "another letter case at home",
            |repo| {
                repo.write("home/.dsh/Agents.md", "a\n");
                "r"
            },
            "letter_case",
            None,
            "~/.dsh/Agents.md is not AGENTS.md: where letter case counts, no session is given it",
        ),
        (
            "an empty winner",
            |repo| {
                repo.write("r/é/AGENTS.md", "\n");
                repo.write("r/é/CLAUDE.md", "All the rules.\n");
                "r/é"
            },
            "empty",
            Some("é/AGENTS.md"),
            "it is empty, and keeps CLAUDE.md from loading, which is not",
        ),
        (
            "a winner that only points",
            |repo| {
                repo.write("r/AGENTS.md", "See CLAUDE.md\n");
                repo.write("r/CLAUDE.md", "All the rules.\n");
                "r"
            },
            "pointer",
            Some("AGENTS.md"),
            "it says no more than to read CLAUDE.md, which it keeps from loading",
        ),
        (
            "an import",
            |repo| {
                repo.write("r/AGENTS.md", "# É\n@docs/é.md\n");
                "r"
            },
            "import",
            Some("AGENTS.md"),
            "line 2: the import @docs/é.md is not expanded, the model sees the line as it is",
        ),
        (
            "an invisible character",
            |repo| {
                repo.write("r/AGENTS.md", "é\u{202e}x\n");
                "r"
            },
            "invisible",
            Some("AGENTS.md"),
            "1 invisible character, U+202E, the first at line 1, column 2",
        ),
        (
            "replaced bytes",
            |repo| {
                repo.write("r/AGENTS.md", b"\xc3\xa9\xff");
                "r"
            },
            "replaced",
            Some("AGENTS.md"),
            "1 replacement character stands for bytes that are not valid text, the first at byte 2",
        ),
        (
            "a tag that only looks like one",
            |repo| {
                repo.write("r/AGENTS.md", "É\né </\u{455}ystem-reminder> \u{2039}system-reminder>\n");
                "r"
            },
            "look_alike",
            Some("AGENTS.md"),
            "2 texts look like a tag of the frame <system-reminder>, spelled with other characters, the first at \
             line 2, column 3: it stays as written, and the model may take it for one",
        ),
        (
            "an outer project",
            |repo| {
                repo.write("r/AGENTS.md", "Outer.\n");
                repo.write("r/mödul/.git", "gitdir: ../.git/modules/m\n");
                repo.write("r/mödul/AGENTS.md", "Inner.\n");
                "r/mödul"
            },
            "hides_outer",
            None,
            "the root lies within another project, [TOP]/r, whose instructions are not loaded: [TOP]/r/AGENTS.md",
        ),
        (
            "a marker that cannot be looked at",
            |repo| {
                repo.link("r/ü/.git", ".git");
                repo.write("r/ü/AGENTS.md", "A\n");
                "r/ü"
            },
            "marker",
            None,
            "a root marker cannot be looked at, so that the search for the root ends there: \"[TOP]/r/ü/.git\": \
             link cycle, or too many links",
        ),
        (
            "a folder of rules",
            |repo| {
                repo.write("r/.cursor/rules/ts.mdc", "x\n");
                "r"
            },
            "rules",
            None,
            ".cursor/rules is there and not loaded: an entry [[rules]] in the configuration loads it",
        ),
        (
            "a folder of rules in the chain",
            |repo| {
                repo.write("r/ä/.claude/rules/deep/x.md", "x\n");
                "r/ä"
            },
            "rules",
            None,
            "ä/.claude/rules is there and not loaded: an entry [[rules]] in the configuration loads it",
        ),
        (
            "a file of rules",
            |repo| {
                repo.write("r/.github/copilot-instructions.md", "x\n");
                "r"
            },
            "rules",
            None,
            ".github/copilot-instructions.md is there and not loaded: an entry [[rules]] in the configuration loads it",
        ),
    ];
    for (name, put, kind, candidate, words) in rows {
        let repo = Repo::new();
        let dir = put(&repo);
        let words = words.replace("[TOP]", repo.top.to_str().unwrap());
        let found = notes(&repo, dir, kind);
        assert_eq!(found.len(), 1, "{name}: one of its kind: {found:?}");
        assert_eq!(found[0].0.as_deref(), *candidate, "{name}: of the candidate, or of the whole");
        assert_eq!(found[0].1["message"], words, "{name}");

        let page = repo.run_in(dir, ["explain"]).env("COLUMNS", "900").output().unwrap();
        let page = String::from_utf8(page.stdout).unwrap();
        // All rules are one line there.
        let is_said = |line: &str| match words.split_once(" is there and not loaded") {
            Some((path, _)) => line.starts_with("note: rules are there") && line.ends_with(path),
            None => line.ends_with(&format!("note: {words}")),
        };
        assert!(page.lines().any(is_said), "{name}: {page}");

        let output = repo.run_in(dir, ["render"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let of = candidate.map(|path| format!("{path}: ")).unwrap_or_default();
        assert!(stderr.lines().any(|line| line == format!("note: {of}{words}")), "{name}: {stderr}");
        let output = repo.run_in(dir, ["render", "-q"]).output().unwrap();
        assert_eq!(output.stderr, b"", "{name}: not when quiet");
    }
}

#[test]
fn where_nothing_is_strange_nothing_is_said() {
    let rows: &[(&str, Put)] = &[
        ("the plain case", |repo| {
            repo.write("r/AGENTS.md", "A\n");
            repo.write("r/CLAUDE.md", "C\n");
            "r"
        }),
        ("a link at the name that gives way", |repo| {
            repo.write("r/AGENTS.md", "A\n");
            repo.link("r/CLAUDE.md", "AGENTS.md");
            "r"
        }),
        ("another letter case beside the name itself", |repo| {
            repo.write("r/AGENTS.md", "A\n");
            repo.write("r/agents.md", "a\n");
            "r"
        }),
        ("a folder in another letter case", |repo| {
            repo.mkdir("r/agents.md");
            repo.write("r/AGENTS.local.md", "A\n");
            "r"
        }),
        ("another letter case below, which nobody asked about", |repo| {
            repo.write("r/AGENTS.md", "A\n");
            repo.write("r/é/agents.md", "a\n");
            "r"
        }),
        ("an empty file alone", |repo| {
            repo.write("r/AGENTS.md", "");
            "r"
        }),
        ("an empty folder of rules", |repo| {
            repo.mkdir("r/.claude/rules");
            repo.write("r/AGENTS.md", "A\n");
            "r"
        }),
        ("a file of rules that is gated", |repo| {
            repo.write("r/.claude/CLAUDE.md", "C\n");
            repo.write(
                "r/standing-orders.toml",
                "max_bytes = 900\n[[gated]]\nid = 'é'\nfiles = ['.claude/CLAUDE.md']\nallow_candidate_names = \
                 ['.claude/CLAUDE.md']\n",
            );
            "r"
        }),
        ("a start that is reached through a link", |repo| {
            repo.write("r/ü/AGENTS.md", "A\n");
            repo.link("way", "r/ü");
            "way"
        }),
    ];
    for (name, put) in rows {
        let repo = Repo::new();
        let dir = put(&repo);
        let output = repo.run_in(dir, ["render"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{name}");
    }
}

#[test]
fn a_touched_folder_behind_a_link_is_said_to_lead_out_of_the_project() {
    let repo = Repo::with(&[("out/ö/AGENTS.md", "Out.\n"), ("r/AGENTS.md", "A\n")]);
    repo.link("r/lïnk", "../out");
    let output = repo.run(["render", "--touch", "lïnk/ö/x.rs"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let target = repo.path("out/ö/AGENTS.md");
    let expected =
        format!("note: lïnk/ö/AGENTS.md: a link that leads out of the project, to {}\n", target.display());
    assert_eq!(stderr, expected);
}
