//! What a line says, as far as instructions are concerned.

use std::collections::HashMap;

use serde::Deserialize as _;
use serde_json::Value;
use standing_orders::history::{Block, Event};
use standing_orders::plugin::{SessionClass, SessionHeader};
use standing_orders::{Action, Change, Digest, InjectorId, InstructionSource, MessageId, Replaces, Scope};

/// One line.
#[derive(Debug)]
pub(super) enum Entry {
    Session(Session),
    StepStart,
    StepEnd,
    /// A message in the user role, or a tool's result.
    Heard,
    Instruction(Instruction),
    Said,
    System(String),
    /// The entries with these numbers, and all between them, are out of view.
    Replaced {
        first: u64,
        last: u64,
    },
    /// Known, and of no matter here.
    Other,
    Unknown,
    /// An instruction message whose source cannot be read.
    Malformed(String),
}

/// Who the session is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) id: Option<String>,
    /// Not every log says it.
    pub(crate) class: Option<SessionClass>,
    pub(crate) agent: Option<String>,
    pub(crate) cwd: Option<String>,
}

/// An instruction message.
#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) source: InstructionSource,
    /// The texts, in order.
    pub(super) blocks: Vec<String>,
    /// Digests as they were recorded, where they are no SHA-1; none where none was.
    pub(super) recorded: HashMap<Digest, Option<String>>,
}

impl Session {
    pub(super) fn of_header(header: &SessionHeader) -> Self {
        Self {
            id: Some(header.id().to_owned()),
            class: Some(header.class()),
            agent: header.agent_preset().map(str::to_owned),
            cwd: header.cwd().map(|cwd| cwd.to_string_lossy().into_owned()),
        }
    }
}

/// What an entry of a log of ours says.
pub(super) fn of_event(event: Event, line: u64) -> Entry {
    match event {
        Event::StepStart => Entry::StepStart,
        Event::StepEnd(_) => Entry::StepEnd,
        Event::UserMessage(message) => {
            let Some(source) = message.source else { return Entry::Heard };
            let blocks = message.content.into_iter().filter_map(|block| match block {
                Block::Text(text) => Some(text),
                Block::Other(_) => None,
            });
            let blocks: Vec<_> = blocks.collect();
            match source.to_value() {
                Ok(source) => of_source(&source, || blocks, line).unwrap_or(Entry::Heard),
                Err(error) => Entry::Malformed(error.to_string()),
            }
        }
        Event::AssistantMessage(_) => Entry::Said,
        Event::ToolResult(_) => Entry::Heard,
        Event::SystemMessage(message) => Entry::System(message.text),
        Event::SurfaceReplaced(range) => Entry::Replaced { first: range.first, last: range.last },
        Event::Foreign(_) => Entry::Unknown,
        _ => Entry::Other,
    }
}

/// The kind of our own sources (H4).
const OURS: &str = "standing-orders";
/// That of a harness whose logs are read too; its messages need no list of changes.
const HARNESS: &str = "agent-instructions";

/// The instruction message that this is the source of; `None` where it is of another kind.
pub(super) fn of_source(source: &Value, blocks: impl FnOnce() -> Vec<String>, line: u64) -> Option<Entry> {
    let kind = source.get("kind").and_then(Value::as_str)?;
    if kind == OURS {
        return Some(match InstructionSource::from_value(source) {
            Ok(source) => {
                Entry::Instruction(Instruction { source, blocks: blocks(), recorded: HashMap::new() })
            }
            Err(error) => Entry::Malformed(error.to_string()),
        });
    }
    let changes = source.get("changes").and_then(Value::as_array);
    if changes.is_none() && kind != HARNESS {
        return None;
    }
    let text = |name: &str| source.get(name).and_then(Value::as_str);
    let injector = match (text("injector"), text("form")) {
        (Some(injector), _) => injector.to_owned(),
        (None, Some(form)) => format!("{kind}:{form}"),
        (None, None) => kind.to_owned(),
    };
    let blocks = blocks();
    let mut recorded = HashMap::new();
    let changes = changes.into_iter().flatten().map(|value| change(value, &blocks, &mut recorded));
    let changes = match changes.collect::<Result<Vec<_>, _>>() {
        Ok(changes) => changes,
        Err(reason) => return Some(Entry::Malformed(reason)),
    };
    let identity = source.get("baseline_identity").or_else(|| source.get("baselineIdentity"));
    let source = InstructionSource {
        id: MessageId::from(format!("line {line}")),
        injector: InjectorId::from(injector),
        baseline: source.get("baseline").and_then(Value::as_bool).unwrap_or(false),
        baseline_identity: identity.filter(|identity| !identity.is_null()).cloned(),
        replaces: source.get("replaces").and_then(|replaces| Replaces::deserialize(replaces).ok()),
        cwd: Digest::of(""),
        at: ".".to_owned(),
        changes,
    };
    Some(Entry::Instruction(Instruction { source, blocks, recorded }))
}

fn change(
    value: &Value,
    blocks: &[String],
    recorded: &mut HashMap<Digest, Option<String>>,
) -> Result<Change, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let action = value.get("action").ok_or("a change has no action")?;
    let action = Action::deserialize(action).map_err(|error| format!("the action of a change: {error}"))?;
    let scope = text("scope").or_else(|| text("path")).ok_or("a change has neither scope nor path")?;
    let path = text("path").unwrap_or(scope).to_owned();
    let digest = match (action, text("digest")) {
        (Action::Remove, _) => None,
        (_, Some(text)) => Some(text.parse().unwrap_or_else(|_| {
            let digest = Digest::of(text);
            recorded.insert(digest, Some(text.to_owned()));
            digest
        })),
        (_, None) => {
            let digest = Digest::of(&blocks.concat());
            recorded.insert(digest, None);
            Some(digest)
        }
    };
    let previous = text("previous").map(str::to_owned);
    Ok(Change { action, scope: Scope::from(scope), path, previous, digest })
}
