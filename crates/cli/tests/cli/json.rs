use serde_json::{Value, json};

use crate::repo::Repo;

fn explain(repo: &Repo, args: &[&str]) -> Value {
    serde_json::from_str(&repo.stdout(["explain", "--json"].iter().chain(args))).unwrap()
}

#[test]
fn the_shape_is_the_documented_one() {
    let repo = Repo::with(&[
        ("home/.dsh/AGENTS.md", "Mine.\n"),
        ("r/AGENTS.md", "é\n"),
        ("r/CLAUDE.md", "@docs/x.md\n"),
        ("r/a/AGENTS.md", "Nested.\n"),
    ]);
    let value = explain(&repo, &["--touch", "a/b", "--class", "subagent", "--mode", "plan"]);
    let members: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let documented = [
        "candidates",
        "configuration",
        "counts",
        "home",
        "messages",
        "notes",
        "problems",
        "root",
        "session",
        "version",
        "warnings",
    ];
    assert_eq!(members, documented);
    let root = repo.path("r");
    assert_eq!(value["version"], 1);
    assert_eq!(
        value["session"],
        json!({
            "cwd": root, "class": "subagent", "depth": 1, "agent": null, "mode": "plan",
            "touched": [root.join("a/b")],
        })
    );
    assert_eq!(value["root"]["reason"], "marker");
    assert_eq!(value["root"]["marker"], ".git");
    assert_eq!(value["home"], json!({ "path": repo.path("home/.dsh"), "shown": "~/.dsh" }));
    assert_eq!(value["configuration"]["file"], Value::Null);
    assert_eq!(value["configuration"]["values"]["max_bytes"], 65_536);

    let fates: Vec<(&str, &str)> = value["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|candidate| (candidate["path"].as_str().unwrap(), candidate["fate"]["kind"].as_str().unwrap()))
        .filter(|(_, kind)| *kind != "absent")
        .collect();
    let expected = [
        ("~/.dsh/AGENTS.md", "loaded"),
        ("AGENTS.md", "loaded"),
        ("CLAUDE.md", "shadowed"),
        ("a/AGENTS.md", "loaded"),
    ];
    assert_eq!(fates, expected);
    let candidate = &value["candidates"][1];
    assert_eq!(
        *candidate,
        json!({
            "injector": "workspace", "path": "AGENTS.md", "dir": ".", "user_global": false, "looked": "baseline",
            "fate": { "kind": "loaded", "message": "loaded, 3 bytes", "bytes": 3 },
            "size": 3, "broken_link": false, "notes": [],
        })
    );
    let nested = value["candidates"].as_array().unwrap().iter().find(|c| c["path"] == "a/AGENTS.md").unwrap();
    assert_eq!(nested["looked"], "touch");
}

#[test]
fn messages_have_the_sizes_of_what_render_prints() {
    let repo = Repo::with(&[("r/AGENTS.md", "A\n"), ("r/a/AGENTS.md", "B\n")]);
    let value = explain(&repo, &["--touch", "a/x"]);
    let blocks = value["messages"][0]["blocks"].as_array().unwrap();
    let bytes: u64 = blocks.iter().map(|block| block["bytes"].as_u64().unwrap()).sum();
    let text = repo.stdout(["render", "--touch", "a/x"]);
    assert_eq!(blocks.len(), 2, "a baseline and its transitions are two blocks (C10)");
    assert_eq!(bytes as usize + 1, text.len(), "joined by one line end");
}

#[test]
fn every_kind_of_note_is_there() {
    let repo = Repo::with(&[
        ("r/AGENTS.md", "Please read CLAUDE.md.\n"),
        ("r/CLAUDE.md", "Outer.\n"),
        ("r/mod/.git", "gitdir: x\n"),
        ("r/mod/CLAUDE.md", "@docs/é.md\nx\u{202e}y\u{202e}\n"),
    ]);
    repo.write("r/mod/AGENTS.local.md", b"ab\xff\n");
    let kinds = |value: &Value| {
        let candidates = value["candidates"].as_array().unwrap().iter();
        let notes = candidates.flat_map(|candidate| candidate["notes"].as_array().unwrap().clone());
        notes.map(|note| note["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&explain(&repo, &[])), ["pointer"]);
    let value = explain(&repo, &["mod"]);
    assert_eq!(kinds(&value), ["import", "invisible", "replaced"]);
    let invisible =
        value["candidates"].as_array().unwrap().iter().find(|c| c["path"] == "CLAUDE.md").unwrap();
    assert_eq!(invisible["notes"][1]["character"], "U+202E");
    assert_eq!((&invisible["notes"][1]["line"], &invisible["notes"][1]["count"]), (&json!(2), &json!(2)));
    assert_eq!(value["notes"][0]["kind"], "hides_outer");
    assert_eq!(value["notes"][0]["files"], json!([repo.path("r/AGENTS.md")]));
}
