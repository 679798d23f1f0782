//! An own loop over a `Vec` of chat messages.

use serde_json::Value;
use standing_orders::{Context, InstructionMessage, StepInput};
use standing_orders_session::{Fact, InstructionSource};

use super::{project, session};

/// A host's own message type, with room for a source.
#[derive(Clone, Debug)]
struct ChatMessage {
    text: String,
    source: Option<Value>,
}

impl ChatMessage {
    fn prompt(text: &str) -> Self {
        Self { text: text.to_owned(), source: None }
    }
}

impl From<&InstructionMessage> for ChatMessage {
    fn from(message: &InstructionMessage) -> Self {
        Self { text: message.text(), source: Some(message.source.to_value()) }
    }
}

/// What a plain list of messages tells: each instruction message entered.
fn facts(history: &[ChatMessage]) -> Vec<Fact> {
    let sources = history.iter().filter_map(|message| message.source.as_ref());
    sources
        .filter_map(|source| InstructionSource::from_value(source).ok())
        .map(|s| Fact::Entered(vec![s]))
        .collect()
}

async fn step(context: &mut Context, history: &mut Vec<ChatMessage>, prompt: &str) {
    let prepared = context.pre_step(StepInput::default()).await;
    history.push(ChatMessage::prompt(prompt));
    history.extend(prepared.messages().iter().map(ChatMessage::from));
    context.entered(prepared).expect("nothing happened in between");
}

#[tokio::test]
async fn a_loop_over_a_vec_delivers_once_updates_and_survives_a_restart() {
    let fs = project();
    let mut history = Vec::new();
    let mut context = session(&fs, "s1").open(facts(&history)).unwrap();
    step(&mut context, &mut history, "one").await;
    step(&mut context, &mut history, "two").await;
    let touches = context.touches();
    let tools: Vec<_> = ["api/a.rs", "api/b.rs", "api/c.rs"]
        .map(|path| {
            let touches = touches.clone();
            tokio::spawn(async move { touches.report(path) })
        })
        .into_iter()
        .collect();
    for tool in tools {
        tool.await.unwrap();
    }
    step(&mut context, &mut history, "three").await;

    drop(context);
    let mut context = session(&fs, "s1").open(facts(&history)).unwrap();
    step(&mut context, &mut history, "four").await;
    fs.write("/ws/AGENTS.md", "other rules");
    step(&mut context, &mut history, "five").await;

    let texts: Vec<&str> = history.iter().map(|message| message.text.as_str()).collect();
    let with = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
    assert_eq!(with("root rules"), 1, "once while visible and unchanged");
    assert_eq!(with("api rules"), 1, "three parallel touches give one copy");
    assert_eq!(with("Updated instructions from: AGENTS.md"), 1, "one update after the edit");
    assert_eq!(texts.len(), 5 + 3, "and nothing else");
}
