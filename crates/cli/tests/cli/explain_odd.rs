//! `explain` on terminals, in trouble, and what it says of what is not given.

use std::os::unix::process::CommandExt as _;

use snapbox::str;

use super::explain::project;
use crate::repo::Repo;

#[test]
fn no_line_is_wider_than_the_page_unless_a_name_is() {
    let repo = project();
    let long = "r/a-folder-with-a-rather-long-name/and-another-one-below-it-that-is-longer/x";
    repo.write(format!("{long}/AGENTS.md"), "@docs/a.md and a tail\n");
    for columns in ["40", "60", "80", "120"] {
        for path in [".", "api/v1/Ünïcödé", "web/ui/main.ts", &long[2..]] {
            let output = repo.run(["explain", path]).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let columns: usize = columns.parse().unwrap();
            for line in text.lines() {
                // A word that has no room stands alone, behind its branch.
                let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
                let wide = line.chars().count() > columns && longest + 30 < columns;
                assert!(!wide, "at {columns} columns: {line:?}\n{text}");
            }
        }
    }
}

#[test]
fn lines_are_drawn_in_ascii_where_the_locale_is_no_utf_8_one() {
    let repo = project();
    for (name, variables, ascii) in [
        ("none is set", vec![], true),
        ("C", vec![("LANG", "C")], true),
        ("LANG", vec![("LANG", "de_DE.UTF-8")], false),
        ("the first that is set", vec![("LC_ALL", "C"), ("LANG", "de_DE.utf8")], true),
        ("blank is not set", vec![("LC_ALL", ""), ("LC_CTYPE", "C.utf8")], false),
    ] {
        let command = repo.run(["explain", "web"]).env_remove("LANG").envs(variables);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert_eq!(text.is_ascii(), ascii, "{name}: {text}");
    }
}

#[test]
fn colours_are_for_terminals_or_for_who_asks() {
    let repo = project();
    let coloured = |args: &[&str], variables: &[(&str, &str)]| {
        let command = repo.run(args).envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap().contains('\u{1b}')
    };
    assert!(!coloured(&["explain"], &[("TERM", "xterm")]), "a pipe has none");
    assert!(coloured(&["explain", "--color", "always"], &[]), "who asks gets them");
    assert!(!coloured(&["explain", "--color", "never"], &[("CLICOLOR_FORCE", "1")]), "who declines does not");
    assert!(!coloured(&["explain"], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")]));
    let plain = repo.stdout(["explain"]);
    let command = repo.run(["explain", "--color", "always"]).output().unwrap();
    let stripped = String::from_utf8(command.stdout).unwrap();
    let stripped: String = anstream::adapter::strip_str(&stripped).to_string();
    assert_eq!(stripped, plain, "colours change nothing else");
}

#[test]
fn a_nested_checkout_says_what_it_hides() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "Outer.\n"),
        ("r/mod/AGENTS.md", "Inner.\n"),
        ("r/mod/.git", "gitdir: ../.git/modules/mod\n"),
    ]);
    repo.run(["explain", "mod"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
A session in [TOP]/r/mod is given 1 instruction file, 271 bytes in all.

starts in    [TOP]/r/mod (main session)
root         [TOP]/r/mod: it has .git
budget       █░░░░░░░░░░░░░░░░░░░░░░░ 271 of 65,536 bytes, under 1%
configured   defaults, for there is no standing-orders.toml from [TOP]/r/mod up to /

[TOP]/r/mod  root, and where the session starts
└─ AGENTS.md  7 B  loaded

note: the root lies within another project, [TOP]/r, whose instructions are not loaded: [TOP]/r/AGENTS.md

"#]]);
}

#[test]
fn a_reader_that_goes_away_is_fine() {
    let repo = project();
    for command in ["explain", "render"] {
        // The read end is closed before the command starts, so that its first write fails.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
        let child = child.arg(command).current_dir(repo.path("r")).env("HOME", repo.path("home"));
        let output = child.stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let output = output.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: exit status");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{command}: quietly");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return; // Only Linux has it.
    }
    let repo = project();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
    let child = child.arg("render").current_dir(repo.path("r")).env("HOME", repo.path("home")).stdout(full);
    let output = child.stderr(std::process::Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write to standard output"));
}

/// Someone without rights: the superuser's tests run as nobody.
fn without_rights(repo: &Repo, args: &[&str]) -> std::process::Output {
    use std::os::unix::fs::PermissionsExt as _;
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
    child.args(args).current_dir("/").env_clear().env("HOME", repo.path("home")).env("LANG", "C.UTF-8");
    let locked = repo.path("locked-probe");
    std::fs::create_dir_all(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o0)).unwrap();
    if std::fs::read_dir(&locked).is_ok() {
        std::fs::set_permissions(&repo.top, std::fs::Permissions::from_mode(0o755)).unwrap();
        child.uid(65_534);
    }
    child.output().unwrap()
}

#[test]
fn what_may_not_be_looked_at_is_said() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::with(&[
        ("r/AGENTS.md", "A\n"),
        ("r/sub/AGENTS.md", "B\n"),
        ("r/sub/CLAUDE.md", "C\n"),
        ("r/shut/AGENTS.md", "D\n"),
    ]);
    let mode = |path: &str, mode| {
        std::fs::set_permissions(repo.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("r/sub/AGENTS.md", 0o0);
    mode("r/shut", 0o0);
    let root = repo.path("r").to_str().unwrap().to_owned();

    let output = without_rights(&repo, &["explain", &format!("{root}/sub")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "a file that cannot be read is reported: {text}");
    assert!(text.contains("AGENTS.md  2 B  cannot be looked at: permission denied"), "{text}");
    assert!(
        text.contains("CLAUDE.md  2 B  not loaded: sub/AGENTS.md comes first"),
        "it keeps its slot (D7): {text}"
    );

    let output = without_rights(&repo, &["explain", &format!("{root}/shut")]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "a folder that cannot be looked into is an error: {message}");
    assert_eq!(message, format!("error: {root}/shut: permission denied\n"));
    mode("r/shut", 0o755);
}

#[test]
fn a_link_in_a_folder_that_cannot_be_listed_is_said_to_be_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::with(&[("out/é.md", "E\n")]);
    repo.link("r/shüt/AGENTS.md", "../../out/é.md");
    let mode = |mode| {
        std::fs::set_permissions(repo.path("r/shüt"), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o111);
    let output = without_rights(&repo, &["explain", repo.path("r/shüt").to_str().unwrap()]);
    mode(0o755);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("note: a link that leads out of the project, to "), "{text}");
}

#[test]
fn the_condition_that_keeps_gated_files_out_is_named() {
    let repo = Repo::with(&[("r/g.md", "G")]);
    repo.link("r/linked.md", "gone");
    for (name, conditions, args, expected) in [
        (
            "a mode nearly",
            "modes = ['plan', '計画']",
            vec!["--mode", "paln"],
            "its mode is \"paln\", and `modes` has \"plan\", \"計画\"",
        ),
        ("no mode", "modes = ['plan']", vec![], "it is in no mode, and `modes` has \"plan\""),
        ("a subagent", "", vec!["--class", "subagent"], "it is a subagent's, and `sessions` is \"main\""),
        (
            "too deep",
            "sessions = 'any'\nmax_depth = 1",
            vec!["--class", "subagent:2"],
            "its depth is 2, and `max_depth` is 1",
        ),
        (
            "another agent",
            "agents = ['a']",
            vec!["--agent", "b"],
            "its agent is \"b\", and `agents` has \"a\"",
        ),
        ("no agent", "agents = ['a', '!b']", vec![], "it names no agent, and `agents` has \"a\""),
        ("excluded", "agents = ['!b']", vec!["--agent", "b"], "its agent is \"b\", which `agents` excludes"),
        (
            "two of them",
            "modes = ['plan']\nagents = ['a']",
            vec![],
            "it names no agent, and `agents` has \"a\"; it is in no mode, and `modes` has \"plan\"",
        ),
    ] {
        let toml = format!("max_bytes = 900\n[[gated]]\nid = 'g'\nfiles = ['g.md']\n{conditions}\n");
        repo.write("r/standing-orders.toml", toml);
        let text = repo.stdout([&["explain"], &args[..]].concat());
        let expected = format!("note: gated files \"g\": not for this session: {expected}\n");
        assert!(text.contains(&expected), "{name}: {text}");
    }
    let toml = "max_bytes = 900\n[[gated]]\nid = 'g'\nfiles = ['無い.md', 'linked.md', 'g.md']\n";
    repo.write("r/standing-orders.toml", toml);
    let text = repo.stdout(["explain"]);
    assert!(text.contains("note: gated files \"g\": 無い.md is not there\n"), "{text}");
    assert!(text.contains("linked.md       a broken link, so as good as not there\n"), "{text}");
    assert!(text.contains("note: the link leads to gone, which is not there\n"), "{text}");
    assert!(!text.contains("g.md is not there"), "{text}");
    assert!(
        !repo.stdout(["explain", "--all"]).contains("note: gated files"),
        "with all rows it is one of them"
    );
}

#[test]
fn what_waits_is_not_counted_as_left_out() {
    let repo = Repo::with(&[("r/a/AGENTS.md", &"é".repeat(300)), ("r/b/AGENTS.md", &"é".repeat(300))]);
    let text = repo.stdout(["explain", "--max-bytes", "900", "--touch", "a/x", "--touch", "b/x"]);
    let head = text.lines().next().unwrap();
    assert!(text.contains("waits for a later step"), "two do not fit one message: {text}");
    assert!(head.ends_with(" One waits for a later step."), "{head}");
    assert!(!head.contains("leaves out"), "it is not lost: {head}");
}

#[test]
fn a_home_that_is_not_absolute_is_said() {
    let repo = Repo::new();
    for (name, home, expected) in [
        ("not set", "", "user-global  none: neither DSH_HOME nor HOME is set\n"),
        ("relative", "hömé", "user-global  none: DSH_HOME is not set, and HOME is not absolute: hömé\n"),
    ] {
        let output = repo.run(["explain"]).env("HOME", home).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{name}: {text}");
    }
}
