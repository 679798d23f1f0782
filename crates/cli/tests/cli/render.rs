use crate::repo::Repo;

#[test]
fn nothing_but_the_text_is_on_standard_output() {
    let text = "\u{1b}[31mred\u{1b}[0m, no line end at the end";
    let repo = Repo::with(&[
        ("r/AGENTS.md", text),
        (
            "r/standing-orders.toml",
            "max_bytes = 9000\ninstruction_file_candidates = ['AGENTS.md', 'a/b']\nwording.introduction = 'Intro é.'\n",
        ),
    ]);
    let output = repo.run(["render", "--verbose"]).output().unwrap();
    let expected =
        format!("<system-reminder>\nIntro é.\n\nInstructions from: AGENTS.md\n\n{text}\n</system-reminder>");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "byte for byte, escape sequences too");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{stderr}");
    assert_eq!(lines[0], format!("configuration: {}/standing-orders.toml", repo.path("r").display()));
    assert!(lines[1].starts_with("warning: `instruction_file_candidates[1]`"), "{stderr}");
    let escapes = "note: AGENTS.md: 2 invisible characters, U+001B, the first at line 1, column 1";
    assert_eq!(lines[2], escapes, "what the text does to a terminal is said (X2)");
}

#[test]
fn without_verbose_nothing_is_said_when_all_is_well() {
    let repo = Repo::with(&[("r/AGENTS.md", "A\n")]);
    let output = repo.run(["render"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.stdout.ends_with(b"A\n\n</system-reminder>"), "no line end is added");
}

#[test]
fn nothing_to_load_is_an_empty_text_and_a_word_about_it() {
    let repo = Repo::new();
    let output = repo.run(["render"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("nothing: "));
}

#[test]
fn what_happened_is_logged_for_who_asks() {
    let repo = Repo::with(&[("r/AGENTS.md", "A\n")]);
    let output = repo.run(["render"]).env("RUST_LOG", "standing_orders=debug").output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("AGENTS.md") && log.contains("loaded, 2 bytes"), "{log}");
    assert!(!log.contains('\u{1b}'), "no colours in a pipe");
    assert!(output.stdout.starts_with(b"<system-reminder>"), "and not on standard output");
    let output = repo.run(["render"]).env("RUST_LOG", "=====").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "a filter that is none is no reason to fail");
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("warning: RUST_LOG is ignored"));
}

#[test]
fn what_does_not_arrive_is_hinted_at_once() {
    let lines = "Keep handlers thin, 日々.\n".repeat(40);
    let repo = Repo::with(&[("r/AGENTS.md", &lines), ("r/a/AGENTS.md", &lines), ("r/b/AGENTS.md", "\0")]);
    for (name, args, hint) in [
        (
            "cut",
            &["--max-bytes", "600"][..],
            "not all of it: 1 file is cut for the budget (`explain` says why)\n",
        ),
        (
            "left out and cut",
            &["--max-bytes", "600", "a"],
            "not all of it: 1 file is cut for the budget, 1 file is left out for the budget (`explain` says why)\n",
        ),
        ("not text", &["b"], "not all of it: 1 file is not text (`explain` says why)\n"),
        ("whole", &["a"], ""),
    ] {
        let output = repo.run([&["render"], args].concat()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: no reason to fail");
        assert!(
            stderr.starts_with(hint) && stderr.lines().count() == hint.lines().count(),
            "{name}: {stderr}"
        );
        let output = repo.run([&["render", "-q"], args].concat()).output().unwrap();
        assert_eq!(output.stderr, b"", "{name}: not when quiet");
    }
    repo.write("r/AGENTS.md", "\0");
    let output = repo.run(["render"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "nothing, for 1 file is not text (`explain` says why)\n");
}
