use standing_orders_history::{Event, EventError, History, InboxMessage, InboxSpliced, Queue, UserMessage};

fn splice(queue: Queue, start: usize, remove: usize, insert: &[&str]) -> Event {
    let insert = insert.iter().map(|id| InboxMessage::text(*id, format!("sagt {id} 空"))).collect();
    InboxSpliced { queue, start, remove, insert }.into()
}

fn follow(events: &[Event]) -> Result<History, EventError> {
    let mut history = History::default();
    let mut facts = Vec::new();
    for event in events {
        history.check(std::slice::from_ref(event)).map_err(|(_, error)| error)?;
        history.apply(event.clone(), &mut facts)?;
    }
    assert!(facts.is_empty(), "what waits gives no facts");
    Ok(history)
}

fn ids(history: &History, queue: Queue) -> Vec<&str> {
    history.inbox().queue(queue).iter().map(|message| &*message.id).collect()
}

#[test]
fn a_splice_takes_out_and_puts_in_at_its_place() {
    use Queue::{NextStep, NextTurn};
    let history = follow(&[
        splice(NextTurn, 0, 0, &["a", "b", "c"]),
        splice(NextStep, 0, 0, &["ß"]),
        splice(NextTurn, 1, 1, &["d", "e"]),
        splice(NextTurn, 4, 0, &["f"]),
        splice(NextTurn, 0, 1, &[]),
    ])
    .unwrap();
    assert_eq!(ids(&history, NextTurn), ["d", "e", "c", "f"], "the queue is as spliced");
    assert_eq!(ids(&history, NextStep), ["ß"], "the other queue is as it was");
}

#[test]
fn a_bad_splice_is_an_error_and_changes_nothing() {
    use Queue::{NextStep, NextTurn};
    let before = [splice(NextTurn, 0, 0, &["a", "b"]), splice(NextStep, 0, 0, &["c"])];
    let duplicate = |id: &str| EventError::DuplicateMessage { id: id.into() };
    let bounds = |start, remove| EventError::SpliceOutOfBounds { queue: NextTurn, start, remove, len: 2 };
    let rows = [
        ("begins beyond the end", splice(NextTurn, 3, 0, &["x"]), bounds(3, 0)),
        ("ends beyond the end", splice(NextTurn, 1, 2, &[]), bounds(1, 2)),
        ("overflows", splice(NextTurn, 1, usize::MAX, &[]), bounds(1, usize::MAX)),
        ("an identity of the queue", splice(NextTurn, 0, 1, &["b"]), duplicate("b")),
        ("an identity of the other queue", splice(NextTurn, 0, 0, &["c"]), duplicate("c")),
        ("twice in one", splice(NextTurn, 0, 0, &["ü", "ü"]), duplicate("ü")),
    ];
    for (name, bad, error) in rows {
        let mut history = follow(&before).unwrap();
        let as_before = history.clone();
        assert_eq!(history.check(std::slice::from_ref(&bad)), Err((2, error.clone())), "{name}: checked");
        assert_eq!(history.apply(bad, &mut Vec::new()), Err(error), "{name}: applied");
        assert_eq!(history, as_before, "{name}: a refused entry changes nothing");
    }
}

#[test]
fn a_message_moves_and_replaces_itself_under_its_identity() {
    use Queue::{NextStep, NextTurn};
    let history = follow(&[
        splice(NextTurn, 0, 0, &["a", "b"]),
        splice(NextTurn, 0, 1, &[]),
        splice(NextStep, 0, 0, &["a"]),
        splice(NextTurn, 0, 1, &["b"]),
    ])
    .unwrap();
    assert_eq!(ids(&history, NextStep), ["a"], "what was taken out can be put in again");
    assert_eq!(ids(&history, NextTurn), ["b"], "a splice may put in what it takes out");
}

#[test]
fn a_claimed_message_enters_once() {
    let mut history = follow(&[splice(Queue::NextTurn, 0, 0, &["a", "b"])]).unwrap();
    let (splice_out, messages) = history.inbox().claim(Queue::NextTurn).unwrap();
    assert_eq!(history.inbox().claim(Queue::NextStep), None, "nothing waits there");
    let messages: Vec<Event> = messages.into_iter().map(Event::from).collect();
    let entering = |with: &[Event]| [&[Event::TurnStart, Event::StepStart], with].concat();

    let still = history.check(&entering(&messages));
    assert_eq!(still, Err((3, EventError::StillQueued { id: "a".into() })), "a claim takes out first");
    let twice = [vec![splice_out.clone()], entering(&[&messages[..1], &messages[..1]].concat())].concat();
    let duplicate = EventError::DuplicateMessage { id: "a".into() };
    assert_eq!(
        history.check(&twice),
        Err((5, duplicate.clone())),
        "one identity enters once, in a batch too"
    );

    let batch = [vec![splice_out], entering(&messages)].concat();
    history.check(&batch).unwrap();
    for event in batch {
        history.apply(event, &mut Vec::new()).unwrap();
    }
    assert!(history.inbox().is_empty(), "what was claimed waits no longer");
    let again = splice(Queue::NextTurn, 0, 0, &["a"]);
    assert_eq!(
        history.check(std::slice::from_ref(&again)),
        Err((6, duplicate.clone())),
        "what entered does not come back"
    );
    let message = Event::from(UserMessage::text("a").with_id("a"));
    assert_eq!(history.apply(message, &mut Vec::new()), Err(duplicate), "nor as a message");
}

#[test]
fn a_pushed_message_stands_last() {
    let mut history = follow(&[splice(Queue::NextStep, 0, 0, &["a"])]).unwrap();
    let push = history.inbox().push(Queue::NextStep, InboxMessage::text("b", "später"));
    history.apply(push, &mut Vec::new()).unwrap();
    assert_eq!(ids(&history, Queue::NextStep), ["a", "b"], "first in, first out");
}
