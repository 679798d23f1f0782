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
        ("missing", "nope", "error: \"nope\": no such file or directory\n"),
        ("multi-byte", "nö\npe", "error: \"nö\\npe\": no such file or directory\n"),
        ("a file as a directory", "AGENTS.md/x", "error: \"AGENTS.md/x\": not a directory\n"),
        ("a file with a slash behind", "AGENTS.md/", "error: \"AGENTS.md/\": not a directory\n"),
        ("a link in a circle", "loop", "error: \"loop\": too many levels of symbolic links\n"),
        ("a broken link", "gone", "error: \"gone\": no such file or directory\n"),
        ("too long", &long, "file name too long\n"),
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
        ("beyond 64 bits", &["--max-bytes", "18446744073709551616"], "expected a whole number of bytes"),
        ("no selection", &["--selection", "fist"], "a similar value exists: 'first'"),
        ("no overflow", &["--overflow", "cüt"], "[possible values: drop, trim]"),
        ("no class", &["--class", "sub"], "expected main, subagent, or subagent:DEPTH"),
        ("no depth", &["--class", "subagent:0"], "a depth of at least 1"),
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
            "error: unknown key `größe`\n  ╭▸ [TOP]/r/standing-orders.toml:2:1\n  │\n2 │ \"größe\" = 2\n  ╰╴━━━━━━━\n",
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
        ("missing", "../nope.toml", "error: cannot read \"../nope.toml\": No such file or directory\n"),
        ("a directory", "../d", "error: cannot read \"../d\": not a regular file\n"),
        ("a FIFO", "../fifo.toml", "error: cannot read \"../fifo.toml\": not a regular file\n"),
        ("a device without end", "/dev/zero", "error: cannot read \"/dev/zero\": not a regular file\n"),
        ("not UTF-8", "../bytes.toml", "error: cannot read \"../bytes.toml\": not UTF-8, from byte 5 on\n"),
    ];
    for (name, path, expected) in rows {
        assert_eq!(refused(&repo, &["explain", "--config", path], &[]), expected, "{name}");
    }
    repo.link("r/standing-orders.toml", "gone.toml");
    assert_eq!(
        refused(&repo, &["explain"], &[]),
        "error: cannot read \"[TOP]/r/standing-orders.toml\": No such file or directory\n",
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
    let message = refused(&repo, &["explain"], &[]);
    assert!(message.contains("m/AGENTS.md") && message.contains("m/AGENTS.main.md"), "{message}");
}
