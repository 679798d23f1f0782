//! Logs of other programs: JSON lines whose user messages carry a source.
//!
//! Their shapes differ, so what is looked for is the least that an audit needs: the object that has the
//! `source`, whatever wraps it, and the line's type, in whatever spelling.

use serde_json::{Map, Value};
use standing_orders::plugin::SessionClass;

use super::entry::{Entry, Session, of_source};
use super::operation::{self, Operation};

/// How deep a message may be wrapped.
const DEPTH: usize = 6;

/// A line of such a log.
pub(super) struct Said {
    /// Its number, where it says one.
    pub(super) seq: Option<u64>,
    /// What it does to the entries before it.
    pub(super) operation: Operation,
    pub(super) entry: Entry,
}

/// What a line of such a log says.
pub(super) fn of_value(value: &Value, line: u64) -> Said {
    let Some(object) = value.as_object() else {
        return Said { seq: None, operation: Operation::Append, entry: Entry::Unknown };
    };
    let kind = kind_of(object);
    let seq = |object: &Map<String, Value>| {
        ["seq", "sequence", "eventSeq"].iter().find_map(|name| object.get(*name)?.as_u64())
    };
    let seq = wrappings(object).find_map(seq);
    // What waits in an inbox has not entered.
    if kind.contains("inbox") {
        return Said { seq, operation: Operation::Append, entry: Entry::Other };
    }
    let operation = operation::of(object, &kind);
    let entry = match (entry(value, object, &kind, line), &operation) {
        // What stands in for others is nothing that was heard just now.
        (Entry::Heard | Entry::Unknown, Operation::Replace(_) | Operation::Unnamed) => Entry::Other,
        (entry, _) => entry,
    };
    Said { seq, operation, entry }
}

fn entry(value: &Value, object: &Map<String, Value>, kind: &str, line: u64) -> Entry {
    if let Some(entry) = find(object, DEPTH, &|object| {
        let source = object.get("source").filter(|source| source.is_object())?;
        let ours = role(object).or_else(|| role(inner(value))).is_none_or(|role| role == "user");
        ours.then(|| of_source(source, || texts(object), line)).flatten()
    }) {
        return entry;
    }
    match (kind, role(inner(value))) {
        ("step_start" | "step_started" | "step_begin", _) => Entry::StepStart,
        ("step_end" | "step_ended" | "step_finish", _) => Entry::StepEnd,
        ("turn_start" | "turn_end" | "tool_call" | "subagent_descriptor", _) => Entry::Other,
        ("request_header", _) => match system_prompt(object) {
            Some(text) => Entry::System(text),
            None => Entry::Other,
        },
        (kind, None) if kind.contains("compact") || kind == "surface_replaced" => Entry::Other,
        ("system_message" | "system", _) | (_, Some("system" | "developer")) => {
            Entry::System(texts(inner(value)).concat())
        }
        ("assistant_message" | "assistant", _) | (_, Some("assistant")) => Entry::Said,
        ("user_message" | "user" | "tool_result" | "tools_result", _) | (_, Some("user" | "tool")) => {
            Entry::Heard
        }
        _ => match session(object) {
            Some(session) => Entry::Session(session),
            None => Entry::Unknown,
        },
    }
}

/// `user/message`, `userMessage` and `user-message` are `user_message`.
fn kind_of(object: &Map<String, Value>) -> String {
    let named = ["type", "event", "kind"].iter().find_map(|name| match object.get(*name)? {
        Value::String(kind) => Some(kind.as_str()),
        Value::Object(event) => event.get("type").and_then(Value::as_str),
        _ => None,
    });
    plain(named.unwrap_or_default())
}

/// A name in one spelling: lower case, with `_` between its words.
pub(super) fn plain(name: &str) -> String {
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            upper if upper.is_ascii_uppercase() => {
                if plain.ends_with(|last: char| last.is_ascii_lowercase()) {
                    plain.push('_');
                }
                plain.push(upper.to_ascii_lowercase());
            }
            letter if letter.is_alphanumeric() => plain.push(letter),
            _ => plain.push('_'),
        }
    }
    plain
}

/// The object and those within the usual wrappings, the outer before the inner.
pub(super) fn wrappings(object: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    std::iter::successors(Some(object), |object| {
        ["event", "data", "payload", "message"].iter().find_map(|name| object.get(*name)?.as_object())
    })
    .take(DEPTH + 1)
}

/// The innermost of them.
fn inner(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let object = value.as_object().unwrap_or(&NONE);
    wrappings(object).last().unwrap_or(object)
}

/// The system prompt of a request's header, whatever it is called there.
fn system_prompt(object: &Map<String, Value>) -> Option<String> {
    const NAMES: [&str; 5] = ["system", "systemPrompt", "system_prompt", "prompt", "instructions"];
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(message) => texts(message).concat(),
        list => parts(list).concat(),
    };
    let of_messages = |object: &Map<String, Value>| {
        let messages = object.get("messages")?.as_array()?.iter().filter_map(Value::as_object);
        let mut system = messages.filter(|message| matches!(role(message), Some("system" | "developer")));
        system.next().map(|message| texts(message).concat())
    };
    find(object, DEPTH, &|object| {
        let named = NAMES.iter().filter_map(|name| object.get(*name)).map(text);
        named.chain(of_messages(object)).find(|text| !text.is_empty())
    })
}

fn role(object: &Map<String, Value>) -> Option<&str> {
    object.get("role").and_then(Value::as_str)
}

/// The first that `wanted` accepts, the outer before the inner.
fn find<T>(
    object: &Map<String, Value>,
    depth: usize,
    wanted: &dyn Fn(&Map<String, Value>) -> Option<T>,
) -> Option<T> {
    wanted(object).or_else(|| {
        let depth = depth.checked_sub(1)?;
        object.values().filter_map(Value::as_object).find_map(|object| find(object, depth, wanted))
    })
}

/// The texts of a message: `content` or `text`, a string or a list of parts.
fn texts(object: &Map<String, Value>) -> Vec<String> {
    object.get("content").or_else(|| object.get("text")).map(parts).unwrap_or_default()
}

fn parts(value: &Value) -> Vec<String> {
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) => part.get("text").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    match value {
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        one => part(one).into_iter().collect(),
    }
}

/// The header, whose class shows in the origin and the depth (I1).
fn session(object: &Map<String, Value>) -> Option<Session> {
    find(object, 3, &|object| {
        let text =
            |names: [&str; 2]| names.iter().find_map(|name| object.get(*name)?.as_str()).map(str::to_owned);
        let depth = ["delegationDepth", "delegation_depth"].iter().find_map(|name| object.get(*name));
        let id = text(["id", "session"]).filter(|_| object.contains_key("cwd"));
        if depth.is_none() && id.is_none() && text(["origin", "origin"]).as_deref() != Some("subagent") {
            return None;
        }
        let subagent = text(["origin", "origin"]).as_deref() == Some("subagent");
        let depth = depth.and_then(Value::as_u64).and_then(|depth| u32::try_from(depth).ok()).unwrap_or(0);
        let class = match subagent || depth > 0 {
            true => SessionClass::Subagent { depth: depth.max(1) },
            false => SessionClass::Main,
        };
        let agent = text(["agentPreset", "agent_preset"]);
        Some(Session { id: text(["id", "session"]), class: Some(class), agent, cwd: text(["cwd", "cwd"]) })
    })
}
