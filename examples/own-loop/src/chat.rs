//! The host's own chat messages, and the list it keeps of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use standing_orders::InstructionMessage;
use standing_orders::{Fact, InstructionSource};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
    Tool,
}

/// One message of a transcript. `source` says which instructions it carries; the library writes it,
/// we only store it. `touched` says which paths a tool's result is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<InstructionSource>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) touched: Vec<PathBuf>,
}

impl Message {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), source: None, touched: Vec::new() }
    }
}

impl From<&InstructionMessage> for Message {
    fn from(message: &InstructionMessage) -> Self {
        // This host's store trims what it is given. Nothing depends on what it does to the text.
        let text = message.text().trim().to_owned();
        Self { source: Some(message.source.clone()), ..Self::new(Role::User, text) }
    }
}

/// What a stored transcript says of instructions: all that a restart needs. A step ends with the
/// model's answer, or with the result of its call: what entered with it comes first, then what the
/// tool touched, which the next step answers.
pub(crate) fn facts(transcript: &[Message]) -> Vec<Fact> {
    let (mut facts, mut entering) = (Vec::new(), Vec::new());
    for Message { role, source, touched, .. } in transcript {
        entering.extend(source.clone());
        if *role != Role::User {
            // Also where no instructions came along: the step answered the touches before it.
            facts.push(Fact::Entered(std::mem::take(&mut entering)));
            facts.push(Fact::Touched(touched.clone()));
        }
    }
    // A step that was cut off after its messages were stored.
    facts.extend((!entering.is_empty()).then_some(Fact::Entered(entering)));
    facts
}
