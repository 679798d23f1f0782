//! What happened, one entry at a time.

mod form;
#[cfg(feature = "jsonl")]
mod line;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{InstructionSource, Json, SourceError};

#[cfg(feature = "jsonl")]
pub(crate) use line::{Line, LineHead, LineRef};

/// One entry of the append-only history (H1).
///
/// # JSON form
/// An object with the members `type` and `data`, in this order when written, in any order when
/// read: `{"type": "tool_call", "data": {"id": "c1", "name": "read", "arguments": {}}}`. The type
/// is the variant's name in snake case; `data` is missing where the variant has none; members of
/// `data` that are optional are left out when empty. Members that this crate does not know are
/// ignored in entries that it knows; an entry of a type that it does not know is kept as it came
/// ([`ForeignEvent`]). The names `seq` and `more` are reserved: in a log a line begins with them,
/// see [`SessionLog`](crate::SessionLog).
///
/// ```
/// use standing_orders_history::{Event, UserMessage};
///
/// let event = Event::from(UserMessage::text("mañana"));
/// let json = serde_json::to_string(&event)?;
/// assert_eq!(json, r#"{"type":"user_message","data":{"content":[{"text":"mañana"}]}}"#);
/// assert_eq!(serde_json::from_str::<Event>(&json)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(tag = "type", content = "data", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Event {
    /// A turn begins. One at a time.
    TurnStart,
    /// The open turn ends; no step may be open.
    TurnEnd(End),
    /// A step begins, within a turn. One at a time.
    StepStart,
    /// The open step ends.
    StepEnd(End),
    /// A new instance of the loop took over while inner calls had not settled: their touches end
    /// with the former one (C5).
    InstanceStart,
    /// A message in the user role. It belongs to the step whose `step_start` stands right before
    /// it: see [`History`](crate::History).
    UserMessage(UserMessage),
    /// What the model said.
    AssistantMessage(AssistantMessage),
    /// A tool is called, by the model or from within another call.
    ToolCall(ToolCall),
    /// A call has settled.
    ToolResult(ToolResult),
    /// The system prompt, verbatim; appended when it is first sent and whenever it changes.
    SystemMessage(SystemMessage),
    /// A subagent was started from here.
    SubagentDescriptor(SubagentDescriptor),
    /// The inbox changed.
    InboxSpliced(InboxSpliced),
    /// A range of the surface was replaced by one message, as by compaction.
    SurfaceReplaced(SurfaceReplaced),
    /// Of a type that this crate does not know.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Foreign(ForeignEvent),
}

/// How a turn or a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// The way.
    #[serde(default)]
    pub outcome: EndOutcome,
}

/// The way a turn or a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndOutcome {
    /// By itself.
    #[default]
    Completed,
    /// Cancelled, failed, or found open on resume (C12).
    Interrupted,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Text: `{"text": "…"}`.
    Text(String),
    /// Whatever else the host's messages hold, as it came: `{"other": …}`.
    Other(Json),
}

/// A message in the user role: a prompt, an instruction message of ours, or the host's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserMessage {
    /// The host's identity, unique in the history; kept when it waited in the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it says.
    pub content: Vec<Block>,
    /// Where it is from: ours (H4), or the host's own, kept as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Json>,
}

/// What the model said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssistantMessage {
    /// The parts, in order.
    pub content: Vec<Block>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// The call's identity.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it was called with, as it came.
    pub arguments: Json,
    /// The call from within which this one was made. The model does not see inner calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// A call has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolResult {
    /// Of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// What the model is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Block>,
    /// The paths it touched, absolute or relative to cwd (C5). A result that is not `ok` touches
    /// nothing, whatever stands here.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "standing_orders_session::stored_path::list"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<standing_orders_session::stored_path::StoredPath>"))]
    pub touched: Vec<PathBuf>,
    /// The call from within which this one was made. Its touches count when the outermost call
    /// settles, whatever that one's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// The system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SystemMessage {
    /// All of it.
    pub text: String,
}

/// A subagent that was started from this session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubagentDescriptor {
    /// The identity of the child session.
    pub session: String,
    /// The call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The child's agent preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_preset: Option<String>,
    /// What it was started for, in the host's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Which queue of the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// What the next turn starts with.
    NextTurn,
    /// What the next step takes along, as when a user steers.
    NextStep,
}

/// A change of one queue: from `start` on, `remove` messages go and `insert` comes in their place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxSpliced {
    /// The queue.
    pub queue: Queue,
    /// From which place on, at most the queue's length.
    pub start: usize,
    /// How many go, at most as many as there are.
    #[serde(default)]
    pub remove: usize,
    /// What comes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert: Vec<InboxMessage>,
}

/// A host message that waits for its turn or step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxMessage {
    /// The host's identity, unique in the history.
    pub id: String,
    /// What it says.
    pub content: Vec<Block>,
    /// Where it is from, kept as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Json>,
}

/// A range of the surface was replaced by one message in the user role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurfaceReplaced {
    /// The sequence number of the first entry that goes.
    pub first: u64,
    /// Of the last one, the same or later on the surface.
    pub last: u64,
    /// What stands where the range began.
    pub content: Vec<Block>,
}

/// An entry of a type that this crate does not know, kept as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignEvent {
    kind: String,
    members: Vec<(String, Json)>,
}

impl ForeignEvent {
    /// An entry of the host's own. `None` when `kind` is a type of this crate's.
    pub fn new(kind: impl Into<String>, data: Json) -> Option<Self> {
        let kind = kind.into();
        (!form::is_known(&kind)).then(|| Self { kind, members: vec![("data".to_owned(), data)] })
    }

    /// The type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The member `data`.
    pub fn data(&self) -> Option<&Json> {
        self.members.iter().find(|(name, _)| name == "data").map(|(_, value)| value)
    }
}

impl Event {
    /// The type, as in the JSON form.
    pub fn kind(&self) -> &str {
        form::kind_of(self)
    }
}

impl UserMessage {
    /// Of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::Text(text.into())], ..Self::default() }
    }

    /// An instruction message with the typed source of ours.
    pub fn instruction(source: &InstructionSource, content: Vec<Block>) -> Self {
        Self { id: None, content, source: Some(Json::from(source)) }
    }

    /// With an identity of the host's.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// With a source.
    #[must_use]
    pub fn with_source(mut self, source: Json) -> Self {
        self.source = Some(source);
        self
    }

    /// The source as ours, or why it is not; `None` without any. The fold takes the first and
    /// ignores the rest (H4).
    pub fn instruction_source(&self) -> Option<Result<InstructionSource, SourceError>> {
        let source = self.source.as_ref()?;
        Some(match source.to_value() {
            Ok(value) => InstructionSource::from_value(&value),
            Err(error) => Err(SourceError::Malformed(error.to_string())),
        })
    }
}

impl AssistantMessage {
    /// Of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::Text(text.into())] }
    }
}

impl InboxMessage {
    /// Of one text block.
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), content: vec![Block::Text(text.into())], source: None }
    }
}

impl From<InboxMessage> for UserMessage {
    /// The message as it enters, under the same identity.
    fn from(InboxMessage { id, content, source }: InboxMessage) -> Self {
        Self { id: Some(id), content, source }
    }
}

macro_rules! from_data {
    ($($Data:ident),*) => {
        $(impl From<$Data> for Event {
            fn from(data: $Data) -> Self {
                Self::$Data(data)
            }
        })*
    };
}
from_data!(
    UserMessage,
    AssistantMessage,
    ToolCall,
    ToolResult,
    SystemMessage,
    SubagentDescriptor,
    InboxSpliced,
    SurfaceReplaced
);

impl From<ForeignEvent> for Event {
    fn from(event: ForeignEvent) -> Self {
        Self::Foreign(event)
    }
}
