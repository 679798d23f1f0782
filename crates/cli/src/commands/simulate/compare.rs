//! An outcome beside what a file of the conformance suite expects of it.

use serde_json::{Map, Value};

/// What differs, each with its place, as far as `expected` says anything.
///
/// # Errors
/// `expected` asks for what is no check.
pub(super) fn compare(expected: &Value, outcome: &Value) -> Result<Vec<String>, String> {
    let Value::Object(expected) = expected else { return Err("expected: not an object".to_owned()) };
    if expected.is_empty() {
        return Err("expected: it is empty, name `outcome`, `visible` or `text`".to_owned());
    }
    let mut found = Vec::new();
    for (key, expected) in expected {
        match (key.as_str(), expected) {
            ("outcome" | "visible", _) => {
                differences(expected, outcome.get(key).unwrap_or(&Value::Null), key, &mut found);
            }
            ("text", Value::Array(checks)) => {
                for (index, check) in checks.iter().enumerate() {
                    let place = format!("text[{index}]");
                    let Value::Object(check) = check else {
                        return Err(format!("expected.{place}: not an object"));
                    };
                    text(check, outcome, &place, &mut found)
                        .map_err(|reason| format!("expected.{place}: {reason}"))?;
                }
            }
            ("text", _) => return Err("expected.text: not a list".to_owned()),
            (other, _) => return Err(format!("expected: `{other}` is not `outcome`, `visible` or `text`")),
        }
    }
    Ok(found)
}

fn differences(expected: &Value, actual: &Value, place: &str, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (key, expected) in expected {
                let actual = actual.get(key).unwrap_or(&Value::Null);
                differences(expected, actual, &format!("{place}.{key}"), found);
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                differences(expected, actual, &format!("{place}[{index}]"), found);
            }
            let both = expected.len().min(actual.len());
            for (index, expected) in expected.iter().enumerate().skip(both) {
                found.push(format!("{place}[{index}]: expected {expected}, is not there"));
            }
            for (index, actual) in actual.iter().enumerate().skip(both) {
                found.push(format!("{place}[{index}]: not expected, is {actual}"));
            }
        }
        _ if expected == actual => {}
        _ => found.push(format!("{place}: expected {expected}, is {actual}")),
    }
}

/// The checks of one message's text.
fn text(
    check: &Map<String, Value>,
    outcome: &Value,
    place: &str,
    found: &mut Vec<String>,
) -> Result<(), String> {
    let injector = check.get("injector").and_then(Value::as_str).unwrap_or("workspace");
    let step = check.get("step").ok_or("missing key `step`")?;
    let steps = outcome.get("outcome").and_then(Value::as_array).into_iter().flatten();
    let mut entered = steps
        .filter(|record| record.get("step") == Some(step))
        .filter_map(|record| record.get("entered")?.as_array())
        .flatten();
    let message = entered.find(|message| message.get("injector").and_then(Value::as_str) == Some(injector));
    let Some(text) = message.and_then(|message| message.get("text")?.as_str()) else {
        found.push(format!("{place}: expected a message of {injector} at step {step}, there is none"));
        return Ok(());
    };
    for (key, value) in check {
        if !matches!(key.as_str(), "step" | "injector") && !holds(key, value, text)? {
            let is = Value::from(text);
            found.push(format!("{place}.{key}: expected {value}, is {is} ({} bytes)", text.len()));
        }
    }
    Ok(())
}

fn holds(key: &str, value: &Value, text: &str) -> Result<bool, String> {
    let one = || value.as_str().ok_or_else(|| format!("`{key}` is no text"));
    let number = || value.as_u64().ok_or_else(|| format!("`{key}` is no whole number"));
    let parts = || -> Result<Vec<&str>, String> {
        let parts = value.as_array().and_then(|parts| parts.iter().map(Value::as_str).collect());
        parts.ok_or_else(|| format!("`{key}` is no list of texts"))
    };
    let bytes = text.len() as u64;
    Ok(match key {
        "in_order" => {
            parts()?.into_iter().try_fold(text, |rest, part| Some(rest.split_once(part)?.1)).is_some()
        }
        "lacks" => parts()?.into_iter().all(|part| !text.contains(part)),
        "starts_with" => text.starts_with(one()?),
        "ends_with" => text.ends_with(one()?),
        "max_bytes" => bytes <= number()?,
        "min_bytes" => bytes >= number()?,
        "frame_tags" => frame_tags(text) == number()?,
        _ => return Err(format!("there is no check `{key}`")),
    })
}

/// The tags of our frame, in any letter case and with white space inside.
fn frame_tags(text: &str) -> u64 {
    let text: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    (text.matches("<system-reminder>").count() + text.matches("</system-reminder>").count()) as u64
}
