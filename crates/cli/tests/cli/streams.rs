//! Where the command line reads from and writes to, in trouble (L7).

use std::os::unix::net::UnixListener;
use std::process::{Command, Output, Stdio};

use crate::repo::Repo;

/// Something to say on standard error with every command: hints, warnings, notes, findings, faults.
fn talkative() -> Repo {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "# Größe\n[gone](nowhere.md)\n"),
        ("r/agents.local.md", "x"),
        ("r/log", "{\"type\":\"step/start\"}\n"),
        ("r/prose.md", "no log\n"),
        ("r/scenario.json", "{\"scenario\":{}}"),
        ("warns.toml", "max_bytes = 40\ninstruction_file_candidates = ['AGENTS.md', 'a/é']\n"),
        ("bad.toml", "max_byte = 1\n"),
        ("exempt.toml", "exempt = [{ path = 'é.md', code = 'over-budget', reason = 'r' }]\n"),
        ("wrong.toml", "exempt = 1\n"),
    ]);
    repo.link("r/CLAUDE.local.md", "gone.md");
    repo
}

/// The command with standard error as given, and whatever there is to log.
fn run(repo: &Repo, args: &[&str], stderr: Stdio, log: &str) -> Output {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
    command.args(args).current_dir(repo.path("r")).env_clear().env("HOME", repo.path("home"));
    command.env("RUST_LOG", log).env("LANG", "C.UTF-8").stdin(Stdio::null()).stderr(stderr);
    command.output().unwrap()
}

#[test]
fn the_exit_status_is_the_same_when_standard_error_cannot_be_written() {
    let repo = talkative();
    let rows: &[(&str, &[&str], i32)] = &[
        ("an explanation", &["explain", "-v"], 0),
        ("a warning", &["explain", "--config", "../warns.toml"], 0),
        ("a text that is cut", &["render", "--config", "../warns.toml"], 0),
        ("nothing to load", &["render", "--max-bytes", "0", "-v"], 0),
        ("a home that is not there", &["render", "--home", "nöwhere"], 0),
        ("findings", &["check"], 1),
        ("a baseline that is written", &["check", "--baseline", "../b.json", "--write-baseline"], 0),
        ("an exemption that is not needed", &["check", "-v", "--exempt", "../exempt.toml"], 1),
        ("an exemption that is none", &["check", "--exempt", "../wrong.toml"], 2),
        ("a path that is not there", &["explain", "nöpe"], 2),
        ("a fault of the configuration", &["explain", "--config", "../bad.toml"], 2),
        ("usage", &["explain", "--nöpe"], 2),
        ("no command", &[], 2),
        ("help", &["--help"], 0),
        ("a log", &["audit", "log"], 0),
        ("no log", &["audit", "prose.md", "log"], 2),
        ("a scenario that is none", &["simulate", "scenario.json"], 2),
        ("nothing expected", &["simulate", "--compare", "scenario.json"], 2),
        ("a schema", &["schema"], 0),
        ("a page of no command", &["man", "nöpe"], 2),
        ("completions", &["completions", "bash"], 0),
    ];
    for (name, args, status) in rows {
        for log in ["", "trace", "=="] {
            let heard = run(&repo, args, Stdio::piped(), log);
            let said = String::from_utf8_lossy(&heard.stderr);
            assert_eq!(heard.status.code(), Some(*status), "{name}: when it can be written: {said}");
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let full = std::fs::File::options().write(true).open("/dev/full");
            let full = full.map(Stdio::from).into_iter().map(|full| ("full", full));
            for (how, stderr) in full.chain([("closed", Stdio::from(writer))]) {
                let unheard = run(&repo, args, stderr, log);
                assert_eq!(unheard.status.code(), heard.status.code(), "{name}, {how}, log {log:?}");
                assert_eq!(unheard.stdout, heard.stdout, "{name}, {how}: the result is the same");
            }
        }
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_of_every_command() {
    if !std::path::Path::new("/dev/full").exists() {
        return; // Only Linux has it.
    }
    let repo = talkative();
    for args in [
        &["explain"][..],
        &["explain", "--json"],
        &["render"],
        &["check"],
        &["check", "--sarif"],
        &["audit", "log"],
        &["audit", "--json", "log"],
        &["simulate", "ok.json"],
        &["simulate", "--compare", "ok.json"],
        &["schema"],
        &["schema", "--events"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
    ] {
        let scenario = "{\"scenario\":{\"config\":{\"max_bytes\":0},\"session\":{\"cwd\":\"/ws\"},\"files\":{},\
                        \"steps\":[]},\"expected\":{\"visible\":{\"é\":1}}}";
        repo.write("r/ok.json", scenario);
        let mut command = Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
        let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
        command.args(args).current_dir(repo.path("r")).env("HOME", repo.path("home")).stdout(full());
        let output = command.stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot write to standard output"), "{args:?}: {stderr}");
        let output = command.stdout(full()).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: nor can the reason be said");
    }
}

#[test]
fn an_input_that_is_no_regular_file_is_refused_with_what_it_is() {
    let repo = talkative();
    assert!(Command::new("mkfifo").arg(repo.path("r/pïpe")).status().unwrap().success());
    let _listener = UnixListener::bind(repo.path("r/socket")).unwrap();
    repo.mkdir("r/földer");
    repo.link("r/link", "pïpe");
    let kinds = [
        ("pïpe", "a named pipe"),
        ("link", "a named pipe"),
        ("socket", "a socket"),
        ("földer", "a directory"),
        ("/dev/zero", "a device"),
        ("/dev/null", "a device"),
    ];
    let commands: &[(&[&str], &str)] = &[
        (&["audit"], ", or - for standard input"),
        (&["audit", "--json"], ", or - for standard input"),
        (&["simulate"], ", or - for standard input"),
        (&["simulate", "--compare"], ", or - for standard input"),
        (&["check", "--baseline"], ""),
        (&["check", "--write-baseline", "--baseline"], ""),
        (&["check", "--exempt"], ""),
        (&["check", "--config"], ""),
        (&["explain", "--config"], ""),
        (&["render", "--config"], ""),
    ];
    for (args, or) in commands {
        for (path, kind) in kinds {
            let output = repo.run(args.iter().chain([&path])).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?} {path}: {stderr}");
            let expected = format!("error: {path}: it is {kind}, expected a regular file{or}\n");
            assert_eq!(stderr, expected, "{args:?} {path}");
        }
    }
}

#[test]
fn standard_input_is_read_where_a_dash_asks_for_it() {
    let repo = Repo::new();
    for (args, status) in
        [(&["audit", "-"][..], 0), (&["simulate", "-"], 2), (&["check", "--exempt", "-"], 2)]
    {
        let output = repo.run(args).stdin("{\"type\":\"step/start\",\"grüße\":1}\n").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        let is_file = stderr.contains("no such file or directory");
        assert_eq!(is_file, args[0] == "check", "{args:?}: a file called - otherwise: {stderr}");
    }
}
