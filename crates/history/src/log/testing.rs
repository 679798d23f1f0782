//! What every log has to keep, as a suite to run on one of your own (feature `testing`).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use standing_orders_history::{MemoryLog, testing};
//!
//! testing::check_log(async |header| Box::new(MemoryLog::new(header)) as _, async |log| log).await;
//! # }
//! ```
#![allow(clippy::expect_used, reason = "a law that is broken stops the test that runs the suite")]

use std::path::PathBuf;

use crate::{
    Block, Chunk, End, EndOutcome, Event, ForeignEvent, InboxMessage, InboxSpliced, Json, LogError, Queue,
    SessionHeader, SessionLog, SubagentDescriptor, SurfaceReplaced, SystemMessage, ToolCall, ToolResult,
    UserMessage,
};

/// How the disk of a `JsonlLog` fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// So many bytes are written yet, then the disk is full. Default: no limit.
    pub room: Option<u64>,
    /// What was written cannot be synced. Default: it can.
    pub sync: bool,
}

#[cfg(feature = "jsonl")]
impl Faults {
    /// How many of `bytes` fit before the disk is full; `None` when all do.
    pub(crate) fn take_room(&mut self, bytes: usize) -> Option<usize> {
        let room = self.room.as_mut()?;
        let bytes = bytes as u64;
        let fits = bytes.min(*room);
        *room -= fits;
        if fits == bytes { None } else { usize::try_from(fits).ok() }
    }
}

/// Runs the suite: `create` makes an empty log with this header, `reopen` drops one and opens it
/// again from what it stored (a log that stores nothing gives it back).
///
/// # Panics
/// When a law is broken; the message is the law.
pub async fn check_log(
    create: impl AsyncFn(SessionHeader) -> Box<dyn SessionLog>,
    reopen: impl AsyncFn(Box<dyn SessionLog>) -> Box<dyn SessionLog>,
) {
    a_new_log_is_empty(create(header("new")).await).await;
    entries_are_numbered_from_0(create(header("numbers")).await).await;
    a_stale_writer_is_refused(create(header("stale")).await).await;
    an_empty_batch_writes_nothing(create(header("empty")).await).await;
    a_read_ends_at_the_head_it_began_with(create(header("snapshot")).await).await;
    one_of_two_writers_wins(create(header("race")).await).await;
    every_entry_comes_back_as_it_was(create(header("forms")).await, &reopen).await;
    a_long_log_comes_in_chunks_without_gaps(create(header("long")).await, &reopen).await;
}

/// One entry of every type, with text of several bytes a character.
///
/// # Panics
/// Never: what it is made of is JSON.
pub fn one_of_each() -> Vec<Event> {
    let json = |text: &str| Json::parse(text).expect("the suite's own JSON is well formed");
    vec![
        InboxSpliced {
            queue: Queue::NextTurn,
            start: 0,
            remove: 0,
            insert: vec![InboxMessage::text("m1", "grüß dich, 世界")],
        }
        .into(),
        Event::TurnStart,
        InboxSpliced { queue: Queue::NextTurn, start: 0, remove: 1, insert: vec![] }.into(),
        Event::StepStart,
        UserMessage::text("grüß dich, 世界\n\u{2028}\"\\").with_id("m1").into(),
        UserMessage {
            id: None,
            content: vec![Block::Other(json(r#"{"type":"image","z":1,"a":1.50e3}"#))],
            source: Some(json(r#"{"kind":"somebody's","n":123456789012345678901234567890}"#)),
        }
        .into(),
        SystemMessage { text: "you are 🦀".to_owned() }.into(),
        ToolCall {
            id: "c1".to_owned(),
            name: "read".to_owned(),
            arguments: json(r#"{ "file_path": "src/ä.rs" , "b": [] }"#),
            parent: None,
        }
        .into(),
        ToolResult {
            id: "c1".to_owned(),
            name: "read".to_owned(),
            ok: true,
            content: vec![Block::Text(String::new())],
            touched: vec![PathBuf::from("src/ä.rs")],
            parent: None,
        }
        .into(),
        SubagentDescriptor { session: "s2".to_owned(), ..SubagentDescriptor::default() }.into(),
        Event::StepEnd(End { outcome: EndOutcome::Interrupted }),
        SurfaceReplaced { first: 4, last: 8, content: vec![Block::Text("summary".to_owned())] }.into(),
        Event::TurnEnd(End::default()),
        ForeignEvent::new("hosts.own/ü", json(r#"{"z":0,"a":[1 , 2]}"#))
            .expect("the type is none of ours")
            .into(),
    ]
}

fn header(id: &str) -> SessionHeader {
    SessionHeader::main(id, 1_767_225_600_000).with_cwd("/wörk/空").with_agent_preset("coder")
}

async fn read(log: &dyn SessionLog, from: u64) -> Vec<Event> {
    let mut chunks = log.read(from).await.expect("a log can be read");
    let mut events = Vec::new();
    while let Some(Chunk { first, events: more }) = chunks.next_chunk().await.expect("a chunk can be read") {
        assert_eq!(first, from + events.len() as u64, "chunks follow each other without gaps");
        assert!(!more.is_empty(), "a chunk is never empty");
        events.extend(more);
    }
    assert_eq!(
        chunks.next_chunk().await.expect("the end stays the end"),
        None,
        "after the end there is no more"
    );
    events
}

async fn a_new_log_is_empty(log: Box<dyn SessionLog>) {
    assert_eq!(log.header(), &header("new"), "a log gives the header it was created with");
    assert_eq!(log.head().await.expect("a log has a head"), 0, "entries are numbered from 0");
    assert!(read(&log, 0).await.is_empty(), "a new log holds nothing");
    assert!(read(&log, 7).await.is_empty(), "nothing stands beyond the head");
}

async fn entries_are_numbered_from_0(log: Box<dyn SessionLog>) {
    let batch = one_of_each();
    let (first, second) = batch.split_at(3);
    let head = log.append(0, first).await.expect("a batch can be appended");
    assert_eq!(head, 3, "append returns the new head");
    let head = log.append(3, second).await.expect("a batch can be appended");
    assert_eq!(head, batch.len() as u64, "append returns the new head");
    assert_eq!(log.head().await.expect("a log has a head"), head, "the head is what append returned");
    for (from, expected) in (0..).zip((0..=batch.len()).filter_map(|from| batch.get(from..))) {
        assert_eq!(read(&log, from).await, expected, "a read begins at the entry it asks for: {from}");
    }
}

async fn a_stale_writer_is_refused(log: Box<dyn SessionLog>) {
    log.append(0, &[Event::TurnStart, Event::StepStart]).await.expect("a batch can be appended");
    for stale in [0, 1, 3, u64::MAX] {
        let refused = log.append(stale, &[Event::TurnStart]).await;
        assert!(
            matches!(refused, Err(LogError::Stale { expected, actual: 2 }) if expected == stale),
            "a writer that expects {stale} of 2 is refused with both numbers: {refused:?}",
        );
    }
    assert_eq!(read(&log, 0).await.len(), 2, "a refused append writes nothing");
}

async fn an_empty_batch_writes_nothing(log: Box<dyn SessionLog>) {
    assert_eq!(log.append(0, &[]).await.expect("an empty batch is none"), 0, "an empty batch moves no head");
    let refused = log.append(1, &[]).await;
    assert!(
        matches!(refused, Err(LogError::Stale { expected: 1, actual: 0 })),
        "an empty batch can be stale"
    );
}

async fn a_read_ends_at_the_head_it_began_with(log: Box<dyn SessionLog>) {
    log.append(0, &[Event::TurnStart]).await.expect("a batch can be appended");
    let mut chunks = log.read(0).await.expect("a log can be read");
    log.append(1, &[Event::StepStart]).await.expect("a log that is being read can be appended to");
    let chunk = chunks.next_chunk().await.expect("a chunk can be read");
    let expected = Chunk { first: 0, events: vec![Event::TurnStart] };
    assert_eq!(chunk, Some(expected), "a read ends at the head it began with");
    assert_eq!(chunks.next_chunk().await.expect("the end can be read"), None, "a read ends at that head");
}

async fn one_of_two_writers_wins(log: Box<dyn SessionLog>) {
    let a = [UserMessage::text("a").into(), UserMessage::text("a").into()];
    let b = [UserMessage::text("b").into(), UserMessage::text("b").into()];
    let (first, second) = both(log.append(0, &a), log.append(0, &b)).await;
    assert!(first.is_ok() != second.is_ok(), "of two writers at one place exactly one wins");
    let expected = if first.is_ok() { &a } else { &b };
    assert_eq!(
        read(&log, 0).await,
        expected,
        "the winner's batch is there as a whole, the other's not at all"
    );
}

/// Both futures at once, without a runtime's help.
async fn both<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> (A, B) {
    let (mut a, mut b) = (Box::pin(a), Box::pin(b));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(move |cx| {
        if first.is_none() {
            first = ready(a.as_mut().poll(cx));
        }
        if second.is_none() {
            second = ready(b.as_mut().poll(cx));
        }
        match (first.take(), second.take()) {
            (Some(a), Some(b)) => std::task::Poll::Ready((a, b)),
            (a, b) => {
                (first, second) = (a, b);
                std::task::Poll::Pending
            }
        }
    })
    .await
}

fn ready<T>(poll: std::task::Poll<T>) -> Option<T> {
    match poll {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}

async fn every_entry_comes_back_as_it_was(
    log: Box<dyn SessionLog>,
    reopen: &impl AsyncFn(Box<dyn SessionLog>) -> Box<dyn SessionLog>,
) {
    let batch = one_of_each();
    log.append(0, &batch).await.expect("a batch can be appended");
    let log = reopen(log).await;
    assert_eq!(log.header(), &header("forms"), "the header survives a restart");
    assert_eq!(
        log.head().await.expect("a log has a head"),
        batch.len() as u64,
        "the head survives a restart"
    );
    assert_eq!(read(&log, 0).await, batch, "every entry comes back as it was");
    let head =
        log.append(batch.len() as u64, &[Event::TurnStart]).await.expect("a log goes on after a restart");
    assert_eq!(head, batch.len() as u64 + 1, "numbers go on after a restart");
}

async fn a_long_log_comes_in_chunks_without_gaps(
    log: Box<dyn SessionLog>,
    reopen: &impl AsyncFn(Box<dyn SessionLog>) -> Box<dyn SessionLog>,
) {
    let text = "lang 長い ".repeat(200);
    let entry = |n: u64| Event::from(UserMessage::text(format!("{n} {text}")));
    let mut head = 0;
    for length in [1, 499, 2, 1000, 1, 1497] {
        let batch: Vec<_> = (head..head + length).map(entry).collect();
        head = log.append(head, &batch).await.expect("a batch can be appended");
    }
    let log = reopen(log).await;
    for from in [0, 1, 500, 1501, head - 1] {
        let expected: Vec<_> = (from..head).map(entry).collect();
        assert!(read(&log, from).await == expected, "all entries from {from} on come back, in order");
    }
}
