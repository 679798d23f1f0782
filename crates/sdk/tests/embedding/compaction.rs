//! What a compaction takes, and what it keeps.

use std::sync::Arc;

use serde_json::json;
use standing_orders::StepInput;
use standing_orders::driver::{Decision, Driver, InboxMessage, SettledCall};
use standing_orders::plugin::SessionHeader;
use standing_orders_history::{Event, MemoryLog, Queue};

use super::{engine, project};

/// `prompt`, our message, a result, `más`, and another result.
async fn two_turns() -> Driver {
    let header = SessionHeader::main("s", 0).with_cwd("/ws");
    let setup = engine().session(header.clone()).fs(Arc::new(project()));
    let mut driver = Driver::open(setup, MemoryLog::new(header)).await.unwrap();
    for prompt in ["prompt", "más"] {
        driver.send(Queue::NextTurn, InboxMessage::text(prompt, prompt)).await.unwrap();
        let boundary = driver.pre_step(StepInput::default()).await.unwrap();
        driver.decide(boundary, Decision::Enter).await.unwrap();
        driver.settled(SettledCall::ok("read", json!({ "file_path": "x" }))).await.unwrap();
        driver.end_step().await.unwrap();
    }
    driver
}

fn seen(driver: &Driver) -> Vec<&'static str> {
    let kind = |(_, event): (u64, &Event)| match event {
        Event::UserMessage(message) if message.source.is_some() => "ours",
        Event::UserMessage(_) => "prompt",
        Event::ToolResult(_) => "result",
        Event::SurfaceReplaced(_) => "summary",
        _ => "other",
    };
    driver.session().history().surface().iter().map(kind).collect()
}

#[tokio::test]
async fn a_compaction_keeps_the_last_messages_and_what_stands_behind_them() {
    let all = ["prompt", "ours", "result", "prompt", "result"];
    let rows: [(&str, usize, &[&str]); 6] = [
        ("none is kept", 0, &["summary"]),
        ("results are no messages", 1, &["summary", "prompt", "result"]),
        (
            "what stands between two stays with the first",
            2,
            &["summary", "ours", "result", "prompt", "result"],
        ),
        ("there is nothing before the first", 3, &all),
        ("there are fewer", 4, &all),
        ("as many as can be said", usize::MAX, &all),
    ];
    for (name, keep, expected) in rows {
        let mut driver = two_turns().await;
        assert_eq!(seen(&driver), all);
        driver.compact_keeping(keep, "resumé").await.unwrap();
        assert_eq!(seen(&driver), expected, "{name}");
        let in_force = usize::from(expected.contains(&"ours"));
        assert_eq!(driver.context().in_force().len(), in_force, "{name}: the fold saw the same");
    }
    let mut again = two_turns().await;
    again.compact("one").await.unwrap();
    again.compact_keeping(1, "two").await.unwrap();
    assert_eq!(seen(&again), ["summary"], "a summary is a message, and may be kept");
}
