use standing_orders_history::{
    AssistantMessage, Block, Event, EventError, History, Surface, SurfaceReplaced, UserMessage,
};
use standing_orders_session::Fact;

use crate::source;

pub(crate) fn replace(first: u64, last: u64) -> Event {
    SurfaceReplaced { first, last, content: vec![Block::Text("Überblick".into())] }.into()
}

/// A turn with one step whose messages are instructions `i2`, `i3`, …, named after their numbers.
fn with_messages(count: u64) -> (History, Vec<Fact>) {
    let mut history = History::default();
    let mut facts = Vec::new();
    let start = [Event::TurnStart, Event::StepStart];
    let messages =
        (2..2 + count).map(|seq| UserMessage::instruction(&source(&format!("i{seq}")), vec![]).into());
    for event in start.into_iter().chain(messages) {
        history.apply(event, &mut facts).unwrap();
    }
    history.settle(&mut facts);
    facts.clear();
    (history, facts)
}

fn numbers(surface: &Surface) -> Vec<u64> {
    surface.iter().map(|(seq, _)| seq).collect()
}

fn shadowed(facts: &mut Vec<Fact>) -> Vec<String> {
    let mut ids = Vec::new();
    for fact in facts.drain(..) {
        match fact {
            Fact::Shadowed(some) => ids.extend(some.iter().map(ToString::to_string)),
            other => panic!("a replacement gives no other fact: {other:?}"),
        }
    }
    ids
}

#[test]
fn a_summary_stands_where_its_range_began() {
    let (mut history, mut facts) = with_messages(5);
    history.apply(replace(3, 5), &mut facts).unwrap();
    assert_eq!(numbers(history.surface()), [2, 7, 6], "between its neighbours");
    assert_eq!(shadowed(&mut facts), ["i3", "i4", "i5"], "what it replaced is out of view");
    assert_eq!(history.surface().bounds(), Some((2, 6)), "the ends are entries");
}

#[test]
fn a_range_may_hold_begin_or_end_with_a_summary() {
    let (mut history, mut facts) = with_messages(6);
    history.apply(replace(3, 4), &mut facts).unwrap(); // 8
    history.apply(replace(6, 6), &mut facts).unwrap(); // 9
    assert_eq!(numbers(history.surface()), [2, 8, 5, 9, 7], "each at its place");
    shadowed(&mut facts);
    history.apply(replace(8, 9), &mut facts).unwrap(); // 10
    assert_eq!(numbers(history.surface()), [2, 10, 7], "from a summary to a summary");
    assert_eq!(shadowed(&mut facts), ["i5"], "what was out of view already goes once");
    history.apply(replace(2, 7), &mut facts).unwrap(); // 11
    assert_eq!(numbers(history.surface()), [11], "a summary inside goes too");
    assert_eq!(shadowed(&mut facts), ["i2", "i7"], "every live instruction inside the interval");
}

#[test]
fn an_instruction_that_entered_after_a_summary_was_written_is_inside_the_interval() {
    let (mut history, mut facts) = with_messages(2);
    history.apply(replace(2, 3), &mut facts).unwrap(); // 4, at the place of 2
    history.apply(AssistantMessage::text("a").into(), &mut facts).unwrap(); // 5
    shadowed(&mut facts);
    history.apply(replace(4, 5), &mut facts).unwrap();
    assert_eq!(numbers(history.surface()), [6], "the summary of a summary");
    assert!(facts.is_empty(), "no instruction was left to shadow");
}

#[test]
fn a_range_that_names_what_is_not_in_view_is_refused_and_changes_nothing() {
    let (mut history, mut facts) = with_messages(3);
    history.apply(replace(3, 3), &mut facts).unwrap(); // 5, at the place of 3
    facts.clear();
    let rows = [
        ("never there", replace(2, 99), EventError::NotOnSurface { seq: 99 }),
        ("no message", replace(1, 4), EventError::NotOnSurface { seq: 1 }),
        ("replaced already", replace(3, 4), EventError::NotOnSurface { seq: 3 }),
        ("itself", replace(6, 6), EventError::NotOnSurface { seq: 6 }),
        ("reversed", replace(4, 2), EventError::RangeReversed { first: 4, last: 2 }),
        ("reversed by place", replace(4, 5), EventError::RangeReversed { first: 4, last: 5 }),
    ];
    for (name, event, error) in rows {
        let before = history.clone();
        assert_eq!(history.check(std::slice::from_ref(&event)), Err((6, error.clone())), "{name}: checked");
        assert_eq!(history.apply(event, &mut facts), Err(error), "{name}: applied");
        assert!(history == before && facts.is_empty(), "{name}: a refused entry changes nothing");
    }
    history.apply(replace(5, 4), &mut facts).unwrap();
    assert_eq!(numbers(history.surface()), [2, 6], "a summary counts by its place, not its number");
}

#[test]
fn a_batch_is_checked_with_what_it_replaces_itself() {
    let (history, _) = with_messages(3);
    let rows = [
        ("what the batch replaced", vec![replace(2, 3), replace(3, 4)], Some(6)),
        ("the summary it brought", vec![replace(2, 3), replace(5, 4)], None),
        ("a summary it replaced", vec![replace(2, 3), replace(5, 5), replace(5, 4)], Some(7)),
        ("a message it brought", vec![AssistantMessage::text("ü").into(), replace(4, 5)], None),
    ];
    for (name, batch, refused) in rows {
        let checked = history.check(&batch).map_err(|(seq, _)| seq);
        assert_eq!(checked.err(), refused, "{name}");
        let mut applied = history.clone();
        let failed = batch.into_iter().find_map(|event| {
            let seq = applied.next();
            applied.apply(event, &mut Vec::new()).err().map(|_| seq)
        });
        assert_eq!(failed, refused, "{name}: the check agrees with what applying does");
    }
}

#[test]
fn memory_follows_what_is_in_view() {
    let (mut history, mut facts) = with_messages(1);
    for round in 0..5_000 {
        history.apply(AssistantMessage::text("x".repeat(100)).into(), &mut facts).unwrap();
        let (first, last) = history.surface().bounds().unwrap();
        history.apply(replace(first, last), &mut facts).unwrap();
        assert_eq!(history.surface().len(), 1, "round {round}: one summary is in view");
    }
    let size = format!("{:?}", history.surface()).len();
    assert!(size < 10_000, "holes are closed: {size} bytes as text for one entry");
}
