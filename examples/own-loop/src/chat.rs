//! The host's own chat messages, and the list it keeps of them.

use serde::{Deserialize, Serialize};
use standing_orders::InstructionMessage;
use standing_orders::session::{Fact, InstructionSource};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
    Tool,
}

/// One message of a transcript. `source` says which instructions it carries; the library writes it,
/// we only store it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<InstructionSource>,
}

impl Message {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), source: None }
    }
}

impl From<&InstructionMessage> for Message {
    fn from(message: &InstructionMessage) -> Self {
        // This host's store trims what it is given. Nothing depends on what it does to the text.
        let text = message.text().trim().to_owned();
        Self { role: Role::User, text, source: Some(message.source.clone()) }
    }
}

/// What a stored transcript says of instructions: all that a restart needs.
pub(crate) fn facts(transcript: &[Message]) -> Vec<Fact> {
    let sources = transcript.iter().filter_map(|message| message.source.clone());
    sources.map(|source| Fact::Entered(vec![source])).collect()
}
