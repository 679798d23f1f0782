//! Writes a session, compacts it, opens it again, and prints what the model sees.
//!
//! `cargo run -p standing-orders-session --features jsonl --example history`
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::error::Error;

use standing_orders_history::{
    AssistantMessage, Block, End, Event, InboxMessage, JsonlLog, Queue, Session, SurfaceReplaced, ToolResult,
    UserMessage,
};
use standing_orders_session::{Action, Change, Digest, InstructionSource, Scope, SessionHeader};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("session.jsonl");
    let header = SessionHeader::main("s1", 1_767_225_600_000).with_cwd("/ws");

    let (mut session, _) = Session::open(JsonlLog::create(&path, header).await?).await?;

    // A user speaks; the message waits in the inbox until a step takes it along.
    let prompt = InboxMessage::text("m1", "What does this crate do?");
    session.append(vec![session.history().inbox().push(Queue::NextTurn, prompt)]).await?;

    // The step: what waited, and the instruction message that is due, in one batch.
    let (claim, messages) = session.history().inbox().claim(Queue::NextTurn).ok_or("nothing waits")?;
    let mut batch = vec![claim, Event::TurnStart, Event::StepStart];
    batch.extend(messages.into_iter().map(Event::from));
    let text = "<system-reminder>\nInstructions from: AGENTS.md\n\nbe brief\n</system-reminder>";
    batch.push(UserMessage::instruction(&source(), vec![Block::Text(text.to_owned())]).into());
    let facts = session.append(batch).await?;
    println!("entered: {facts:?}\n");

    session.append(vec![AssistantMessage::text("I will look.").into()]).await?;
    let result = ToolResult {
        id: "c1".to_owned(),
        name: "read".to_owned(),
        ok: true,
        content: vec![Block::Text("fn main() {}".to_owned())],
        touched: vec!["src/main.rs".into()],
        parent: None,
    };
    let facts = session.append(vec![result.into(), Event::StepEnd(End::default())]).await?;
    println!("the tool: {facts:?}\n");

    // All that the model sees becomes one summary.
    let (first, last) = session.history().surface().bounds().ok_or("nothing is in view")?;
    let content = vec![Block::Text("The user asked what the crate does; src/main.rs is empty.".to_owned())];
    let facts = session.append(vec![SurfaceReplaced { first, last, content }.into()]).await?;
    println!("the compaction: {facts:?}\n");
    session.append(vec![Event::TurnEnd(End::default())]).await?;
    drop(session);

    let log = JsonlLog::open(&path).await?;
    if let Some(cut) = log.cut() {
        println!("a torn end was cut off: {cut:?}");
    }
    let (session, facts) = Session::open(log).await?;
    println!("opened again: {} entries, {} facts; the model sees", session.history().next(), facts.len());
    for (seq, event) in session.history().surface().iter() {
        println!("{seq:>4} {}", serde_json::to_string(event)?);
    }
    Ok(())
}

fn source() -> InstructionSource {
    InstructionSource {
        id: "i-1".into(),
        injector: "workspace".into(),
        baseline: true,
        baseline_identity: None,
        replaces: None,
        cwd: Digest::of("/ws"),
        at: ".".to_owned(),
        changes: vec![Change {
            action: Action::Set,
            scope: Scope::of(".", "base"),
            path: "AGENTS.md".to_owned(),
            previous: None,
            digest: Some(Digest::of("be brief")),
        }],
    }
}
