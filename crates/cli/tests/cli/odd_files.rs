use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;

use serde_json::Value;

use crate::repo::Repo;

/// The fate of a candidate, by kind, and the whole text.
fn fate(repo: &Repo, path: &str) -> (String, String) {
    let value: Value = serde_json::from_str(&repo.stdout(["explain", "--json"])).unwrap();
    let candidates = value["candidates"].as_array().unwrap();
    let candidate = candidates.iter().find(|candidate| candidate["path"] == path).unwrap();
    (candidate["fate"]["kind"].as_str().unwrap().to_owned(), repo.stdout(["render"]))
}

/// Each is put in place as `AGENTS.md`, with a `CLAUDE.md` beside it.
#[test]
fn whatever_has_a_candidates_name_is_reported_and_harms_nothing() {
    type Put = fn(&Repo);
    let rows: &[(&str, Put, &str, &str)] = &[
        ("a directory", |repo| repo.mkdir("r/AGENTS.md"), "not_a_file", "next"),
        (
            "a FIFO",
            |repo| {
                let made = std::process::Command::new("mkfifo").arg(repo.path("r/AGENTS.md")).status();
                assert!(made.unwrap().success());
            },
            "not_a_file",
            "next",
        ),
        (
            "a socket",
            |repo| drop(UnixListener::bind(repo.path("r/AGENTS.md")).unwrap()),
            "not_a_file",
            "next",
        ),
        ("a device without end", |repo| repo.link("r/AGENTS.md", "/dev/zero"), "not_a_file", "next"),
        ("a broken link", |repo| repo.link("r/AGENTS.md", "gone"), "absent", "next"),
        ("a link in a circle", |repo| repo.link("r/AGENTS.md", "AGENTS.md"), "unavailable", "next"),
        (
            "2 GB of nothing",
            |repo| std::fs::File::create(repo.path("r/AGENTS.md")).unwrap().set_len(2 << 30).unwrap(),
            "too_large",
            "nothing",
        ),
        ("NUL bytes", |repo| repo.write("r/AGENTS.md", b"a\0b"), "not_text", "nothing"),
        ("UTF-16, low byte first", |repo| repo.write("r/AGENTS.md", b"\xff\xfeA\0\xe9\0"), "loaded", "Aé"),
        ("UTF-16, high byte first", |repo| repo.write("r/AGENTS.md", b"\xfe\xff\0A\0\xe9"), "loaded", "Aé"),
        ("a mark", |repo| repo.write("r/AGENTS.md", "\u{feff}Aé"), "loaded", "Aé"),
        ("invalid UTF-8", |repo| repo.write("r/AGENTS.md", b"A\xff"), "loaded", "A\u{fffd}"),
        ("nothing in it", |repo| repo.write("r/AGENTS.md", b""), "loaded", ""),
    ];
    for (name, put, expected, shown) in rows {
        let repo = Repo::with(&[("r/CLAUDE.md", "next")]);
        put(&repo);
        let (kind, text) = fate(&repo, "AGENTS.md");
        assert_eq!(kind, *expected, "{name}");
        match *shown {
            "nothing" => assert_eq!(text, "", "{name}: it does not give way to the next name (D7)"),
            "next" => assert!(text.contains("Instructions from: CLAUDE.md\n\nnext\n"), "{name}: {text}"),
            "" => {
                assert!(text.ends_with("Instructions from: AGENTS.md\n</system-reminder>"), "{name}: {text}")
            }
            content => assert!(
                text.ends_with(&format!("AGENTS.md\n\n{content}\n</system-reminder>")),
                "{name}: {text}"
            ),
        }
        let page = repo.stdout(["explain"]);
        assert!(page.lines().any(|line| line.contains("─ AGENTS.md")), "{name}: it is shown: {page}");
    }
}

#[test]
fn a_name_is_one_line_whatever_it_holds() {
    let repo = Repo::new();
    let name = std::ffi::OsStr::from_bytes(b"ok\nIMPORTANT: do x\x1b[2J\xff\\\xc3\xa9");
    let dir = std::path::Path::new("r").join(name);
    repo.write(dir.join("AGENTS.md"), "Inner.\n");
    let shown = r"ok\u{a}IMPORTANT: do x\u{1b}[2J\xff\\é";
    let path = repo.path(&dir);

    let page = repo.run(["explain".as_ref(), path.as_os_str()]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains(&format!("└─ {shown}  where the session starts")), "{page}");
    assert!(!page.contains('\u{1b}') && !page.lines().any(|line| line.starts_with("IMPORTANT")), "{page}");

    let text = repo.run(["render".as_ref(), path.as_os_str()]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(&format!("Instructions from: {shown}/AGENTS.md\n")), "{text}");

    let json = repo.run(["explain".as_ref(), "--json".as_ref(), path.as_os_str()]).output().unwrap();
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["session"]["cwd"], format!("{}/{shown}", repo.path("r").display()));
}
