use std::sync::Arc;

use standing_orders_history::{
    AssistantMessage, End, EndOutcome, Event, EventError, LogError, MemoryLog, Session, SessionError,
    SessionLog, ToolResult, UserMessage,
};
use standing_orders_session::{Fact, SessionHeader};

use crate::source;
use crate::surface::replace;

fn log() -> Arc<MemoryLog> {
    Arc::new(MemoryLog::new(SessionHeader::main("sitzung-空", 0).with_cwd("/ws")))
}

fn first_step() -> Vec<Event> {
    vec![
        Event::TurnStart,
        Event::StepStart,
        UserMessage::text("grüß dich").into(),
        UserMessage::instruction(&source("i1"), vec![]).into(),
    ]
}

#[tokio::test]
async fn a_session_appends_and_comes_back() {
    let log = log();
    let (mut session, facts) = Session::open(Arc::clone(&log)).await.unwrap();
    assert!(facts.is_empty(), "a new session has no facts");
    let mut followed = session.append(first_step()).await.unwrap();
    let touched = ToolResult { ok: true, touched: vec!["a".into()], ..ToolResult::default() };
    followed.extend(session.append(vec![touched.into()]).await.unwrap());
    followed.extend(session.append(vec![replace(2, 3)]).await.unwrap());
    let expected = [
        Fact::Entered(vec![source("i1")]),
        Fact::Touched(vec!["a".into()]),
        Fact::Shadowed(vec!["i1".into()]),
    ];
    assert_eq!(followed, expected, "each batch gives its own facts");

    let (again, replayed) = Session::open(log).await.unwrap();
    assert_eq!(replayed, followed, "a replay gives the same facts");
    assert_eq!(again.history(), session.history(), "and the same state");
    assert_eq!(again.header().id(), "sitzung-空", "and the same header");
}

#[tokio::test]
async fn an_unfinished_step_is_closed_on_resume_and_only_once() {
    let log = log();
    let (mut session, _) = Session::open(Arc::clone(&log)).await.unwrap();
    session.append(first_step()).await.unwrap();
    drop(session);

    let (mut resumed, facts) = Session::open(Arc::clone(&log)).await.unwrap();
    assert_eq!(facts, [Fact::Entered(vec![source("i1")])], "the step had entered");
    assert_eq!(resumed.resume().await.unwrap(), [Fact::StepClosed], "it is closed");
    assert!(resumed.history().turn_open(), "the turn is left to the host");
    assert_eq!(resumed.resume().await.unwrap(), [], "there is nothing more to close");
    assert_eq!(log.head().await.unwrap(), 5, "one entry was added");
    resumed.append(vec![Event::TurnEnd(End { outcome: EndOutcome::Interrupted })]).await.unwrap();
}

#[tokio::test]
async fn a_refused_batch_is_not_written() {
    let log = log();
    let (mut session, _) = Session::open(Arc::clone(&log)).await.unwrap();
    let error = session.append([first_step(), vec![Event::StepStart]].concat()).await.unwrap_err();
    let SessionError::Refused { seq: 4, source: EventError::StepOpen } = error else {
        panic!("the entry and the reason are named: {error:?}");
    };
    assert_eq!(log.head().await.unwrap(), 0, "a batch is there as a whole or not at all");
    assert_eq!(session.history().next(), 0, "nor is it in memory");
    session.append(first_step()).await.unwrap();
}

#[tokio::test]
async fn a_stale_session_catches_up_and_goes_on() {
    let log = log();
    let (mut one, _) = Session::open(Arc::clone(&log)).await.unwrap();
    let (mut other, _) = Session::open(Arc::clone(&log)).await.unwrap();
    other.append(first_step()).await.unwrap();

    let error = one.append(vec![Event::TurnStart]).await.unwrap_err();
    let SessionError::Log(LogError::Stale { expected: 0, actual: 4 }) = error else {
        panic!("a stale writer is refused with both numbers: {error:?}");
    };
    let facts = one.catch_up().await.unwrap();
    assert_eq!(facts, [Fact::Entered(vec![source("i1")])], "what the other appended");
    assert_eq!(one.history(), other.history(), "both are at one state");
    one.append(vec![AssistantMessage::text("x").into()]).await.unwrap();
    assert_eq!(one.catch_up().await.unwrap(), [], "nothing more to catch up with");
}

#[tokio::test]
async fn a_log_that_breaks_the_rules_is_refused_with_the_entry() {
    let log = log();
    log.append(0, &[Event::TurnStart, UserMessage::text("ü").into()]).await.unwrap();
    let error = Session::open(log).await.unwrap_err();
    assert_eq!(error.to_string(), "event 1 cannot stand where it does", "the entry is named");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("right after the step_start"), "the reason is its source: {source}");
}

#[tokio::test]
async fn futures_are_send() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let (mut session, _) = send(Session::open(log())).await.unwrap();
    send(session.append(first_step())).await.unwrap();
    send(session.resume()).await.unwrap();
    assert!(send(session.catch_up()).await.unwrap().is_empty(), "there is no other writer");
}
