//! `check` where the root is not above: each starting point has a root of its own (D1).

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::repo::Repo;

/// What `check` says of each starting point: bytes, and how many directories.
fn starts(repo: &Repo, dir: &str, args: &[&str]) -> BTreeMap<String, (u64, u64)> {
    let output = repo.run_in(dir, [&["check", "--json"], args].concat()).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let starts = value["starts"].as_array().unwrap_or_else(|| panic!("{value:#}"));
    let row = |start: &Value| {
        let used = start["profiles"]["ours"]["used"].as_u64().unwrap_or_else(|| panic!("{start:#}"));
        (start["path"].as_str().unwrap().to_owned(), (used, start["directories"].as_u64().unwrap()))
    };
    starts.iter().map(row).collect()
}

/// What a session there is given, in bytes.
fn given(repo: &Repo, dir: &Path, args: &[&str]) -> u64 {
    let args = [&["render", "-q", "--home", "none"], args].concat();
    let output = repo.run_in("r", args).current_dir(dir).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout.len() as u64
}

#[test]
fn without_a_marker_a_folder_below_is_given_nothing_of_the_one_above() {
    let repo = Repo::with(&[("n/AGENTS.md", "rule\n"), ("n/c/x", ""), ("n/ü/tief/x", "")]);
    let own = given(&repo, &repo.path("n"), &[]);
    assert!(own > 0, "the session at the top is given its file");
    for dir in ["n/c", "n/ü", "n/ü/tief"] {
        assert_eq!(given(&repo, &repo.path(dir), &[]), 0, "{dir}: it is its own root");
    }
    let found = starts(&repo, "n", &[]);
    let expected = [(".".to_owned(), (own, 1)), ("c".to_owned(), (0, 3))];
    assert_eq!(found, BTreeMap::from(expected), "one that is given it, and three that are given nothing");
}

/// Every directory of a tree, with what marks it, has the bytes that `render` gives there.
#[test]
fn each_starting_point_is_given_what_a_session_there_is_given() {
    let rules = "max_bytes = 9000\n";
    // Name, configuration, files.
    type Row<'r> = (&'r str, &'r str, &'r [(&'r str, &'r str)]);
    let rows: &[Row<'_>] = &[
        ("no marker at all", "", &[("a/AGENTS.md", "A\n"), ("a/b/c/x", ""), ("a/b/c/é/AGENTS.md", "E\n")]),
        ("a file in between", "", &[("AGENTS.md", "T\n"), ("a/b/AGENTS.md", "B\n"), ("a/b/c/d/x", "")]),
        (
            "a marker below",
            "",
            &[
                ("AGENTS.md", "T\n"),
                ("p/.git/HEAD", ""),
                ("p/AGENTS.md", "P\n"),
                ("p/q/r/x", ""),
                ("z/y/x", ""),
            ],
        ),
        (
            "a marker that is configured, and not there",
            "project_root_markers = ['.wurzel']\n",
            &[(".git/HEAD", ""), ("AGENTS.md", "T\n"), ("a/b/x", "")],
        ),
        (
            "a marker that is configured, below",
            "project_root_markers = ['.wurzel']\n",
            &[("AGENTS.md", "T\n"), ("a/.wurzel", ""), ("a/AGENTS.md", "A\n"), ("a/b/c/x", ""), ("z/x", "")],
        ),
        (
            "no markers by configuration",
            "project_root_markers = []\n",
            &[(".git/HEAD", ""), ("AGENTS.md", "T\n"), ("a/AGENTS.md", "A\n"), ("a/b/x", "")],
        ),
        (
            "a ceiling that is marked",
            "ceiling_directories = ['[TOP]/n']\n",
            &[(".git/HEAD", ""), ("AGENTS.md", "T\n"), ("a/AGENTS.md", "A\n"), ("a/b/x", ""), ("c/d/x", "")],
        ),
        (
            "gated files, from the root of each",
            "[[gated]]\nid = 'g'\nfiles = ['g.md', 'b/g.md']\n",
            &[("AGENTS.md", "T\n"), ("g.md", "G\n"), ("a/b/g.md", "H\n"), ("a/b/c/x", "")],
        ),
    ];
    for (name, configured, files) in rows {
        let repo = Repo::new();
        repo.mkdir("n");
        let configured = configured.replace("[TOP]", repo.top.to_str().unwrap());
        repo.write("n.toml", format!("{rules}{configured}"));
        for (path, text) in *files {
            repo.write(Path::new("n").join(path), text);
        }
        let config = repo.path("n.toml");
        let args = ["--config", config.to_str().unwrap()];
        let found = starts(&repo, "n", &args);
        let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
        let mut dirs = vec![repo.path("n")];
        while let Some(dir) = dirs.pop() {
            let entries = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path());
            // A nested repository is a project of its own: it is left out.
            let is_walked = |path: &std::path::PathBuf| {
                path.is_dir() && !path.ends_with(".git") && !path.join(".git").exists()
            };
            dirs.extend(entries.filter(is_walked));
            let text = repo.run_in("n", [&["explain", "--json", "--home", "none"], &args[..]].concat());
            let text = text.current_dir(&dir).output().unwrap();
            let value: Value = serde_json::from_slice(&text.stdout).unwrap();
            let of_workspace = |message: &&Value| message["injector"] == "workspace";
            let messages = value["messages"].as_array().unwrap().iter().filter(of_workspace);
            let bytes: u64 = messages
                .flat_map(|message| message["blocks"].as_array().unwrap())
                .map(|block| block["bytes"].as_u64().unwrap())
                .sum();
            *expected.entry(bytes).or_default() += 1;
        }
        let mut told: BTreeMap<u64, u64> = BTreeMap::new();
        for (used, directories) in found.values() {
            *told.entry(*used).or_default() += directories;
        }
        assert_eq!(told, expected, "{name}: so many directories are given so many bytes: {found:?}");
    }
}

/// The page of `check --since HEAD` of `g`, once `change` was made to what is committed.
fn since(repo: &Repo, change: impl FnOnce(&Repo)) -> String {
    repo.write("g/conf.toml", "max_bytes = 9000\nproject_root_markers = ['.wurzel']\n");
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=é", "-c", "user.email=e@example.invalid"]).args(args);
        let output = command.current_dir(repo.path("g")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "1"]);
    change(repo);
    let args = ["check", "--config", "conf.toml", "--since", "HEAD"];
    let output = repo.run_in("g", args).output().unwrap();
    assert_eq!(output.stderr.is_empty(), output.status.code() == Some(2), "the summary is said");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_changed_since_a_commit_is_told_of_each_root_alone() {
    let repo = Repo::with(&[("g/AGENTS.md", "old\n"), ("g/c/x", "")]);
    let page = since(&repo, |repo| repo.write("g/AGENTS.md", "new, and longer\n"));
    let changed: Vec<&str> = page.lines().filter(|line| line.contains("bytes")).collect();
    assert_eq!(changed.len(), 1, "the folder below was given nothing, and is: {page}");
    assert!(changed[0].trim_start().starts_with(". (ours): "), "{page}");
}

#[test]
fn a_marker_that_is_not_tracked_marks_the_commits_tree_too() {
    let repo = Repo::with(&[("g/AGENTS.md", "A\n"), ("g/ç/AGENTS.md", "C\n")]);
    let page = since(&repo, |repo| repo.write("g/.wurzel", ""));
    assert!(page.ends_with("  every starting point is given what it was\n"), "nothing has changed: {page}");
}
