//! What makes a check stay: the ratchet, exemptions, reserves.

use snapbox::str;

use crate::check::{findings, json, lines};
use crate::repo::Repo;

fn crowded() -> Repo {
    Repo::with(&[
        ("r/AGENTS.md", &lines(900)),
        ("r/pkg/AGENTS.md", &lines(900)),
        ("r/link/AGENTS.md", "[a](gone.md)\n"),
        ("r/standing-orders.toml", "max_bytes = 1500\n"),
    ])
}

#[test]
fn a_ratchet_passes_then_fails_when_one_file_grows() {
    let repo = crowded();
    let (value, status) = json(&repo, &[]);
    assert_eq!(status, 1, "without a baseline findings count: {:?}", findings(&value));
    let written = repo.run(["check", "--baseline", "b.json", "--write-baseline"]).output().unwrap();
    assert_eq!(written.status.code(), Some(0), "writing it is fine");

    let (value, status) = json(&repo, &["--baseline", "b.json"]);
    assert_eq!((status, findings(&value)), (0, vec![]), "what is known may stay");
    assert_eq!(value["known"].as_array().unwrap().len(), 2);

    // Lines move, and the finding stays the same.
    repo.write("r/link/AGENTS.md", "Moved.\n\n[a](gone.md)\n");
    assert_eq!(json(&repo, &["--baseline", "b.json"]).1, 0, "a line that moves is not worse");

    repo.write("r/AGENTS.md", lines(1000));
    let (value, status) = json(&repo, &["--baseline", "b.json"]);
    let expected = vec![("over-budget".to_owned(), "AGENTS.md".to_owned())];
    assert_eq!((status, findings(&value)), (1, expected), "one file grew, more of it is lost");
    assert_eq!((&value["findings"][0]["was"], &value["findings"][0]["measure"]), (&900.into(), &1000.into()));

    repo.write("r/AGENTS.md", lines(900));
    repo.write("r/link/AGENTS.md", "[a](gone.md) [b](gone-too.md)\n");
    let (value, status) = json(&repo, &["--baseline", "b.json"]);
    let expected = vec![("broken-reference".to_owned(), "link/AGENTS.md".to_owned())];
    assert_eq!((status, findings(&value)), (1, expected), "a second one in the same file is new");
}

#[test]
fn a_baseline_that_can_be_lower_says_so() {
    let repo = crowded();
    repo.run(["check", "--baseline", "b.json", "--write-baseline"]).assert().success();
    repo.write("r/link/AGENTS.md", "Nothing.\n");
    let output = repo.run(["check", "--baseline", "b.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("1 entry of the baseline can go or be lower"), "{stderr}");
}

#[test]
fn an_exemption_has_its_reason_and_is_named_when_nothing_needs_it() {
    let repo = crowded();
    repo.write(
        "r/exempt.toml",
        "[[exempt]]\npath = \"link/**\"\ncode = \"broken-reference\"\nreason = \"generated 日々\"\n\n\
         [[exempt]]\npath = \"AGENTS.md\"\ncode = \"over-budget\"\nprofile = \"ours\"\nreason = \"split by May\"\n\n\
         [[exempt]]\npath = \"*\"\ncode = \"not-text\"\nreason = \"none is there\"\n",
    );
    let output = repo.run(["check", "--json", "--exempt", "exempt.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "what is exempt does not count");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let reasons: Vec<_> =
        value["exempt"].as_array().unwrap().iter().map(|e| e["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["split by May", "generated 日々"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("no finding needs the exemption of not-text in \"*\""), "{stderr}");
}

#[test]
fn a_list_of_exemptions_with_a_fault_is_an_input_error() {
    let repo = Repo::new();
    for (name, text, said) in [
        (
            "no reason",
            "\n[[exempt]]\npath = \"a\"\ncode = \"not-text\"\n",
            "error: missing key `exempt[0].reason`\n  ╭▸ exempt.toml:2:1\n",
        ),
        (
            "a blank reason",
            "[[exempt]]\npath = \"a\"\ncode = \"not-text\"\nreason = \" \"\n",
            "error: `exempt[0].reason` is blank\n  ╭▸ exempt.toml:4:10\n  │\n4 │ reason = \" \"\n  ╰╴         ━━━ say why\n",
        ),
        (
            "no such code",
            "[[exempt]]\npath = \"規\"\ncode = \"nope\"\nreason = \"r\"\n",
            "error: there is no code \"nope\"\n  ╭▸ exempt.toml:3:8\n",
        ),
        (
            "no such profile",
            "exempt = [{ path = \"a\", code = \"not-text\", profile = \"c\", reason = \"r\" }]\n",
            "help: profiles are ours, codex, claude\n",
        ),
        (
            "no such key",
            "[[exempt]]\npaths = \"a\"\n",
            "error: unknown key `exempt[0].paths`\n  ╭▸ exempt.toml:2:1\n",
        ),
        ("no such table", "[exempts]\n", "error: unknown key `exempts`\n"),
        ("no list", "exempt = 1\n", "error: `exempt` is no list\n"),
        ("no table", "exempt = [1]\n", "error: `exempt[0]` is no table\n"),
        ("no text", "[[exempt]]\npath = 1\n", "error: `exempt[0].path` is no text\n"),
        (
            "no glob",
            "[[exempt]]\npath = \"a[\"\ncode = \"not-text\"\nreason = \"r\"\n",
            "error: `exempt[0].path` is no glob",
        ),
        ("no TOML", "規則 =", "error: not valid TOML"),
    ] {
        repo.write("r/exempt.toml", text);
        let output = repo.run(["check", "--exempt", "exempt.toml"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: an input error");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
}

#[test]
fn a_baseline_with_a_fault_is_an_input_error() {
    let repo = Repo::new();
    for (name, text, said) in [
        ("no JSON", "{", "b.json: no baseline"),
        ("another version", "{\"version\":2,\"findings\":[]}", "version 2"),
        (
            "no such code",
            "{\"version\":1,\"findings\":[{\"code\":\"x\",\"path\":\"a\",\"measure\":1}]}",
            "there is no code \"x\"",
        ),
    ] {
        repo.write("r/b.json", text);
        let output = repo.run(["check", "--baseline", "b.json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: an input error");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    let output = repo.run(["check", "--baseline", "gone.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a baseline that is named and not there is not an empty one");
}

#[test]
fn a_reserve_keeps_room_for_what_a_machine_adds() {
    let repo = Repo::with(&[("r/AGENTS.md", &lines(900)), ("r/standing-orders.toml", "max_bytes = 2000\n")]);
    assert_eq!(json(&repo, &[]).1, 0, "it fits");
    let (value, status) = json(&repo, &["--reserve", "900"]);
    let expected = vec![("over-budget".to_owned(), "AGENTS.md".to_owned())];
    assert_eq!((status, findings(&value)), (1, expected), "not with 900 bytes kept free");
    repo.run(["check", "--reserve", "2000"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: --reserve 2,000 leaves nothing of 2,000 bytes

"#]]);
}

#[test]
fn how_near_is_near_can_be_said() {
    let repo = Repo::with(&[("r/AGENTS.md", &lines(900)), ("r/standing-orders.toml", "max_bytes = 2000\n")]);
    let (value, status) = json(&repo, &["--warn-at", "50%"]);
    let expected = vec![("near-budget".to_owned(), "AGENTS.md".to_owned())];
    assert_eq!((status, findings(&value)), (1, expected));
    assert_eq!(repo.run(["check", "--warn-at", "0"]).output().unwrap().status.code(), Some(2));
}

/// A faulty link in each of two folders, and no budget that matters.
fn two_folders() -> Repo {
    Repo::with(&[("r/a/AGENTS.md", "[x](gone.md)\n"), ("r/規/AGENTS.md", "[x](gone.md)\n")])
}

#[track_caller]
fn stderr(repo: &Repo, args: &[&str], status: i32) -> String {
    let output = repo.run([&["check"], args].concat()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
    stderr
}

#[test]
fn a_folder_s_run_says_nothing_of_entries_elsewhere_and_keeps_them() {
    let repo = two_folders();
    let said = stderr(&repo, &["--baseline", "b.json", "--write-baseline"], 0);
    assert!(said.contains("2 findings written to b.json\n"), "it says what it wrote: {said}");
    for root in ["a", "規"] {
        let said = stderr(&repo, &["--baseline", "b.json", root], 0);
        assert!(!said.contains("can go"), "{root}: what was not looked at is not gone: {said}");
    }
    repo.write("r/a/AGENTS.md", "Fine.\n");
    let said = stderr(&repo, &["--baseline", "b.json", "規"], 0);
    assert!(!said.contains("can go"), "another folder's entry is not this run's: {said}");
    let said = stderr(&repo, &["--baseline", "b.json", "a"], 0);
    assert!(said.contains("1 entry of the baseline can go or be lower"), "its own is: {said}");
    let said = stderr(&repo, &["--baseline", "b.json", "--write-baseline", "a"], 0);
    let expected = "0 findings written to b.json, with 1 entry that this run does not look at\n";
    assert!(said.contains(expected), "it says what it kept: {said}");
    assert_eq!(json(&repo, &["--baseline", "b.json"]).1, 0, "the entry of the other folder is still there");
}

#[test]
fn a_folder_s_run_does_not_lower_what_it_sees_in_part() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", &lines(900)),
        ("r/a/AGENTS.md", &lines(900)),
        ("r/b/AGENTS.md", &lines(900)),
        ("r/standing-orders.toml", "max_bytes = 1500\n"),
    ]);
    stderr(&repo, &["--baseline", "b.json", "--write-baseline"], 0);
    let said = stderr(&repo, &["--baseline", "b.json", "a"], 0);
    assert!(!said.contains("can go"), "the file above loses more than this run sees: {said}");
    stderr(&repo, &["--baseline", "b.json", "--write-baseline", "a"], 0);
    assert_eq!(json(&repo, &["--baseline", "b.json"]).1, 0, "and the whole is still known");
}

#[test]
fn a_run_by_other_rules_says_nothing_of_entries_by_these_and_keeps_them() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", &lines(900)),
        ("r/CLAUDE.md", "[x](gone.md)\n"),
        ("r/standing-orders.toml", "max_bytes = 500\n"),
    ]);
    let both = ["--profile", "ours", "--profile", "claude"];
    stderr(&repo, &[&both[..], &["--baseline", "b.json", "--write-baseline"]].concat(), 0);
    for profile in ["ours", "codex", "claude"] {
        let said = stderr(&repo, &["--profile", profile, "--baseline", "b.json"], 0);
        assert!(!said.contains("can go"), "{profile}: what is not looked for is not gone: {said}");
    }
    stderr(&repo, &["--profile", "ours", "--baseline", "b.json", "--write-baseline"], 0);
    let (value, status) = json(&repo, &[&both[..], &["--baseline", "b.json"]].concat());
    assert_eq!((status, findings(&value)), (0, vec![]), "the entries of the other profile are kept");
    repo.write("r/CLAUDE.md", "@AGENTS.md\n");
    let said = stderr(&repo, &[&both[..], &["--baseline", "b.json"]].concat(), 0);
    assert!(said.contains("can go"), "a run by both rules can tell: {said}");
}

#[test]
fn an_exemption_for_what_a_run_does_not_look_at_is_not_named() {
    let repo = two_folders();
    let rule = |path: &str, code: &str, more: &str| {
        format!("[[exempt]]\npath = \"{path}\"\ncode = \"{code}\"\nreason = \"r\"\n{more}\n")
    };
    for (name, rule, args, named) in [
        ("in another folder", rule("規/*", "not-text", ""), vec!["a"], false),
        ("perhaps in another folder", rule("**", "not-text", ""), vec!["a"], false),
        ("in this folder", rule("a/**/*.md", "not-text", ""), vec!["a"], true),
        ("of another profile", rule("**", "over-budget", "profile = \"codex\""), vec![], false),
        ("of no profile of this run", rule("**", "not-read", ""), vec![], false),
        ("of this profile", rule("**", "not-read", ""), vec!["--profile", "claude"], true),
        ("anywhere", rule("**", "not-text", ""), vec![], true),
    ] {
        repo.write("r/exempt.toml", rule);
        let output = repo.run([&["check", "--exempt", "exempt.toml"], &args[..]].concat()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.contains("no finding needs the exemption"), named, "{name}: {stderr}");
    }
}

#[test]
fn a_file_that_is_no_baseline_is_not_written_over() {
    let repo = two_folders();
    repo.write("r/package.json", "{}\n");
    let said = stderr(&repo, &["--baseline", "package.json", "--write-baseline"], 2);
    assert!(said.contains("package.json: no baseline"), "{said}");
    assert_eq!(std::fs::read_to_string(repo.path("r/package.json")).unwrap(), "{}\n");
}

#[test]
fn a_worse_finding_says_what_is_measured() {
    let repo = crowded();
    repo.run(["check", "--baseline", "b.json", "--write-baseline"]).assert().success();
    repo.write("r/AGENTS.md", lines(1900));
    let output = repo.run(["check", "--baseline", "b.json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().next().unwrap();
    let (_, said) = line.split_once("(worse than the baseline: 900 to ").expect(line);
    assert!(said.ends_with(" bytes lost over all different starting points)"), "{line}");
}

#[test]
fn an_empty_file_has_nothing_to_lose() {
    let repo = Repo::with(&[("r/empty/AGENTS.md", ""), ("r/é/AGENTS.md", "\u{feff}")]);
    let (value, status) = json(&repo, &["--max-bytes", "1"]);
    assert_eq!((status, findings(&value)), (0, vec![]), "none of its bytes is left out");
}
