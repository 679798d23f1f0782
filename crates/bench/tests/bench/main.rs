#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
//! The bench as a program: its arguments, its table, and the shape of its JSON.

use std::process::{Command, Output};

use serde_json::Value;

/// The rows of the issue on speed, and those of the issues on foundation and history.
const ROWS: [&str; 18] = [
    "first_load_local",
    "unchanged_step_local",
    "unchanged_step_history",
    "round_trips_first_load",
    "round_trips_unchanged",
    "first_load_virtual",
    "render_linear",
    "render_per_byte",
    "render_copy",
    "render_copy_chinese",
    "digest",
    "replay",
    "fold_event",
    "fold_memory",
    "idle_session_bytes",
    "sessions_at_once",
    "allocations_unchanged_step",
    "own_process",
];

/// Figures that do not depend on how busy the machine is, or how the program was built.
const STEADY: [&str; 6] = [
    "round_trips_first_load",
    "round_trips_unchanged",
    "first_load_virtual",
    "fold_memory",
    "allocations_unchanged_step",
    "own_process",
];

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standing-orders-bench"));
    // Not under cargo, as far as the program can tell: a test builds nothing.
    command.args(arguments).env_remove("CARGO").output().unwrap()
}

fn only(names: &[&'static str], options: &[&'static str]) -> Output {
    let only = names.iter().flat_map(|name| ["--only", name]);
    bench(&options.iter().copied().chain(only).collect::<Vec<_>>())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn every_row_is_listed_with_its_limit() {
    let output = bench(&["--list"]);
    assert!(output.status.success(), "a list is no failure");
    let names: Vec<_> =
        text(&output.stdout).lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ROWS, "each row of the issues, in order");
    assert!(text(&output.stdout).lines().all(|line| line.contains("≤ ")), "each with a limit");
}

#[test]
fn the_json_has_a_value_and_a_limit_for_each_row_and_says_in_words_what_they_are() {
    let output = only(&STEADY, &["--json", "--quick"]);
    assert!(output.status.success(), "measured, whatever the figures: {}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else");
    assert_eq!(json["quick"], true, "small sizes say so");
    assert!(json["machine"].as_str().unwrap().contains("cores"), "the class of machine");
    let ratios = json["ratios"].as_object().unwrap();
    assert_eq!(ratios.len(), STEADY.len(), "the rows asked for and no others");
    for name in STEADY {
        let row = &ratios[name];
        let value = row["value"].as_f64();
        assert!(row["limit"].as_f64().unwrap() > 0.0, "{name}: a limit");
        for words in ["against", "provider", "unit", "note"] {
            assert!(!row[words].as_str().unwrap().is_empty(), "{name}: {words} in words");
        }
        if let Some(value) = value {
            assert!(value > 0.0 && row["rounds"].as_u64().unwrap() > 0, "{name}: measured");
            let met = value <= row["limit"].as_f64().unwrap() && row.get("broken").is_none();
            assert_eq!(row["met"], met, "{name}: met means within the limit");
        } else {
            assert_eq!(
                (name, &row["met"]),
                ("own_process", &Value::Bool(false)),
                "{name}: not measured is not met"
            );
        }
    }
}

#[test]
fn round_trips_and_the_memory_of_the_fold_keep_their_limits() {
    let output = only(&STEADY[..4], &["--json", "--quick", "--check"]);
    assert!(output.status.success(), "a limit is missed: {}", text(&output.stdout));
}

#[test]
fn a_row_that_cannot_be_measured_fails_only_when_limits_are_checked() {
    // Tests are no release build, or the command line is not beside this program's.
    let lenient = only(&["own_process"], &["--quick"]);
    assert_eq!(lenient.status.code(), Some(0), "shown, not a failure");
    if text(&lenient.stdout).contains("not measured") {
        let strict = only(&["own_process"], &["--quick", "--check"]);
        assert_eq!(strict.status.code(), Some(1), "checked, a failure");
    }
}

#[test]
fn the_table_has_a_line_a_row_and_words_below() {
    let output = only(&["round_trips_first_load", "round_trips_unchanged"], &["--quick"]);
    let table = text(&output.stdout);
    let lines: Vec<_> = table.lines().collect();
    assert!(lines[0].starts_with("figure") && lines[1].starts_with("round_trips_first_load"), "{table}");
    let limits: Vec<_> =
        lines[1..3].iter().map(|line| line.chars().position(|c| c == '≤').unwrap()).collect();
    assert_eq!(limits[0], limits[1], "columns stand under each other:\n{table}");
    assert!(table.contains("round_trips_unchanged: against the provider's latency"), "{table}");
}

#[test]
fn what_is_not_understood_is_refused_with_exit_code_2() {
    for arguments in [&["--fast"][..], &["--only", "schnellö"], &["--only"]] {
        let output = bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: could not run");
        assert!(output.stdout.is_empty(), "{arguments:?}: nothing that looks like a result");
        assert!(
            text(&output.stderr).starts_with("standing-orders-bench: "),
            "{arguments:?}: says who complains"
        );
    }
}
