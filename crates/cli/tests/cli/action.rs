//! The step of `action.yml`, as a runner runs it.

use std::process::Command;

use crate::repo::Repo;

/// The script of the last step.
fn script() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../action.yml");
    let action = std::fs::read_to_string(path).unwrap();
    let (_, script) = action.split_once("run: |\n").expect("the last step has a script");
    script.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_owned() + "\n").collect()
}

/// Runs the step: its status, standard error, and what is in the summary.
fn step(repo: &Repo, sarif: &str, summary: &str, arguments: &str) -> (Option<i32>, String, String) {
    repo.mkdir("runner/standing-orders/bin");
    let binary = repo.path("runner/standing-orders/bin/standing-orders");
    if !binary.exists() {
        std::os::unix::fs::symlink(snapbox::cmd::cargo_bin!("standing-orders"), &binary).unwrap();
    }
    repo.write("step.sh", script());
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail"])
        .arg(repo.path("step.sh"))
        .current_dir(repo.path("r"))
        .env("HOME", repo.path("home"))
        .env("RUNNER_TEMP", repo.path("runner"))
        .env("GITHUB_STEP_SUMMARY", repo.path(summary))
        .envs([("ROOT", "."), ("ARGUMENTS", arguments), ("SARIF", sarif), ("SUMMARY", "true")])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let written = std::fs::read_to_string(repo.path(summary)).unwrap_or_default();
    (output.status.code(), String::from_utf8(said).unwrap(), written)
}

#[test]
fn the_step_ends_as_the_check_does() {
    let faulty = Repo::with(&[("r/AGENTS.md", "[規則](gone.md)\n")]);
    let fine = Repo::with(&[("r/AGENTS.md", "Fine.\n")]);
    for (name, repo, sarif, summary, arguments, status) in [
        ("no findings", &fine, "out.sarif", "summary", "", 0),
        ("findings", &faulty, "out.sarif", "summary", "", 1),
        ("no SARIF, no findings", &fine, "", "summary", "", 0),
        ("a usage error", &fine, "out.sarif", "summary", "--nope", 2),
        ("a usage error without SARIF", &faulty, "", "summary", "--since=nope", 2),
        ("SARIF to a folder that is not there", &fine, "gone/x.sarif", "summary", "", 2),
        ("SARIF to there, with findings", &faulty, "gone/x.sarif", "summary", "", 2),
        ("a summary to a folder that is not there", &faulty, "out.sarif", "gone/summary", "", 2),
    ] {
        let (code, said, _) = step(repo, sarif, summary, arguments);
        assert_eq!(code, Some(status), "{name}: {said}");
    }
}

#[test]
fn the_step_writes_one_sarif_file_and_adds_to_the_summary() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "[規則](gone.md)\n"),
        ("summary", "# Before\n"),
        ("r/out.sarif", "old"),
    ]);
    let (code, said, summary) = step(&repo, "out.sarif", "summary", "--profile=ours\n\n--profile=codex");
    assert_eq!(code, Some(1), "{said}");
    assert!(summary.starts_with("# Before\n## Instruction files\n\n1 finding."), "it is added: {summary}");
    let sarif = std::fs::read(repo.path("r/out.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("one JSON text, and nothing of old");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}
