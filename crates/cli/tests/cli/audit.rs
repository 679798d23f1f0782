//! What a log tells, through `audit`.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snapbox::str;
use standing_orders::Digest;
use standing_orders::driver::{Decision, Driver, InboxMessage, SettledCall};
use standing_orders::fs::MemoryFs;
use standing_orders::history::{Encoding, Event, JsonlOptions, Queue, SystemMessage};
use standing_orders::plugin::SessionHeader;
use standing_orders::{Budget, Engine, Settings, StepInput};

use crate::repo::Repo;

/// JSON lines.
pub(crate) fn log(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

pub(crate) fn audit_json(repo: &Repo, args: &[&str]) -> (Value, Option<i32>) {
    let output = repo.run(["audit", "--json"].iter().chain(args)).output().unwrap();
    let value = serde_json::from_slice(&output.stdout).expect("one object, whatever was found");
    (value, output.status.code())
}

pub(crate) fn header() -> Value {
    json!({ "format": 1, "id": "s1", "created_at": 0, "cwd": "/ws" })
}

/// Entries of a log of ours: each a step that carries one message.
pub(crate) fn ours(messages: &[(&str, bool, Value, &str)]) -> Vec<Value> {
    let mut lines = vec![header(), json!({ "type": "turn_start" })];
    for (at, (injector, baseline, changes, text)) in messages.iter().enumerate() {
        let source = json!({
            "kind": "standing-orders", "version": 1, "id": format!("m{at}"), "injector": injector,
            "baseline": baseline, "baseline_identity": baseline.then(|| json!({ "max_bytes": 1 })),
            "cwd": Digest::of("/ws"), "at": ".", "changes": changes,
        });
        lines.push(json!({ "type": "step_start" }));
        lines.push(
            json!({ "type": "user_message", "data": { "content": [{ "text": text }], "source": source } }),
        );
        lines.push(json!({ "type": "step_end" }));
    }
    numbered(lines)
}

pub(crate) fn numbered(mut lines: Vec<Value>) -> Vec<Value> {
    for (seq, line) in lines.iter_mut().skip(1).enumerate() {
        line["seq"] = seq.into();
    }
    lines
}

pub(crate) fn change(action: &str, path: &str, content: &str) -> Value {
    let digest = (action != "remove").then(|| Digest::of(content));
    json!({ "action": action, "scope": format!(".\0{path}"), "path": path, "digest": digest })
}

#[test]
fn eleven_steps_with_ten_blocks_are_seen_at_a_glance() {
    let mut lines = vec![json!({ "type": "session", "id": "s-1", "cwd": "/ws" })];
    for step in 0..11 {
        lines.push(json!({ "type": "step/start" }));
        if step > 0 {
            let source = json!({ "kind": "agent-instructions", "form": "instructions" });
            // A store that trims does not hide the repeat.
            let text = if step % 2 == 0 { "Persönlich: RULES" } else { "Persönlich: RULES  \r\n" };
            let message =
                json!({ "role": "user", "content": [{ "type": "text", "text": text }], "source": source });
            lines.push(json!({ "type": "user/message", "message": message }));
        }
        lines.push(
            json!({ "type": "assistant/message", "message": { "role": "assistant", "content": "ok" } }),
        );
    }
    let repo = Repo::with(&[("r/session.jsonl", &log(&lines))]);
    repo.run(["audit", "session.jsonl"]).assert().code(1).stderr_eq("").stdout_eq(str![[r#"
session.jsonl

  step 2     agent-instructions:instructions: 22 bytes
  step 3     agent-instructions:instructions: 18 bytes  REPEATED: in view since step 2
  step 4     agent-instructions:instructions: 22 bytes  REPEATED: in view since step 2
  step 5     agent-instructions:instructions: 18 bytes  REPEATED: in view since step 2
  step 6     agent-instructions:instructions: 22 bytes  REPEATED: in view since step 2
  step 7     agent-instructions:instructions: 18 bytes  REPEATED: in view since step 2
  step 8     agent-instructions:instructions: 22 bytes  REPEATED: in view since step 2
  step 9     agent-instructions:instructions: 18 bytes  REPEATED: in view since step 2
  step 10    agent-instructions:instructions: 22 bytes  REPEATED: in view since step 2
  step 11    agent-instructions:instructions: 18 bytes  REPEATED: in view since step 2

  session s-1: main, at /ws (a log of another program)
  11 steps, 10 blocks in 10 messages, 200 bytes
  9 messages repeat what was in view: 178 bytes again

  injector                         messages  blocks         bytes  repeated   bytes again
  agent-instructions:instructions        10      10           200         9           178

"#]]);
}

#[test]
fn a_repeat_is_what_enters_again_while_it_is_in_view() {
    let set = |content: &str| json!([change("set", "é.md", content)]);
    let replace = |content: &str| json!([change("replace", "é.md", content)]);
    let two = |a: &str, b: &str| json!([change("set", "é.md", a), change("set", "b.md", b)]);
    type Messages<'a> = &'a [(&'a str, bool, Value, &'a str)];
    let rows: &[(&str, Messages<'_>, u64)] = &[
        ("once", &[("g", false, set("1"), "é1")], 0),
        ("again", &[("g", false, set("1"), "é1"), ("g", false, set("1"), "é1")], 1),
        ("again in other words", &[("g", false, set("1"), "é1"), ("g", false, replace("1"), "é changed")], 1),
        ("another injector", &[("g", false, set("1"), "é1"), ("h", false, set("1"), "é1")], 0),
        ("changed", &[("g", false, set("1"), "é1"), ("g", false, replace("2"), "é2")], 0),
        (
            "there and back, with the same text",
            &[
                ("g", false, set("1"), "x"),
                ("g", false, replace("2"), "two"),
                ("g", false, replace("1"), "one"),
                ("g", false, replace("2"), "two"),
            ],
            0,
        ),
        (
            "removed and set again",
            &[
                ("g", false, set("1"), "é1"),
                ("g", false, json!([change("remove", "é.md", "")]), "gone"),
                ("g", false, set("1"), "é1"),
            ],
            0,
        ),
        ("in part", &[("g", false, set("1"), "é1"), ("g", false, two("1", "2"), "both")], 1),
        ("the same baseline", &[("workspace", true, set("1"), "é1"), ("workspace", true, set("1"), "é1")], 1),
        ("without changes, the same text", &[("g", false, json!([]), "t"), ("g", false, json!([]), "t")], 1),
        ("without changes, another text", &[("g", false, json!([]), "t"), ("g", false, json!([]), "ü")], 0),
    ];
    for (name, messages, expected) in rows {
        let repo = Repo::with(&[("r/log", &log(&ours(messages)))]);
        let (audited, code) = audit_json(&repo, &["log"]);
        assert_eq!(audited["logs"][0]["counts"]["repeated"], *expected, "{name}: {audited:#}");
        assert_eq!(code, Some(i32::from(*expected > 0)), "{name}: repeats are findings");
    }
}

#[test]
fn a_baseline_under_other_rules_repeats_nothing() {
    let set = json!([change("set", "é.md", "1")]);
    let mut lines = ours(&[("workspace", true, set.clone(), "é1"), ("workspace", true, set, "again é1")]);
    lines[6]["data"]["source"]["baseline_identity"] = json!({ "max_bytes": 2 });
    let repo = Repo::with(&[("r/log", &log(&lines))]);
    let (audited, code) = audit_json(&repo, &["log"]);
    assert_eq!(audited["logs"][0]["counts"]["messages"], 2, "both are seen");
    assert_eq!((audited["logs"][0]["counts"]["repeated"].as_u64(), code), (Some(0), Some(0)), "C3");
}

#[test]
fn what_a_compaction_took_out_of_view_may_enter_again() {
    let set = json!([change("set", "é.md", "1")]);
    let mut messages =
        ours(&[("g", false, set.clone(), "é1"), ("g", false, set.clone(), "é1"), ("g", false, set, "é1")]);
    let replaced = |first: u64, last: u64| json!({ "type": "surface_replaced", "data": { "first": first, "last": last, "content": [] } });
    // Between the first two: all that is there. Before the third: a range before the second alone.
    messages.insert(8, replaced(4, 4));
    messages.insert(5, replaced(0, 2));
    let repo = Repo::with(&[("r/log", &log(&numbered(messages)))]);
    let (audited, _) = audit_json(&repo, &["log"]);
    let entered = audited["logs"][0]["entered"].as_array().unwrap();
    assert_eq!(entered[1]["repeat"], Value::Null, "the first was out of view");
    assert_eq!(entered[2]["repeat"]["since_step"], 2, "the second was not: {audited:#}");
}

/// A session of the engine: three steps, an edit, a nested file, a compaction.
pub(crate) async fn session(path: &Path, encoding: Encoding) -> Value {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/AGENTS.md", "Größe: one");
    fs.write("/ws/a/AGENTS.md", "nested");
    let header = SessionHeader::main("s1", 0).with_cwd("/ws").with_agent_preset("coder");
    let log = JsonlOptions::default().encoding(encoding).create(path, header.clone()).await.unwrap();
    let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536))).build().unwrap();
    let mut driver = Driver::open(engine.session(header).fs(Arc::new(fs.clone())), log).await.unwrap();
    driver
        .append(vec![Event::from(SystemMessage { text: "Be brief.\n\u{1b}[31m".to_owned() })])
        .await
        .unwrap();
    for step in 0..6 {
        driver.send(Queue::NextTurn, InboxMessage::text(format!("p{step}"), "hi")).await.unwrap();
        match step {
            2 => fs.write("/ws/AGENTS.md", "Größe: two"),
            4 => driver.compact("summary").await.unwrap(),
            _ => {}
        }
        let boundary = driver.pre_step(StepInput::default()).await.unwrap();
        driver.decide(boundary, Decision::Enter).await.unwrap();
        if step % 3 == 0 {
            let call = SettledCall::ok("read", json!({ "file_path": "/ws/a/x.rs" }));
            driver.settled(call).await.unwrap();
        }
        driver.end_step().await.unwrap();
    }
    let mut scopes: Vec<_> = driver.context().in_force();
    scopes.sort_by(|a, b| a.path.cmp(&b.path));
    scopes.iter().map(|scope| json!([scope.path, scope.digest])).collect()
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn a_session_of_the_engine_repeats_nothing_and_ends_as_the_engine_says() {
    let repo = Repo::new();
    let mut seen = Vec::new();
    for (name, encoding) in [("plain", Encoding::Plain), ("zstd", Encoding::Zstd)] {
        let in_force = runtime().block_on(session(&repo.path(format!("r/{name}")), encoding));
        let (mut audited, code) = audit_json(&repo, &["--system", name]);
        assert_eq!(code, Some(0), "{name}: nothing to find: {audited:#}");
        let log = &mut audited["logs"][0];
        assert_eq!(log["format"], "standing-orders", "{name}: it is known as ours");
        assert_eq!(log["encoding"], name, "{name}: in its encoding");
        assert_eq!(log["session"]["class"], "main", "{name}: the header tells the class");
        assert_eq!(log["session"]["agent"], "coder", "{name}: and the preset");
        assert_eq!(log["steps"], 6, "{name}: every step counts");
        let counts = [&log["counts"]["messages"], &log["counts"]["blocks"]];
        assert_eq!(counts, [4, 5], "{name}: baseline, nested, edit, and both in one after the compaction");
        assert_eq!(log["system"]["text"], "Be brief.\n\u{1b}[31m", "{name}: the system prompt, verbatim");
        let end = log["in_force"].as_array().unwrap();
        let end: Value = end.iter().map(|scope| json!([scope["path"], scope["digest"]])).collect();
        assert_eq!(end, in_force, "{name}: the state at the end is the engine's own (H5)");
        let members = log.as_object_mut().unwrap();
        members.remove("path");
        members.remove("encoding");
        seen.push(audited);
    }
    assert_eq!(seen[0], seen[1], "plain or compressed, it is the same");
    let text = repo.stdout(["audit", "--system", "plain"]);
    assert!(text.contains("Be brief."), "the system prompt on request: {text}");
    assert!(!text.contains('\u{1b}'), "without effect on the terminal");
    assert!(!repo.stdout(["audit", "plain"]).contains("Be brief."), "and only then");
}

#[test]
fn an_audit_changes_nothing_and_keeps_no_writer_out() {
    let repo = Repo::new();
    let path = repo.path("r/log");
    runtime().block_on(async {
        let log = JsonlOptions::default().create(&path, SessionHeader::main("s", 0)).await.unwrap();
        assert_eq!(audit_json(&repo, &["log"]).1, Some(0), "a log with a writer is read");
        drop(log);
    });
    let whole = std::fs::read_to_string(&path).unwrap();
    let rows = [
        ("half a line", format!("{whole}{{\"seq\":0,\"type\":\"tü"), "ends within this line"),
        (
            "half a batch",
            format!("{whole}{{\"seq\":0,\"more\":1,\"type\":\"step_start\"}}\n"),
            "never acknowledged: 1 entry is left out",
        ),
    ];
    for (name, text, expected) in rows {
        std::fs::write(&path, &text).unwrap();
        let (audited, code) = audit_json(&repo, &["log"]);
        assert_eq!(code, Some(1), "{name}: a torn end is damage");
        let message = audited["logs"][0]["damage"][0]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{name}: and said: {message}");
        assert_eq!(audited["logs"][0]["steps"], 0, "{name}: what was never acknowledged does not count");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}: the file stays as it is");
        assert_eq!(std::fs::read_dir(repo.path("r")).unwrap().count(), 2, "{name}: nothing is put beside it");
    }
}
