//! Which entries leave the view by a line of another program's log: those that it names, and no others.

use serde_json::{Map, Value};

use super::foreign::{plain, wrappings};

/// What a line does to the entries before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Nothing: it stands behind them.
    Append,
    /// The entries with these numbers, first to last, leave the view, and this one stands there.
    Replace(Vec<(u64, u64)>),
    /// A compaction that is done and names no entries.
    Unnamed,
    /// It names what cannot be read.
    Unclear(String),
}

/// Operations that take out of view what they name.
const TAKING: [&str; 6] = ["replace", "replaced", "remove", "removed", "delete", "deleted"];

/// Parts of a type that say that nothing is done yet, or nothing came of it.
const IDLE: [&str; 20] = [
    "abort",
    "aborted",
    "begin",
    "cancel",
    "canceled",
    "cancelled",
    "error",
    "fail",
    "failed",
    "failure",
    "pending",
    "progress",
    "rejected",
    "request",
    "requested",
    "scheduled",
    "skip",
    "skipped",
    "start",
    "started",
];

/// The ends of a range, both of them in it. The first can be the larger number: that of a summary, which
/// stands where older entries stood.
const ENDS: [(&str, &str); 3] = [("start", "end"), ("first", "last"), ("from", "to")];

/// Of a line of this type, in plain spelling.
pub(super) fn of(line: &Map<String, Value>, kind: &str) -> Operation {
    let surface = wrappings(line).find_map(|object| {
        let (_, operation) = object.iter().find(|(key, _)| plain(key) == "surface_op")?;
        Some((object, operation))
    });
    if let Some((beside, operation)) = surface {
        return of_surface(beside, operation);
    }
    let compacts = kind.contains("compact") || kind == "surface_replaced";
    if !compacts || kind.split('_').any(|part| IDLE.contains(&part)) {
        return Operation::Append;
    }
    match wrappings(line).find_map(named) {
        Some(named) => Operation::Replace(named),
        None => Operation::Unnamed,
    }
}

/// Of what says it outright: a word with the range beside it, an object that has both, or `{"replace": range}`.
fn of_surface(beside: &Map<String, Value>, operation: &Value) -> Operation {
    let (name, range) = match operation {
        Value::String(name) => (name.as_str(), beside),
        Value::Object(object) => {
            let named = ["op", "type", "kind", "action"].iter().find_map(|key| object.get(*key)?.as_str());
            let tagged = || object.iter().find_map(|(key, range)| Some((key.as_str(), range.as_object()?)));
            match named.map(|name| (name, object)).or_else(tagged) {
                Some(operation) => operation,
                None => return Operation::Unclear("it names no operation".to_owned()),
            }
        }
        _ => return Operation::Unclear("it is neither a word nor an object".to_owned()),
    };
    if !TAKING.contains(&plain(name).as_str()) {
        return Operation::Append;
    }
    match named(range).or_else(|| named(beside)) {
        Some(named) => Operation::Replace(named),
        None => Operation::Unclear(format!("{} names no entries", plain(name))),
    }
}

/// What an object names: a range, or else a list of entries.
fn named(object: &Map<String, Value>) -> Option<Vec<(u64, u64)>> {
    let range = |object: &Map<String, Value>| {
        let number = |key: &str| object.get(key).and_then(Value::as_u64);
        ENDS.iter().find_map(|(first, last)| number(first).zip(number(last)))
    };
    let within = match object.get("range") {
        Some(Value::Object(within)) => range(within),
        Some(Value::Array(ends)) => match ends.as_slice() {
            [first, last] => first.as_u64().zip(last.as_u64()),
            _ => None,
        },
        _ => None,
    };
    let list = || {
        let (_, list) = object.iter().find(|(key, _)| plain(key) == "source_event_seqs")?;
        let numbers: Option<Vec<_>> = list.as_array()?.iter().map(Value::as_u64).collect();
        numbers.filter(|numbers| !numbers.is_empty())
    };
    range(object)
        .or(within)
        .map(|range| vec![range])
        .or_else(|| Some(list()?.into_iter().map(|number| (number, number)).collect()))
}
