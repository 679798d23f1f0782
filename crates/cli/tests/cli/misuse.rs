use crate::repo::Repo;

/// What is said on standard error; nothing is on standard output, and the exit status is 2.
fn refused(repo: &Repo, args: &[&str], variables: &[(&str, &str)]) -> String {
    let output = repo.run(args).envs(variables.iter().copied()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: usage or input error, not a panic: {stderr}");
    assert_eq!(output.stdout, b"", "{args:?}: no result");
    stderr.replace(repo.top.to_str().unwrap(), "[TOP]")
}

#[test]
fn a_path_that_cannot_be_is_refused_with_the_reason() {
    let repo = Repo::with(&[("r/AGENTS.md", "A")]);
    repo.link("r/loop", "loop");
    repo.link("r/gone", "nowhere");
    let long = "x".repeat(300);
    let rows: &[(&str, &str, &str)] = &[
        ("missing", "nope", "error: nope: no such file or directory\n"),
        ("multi-byte", "nö\npe", "error: nö\\u{a}pe: no such file or directory\n"),
        ("a file as a directory", "AGENTS.md/x", "error: AGENTS.md/x: not a directory\n"),
        ("a file with a slash behind", "AGENTS.md/", "error: AGENTS.md/: not a directory\n"),
        ("a link in a circle", "loop", "error: loop: too many levels of symbolic links\n"),
        ("a broken link", "gone", "error: gone: a broken link: nowhere is not there\n"),
        ("too long", &long, "file name too long\n"),
        ("a backslash", "n\\ö", "error: n\\\\ö: no such file or directory\n"),
    ];
    for (name, path, expected) in rows {
        for command in ["explain", "render"] {
            let message = refused(&repo, &[command, path], &[]);
            assert!(message.ends_with(expected), "{name}: {message}");
        }
    }
}

#[test]
fn an_argument_that_cannot_be_is_refused() {
    let repo = Repo::new();
    let rows: &[(&str, &[&str], &str)] = &[
        ("negative", &["--max-bytes", "-1"], "expected a whole number of bytes, 0 or more"),
        ("fractional", &["--max-bytes", "1.5"], "expected a whole number of bytes, 0 or more"),
        ("not finite", &["--max-bytes=nan"], "expected a whole number of bytes, 0 or more"),
        ("beyond 64 bits", &["--max-bytes", "18446744073709551616"], "at most 18446744073709551615"),
        ("no selection", &["--selection", "fist"], "a similar value exists: 'first'"),
        ("no overflow", &["--overflow", "cüt"], "[possible values: drop, trim]"),
        ("no class", &["--class", "sub"], "expected main, subagent, or subagent:DEPTH"),
        ("no depth", &["--class", "subagent:0"], "a depth of at least 1"),
        ("too deep", &["--class", "subagent:4294967296"], "a depth of at most 4294967295"),
        ("a blank touch", &["--touch", " "], "--touch is blank"),
        ("no colour", &["--color", "blue"], "[possible values: auto, always, never]"),
        ("unknown", &["--nope"], "unexpected argument '--nope'"),
        ("two paths", &["a", "b"], "unexpected argument 'b'"),
    ];
    for (name, args, expected) in rows {
        let args: Vec<&str> = ["explain"].iter().chain(*args).copied().collect();
        let message = refused(&repo, &args, &[]);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn a_fault_of_the_configuration_shows_its_line() {
    let rows = [
        (
            "unknown key",
            "max_bytes = 1\n\"größe\" = 2\n",
            "error: unknown key `größe`\n  ╭▸ [TOP]/r/standing-orders.toml:2:1\n  │\n2 │ \"größe\" = 2\n  │ ━━━━━━━\n  │\n  ╰ help: valid keys are `max_bytes`, `max_source_bytes`, `overflow`, `selection`, `nested_discovery`, `home`, `project_root_markers`, `ceiling_directories`, `instruction_file_candidates`, `local_instruction_file_candidates`, `exclude`, `imports`, `import_roots`, `worktree_overlays`, `delegation_notice`, `wording`, `gated`, `rules`, `policy`\n",
        ),
        (
            "a key nearly",
            "max_byte = 1\n",
            "error: unknown key `max_byte`\n  ╭▸ [TOP]/r/standing-orders.toml:1:1\n  │\n1 │ max_byte = 1\n  ╰╴━━━━━━━━ did you mean `max_bytes`?\n",
        ),
        (
            "wrong type",
            "# ü\nmax_bytes = 'ü'\n",
            "error: `max_bytes` is \"ü\"\n  ╭▸ [TOP]/r/standing-orders.toml:2:13\n  │\n2 │ max_bytes = 'ü'\n  ╰╴            ━━━ expected a whole number of bytes, 0 or more\n",
        ),
        (
            "no budget",
            "selection = 'first'\n",
            "error: missing key `max_bytes`: each deployment chooses its own, in bytes, and 0 turns loading off (not in [TOP]/r/standing-orders.toml)\n",
        ),
        (
            "no end",
            "max_bytes = [",
            "error: not valid TOML: unclosed array, expected `]`\n  ╭▸ [TOP]/r/standing-orders.toml:1:14\n  │\n1 │ max_bytes = [\n  ╰╴             ━\n",
        ),
    ];
    for (name, toml, expected) in rows {
        let repo = Repo::with(&[("r/standing-orders.toml", toml)]);
        assert_eq!(refused(&repo, &["explain"], &[]), expected, "{name}");
        assert_eq!(refused(&repo, &["render"], &[]), expected, "{name}");
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused() {
    let repo = Repo::new();
    repo.mkdir("d");
    repo.write("bytes.toml", b"a = '\xff'");
    let fifo = repo.path("fifo.toml");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let rows = [
        ("missing", "../nope.toml", "error: cannot read ../nope.toml: no such file or directory\n"),
        ("a directory", "../d", "error: ../d: it is a directory, expected a regular file\n"),
        ("a FIFO", "../fifo.toml", "error: ../fifo.toml: it is a named pipe, expected a regular file\n"),
        ("a device without end", "/dev/zero", "error: /dev/zero: it is a device, expected a regular file\n"),
        ("not UTF-8", "../bytes.toml", "error: cannot read ../bytes.toml: not UTF-8, from byte 5 on\n"),
    ];
    for (name, path, expected) in rows {
        assert_eq!(refused(&repo, &["explain", "--config", path], &[]), expected, "{name}");
    }
    repo.link("r/standing-orders.toml", "gone.toml");
    assert_eq!(
        refused(&repo, &["explain"], &[]),
        "error: cannot read [TOP]/r/standing-orders.toml: no such file or directory\n",
        "a broken link at the root is not the same as no file"
    );
}

#[test]
fn a_fault_of_the_environment_names_the_variable() {
    let repo = Repo::new();
    let rows = [
        (
            "STANDING_ORDERS_MAX_BYTE",
            "1",
            "error: unknown key `max_byte`, did you mean `max_bytes`? (variable STANDING_ORDERS_MAX_BYTE)\n",
        ),
        (
            "STANDING_ORDERS_MAX_BYTES",
            "é",
            "error: `max_bytes` is \"é\", expected a whole number of bytes, 0 or more (variable STANDING_ORDERS_MAX_BYTES)\n",
        ),
        (
            "DSH_HOME",
            "relative",
            "error: `DSH_HOME` is \"relative\", expected a folder: absolute, or below `~` (variable DSH_HOME)\n",
        ),
    ];
    for (name, value, expected) in rows {
        assert_eq!(refused(&repo, &["explain"], &[(name, value)]), expected, "{name}");
    }
}

#[test]
fn a_gated_file_with_a_candidates_name_is_refused_with_a_better_one() {
    let toml = "max_bytes = 1\n[[gated]]\nid = 'main'\nfiles = ['m/AGENTS.md']\n";
    let repo = Repo::with(&[("r/standing-orders.toml", toml)]);
    assert_eq!(
        refused(&repo, &["explain"], &[]),
        "error: `gated[0].files[0]` is m/AGENTS.md, which has the name of the instruction file AGENTS.md: any \
         session that touches its folder would be shown it\n  ╭▸ [TOP]/r/standing-orders.toml:4:10\n  │\n4 │ files = \
         ['m/AGENTS.md']\n  ╰╴         ━━━━━━━━━━━━━ call it m/AGENTS.main.md, or name it in \
         `allow_candidate_names`\n"
    );
}

#[test]
fn bytes_of_a_path_that_are_not_utf8_are_shown_as_the_readme_says() {
    use std::os::unix::ffi::OsStrExt as _;
    let repo = Repo::new();
    let path = std::ffi::OsStr::from_bytes(b"n\xff\n\xc3\xb6");
    for args in [
        &["explain"][..],
        &["check"],
        &["simulate"],
        &["audit"],
        &["check", "--baseline"],
        &["check", "--exempt"],
        &["explain", "--config"],
    ] {
        let args: Vec<_> = args.iter().map(std::ffi::OsStr::new).chain([path]).collect();
        let output = repo.run(&args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("n\\xff\\u{a}ö: no such file or directory"), "{args:?}: {stderr}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_written_is_a_failure_as_any_result() {
    let repo = Repo::new();
    for args in [&["--help"][..], &["--version"], &["check", "--help"], &["help", "explain"], &["schema"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(snapbox::cmd::cargo_bin!("standing-orders"));
        let output = command.args(args).current_dir(repo.path("r")).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot write to standard output"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_folder_of_home_that_is_not_there_is_said_with_what_may_be_meant() {
    let repo = Repo::with(&[("r/AGENTS.md", "A"), ("other/x", "")]);
    for (home, expected) in [
        ("dhs", "note: --home: there is no folder [TOP]/r/dhs, did you mean `dsh`?\n"),
        ("nöpe", "note: --home: there is no folder [TOP]/r/nöpe\n"),
        ("../other/x", "note: --home: there is no folder [TOP]/r/../other/x\n"),
        ("../other", ""),
        ("none", ""),
        ("dsh", ""),
        ("~", ""),
    ] {
        let output = repo.run(["render", "--home", home]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap().replace(repo.top.to_str().unwrap(), "[TOP]");
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), expected), "{home}");
        let output = repo.run(["render", "-q", "--home", home]).output().unwrap();
        assert_eq!(output.stderr, b"", "{home}: not when quiet");
    }
}
