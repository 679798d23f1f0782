//! Output for other programs: SARIF, Markdown, and what a change takes.

use std::process::Command;

use serde_json::Value;
use snapbox::str;

use crate::check::lines;
use crate::repo::Repo;

fn faulty() -> Repo {
    Repo::with(&[
        ("r/AGENTS.md", &format!("# 規則\n{}", lines(900))),
        ("r/a b/AGENTS.md", &format!("[x](gone|`.md)[y](gone.md)\n{}", lines(900))),
        ("r/binary/AGENTS.md", "\0"),
        ("r/standing-orders.toml", "max_bytes = 1500\n"),
        ("r/exempt.toml", "[[exempt]]\npath = \"binary/*\"\ncode = \"not-text\"\nreason = \"a fixture\"\n"),
    ])
}

/// The members of an object, all of them known to the standard.
fn members<'v>(value: &'v Value, known: &[&str], required: &[&str]) -> &'v serde_json::Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("an object: {value}"));
    for name in object.keys() {
        assert!(known.contains(&name.as_str()), "SARIF 2.1.0 has no {name} here: {value}");
    }
    for name in required {
        assert!(object.contains_key(*name), "SARIF 2.1.0 requires {name}: {value}");
    }
    object
}

fn text(value: &Value) {
    members(value, &["text"], &["text"]);
    assert!(value["text"].as_str().is_some_and(|text| !text.is_empty()), "a message says something");
}

/// The part of the standard's schema that the command uses, member by member.
fn assert_sarif(log: &Value) {
    members(log, &["$schema", "version", "runs"], &["version", "runs"]);
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().unwrap() {
        members(run, &["tool", "columnKind", "originalUriBaseIds", "results"], &["tool"]);
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().unwrap()));
        members(&run["tool"], &["driver"], &["driver"]);
        let driver = members(
            &run["tool"]["driver"],
            &["name", "version", "semanticVersion", "rules"],
            &["name", "version"],
        );
        let rules = driver["rules"].as_array().unwrap();
        for rule in rules {
            members(rule, &["id", "shortDescription", "defaultConfiguration"], &["id"]);
            text(&rule["shortDescription"]);
        }
        for base in run["originalUriBaseIds"].as_object().unwrap().values() {
            members(base, &["uri", "description"], &[]);
        }
        for result in run["results"].as_array().unwrap() {
            let known = [
                "ruleId",
                "ruleIndex",
                "level",
                "message",
                "locations",
                "partialFingerprints",
                "suppressions",
            ];
            let result = members(result, &known, &["message"]);
            text(&result["message"]);
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"], "the index is the rule's");
            assert!(result["partialFingerprints"].as_object().unwrap().values().all(Value::is_string));
            for suppression in result.get("suppressions").and_then(Value::as_array).into_iter().flatten() {
                members(suppression, &["kind", "justification"], &["kind"]);
                assert!(["inSource", "external"].contains(&suppression["kind"].as_str().unwrap()));
            }
            for location in result["locations"].as_array().unwrap() {
                members(location, &["physicalLocation"], &[]);
                let physical = &location["physicalLocation"];
                members(physical, &["artifactLocation", "region"], &["artifactLocation"]);
                members(&physical["artifactLocation"], &["uri", "uriBaseId"], &[]);
                let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
                let plain = |c: char| c.is_ascii_alphanumeric() || "-._/%".contains(c);
                assert!(uri.chars().all(plain), "a relative reference: {uri}");
                if let Some(region) = physical.get("region") {
                    let region = members(region, &["startLine", "startColumn", "endLine"], &[]);
                    assert!(region.values().all(|number| number.as_u64().is_some_and(|number| number >= 1)));
                }
            }
        }
    }
}

#[test]
fn sarif_has_the_form_of_its_standard() {
    let repo = faulty();
    let output = repo.run(["check", "--sarif", "--exempt", "exempt.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let places: Vec<_> = results
        .iter()
        .map(|result| {
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            (result["ruleId"].as_str().unwrap(), uri.as_str().unwrap(), result.get("suppressions").is_some())
        })
        .collect();
    assert_eq!(
        places,
        [
            ("over-budget", "AGENTS.md", false),
            ("broken-reference", "a%20b/AGENTS.md", false),
            ("not-text", "binary/AGENTS.md", true),
        ],
        "what is exempt is there, suppressed"
    );
}

#[test]
fn markdown_is_a_summary_for_a_pull_request() {
    let repo = faulty();
    repo.run(["check", "--markdown"]).assert().code(1).stdout_eq(str![[r###"
## Instruction files

3 findings.

| place | code | finding |
| --- | --- | --- |
| `AGENTS.md:1` | `over-budget` | not whole at 1 starting point, least at a b: 909 of 909 bytes never arrive, lines 1 to 23, with "規則" |
| `a b/AGENTS.md:1:19` | `broken-reference` | links to gone.md, which is not there |
| `binary/AGENTS.md` | `not-text` | not text: it has NUL in its first 8 KiB |

| start | directories | ours |
| --- | --- | --- |
| `a b` | 1 | 1,255 of 1,500, loses 909 |

"###]]).stderr_eq("...");
}

#[test]
fn two_forms_at_once_are_a_usage_error() {
    assert_eq!(Repo::new().run(["check", "--json", "--sarif"]).output().unwrap().status.code(), Some(2));
}

fn git(repo: &Repo, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(repo.path("r"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn since_says_what_a_change_takes_from_each_starting_point() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", &format!("# 規則\n{}", lines(500))),
        ("r/pkg/AGENTS.md", "Small.\n"),
        ("r/pkg/deep/x", ""),
        ("r/web/AGENTS.md", "Web.\n"),
        ("r/standing-orders.toml", "max_bytes = 1500\n"),
    ]);
    std::fs::remove_dir(repo.path("r/.git")).unwrap();
    git(&repo, &["init", "-q", "-b", "main"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-q", "-m", "before"]);
    let run = |args: &[&str]| {
        let path = std::env::var_os("PATH").unwrap();
        repo.run([&["check"], args].concat()).env("PATH", path)
    };
    let output = run(&["--since", "main", "--json"]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["since"]["changes"], Value::Array(Vec::new()), "nothing changed");

    repo.write("r/pkg/AGENTS.md", lines(900));
    let output = run(&["--since", "main", "--json"]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = value["since"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "web is given what it was, and pkg/deep what pkg is: {changes:?}");
    assert_eq!(changes[0]["start"], "pkg");
    assert_eq!(changes[0]["taken"][0]["path"], "AGENTS.md", "the change takes the root's file from pkg");
    assert_eq!(changes[0]["taken"][0]["headings"][0]["text"], "規則");
    run(&["--since", "main", "--color", "never"]).assert().code(1).stdout_eq(str![[r#"
AGENTS.md:1: error[over-budget]: not whole at 2 starting points, least at pkg: 509 of 509 bytes never arrive, lines 1 to 14, with "規則"

start  directories                       ours
pkg              2  1,228 of 1,500, loses 509

Since [..]
  pkg (ours): 816 to 1,228 bytes
    taken AGENTS.md: 509 of 509 bytes never arrive, lines 1 to 14, with "規則"

"#]]).stderr_eq("...");
}

#[test]
fn since_needs_git_and_a_commit() {
    let repo = Repo::with(&[("r/AGENTS.md", "a")]);
    let output = repo.run(["check", "--since", "main"]).env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("--since needs the program git, and there is none"), "{stderr}");
    std::fs::remove_dir(repo.path("r/.git")).unwrap();
    git(&repo, &["init", "-q"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-q", "-m", "before"]);
    let path = std::env::var_os("PATH").unwrap();
    for name in ["gone", "origin/main", "--all", "", "HEAD:AGENTS.md^{tree}", "支\u{1b}"] {
        let output = repo.run(["check", &format!("--since={name}")]).env("PATH", &path).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name:?} is no commit");
        let name = name.replace('\u{1b}', "\\u{1b}");
        assert!(stderr.contains(&format!("--since: `{name}` is no commit here")), "it is named: {stderr}");
        assert!(stderr.contains("fetch-depth: 0"), "{name}: with what helps in CI: {stderr}");
    }
}

#[test]
fn all_that_git_says_of_its_trouble_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::with(&[("r/AGENTS.md", "a")]);
    repo.write(
        "bin/git",
        "#!/bin/sh\necho \"fatal: 怪しい所有者\n\tgit config --add safe.directory x\" >&2\nexit 128\n",
    );
    std::fs::set_permissions(repo.path("bin/git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([repo.path("bin"), "/bin".into()]).unwrap();
    let output = repo.run(["check", "--since", "main"]).env("PATH", path).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("--since: git failed: fatal: 怪しい所有者"), "{stderr}");
    assert!(
        stderr.contains("git config --add safe.directory x"),
        "what helps is in the second line: {stderr}"
    );
}

#[test]
fn markdown_says_what_is_known_and_exempt() {
    let repo = faulty();
    repo.run(["check", "--baseline", "b.json", "--write-baseline"]).assert().success();
    let run = |args: &[&str]| {
        let output =
            repo.run([&["check", "--markdown", "--baseline", "b.json"], args].concat()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&[]);
    assert!(text.starts_with("## Instruction files\n\nNo findings, 3 known.\n"), "{text}");
    let text = run(&["--exempt", "exempt.toml"]);
    assert!(text.starts_with("## Instruction files\n\nNo findings, 2 known, 1 exempt.\n"), "{text}");
}
