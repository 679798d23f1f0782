//! What leaves the view by the logs of other programs, and what is called repeated therefore.

use serde_json::{Value, json};
use snapbox::str;

use super::audit::{audit_json, change, log, ours};
use crate::repo::Repo;

const BASELINE_AND_MORE: &str = include_str!("../logs/audit-baseline-and-more.jsonl");
const COMPACTION_FAILED: &str = include_str!("../logs/audit-compaction-failed.jsonl");
const REPLACE_OP: &str = include_str!("../logs/audit-replace-op.jsonl");

/// A message with a source that has no changes: it is a repeat while the one before is in view.
fn message() -> Value {
    let source = json!({ "kind": "agent-instructions", "form": "é" });
    json!({ "type": "user/message", "data": { "role": "user", "content": "Regel", "source": source } })
}

/// How many messages of these lines are repeats.
fn repeated(name: &str, lines: &[Value]) -> (u64, Value) {
    let repo = Repo::with(&[("r/log", &log(lines))]);
    let (mut audited, _) = audit_json(&repo, &["log"]);
    let repeated = audited["logs"][0]["counts"]["repeated"].as_u64();
    (repeated.unwrap_or_else(|| panic!("{name}: {audited:#}")), audited["logs"][0].take())
}

#[test]
fn a_baseline_that_says_a_file_again_beside_a_new_one_repeats_it() {
    let repo = Repo::with(&[("r/log", BASELINE_AND_MORE)]);
    let (audited, code) = audit_json(&repo, &["log"]);
    assert_eq!(code, Some(1), "a finding: {audited:#}");
    let repeat = &audited["logs"][0]["entered"][1]["repeat"];
    assert_eq!(repeat, &json!({ "since_step": 1, "whole": false, "paths": ["AGENTS.md"] }));

    // The same of ours: what was said again, and what was not.
    let set = |name: &str, content: &str| change("set", name, content);
    let rows: &[(&str, Value, Value)] = &[
        ("one of two", json!([set("é.md", "1"), set("b.md", "2")]), json!(["é.md"])),
        ("another content", json!([set("é.md", "2")]), Value::Null),
        ("the same, and a removal", json!([change("remove", "b.md", ""), set("é.md", "1")]), json!(["é.md"])),
    ];
    for (name, changes, paths) in rows {
        let first = json!([set("é.md", "1")]);
        let lines = ours(&[("workspace", true, first, "é1"), ("workspace", true, changes.clone(), "more")]);
        let repo = Repo::with(&[("r/log", &log(&lines))]);
        let (audited, _) = audit_json(&repo, &["log"]);
        assert_eq!(audited["logs"][0]["entered"][1]["repeat"]["paths"], *paths, "{name}: {audited:#}");
    }
}

#[test]
fn a_baseline_of_another_checkout_repeats_nothing() {
    let set = json!([change("set", "é.md", "1")]);
    let mut lines = ours(&[("workspace", true, set.clone(), "é1"), ("workspace", true, set, "é1")]);
    assert_eq!(repeated("of one", &lines).0, 1, "of one checkout it is a repeat");
    lines[6]["data"]["source"]["cwd"] = json!("b".repeat(40));
    assert_eq!(repeated("of another", &lines).0, 0, "there it says everything again, and has to (C3)");
}

#[test]
fn what_a_replacement_names_leaves_the_view_and_may_enter_again() {
    let repo = Repo::with(&[("r/log", REPLACE_OP)]);
    repo.run(["audit", "log"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
log

  step 1     agent-instructions:instructions, baseline: 1 byte
             set      AGENTS.md
  step 2     agent-instructions:instructions, baseline: 1 byte
             set      AGENTS.md

  session s: main, at /w (a log of another program)
  2 steps, 2 blocks in 2 messages, 2 bytes
  nothing entered again while it was in view

  injector                         messages  blocks         bytes  repeated   bytes again
  agent-instructions:instructions         2       2             2         0             0

  In force at the end
    AGENTS.md  aaaaaaaaaaaa  agent-instructions:instructions

"#]]);
}

#[test]
fn a_compaction_that_fails_takes_nothing_out_of_view() {
    let repo = Repo::with(&[("r/log", COMPACTION_FAILED)]);
    let (audited, code) = audit_json(&repo, &["log"]);
    assert_eq!(code, Some(1), "a finding: {audited:#}");
    let repeat = &audited["logs"][0]["entered"][1]["repeat"];
    assert_eq!(repeat, &json!({ "since_step": 1, "whole": true, "paths": ["AGENTS.md"] }));
}

#[test]
fn an_operation_is_read_in_whatever_form_it_names_its_entries() {
    let summary = |operation: Value| {
        let source = json!({ "kind": "plugin", "plugin": "compact" });
        json!({ "type": "user/message", "data": { "content": "kürzer", "source": source }, "surfaceOp": operation })
    };
    let with = |mut line: Value, key: &str, value: Value| {
        line[key] = value;
        line
    };
    let compaction = |kind: &str, data: Value| json!({ "type": kind, "data": data });
    // The header is entry 0, the first message 1, and the line of the row 2.
    let rows: &[(&str, Value, u64)] = &[
        ("an object", summary(json!({ "op": "replace", "start": 1, "end": 1 })), 0),
        ("another spelling", summary(json!({ "type": "Replace", "first": 0, "last": 1 })), 0),
        ("tagged", summary(json!({ "replace": { "from": 1, "to": 1 } })), 0),
        ("a range within", summary(json!({ "op": "replace", "range": { "start": 1, "end": 1 } })), 0),
        ("a list of both ends", summary(json!({ "op": "replace", "range": [1, 1] })), 0),
        ("a removal", summary(json!({ "op": "remove", "start": 1, "end": 1 })), 0),
        (
            "a word, and the range beside it",
            with(with(summary(json!("replace")), "start", json!(1)), "end", json!(1)),
            0,
        ),
        (
            "a word, and the entries beside it",
            with(summary(json!("replace")), "sourceEventSeqs", json!([0, 1])),
            0,
        ),
        (
            "within a wrapping",
            json!({ "event": summary(json!({ "op": "replace", "start": 1, "end": 1 })) }),
            0,
        ),
        ("a compaction with a range", compaction("compaction/end", json!({ "first": 1, "last": 1 })), 0),
        ("a surface that was replaced", compaction("surface_replaced", json!({ "first": 1, "last": 1 })), 0),
        ("an appended one", summary(json!("append")), 1),
        ("an appended one, as an object", summary(json!({ "op": "append" })), 1),
        ("a range before it", summary(json!({ "op": "replace", "start": 0, "end": 0 })), 1),
        ("entries before it", with(summary(json!("replace")), "source_event_seqs", json!([0])), 1),
        ("a range behind it", summary(json!({ "op": "replace", "start": 2, "end": 2 })), 1),
        ("another operation with a range", summary(json!({ "op": "pin", "start": 1, "end": 1 })), 1),
        ("a start with a range", compaction("compaction/start", json!({ "first": 1, "last": 1 })), 1),
        ("a failure with a range", compaction("compactionFailed", json!({ "first": 1, "last": 1 })), 1),
        ("one that names nothing", compaction("compaction/end", json!({ "id": "ü" })), 1),
        ("words in a text", json!({ "type": "user/message", "content": "compact it: replace 1 to 1" }), 1),
    ];
    for (name, line, expected) in rows {
        let lines =
            [json!({ "type": "session", "id": "s", "cwd": "/ws" }), message(), line.clone(), message()];
        let (count, audited) = repeated(name, &lines);
        assert_eq!(count, *expected, "{name}: {audited:#}");
        assert_eq!(audited["damage_count"], 0, "{name}: nothing is wrong");
        let numbered: Vec<Value> =
            lines.iter().enumerate().map(|(at, line)| with(line.clone(), "seq", json!(at))).collect();
        assert_eq!(repeated(name, &numbered).0, *expected, "{name}: with numbers of its own");
    }
}

#[test]
fn numbers_of_the_log_count_before_the_order_of_its_lines() {
    let numbered = |mut line: Value, seq: u64| {
        line["seq"] = json!(seq);
        line
    };
    let replace = |first: u64, last: u64| json!({ "type": "user/message", "data": { "content": "ü" }, "surfaceOp": { "op": "replace", "start": first, "end": last } });
    // A part of a log: its first entry is the hundredth.
    let lines = [numbered(message(), 100), numbered(replace(100, 100), 101), numbered(message(), 102)];
    assert_eq!(repeated("named", &lines).0, 0, "the hundredth is gone");
    let lines = [numbered(message(), 100), numbered(replace(0, 0), 101), numbered(message(), 102)];
    assert_eq!(repeated("not named", &lines).0, 1, "it is not the first");
    let lines = [numbered(message(), 100), replace(100, 100), message()];
    assert_eq!(repeated("half of them", &lines).0, 0, "a line without a number follows the one before");
}

#[test]
fn instructions_that_stand_in_for_others_stand_where_those_stood() {
    let replace = |mut line: Value, first: u64, last: u64| {
        line["surfaceOp"] = json!({ "op": "replace", "start": first, "end": last });
        line
    };
    let other = json!({ "type": "user/message", "data": { "content": "ä" } });
    // 0 is said, 1 is another's, 2 stands in for 0, 3 takes both places away, 4 is said again.
    let lines = [message(), other.clone(), replace(message(), 0, 0), replace(other.clone(), 0, 1), message()];
    let (count, audited) = repeated("by their place", &lines);
    assert_eq!(count, 0, "neither is in view when the last enters: {audited:#}");
    // Named by its own number, it is the same.
    let lines = [message(), other.clone(), replace(message(), 0, 0), replace(other, 2, 2), message()];
    assert_eq!(repeated("by its number", &lines).0, 0);
}

#[test]
fn an_operation_that_names_nothing_to_read_is_damage() {
    let rows = [
        ("no range", json!("replace"), "replace names no entries"),
        ("half a range", json!({ "op": "replace", "start": 1 }), "replace names no entries"),
        ("no number", json!({ "op": "replace", "start": "ü", "end": 1 }), "replace names no entries"),
        (
            "a range that ends before it begins",
            json!({ "op": "replace", "start": 2, "end": 1 }),
            "ends with 1, which stands before 2",
        ),
        ("no name", json!({ "start": 1, "end": 1 }), "it names no operation"),
        ("a number", json!(7), "neither a word nor an object"),
    ];
    for (name, operation, expected) in rows {
        let mut line = message();
        line["surfaceOp"] = operation;
        let (count, audited) = repeated(name, &[message(), line]);
        assert_eq!(count, 1, "{name}: nothing left the view");
        let damage = audited["damage"][0]["message"].as_str().unwrap();
        assert!(damage.contains(expected), "{name}: {damage}");
    }
}

#[test]
fn compactions_that_name_no_entries_are_said_to_take_none() {
    let lines = [message(), json!({ "type": "compact_boundary" }), message()];
    let (count, audited) = repeated("unnamed", &lines);
    assert_eq!((count, &audited["unnamed_compactions"]), (1, &json!(1)), "{audited:#}");
    let repo = Repo::with(&[("r/log", &log(&lines))]);
    let page = String::from_utf8(repo.run(["audit", "log"]).output().unwrap().stdout).unwrap();
    let expected = "  1 compaction names no entries: nothing is taken to have left the view\n";
    assert!(page.contains(expected), "{page}");
}

#[test]
fn the_prompt_in_a_requests_header_is_a_system_prompt() {
    let text = "Du bist kurz.\nBe brief.";
    let parts =
        json!([{ "type": "text", "text": "Du bist kurz.\n" }, { "type": "text", "text": "Be brief." }]);
    let rows = [
        ("a text", json!({ "data": { "system": text, "model": "m" } })),
        ("a prompt", json!({ "data": { "prompt": text } })),
        ("parts", json!({ "data": { "systemPrompt": parts } })),
        ("a message", json!({ "header": { "system": { "role": "system", "content": parts } } })),
        ("among messages", json!({ "data": { "messages": [{ "role": "system", "content": text }] } })),
        ("deeper", json!({ "data": { "request": { "header": { "system_prompt": text } } } })),
    ];
    for (name, mut line) in rows {
        line["type"] = json!("request/header");
        let lines = [json!({ "type": "system/message", "text": "old" }), line, message()];
        let repo = Repo::with(&[("r/log", &log(&lines))]);
        let (audited, code) = audit_json(&repo, &["--system", "log"]);
        assert_eq!(code, Some(0), "{name}: {audited:#}");
        assert_eq!(
            audited["logs"][0]["system"],
            json!({ "text": text, "line": 2, "times": 2 }),
            "{name}: the last one that was recorded"
        );
    }
    let none = json!({ "type": "request/header", "data": { "model": "m", "system": "" } });
    let repo = Repo::with(&[("r/log", &log(&[none, message()]))]);
    let (audited, _) = audit_json(&repo, &["--system", "log"]);
    assert_eq!(audited["logs"][0]["system"], Value::Null, "without one, none is made up");
    assert_eq!(audited["logs"][0]["unknown_lines"], 0, "and it is known all the same");
}
