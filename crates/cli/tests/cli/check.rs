//! `check`: the walk, exit statuses, what is said of each starting point (L3).

use serde_json::Value;
use snapbox::str;

use crate::repo::Repo;

/// The JSON of a run, and its exit status.
pub(crate) fn json(repo: &Repo, args: &[&str]) -> (Value, i32) {
    let output = repo.run([&["check", "--json"], args].concat()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let value = serde_json::from_slice(&output.stdout);
    (
        value.unwrap_or_else(|_| panic!("standard output is JSON, beside: {stderr}")),
        output.status.code().unwrap(),
    )
}

/// Code and path of each finding that counts.
pub(crate) fn findings(value: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = value["findings"].as_array().unwrap().iter();
    findings.map(|finding| (text(&finding["code"]), text(&finding["path"]))).collect()
}

/// So many bytes of lines.
pub(crate) fn lines(bytes: usize) -> String {
    "Keep handlers thin, test what you write.\n".repeat(bytes / 41 + 1)[..bytes].to_owned()
}

#[test]
fn the_help_says_what_counts() {
    Repo::new().run(["check", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Check what each directory that a session could start in is given, and what it would lose

Usage: standing-orders check [OPTIONS] [ROOT]

Arguments:
  [ROOT]  The project, or a folder of it [default: .]

Options:
      --profile <NAME>     Whose rules count; repeatable [default: ours] [possible values: ours,
                           codex, claude]
      --max-bytes <BYTES>  Bytes a block of instructions may have; 0 turns loading off [default: as
                           configured, else 65536]
      --selection <RULE>   Which candidates of a directory count [default: as configured, else
                           first] [possible values: first, all_distinct]
      --overflow <RULE>    What gives way over budget [default: as configured, else drop] [possible
                           values: drop, trim]
      --home <DIR|none>    Folder of the user-global AGENTS.md, or a profile (dsh): a machine's own,
                           so not counted unless named
      --reserve <BYTES>    Bytes of every limit to keep free, for what a machine adds
      --warn-at <PERCENT>  From which part of a limit on it is nearly used up [default: 90%]
      --baseline <FILE>    Findings that may stay as they are: only worse ones and new ones count
      --write-baseline     Write the findings to the file of --baseline, and succeed
      --exempt <FILE>      Findings that do not count, by path and code, each with its reason (TOML)
      --since <REF>        Show too what changed for each starting point since this commit
      --json               As JSON, in the shape that docs/check.md documents
      --sarif              As SARIF 2.1.0, for code scanning
      --markdown           As Markdown, for a pull request
  -h, --help               Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

Reads every directory below ROOT once, but those that git ignores and nested repositories.
Instruction files there count whether git ignores them or not, for sessions are given them. Exit
status: 0 fine, 1 findings, 2 usage or input error.

"#]]);
}

#[test]
fn a_project_without_findings_is_fine() {
    let repo = Repo::with(&[("r/AGENTS.md", "Use uv.\n"), ("r/api/AGENTS.md", "Keep handlers thin.\n")]);
    let output = repo.run(["check"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "no news is good news");
    let summary = String::from_utf8(output.stderr).unwrap();
    let said = "no findings: 2 directories, 2 different starting points, 2 instruction files (those that git \
                ignores and *.local.md too), in ";
    assert!(summary.starts_with(said), "{summary}");
    assert_eq!(
        repo.run(["check", "--quiet"]).output().unwrap().stderr,
        b"",
        "--quiet leaves out the summary"
    );
}

#[test]
fn what_is_lost_is_named_by_line_and_heading() {
    let broad = format!("# House rules\n{}## Naming\n規則\n## Tests\nAll of them.\n", lines(900));
    let repo = Repo::with(&[
        ("r/AGENTS.md", &broad),
        ("r/pkg/規/AGENTS.md", &format!("# Package\n{}", lines(900))),
        ("r/pkg/規/src/lib.rs", ""),
        ("r/tools/x.sh", ""),
    ]);
    let run = repo.run(["check", "--max-bytes", "1500", "--overflow", "trim", "--color", "never"]);
    run.assert().code(1).stdout_eq(str![[r#"
AGENTS.md:6: error[over-budget]: not whole at 2 starting points, least at pkg/規: 776 of 953 bytes never arrive, lines 6 to 26, with "Tests"

start   directories                       ours
pkg/規            2  1,475 of 1,500, loses 776

"#]]).stderr_eq("...");
}

#[test]
fn each_directory_is_read_once_and_links_are_not_followed() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "a"),
        ("r/a/b/c/AGENTS.md", "a"),
        ("r/.github/AGENTS.md", "a"),
        ("r/build/deep/x", ""),
        ("r/build/AGENTS.md", "@gone.md"),
        ("r/a/.gitignore", "out/\n!kept/\n"),
        ("r/a/out/AGENTS.md", "@gone.md"),
        ("r/a/kept/AGENTS.local.md", "a"),
        ("r/nested/.git/HEAD", ""),
        ("r/nested/AGENTS.md", "@gone.md"),
        ("r/.gitignore", "/build\n*.local.md\nkept\n"),
    ]);
    repo.link("r/a/up", "..");
    repo.link("r/a/loop", "loop");
    let (value, status) = json(&repo, &[]);
    assert_eq!(status, 0, "ignored folders and nested repositories are left out: {:?}", findings(&value));
    let counts = &value["counts"];
    // r, .github, a, a/b, a/b/c, a/kept
    assert_eq!(counts["directories"], 6, "links are not followed");
    assert_eq!(
        counts["listings"], 7,
        "each directory is read once, a nested repository to see that it is one"
    );
    assert_eq!(counts["ignored_directories"], 2, "build and a/out");
    assert_eq!(counts["nested_repositories"], 1);
    assert_eq!(counts["instruction_files"], 4, "an overlay that git ignores counts");
    assert_eq!(counts["reads"], 4, "each file is read once");
    let starts = value["starts"].as_array().unwrap();
    let starts: Vec<_> =
        starts.iter().map(|s| (s["path"].as_str().unwrap(), s["directories"].as_u64().unwrap())).collect();
    assert_eq!(
        starts,
        [(".", 3), (".github", 1), ("a/b/c", 1), ("a/kept", 1)],
        "directories with nothing of their own count where they get it from"
    );
}

#[test]
fn a_folder_of_a_project_is_checked_with_what_lies_above() {
    let repo = Repo::with(&[("r/AGENTS.md", "a"), ("r/api/AGENTS.md", "b"), ("r/web/AGENTS.md", "@gone.md")]);
    let (value, status) = json(&repo, &["api"]);
    assert_eq!(status, 0, "what lies beside is not looked at");
    let kept = &value["starts"][0]["profiles"]["ours"]["kept"];
    let kept: Vec<_> = kept.as_array().unwrap().iter().map(|kept| kept["path"].as_str().unwrap()).collect();
    assert_eq!(kept, ["AGENTS.md", "api/AGENTS.md"], "the chain begins at the project's root");
}

#[test]
fn the_user_global_file_counts_when_it_is_named() {
    let repo = Repo::with(&[("home/.dsh/AGENTS.md", "global"), ("r/AGENTS.md", "a")]);
    let (value, _) = json(&repo, &[]);
    assert_eq!(value["starts"][0]["profiles"]["ours"]["kept"][0]["path"], "AGENTS.md", "a machine's own");
    let (value, _) = json(&repo, &["--home", "dsh"]);
    assert_eq!(value["starts"][0]["profiles"]["ours"]["kept"][0]["path"], "~/.dsh/AGENTS.md");
}

#[test]
fn a_root_that_cannot_be_looked_at_is_an_input_error() {
    let repo = Repo::with(&[("r/file", "")]);
    repo.link("r/loop", "loop");
    for (name, root, said) in [
        ("not there", "gone", "no such file"),
        ("a file", "file", "not a directory"),
        ("a link cycle", "loop", "too many levels"),
    ] {
        let output = repo.run(["check", root]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: an input error");
        assert!(output.stdout.is_empty(), "{name}: nothing on standard output");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
}

#[test]
fn a_directory_without_permission_is_a_finding_below_and_an_error_at_the_root() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::with(&[("r/closed/AGENTS.md", "a")]);
    let set = |mode| {
        std::fs::set_permissions(repo.path("r/closed"), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    set(0o000);
    let is_open = std::fs::read_dir(repo.path("r/closed")).is_ok();
    let (value, status) = json(&repo, &[]);
    let root = repo.run(["check", "closed"]).output().unwrap();
    set(0o755);
    // Nothing is closed to the superuser.
    let expected = if is_open { vec![] } else { vec![("unreadable".to_owned(), "closed".to_owned())] };
    assert_eq!(
        (findings(&value), status),
        (expected, i32::from(!is_open)),
        "the rest is checked all the same"
    );
    assert_eq!(root.status.code(), Some(if is_open { 0 } else { 2 }), "there is nothing to check");
}

#[test]
fn a_deep_and_wide_tree_of_links_ends() {
    let repo = Repo::with(&[("r/AGENTS.md", "a")]);
    let deep: String = "d/".repeat(200);
    repo.write(format!("r/{deep}AGENTS.md"), "deep");
    for number in 0..50 {
        repo.link(&format!("r/d/l{number}"), "../..");
    }
    let (value, status) = json(&repo, &[]);
    assert_eq!((status, &value["counts"]["directories"]), (0, &201.into()), "each directory once");
}

#[test]
fn an_outer_project_whose_instructions_are_hidden_is_named() {
    let repo = Repo::with(&[("AGENTS.md", "outer"), ("r/AGENTS.md", "inner")]);
    repo.mkdir(".git");
    let output = repo.run(["check"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "where a checkout lies is no defect of its files");
    let note = format!(
        "note: the root lies within another project, {}, whose instructions are not loaded: {}\n",
        repo.top.display(),
        repo.path("AGENTS.md").display()
    );
    assert!(stderr.starts_with(&note), "X2: {stderr}");
}
