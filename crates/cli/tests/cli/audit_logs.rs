//! `audit` over logs that are damaged, foreign, many or large.

use serde_json::{Value, json};
use snapbox::str;
use standing_orders::Digest;
use standing_orders::history::Encoding;

use super::audit::{audit_json, change, header, log, numbered, ours, runtime, session};
use crate::repo::Repo;

#[test]
fn damage_is_named_with_its_line_and_the_rest_is_still_read() {
    let set = |content: &str| json!([change("set", "é.md", content)]);
    let lines = ours(&[("g", false, set("1"), "é1"), ("g", false, set("2"), "é2")]);
    let text: Vec<_> = lines.iter().map(|line| format!("{line}\n").into_bytes()).collect();
    let edit = |edit: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut text = text.clone();
        edit(&mut text);
        text.concat()
    };
    let mut header = lines[0].clone();
    header["format"] = 9.into();
    let mut newer = lines[3].clone();
    newer["data"]["source"]["version"] = 9.into();
    let rows: &[(&str, Vec<u8>, u64, &str)] = &[
        ("no JSON", edit(&|lines| lines[2] = b"\xff\xfe\n".to_vec()), 3, "not an entry of a log"),
        ("a gap", edit(&|lines| drop(lines.remove(4))), 5, "entry 4 stands where 3 belongs"),
        ("a newer header", edit(&|lines| lines[0] = format!("{header}\n").into()), 1, "format 9"),
        ("a newer source", edit(&|lines| lines[3] = format!("{newer}\n").into()), 4, "version 9 is newer"),
        ("no end", edit(&|lines| lines.push(b"{\"seq\":7".to_vec())), 9, "ends within this line"),
    ];
    for (name, bytes, line, expected) in rows {
        let repo = Repo::new();
        repo.write("r/log", bytes);
        let output = repo.run(["audit", "--json", "log"]).output().unwrap();
        let audited: Value = serde_json::from_slice(&output.stdout).unwrap();
        let damage = &audited["logs"][0]["damage"][0];
        assert_eq!(damage["line"], *line, "{name}: the line is named: {audited:#}");
        assert!(damage["message"].as_str().unwrap().contains(expected), "{name}: and why: {damage}");
        assert_eq!(output.status.code(), Some(1), "{name}: damage is a finding");
        assert_eq!(audited["logs"][0]["in_force"][0]["digest"], json!(Digest::of("2")), "{name}: it goes on");
    }
}

#[test]
fn a_compressed_log_that_is_cut_is_read_up_to_there() {
    let repo = Repo::new();
    let path = repo.path("r/log");
    runtime().block_on(session(&path, Encoding::Zstd));
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let (audited, code) = audit_json(&repo, &["log"]);
    let damage = &audited["logs"][0]["damage"][0]["message"];
    assert_eq!((damage, code), (&json!("the compressed data ends here, cut"), Some(1)), "the cut is said");
    assert_eq!(audited["logs"][0]["steps"], 6, "what stands before it is read: {audited:#}");
    std::fs::write(&path, [whole.as_slice(), &[0; 64]].concat()).unwrap();
    let (audited, _) = audit_json(&repo, &["log"]);
    let damage = audited["logs"][0]["damage"][0]["message"].as_str().unwrap();
    assert!(damage.starts_with("the compressed data cannot be read from here on: "), "no frame: {damage}");
    std::fs::write(&path, &whole[..20]).unwrap();
    assert_eq!(audit_json(&repo, &["log"]).1, Some(2), "half a header says nothing");
}

#[test]
fn the_page_ends_with_what_is_in_force_and_what_is_wrong() {
    let set = json!([change("set", "a/é.md", "1"), change("omit", "b.md", "2")]);
    let mut lines = ours(&[("workspace", true, set.clone(), "é1")]);
    let mut rules = ours(&[("rules", false, json!([change("set", "x.md", "3")]), "3")]);
    // An identity is one message (H3).
    rules[3]["data"]["source"]["id"] = json!("another");
    lines.extend(rules.drain(2..));
    lines.push(json!({ "type": "acme", "data": 1 }));
    lines.push(json!({ "type": "system_message", "data": { "text": "Be brief.\nGrüße." } }));
    let text = log(&numbered(lines)) + "nö\n";
    let repo = Repo::with(&[("r/log", &text)]);
    repo.run(["audit", "--system", "log"]).assert().code(1).stderr_eq("").stdout_eq(str![[r#"
log

  step 1     workspace, baseline: 3 bytes
             set      a/é.md
             omit     b.md
  step 2     rules: 1 byte
             set      x.md

  session s1: main, at /ws (a log of Standing Orders)
  2 steps, 2 blocks in 2 messages, 4 bytes
  nothing entered again while it was in view

  injector   messages  blocks         bytes  repeated   bytes again
  rules             1       1             1         0             0
  workspace         1       1             3         0             0

  In force at the end
    x.md    77de68daecd8  rules
    a/é.md  356a192b7913  workspace

  Left out for the budget at the end
    b.md  da4b9237bacc  workspace

  System prompt, of line 10
    Be brief.
    Grüße.

  Damage
    line 11: not an entry of a log: expected ident, at column 2

  1 line of kinds that are not known here, first line 9

"#]]);
}

#[test]
fn many_faults_are_counted_and_the_first_are_named() {
    let text = log(&[header()]) + &"nö\n".repeat(50);
    let repo = Repo::with(&[("r/log", &text)]);
    let (audited, _) = audit_json(&repo, &["log"]);
    assert_eq!(audited["logs"][0]["damage_count"], 50, "all are counted");
    assert_eq!(audited["logs"][0]["damage"].as_array().unwrap().len(), 20, "the first are named");
}

#[test]
fn what_is_no_log_is_refused_and_the_others_are_still_audited() {
    let repo = Repo::with(&[
        ("r/empty", ""),
        ("r/prose.md", "# Größe\n\nNo log.\n"),
        ("r/other.jsonl", "{\"a\":1}\n[2]\n"),
        ("r/good", &log(&[header()])),
    ]);
    repo.write("r/zstd", b"\x28\xb5\x2f\xfdgarbage");
    repo.write("r/binary", [0_u8; 4096]);
    repo.mkdir("r/földer");
    let rows = [
        ("empty", "not a log: the file is empty"),
        ("prose.md", "not a session log: 2 lines, and none"),
        ("other.jsonl", "not a session log: 2 lines, and none"),
        ("zstd", "not a log: line 1: the compressed data"),
        ("binary", "not a session log: 1 line, and none"),
        ("földer", "is a directory"),
        ("nowhere", "no such file or directory"),
    ];
    for (name, expected) in rows {
        let output = repo.run(["audit", name, "good"]).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{name}: an input error: {stderr}");
        assert!(stderr.starts_with(&format!("error: {name}: ")), "{name}: the file is named: {stderr}");
        assert!(stderr.contains(expected), "{name}: and the reason: {stderr}");
        assert!(stdout.starts_with("good\n"), "{name}: nothing of it, and all of the next: {stdout}");
        let (audited, code) = audit_json(&repo, &[name]);
        assert_eq!(code, Some(2), "{name}: as JSON too");
        assert!(audited["logs"][0]["error"].as_str().unwrap().contains(expected), "{name}: {audited}");
    }
}

#[test]
fn logs_of_other_programs_are_read_in_their_shapes() {
    let source = json!({
        "kind": "acme", "baseline": true, "baselineIdentity": "v1",
        "changes": [{ "action": "set", "scope": "user-global", "path": "~/ü.md", "digest": "sha256:7" }],
    });
    let text = json!([{ "type": "text", "text": "ü" }, { "type": "image" }, "and"]);
    let message = json!({ "role": "user", "content": text, "source": source });
    let rows = [
        ("bare", message.clone()),
        ("typed", json!({ "type": "user_message", "data": message })),
        ("wrapped", json!({ "ts": 1, "event": { "type": "user/message", "message": message } })),
        ("camel case", json!({ "type": "userMessage", "payload": { "item": message } })),
    ];
    for (name, line) in rows {
        let lines = [json!({ "type": "telemetry" }), line, json!({ "role": "assistant", "content": "ok" })];
        let repo = Repo::with(&[("r/log", &(log(&lines) + "no JSON\n"))]);
        let (audited, code) = audit_json(&repo, &["log"]);
        let log = &audited["logs"][0];
        assert_eq!(code, Some(0), "{name}: nothing to find: {audited:#}");
        assert_eq!(log["entered"][0]["injector"], "acme", "{name}: the kind stands for the injector");
        assert_eq!(log["entered"][0]["bytes"], "üand".len(), "{name}: every text counts");
        assert_eq!(log["in_force"][0]["digest"], "sha256:7", "{name}: the digest is as it was recorded");
        assert_eq!(log["steps"], 1, "{name}: a step ends with what the model said");
        assert_eq!((&log["unknown_lines"], &log["first_unknown_line"]), (&json!(2), &json!(1)), "{name}");
        assert_eq!(log["session"]["class"], Value::Null, "{name}: no class is made up");
    }
    let waiting = json!({ "type": "inbox/spliced", "insert": [message] });
    let repo = Repo::with(&[("r/log", &log(&[waiting, json!({ "role": "user", "content": "hi" })]))]);
    let (audited, _) = audit_json(&repo, &["log"]);
    assert_eq!(audited["logs"][0]["counts"]["messages"], 0, "what waits in an inbox has not entered");
}

#[test]
fn totals_are_by_class_and_depth_of_the_session() {
    let lines = ours(&[("workspace", true, json!([change("set", "é.md", "1")]), "é1")]);
    let mut child = lines.clone();
    child[0]["origin"] = "subagent".into();
    child[0]["delegation_depth"] = 2.into();
    let repo = Repo::with(&[("r/main", &log(&lines)), ("r/child", &log(&child))]);
    let (audited, code) = audit_json(&repo, &["main", "child", "main"]);
    assert_eq!(code, Some(0), "nothing to find");
    let totals = audited["totals"].as_array().unwrap();
    let totals: Vec<_> = totals
        .iter()
        .map(|t| (&t["class"], &t["depth"], &t["sessions"], &t["injectors"][0]["bytes"]))
        .collect();
    assert_eq!(
        totals,
        [
            (&json!("main"), &json!(0), &json!(2), &json!(6)),
            (&json!("subagent"), &json!(2), &json!(1), &json!(3))
        ],
        "bytes by class, depth and injector"
    );
    let text = repo.stdout(["audit", "main", "child"]);
    assert!(
        text.contains("All 2 logs") && text.contains("subagent at depth 2: 1 session"),
        "in text too: {text}"
    );
}

#[test]
fn colours_are_as_asked_and_a_log_cannot_speak_to_the_terminal() {
    let set = json!([change("set", "a\u{1b}[2J\u{202e}é.md", "1")]);
    let lines = ours(&[("g\nh", false, set.clone(), "é1"), ("g\nh", false, set, "é1")]);
    let repo = Repo::with(&[("r/log", &log(&lines))]);
    let run = |color: &str| repo.run(["audit", "--color", color, "log"]).output().unwrap().stdout;
    let (plain, colours) = (run("never"), run("always"));
    assert!(!plain.contains(&0x1b), "no escape sequence without colours");
    assert!(String::from_utf8(colours).unwrap().contains("\u{1b}[31m"), "and some with");
    let plain = String::from_utf8(plain).unwrap();
    assert!(
        plain.contains(r"a\u{1b}[2J\u{202e}é.md") && plain.contains(r"g\u{a}h"),
        "shown on one line: {plain}"
    );
}

/// 192 MiB of entries and a line of 80 MiB, in 160 MiB of address space.
#[cfg(target_os = "linux")]
#[test]
fn a_log_larger_than_memory_is_streamed() {
    use std::io::Write as _;

    let repo = Repo::new();
    let file = std::fs::File::create(repo.path("r/log")).unwrap();
    let mut file = zstd::Encoder::new(file, 1).unwrap();
    writeln!(file, "{}", header()).unwrap();
    let text = "é".repeat(512 * 1024);
    for seq in 0..192 {
        let said =
            json!({ "seq": seq, "type": "assistant_message", "data": { "content": [{ "text": text }] } });
        writeln!(file, "{said}").unwrap();
    }
    for _ in 0..80 {
        file.write_all(text.as_bytes()).unwrap();
    }
    writeln!(file).unwrap();
    file.finish().unwrap();
    let command = snapbox::cmd::cargo_bin!("standing-orders");
    let script = format!("ulimit -v 163840 && exec '{}' audit --json log", command.display());
    let output =
        snapbox::cmd::Command::new("sh").args(["-c", &script]).current_dir(repo.path("r")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "the long line is damage, and nothing else is wrong: {stderr}");
    let audited: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(audited["logs"][0]["lines"], 193, "all the others are read");
    assert_eq!(audited["logs"][0]["damage_count"], 1, "{audited:#}");
    let message = &audited["logs"][0]["damage"][0]["message"];
    assert_eq!(message, "longer than 67108864 bytes: passed over", "the limit is said");
}
