//! Every scenario of the suite, and its outcome.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use standing_orders_simulate::{Scenario, compose, simulate};

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

pub(crate) fn scenarios() -> BTreeMap<String, Value> {
    scenarios_in(&suite())
}

fn scenarios_in(suite: &Path) -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(suite).expect("the suite is part of the repository");
    let files =
        files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "json"));
    let scenario = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap())
    };
    files.map(scenario).collect()
}

/// The parts of `actual` that `expected` names.
fn only(expected: &Value, actual: &Value) -> Value {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => expected
            .iter()
            .filter_map(|(key, expected)| Some((key.clone(), only(expected, actual.get(key)?))))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            expected.iter().zip(actual).map(|(expected, actual)| only(expected, actual)).collect()
        }
        _ => actual.clone(),
    }
}

fn frame_tags(text: &str) -> usize {
    let text = text.to_lowercase();
    let compact = |at: usize| text[at..].chars().filter(|c| !c.is_whitespace()).take(18).collect::<String>();
    let tags = text.match_indices('<').filter(|(at, _)| {
        let rest = compact(*at);
        rest.starts_with("<system-reminder>") || rest.starts_with("</system-reminder>")
    });
    tags.count()
}

/// The checks that `expected.text` makes; what they miss.
fn text_faults(checks: &Value, outcome: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for check in checks.as_array().into_iter().flatten() {
        let injector = check.get("injector").and_then(Value::as_str).unwrap_or("workspace");
        let step = outcome["outcome"].as_array().unwrap().iter().find(|step| step["step"] == check["step"]);
        let entered = step.map(|step| step["entered"].as_array().unwrap().as_slice()).unwrap_or_default();
        let Some(message) = entered.iter().find(|message| message["injector"] == injector) else {
            faults.push(format!("no message of {injector} at step {}", check["step"]));
            continue;
        };
        let text = message["text"].as_str().unwrap();
        for (key, value) in check.as_object().unwrap() {
            let strings = || value.as_array().unwrap().iter().map(|v| v.as_str().unwrap());
            let number = || usize::try_from(value.as_u64().unwrap()).unwrap();
            let holds = match key.as_str() {
                "step" | "injector" => true,
                "in_order" => {
                    let mut rest = Some(text);
                    for part in strings() {
                        rest = rest.and_then(|rest| rest.find(part).map(|at| &rest[at + part.len()..]));
                    }
                    rest.is_some()
                }
                "lacks" => strings().all(|part| !text.contains(part)),
                "starts_with" => text.starts_with(value.as_str().unwrap()),
                "ends_with" => text.ends_with(value.as_str().unwrap()),
                "max_bytes" => text.len() <= number(),
                "min_bytes" => text.len() >= number(),
                "frame_tags" => frame_tags(text) == number(),
                other => panic!("a check this test does not know: {other}"),
            };
            if !holds {
                faults.push(format!("{key} {value} of\n{text}\n({} bytes)", text.len()));
            }
        }
    }
    faults
}

#[tokio::test]
async fn every_scenario_comes_out_as_it_says() {
    come_out_as_they_say(scenarios()).await;
}

/// Rules folders, imports and overlays: worked out by hand from the rules, before there was code.
#[tokio::test]
async fn every_scenario_of_our_own_comes_out_as_it_says() {
    let own = scenarios_in(&suite().join("../conformance-own"));
    assert!(own.len() >= 100, "all of them are there: {}", own.len());
    come_out_as_they_say(own).await;
}

async fn come_out_as_they_say(scenarios: BTreeMap<String, Value>) {
    let mut failures = Vec::new();
    let mut run = Vec::new();
    for (name, file) in &scenarios {
        let scenario: Scenario = match serde_json::from_value(file["scenario"].clone()) {
            Ok(scenario) => scenario,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        assert_eq!(*name, scenario.name, "a scenario is named as its file");
        let outcome = match simulate(&scenario).await {
            Ok(outcome) => serde_json::to_value(outcome).unwrap(),
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        run.push(name);
        for key in ["outcome", "visible"] {
            let Some(expected) = file["expected"].get(key) else { continue };
            let actual = only(expected, &outcome[key]);
            if actual != *expected {
                let pretty = |value| serde_json::to_string(value).unwrap();
                failures.push(format!(
                    "{name}: {key}\n  expected {}\n  actual   {}",
                    pretty(expected),
                    pretty(&actual)
                ));
            }
        }
        let faults = text_faults(&file["expected"]["text"], &outcome);
        failures.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), scenarios.len(), failures.join("\n"));
    assert_eq!(run.len(), scenarios.len(), "every file is run");
}

/// Whether a scenario is what a host without a history asks: one entered step, nothing gated.
fn is_one_step(scenario: &Value) -> bool {
    let steps = scenario["steps"].as_array().unwrap();
    let entered = steps
        .iter()
        .all(|step| step["do"] != "pre_step" || step.get("decision").is_none_or(|d| d == "enter"));
    let boundaries = steps.iter().filter(|step| step["do"] == "pre_step").count();
    let prepares = |step: &Value| {
        ["fault", "write", "mkdir", "symlink", "remove", "pre_step"].iter().any(|one| step["do"] == *one)
    };
    scenario.get("injectors").is_none() && boundaries == 1 && entered && steps.iter().all(prepares)
}

#[tokio::test]
async fn a_scenario_of_one_step_is_what_compose_gives() {
    let mut composed = Vec::new();
    for (name, file) in scenarios().into_iter().filter(|(_, file)| is_one_step(&file["scenario"])) {
        let scenario: Scenario = serde_json::from_value(file["scenario"].clone()).unwrap();
        let outcome = serde_json::to_value(compose(&scenario).await.unwrap()).unwrap();
        for key in ["outcome", "visible"] {
            if let Some(expected) = file["expected"].get(key) {
                assert_eq!(only(expected, &outcome[key]), *expected, "{name}: {key}");
            }
        }
        assert_eq!(text_faults(&file["expected"]["text"], &outcome), [""; 0], "{name}");
        composed.push(name);
    }
    assert!(composed.len() >= 26, "most first loads are there: {} of them", composed.len());
}

/// So are the rules whose numbers are cited everywhere.
#[test]
fn the_contract_is_a_true_copy() {
    let copy = std::fs::read_to_string(suite().join("../docs/contract.md")).unwrap();
    for rule in ["P3.", "D9.", "R5.", "H4.", "C8.", "I4.", "X1.", "G1."] {
        assert!(copy.lines().any(|line| line.starts_with(rule)), "{rule} is there to be looked up");
    }
    let Ok(original) = std::fs::read_to_string(suite().join("../../shared/SPEC.md")) else {
        println!("the specification is not at hand: nothing to compare");
        return;
    };
    let rules = |text: &str| text.split_once("\nWords\n").map(|(_, rules)| rules.to_owned());
    assert_eq!(rules(&copy), rules(&original), "the rules are as they were given");
}

/// The scenarios are a copy: where the specification is at hand, it must be the same.
#[test]
fn the_suite_is_a_true_copy() {
    let original = suite().join("../../shared/conformance");
    let Ok(files) = std::fs::read_dir(&original) else {
        println!("the specification is not at hand: nothing to compare");
        return;
    };
    let names = |dir: std::fs::ReadDir| {
        let mut names: Vec<_> = dir.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let names_there = names(files);
    assert_eq!(names(std::fs::read_dir(suite()).unwrap()), names_there, "the same files");
    for name in names_there {
        let (copy, original) = (suite().join(&name), original.join(&name));
        assert_eq!(
            std::fs::read(copy).unwrap(),
            std::fs::read(original).unwrap(),
            "{name:?} is as it was given"
        );
    }
}
