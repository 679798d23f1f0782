//! `simulate`: scenarios over a tree in memory (L4).

mod compare;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use standing_orders::inspect::path::shown;
use standing_orders_simulate::{
    FileEntry, Scenario, ScenarioOutcome, ScenarioSession, ScenarioStep, Text, simulate,
};

use crate::args::Global;
use crate::failure::Failure;
use crate::input::{self, Stdin, is_stdin};
use crate::output::{self, say};
use crate::text::{count, number};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A FILE holds a scenario, an object {\"scenario\": ...} as in the conformance suite, \
                        or a list of either. One scenario gives one outcome, several give a list, as JSON: \
                        what entered at each step, with its text and a report, and what is in force at the \
                        end. Nothing is read from disk but FILE. With --compare each scenario stands beside \
                        what is \"expected\" of it, {\"scenario\": ..., \"expected\": ...}: members that are \
                        not named there may be anything. Exit status: 0 fine, 1 with --compare when an outcome \
                        differs, 2 usage or input error."
)]
pub(crate) struct Args {
    /// JSON files; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print where the outcomes differ from what the files expect, and nothing else
    #[arg(long)]
    compare: bool,
}

/// What came of a scenario, and what is expected of it.
struct Simulated {
    outcome: ScenarioOutcome,
    expected: Option<Value>,
    place: String,
}

/// The most that the texts of one scenario may have in all, repetitions written out.
const MAX_TEXT_BYTES: u64 = 256 << 20;

/// The most that one file may have: those texts, each byte escaped to two.
const MAX_FILE_BYTES: u64 = 2 * MAX_TEXT_BYTES;

pub(crate) async fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut outcomes = Vec::new();
    let mut list = args.files.len() > 1;
    for path in &args.files {
        let name = if is_stdin(path) { "standard input".to_owned() } else { shown(path).to_string() };
        let value: Value = serde_json::from_slice(&read(path)?)
            .map_err(|error| Failure::Input(format!("{name}: not JSON: {error}")))?;
        match value {
            Value::Array(items) => {
                list = true;
                for (index, item) in items.into_iter().enumerate() {
                    outcomes.push(outcome(item, &format!("{name}: [{index}]")).await?);
                }
            }
            one => outcomes.push(outcome(one, &name).await?),
        }
    }
    if args.compare {
        return compared(&outcomes, global);
    }
    let outcomes: Vec<ScenarioOutcome> = outcomes.into_iter().map(|simulated| simulated.outcome).collect();
    let text = match (list, outcomes.as_slice()) {
        (false, [one]) => serde_json::to_string_pretty(one),
        _ => serde_json::to_string_pretty(&outcomes),
    };
    let mut text = text.map_err(|error| Failure::Input(format!("an outcome has no JSON form: {error}")))?;
    text.push('\n');
    output::result(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what differs, one line each.
fn compared(simulated: &[Simulated], global: &Global) -> Result<ExitCode, Failure> {
    let (mut text, mut differing) = (String::new(), 0);
    for Simulated { outcome, expected, place } in simulated {
        let bad = |message: String| Failure::Input(format!("{place}: {message}"));
        let expected = expected.as_ref().ok_or_else(|| bad("nothing is `expected`".to_owned()))?;
        let outcome = serde_json::to_value(outcome)
            .map_err(|error| bad(format!("the outcome has no JSON form: {error}")))?;
        let found = compare::compare(expected, &outcome).map_err(bad)?;
        differing += usize::from(!found.is_empty());
        found.iter().for_each(|found| text.push_str(&format!("{place}: {found}\n")));
    }
    output::coloured(&text)?;
    if !global.quiet {
        let scenarios = count(simulated.len(), "scenario", "scenarios");
        match differing {
            0 => say(format_args!("{scenarios}, as expected")),
            differing => say(format_args!("{scenarios}, {} not as expected", number(differing as u64))),
        }
    }
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = input::read(path, Stdin::Dash, MAX_FILE_BYTES);
    read.map_err(|error| Failure::Path { path: path.to_path_buf(), error })
}

async fn outcome(value: Value, name: &str) -> Result<Simulated, Failure> {
    let (value, expected, place) = match value {
        Value::Object(mut file) if file.contains_key("scenario") => {
            let scenario = file.remove("scenario").unwrap_or_default();
            (scenario, file.remove("expected"), format!("{name}: scenario"))
        }
        other => (other, None, name.to_owned()),
    };
    let bad = |message: String| Failure::Input(format!("{place}: {message}"));
    let scenario = parse(value).map_err(bad)?;
    bounded(&scenario).map_err(bad)?;
    let outcome = simulate(&scenario).await.map_err(|error| bad(error.to_string()))?;
    Ok(Simulated { outcome, expected, place: name.to_owned() })
}

/// The scenario, or what is wrong with it, with the key or the index of the step.
fn parse(value: Value) -> Result<Scenario, String> {
    let Value::Object(members) = &value else {
        return Err(format!("expected a scenario, an object, and not {}", kind(&value)));
    };
    if let Some(fault) = fault_of_a_part(members) {
        return Err(fault);
    }
    Scenario::deserialize(value).map_err(|error| error.to_string())
}

/// The first part that is not of its form: alone it tells its place, the whole does not.
fn fault_of_a_part(members: &Map<String, Value>) -> Option<String> {
    fn fault<T: DeserializeOwned>(value: &Value, place: impl Fn() -> String) -> Option<String> {
        T::deserialize(value).err().map(|error| format!("{}: {error}", place()))
    }
    let session = members.get("session");
    let session = session.and_then(|session| fault::<ScenarioSession>(session, || "session".to_owned()));
    let files = members.get("files").and_then(Value::as_object).into_iter().flatten();
    let mut files = files.filter_map(|(path, entry)| match entry {
        Value::Null if !path.ends_with('/') => {
            Some(format!("files[{path:?}]: null is a directory, whose key ends with a slash"))
        }
        _ => fault::<FileEntry>(entry, || format!("files[{path:?}]")),
    });
    let steps = members.get("steps").and_then(Value::as_array).into_iter().flatten().enumerate();
    let mut steps =
        steps.filter_map(|(index, step)| fault::<ScenarioStep>(step, || format!("steps[{index}]")));
    session.or_else(|| files.next()).or_else(|| steps.next())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Refuses texts that memory has no room for, before any of them is written out.
fn bounded(scenario: &Scenario) -> Result<(), String> {
    let mut total = 0_u64;
    let mut add = |text: &Text, place: &dyn Fn() -> String| {
        let bytes = match text {
            Text::Plain(text) => text.len() as u64,
            Text::Repeat { repeat, times } => (repeat.len() as u64).saturating_mul(*times as u64),
        };
        total = total.saturating_add(bytes);
        match total > MAX_TEXT_BYTES {
            true => Err(format!(
                "{}: with {bytes} bytes here the texts of the scenario have more than {MAX_TEXT_BYTES}",
                place()
            )),
            false => Ok(()),
        }
    };
    for (path, entry) in &scenario.files {
        if let FileEntry::File(text) = entry {
            add(text, &|| format!("files[{path:?}]"))?;
        }
    }
    for (index, step) in scenario.steps.iter().enumerate() {
        if let ScenarioStep::Write { text, .. } = step {
            add(text, &|| format!("steps[{index}]"))?;
        }
    }
    Ok(())
}
