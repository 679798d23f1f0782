//! The suite and bad scenarios, through the command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::repo::Repo;

fn suite() -> Vec<PathBuf> {
    // Ours, for rules folders, imports and overlays, beside those of the specification.
    let folders = ["../../conformance", "../../conformance-own"];
    let folders = folders.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let files =
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("it is part of the repository"));
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

/// What `actual` has not as `expected` says, as far as that says anything; with its place.
fn differences(expected: &Value, actual: &Value, place: &str, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (key, expected) in expected {
                differences(
                    expected,
                    actual.get(key).unwrap_or(&Value::Null),
                    &format!("{place}.{key}"),
                    found,
                );
            }
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                differences(expected, actual, &format!("{place}[{index}]"), found);
            }
        }
        _ if expected == actual => {}
        _ => found.push(format!("{place}: expected {expected}, was {actual}")),
    }
}

/// The tags of the frame, in any case and with white space inside.
fn frame_tags(text: &str) -> u64 {
    let text: String = text.to_lowercase().chars().filter(|character| !character.is_whitespace()).collect();
    (text.matches("<system-reminder>").count() + text.matches("</system-reminder>").count()) as u64
}

fn text_differences(check: &Value, outcome: &Value, found: &mut Vec<String>) {
    let injector = check.get("injector").cloned().unwrap_or("workspace".into());
    let steps = outcome["outcome"].as_array().unwrap();
    let step = steps.iter().find(|step| step["step"] == check["step"]).expect("the step is a boundary");
    let message = step["entered"].as_array().unwrap().iter().find(|message| message["injector"] == injector);
    let text = message.expect("a message of the injector entered")["text"].as_str().unwrap();
    for (key, value) in check.as_object().unwrap() {
        let strings = || value.as_array().unwrap().iter().map(|part| part.as_str().unwrap());
        let holds = match key.as_str() {
            "step" | "injector" => true,
            "in_order" => strings().try_fold(text, |rest, part| Some(rest.split_once(part)?.1)).is_some(),
            "lacks" => strings().all(|part| !text.contains(part)),
            "starts_with" => text.starts_with(value.as_str().unwrap()),
            "ends_with" => text.ends_with(value.as_str().unwrap()),
            "max_bytes" => text.len() as u64 <= value.as_u64().unwrap(),
            "min_bytes" => text.len() as u64 >= value.as_u64().unwrap(),
            "frame_tags" => frame_tags(text) == value.as_u64().unwrap(),
            other => panic!("a check that this test does not know: {other}"),
        };
        if !holds {
            found.push(format!("text: {key} {value} of {text:?}"));
        }
    }
}

#[test]
fn every_file_of_the_suite_comes_out_as_it_says() {
    let repo = Repo::new();
    let (mut failures, mut compared) = (Vec::new(), BTreeSet::new());
    for path in suite() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let output = repo.run([Path::new("simulate"), &path]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(0) {
            failures.push(format!("{name}: {stderr}"));
            continue;
        }
        let outcome: Value = serde_json::from_slice(&output.stdout).expect("one outcome, as JSON");
        let expected = &file["expected"];
        let checks: Vec<_> = expected.as_object().unwrap().keys().map(String::as_str).collect();
        let known = checks.iter().all(|check| ["outcome", "visible", "text"].contains(check));
        assert!(known && !checks.is_empty(), "{name}: something is checked, and all of it here: {checks:?}");
        let mut found = Vec::new();
        for key in ["outcome", "visible"] {
            if let Some(expected) = expected.get(key) {
                differences(expected, &outcome[key], key, &mut found);
            }
        }
        for check in expected["text"].as_array().into_iter().flatten() {
            text_differences(check, &outcome, &mut found);
        }
        failures.extend(found.into_iter().map(|found| format!("{name}: {found}")));
        compared.insert(path);
    }
    assert!(failures.is_empty(), "the outcome is the expected one:\n{}", failures.join("\n"));
    let missed: Vec<_> = suite().into_iter().filter(|path| !compared.contains(path)).collect();
    assert!(missed.is_empty() && !compared.is_empty(), "every file is run: {missed:?} were not");
}

fn scenario(text: &str) -> Value {
    json!({
        "config": { "max_bytes": 4096 },
        "session": { "cwd": "/ws" },
        "files": { "/ws/.git/": null, "/ws/AGENTS.md": text },
        "steps": [{ "do": "pre_step", "prompt": "hi" }],
    })
}

#[test]
fn one_scenario_gives_one_outcome_and_several_give_a_list() {
    let (one, other) = (scenario("Größe"), scenario("two"));
    let repo = Repo::with(&[
        ("r/one.json", &one.to_string()),
        ("r/file.json", &json!({ "scenario": one, "expected": {} }).to_string()),
        ("r/list.json", &json!([one, { "scenario": other }]).to_string()),
        ("r/empty.json", "[]"),
    ]);
    let run = |args: &[&str]| -> Value { serde_json::from_str(&repo.stdout(args)).unwrap() };
    let alone = run(&["simulate", "one.json"]);
    let text = alone["outcome"][0]["entered"][1]["text"].as_str().unwrap();
    assert!(text.contains("Instructions from: AGENTS.md\n\nGröße\n"), "the text is told: {text}");
    assert_eq!(alone["outcome"][0]["report"]["reads"], 1, "and what it cost");
    assert_eq!(run(&["simulate", "file.json"]), alone, "a file of the suite's form is the same");
    let list = run(&["simulate", "list.json"]);
    assert_eq!(list[0], alone, "a list gives a list, in order");
    assert_eq!(list.as_array().unwrap().len(), 2, "of all");
    assert_eq!(run(&["simulate", "one.json", "file.json"]), json!([alone, alone]), "so do several files");
    assert_eq!(run(&["simulate", "empty.json"]), json!([]), "an empty list gives an empty one");
    let piped = repo.run(["simulate", "-"]).stdin(one.to_string()).output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&piped.stdout).unwrap(), alone, "- is standard input");
}

#[test]
fn bad_input_is_refused_with_file_and_place() {
    let with = |edit: &dyn Fn(&mut Value)| {
        let mut scenario = scenario("x");
        edit(&mut scenario);
        scenario.to_string()
    };
    let steps = |steps: Value| with(&|scenario| scenario["steps"] = steps.clone());
    let config = |key: &str, value: Value| with(&|scenario| scenario["config"][key] = value.clone());
    let prompt = json!({ "do": "pre_step", "prompt": "hi" });
    let rows: &[(&str, String, &str)] = &[
        ("not JSON", "{".to_owned(), "bad.json: not JSON: EOF while parsing an object at line 1 column 1"),
        ("nothing", String::new(), "bad.json: not JSON: EOF while parsing a value at line 1 column 0"),
        ("no object", "7".to_owned(), "bad.json: expected a scenario, an object, and not a number"),
        ("in a list", json!([scenario("x"), "é"]).to_string(), "bad.json: [1]: expected a scenario"),
        ("inside", r#"{"scenario": null}"#.to_owned(), "bad.json: scenario: expected a scenario"),
        ("missing", r#"{"config": {}, "session": {}}"#.to_owned(), "missing field `steps`"),
        ("unknown key", with(&|s| s["größe"] = 1.into()), "unknown field `größe`"),
        ("no budget", with(&|s| s["config"] = json!({})), "config: missing field `max_bytes`"),
        ("negative budget", config("max_bytes", (-1).into()), "config: invalid value: integer `-1`"),
        ("a choice", config("overflow", "é".into()), "config: overflow is \"é\", expected drop or trim"),
        ("session", with(&|s| s["session"]["depth"] = 1.into()), "session: unknown field `depth`"),
        ("file", with(&|s| s["files"]["/ws/é"] = 7.into()), "files[\"/ws/é\"]: "),
        ("null file", with(&|s| s["files"]["/ws/é"] = Value::Null), "files[\"/ws/é\"]: null is a directory"),
        (
            "huge",
            with(&|s| s["files"]["/a"] = json!({"repeat": "ab", "times": u64::MAX})),
            "files[\"/a\"]: with",
        ),
        (
            "huge write",
            steps(json!([{"do": "write", "path": "/a", "text": {"repeat": "a", "times": 1_u64 << 40}}])),
            "steps[0]: with 1099511627776 bytes",
        ),
        ("no step", steps(json!([prompt, { "do": "jump" }])), "steps[1]: unknown variant `jump`"),
        (
            "a step's key",
            steps(json!([prompt, { "do": "mkdir", "paths": "é" }])),
            "steps[1]: unknown field `paths`",
        ),
        ("a step is open", steps(json!([prompt, { "do": "pre_step" }])), "steps[1]: a step is open"),
        (
            "restart",
            steps(json!([{ "do": "resume", "session": { "cwd": 5 } }])),
            "steps[0]: config: session.cwd: ",
        ),
        (
            "restart's settings",
            steps(json!([prompt, { "do": "resume", "config": { "selection": "é" } }])),
            "steps[1]: config: selection is \"é\"",
        ),
        (
            "gated",
            with(&|s| s["injectors"] = json!([{ "id": "a", "files": [] , "sessions": "é" }])),
            "injectors[0]: sessions is \"é\"",
        ),
    ];
    for (name, text, expected) in rows {
        let repo = Repo::with(&[("r/bad.json", text)]);
        let output = repo.run(["simulate", "bad.json"]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: bad input, not a panic: {stderr}");
        assert_eq!(output.stdout, b"", "{name}: no outcome");
        assert!(stderr.starts_with("error: bad.json: "), "{name}: the file is named: {stderr}");
        assert!(stderr.contains(expected), "{name}: the place is named: {stderr}");
    }
    let output = Repo::new().run(["simulate", "nö.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a file that is not there is bad input");
    assert!(String::from_utf8_lossy(&output.stderr).contains("nö.json"), "and is named");
}

#[test]
fn every_file_of_the_suite_compares_as_expected() {
    let repo = Repo::new();
    let args = ["simulate".into(), "--compare".into()].into_iter().chain(suite());
    let output = repo.run(args).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), &*stdout), (Some(0), ""), "{stderr}");
    assert_eq!(stderr, format!("{} scenarios, as expected\n", suite().len()));
}

#[test]
fn what_differs_from_what_is_expected_is_told_with_its_place() {
    let set = |path: &str| json!({ "action": "set", "path": path });
    let outcome =
        |changes: Value| json!({ "outcome": [{ "step": 0, "entered": [{}, { "changes": changes }] }] });
    let text = |check: Value| json!({ "text": [check] });
    let rows: &[(&str, Value, &str)] = &[
        ("as it is", outcome(json!([set("AGENTS.md")])), ""),
        (
            "another value",
            outcome(json!([set("規.md")])),
            "s.json: outcome[0].entered[1].changes[0].path: expected \"規.md\", is \"AGENTS.md\"\n",
        ),
        (
            "one more",
            outcome(json!([set("AGENTS.md"), "b"])),
            "s.json: outcome[0].entered[1].changes[1]: expected \"b\", is not there\n",
        ),
        (
            "one too many",
            outcome(json!([])),
            "s.json: outcome[0].entered[1].changes[0]: not expected, is {\"action\"",
        ),
        ("a text", text(json!({ "step": 0, "in_order": ["from: AGENTS.md", "Größe"], "frame_tags": 2 })), ""),
        (
            "a text that lacks",
            text(json!({ "step": 0, "lacks": ["Größe"] })),
            "s.json: text[0].lacks: expected [\"Größe\"], is \"",
        ),
        (
            "not in this order",
            text(json!({ "step": 0, "in_order": ["Größe", "AGENTS.md"] })),
            "s.json: text[0].in_order: ",
        ),
        (
            "too long",
            text(json!({ "step": 0, "max_bytes": 9 })),
            "s.json: text[0].max_bytes: expected 9, is \"",
        ),
        (
            "another's",
            text(json!({ "step": 0, "injector": "x" })),
            "s.json: text[0]: expected a message of x at step 0, there is none\n",
        ),
        ("nothing in force", json!({ "visible": [] }), "s.json: visible[0]: not expected, is {"),
    ];
    for (name, expected, said) in rows {
        let file = json!({ "scenario": scenario("Größe"), "expected": expected });
        let repo = Repo::with(&[("r/s.json", &file.to_string())]);
        let output = repo.run(["simulate", "--compare", "s.json"]).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let (status, stderr) = match said.is_empty() {
            true => (0, "1 scenario, as expected\n"),
            false => (1, "1 scenario, 1 not as expected\n"),
        };
        assert_eq!(output.status.code(), Some(status), "{name}: {stdout}");
        assert!(stdout.starts_with(said) && stdout.lines().count() <= 1, "{name}: {stdout}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "{name}");
    }
}

#[test]
fn what_is_no_expectation_is_refused() {
    let rows = [
        ("nothing is expected", Value::Null, "s.json: expected: not an object"),
        ("an empty one", json!({}), "s.json: expected: it is empty"),
        ("an unknown part", json!({ "größe": 1 }), "s.json: expected: `größe` is not"),
        (
            "an unknown check",
            json!({ "text": [{ "step": 0, "has": 1 }] }),
            "s.json: expected.text[0]: there is no check `has`",
        ),
        ("no step", json!({ "text": [{}] }), "s.json: expected.text[0]: missing key `step`"),
        ("no number", json!({ "text": [{ "step": 0, "max_bytes": "9" }] }), "`max_bytes` is no whole number"),
    ];
    for (name, expected, said) in rows {
        let file = json!({ "scenario": scenario("x"), "expected": expected });
        let repo = Repo::with(&[("r/s.json", &file.to_string())]);
        let output = repo.run(["simulate", "--compare", "s.json"]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr}");
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    let repo = Repo::with(&[("r/s.json", &scenario("x").to_string())]);
    let output = repo.run(["simulate", "--compare", "s.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a scenario alone expects nothing");
}
