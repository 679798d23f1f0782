//! Logs of other programs: JSON lines whose user messages carry a source.
//!
//! Their shapes differ, so what is looked for is the least that an audit needs: the object that has the
//! `source`, whatever wraps it, and the line's type, in whatever spelling.

use serde_json::{Map, Value};
use standing_orders::plugin::SessionClass;

use super::entry::{Entry, Session, of_source};

/// How deep a message may be wrapped.
const DEPTH: usize = 6;

/// What a line of such a log says.
pub(super) fn of_value(value: &Value, line: u64) -> Entry {
    let Some(object) = value.as_object() else { return Entry::Unknown };
    let kind = kind_of(object);
    // What waits in an inbox has not entered.
    if kind.contains("inbox") {
        return Entry::Other;
    }
    if let Some(entry) = find(object, DEPTH, &|object| {
        let source = object.get("source").filter(|source| source.is_object())?;
        let ours = role(object).or_else(|| role(inner(value))).is_none_or(|role| role == "user");
        ours.then(|| of_source(source, || texts(object), line)).flatten()
    }) {
        return entry;
    }
    match (kind.as_str(), role(inner(value))) {
        ("step_start" | "step_started" | "step_begin", _) => Entry::StepStart,
        ("step_end" | "step_ended" | "step_finish", _) => Entry::StepEnd,
        ("turn_start" | "turn_end" | "tool_call" | "subagent_descriptor", _) => Entry::Other,
        (kind, _) if kind.contains("compact") || kind == "surface_replaced" => Entry::Compacted,
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
    let mut kind = String::new();
    for character in named.unwrap_or_default().chars() {
        match character {
            upper if upper.is_ascii_uppercase() => {
                if kind.ends_with(|last: char| last.is_ascii_lowercase()) {
                    kind.push('_');
                }
                kind.push(upper.to_ascii_lowercase());
            }
            plain if plain.is_alphanumeric() => kind.push(plain),
            _ => kind.push('_'),
        }
    }
    kind
}

/// The object within the usual wrappings.
fn inner(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let mut object = value.as_object().unwrap_or(&NONE);
    for _ in 0..DEPTH {
        let within =
            ["event", "data", "payload", "message"].iter().find_map(|name| object.get(*name)?.as_object());
        match within {
            Some(within) => object = within,
            None => break,
        }
    }
    object
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
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) => part.get("text").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    match object.get("content").or_else(|| object.get("text")) {
        Some(Value::Array(parts)) => parts.iter().filter_map(part).collect(),
        Some(one) => part(one).into_iter().collect(),
        None => Vec::new(),
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
