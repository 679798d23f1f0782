use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use proptest::prelude::*;
use standing_orders_history::{
    AssistantMessage, End, EndOutcome, Event, EventError, ForeignEvent, History, Json, SystemMessage,
    ToolCall, ToolResult, UserMessage,
};
use standing_orders_session::Fact;

use crate::source;
use crate::surface::replace;

fn result(id: &str, ok: bool, touched: &[&str], parent: Option<&str>) -> Event {
    ToolResult {
        id: id.into(),
        name: "read".into(),
        ok,
        touched: touched.iter().map(PathBuf::from).collect(),
        parent: parent.map(Into::into),
        ..ToolResult::default()
    }
    .into()
}

fn instruction(id: &str) -> Event {
    UserMessage::instruction(&source(id), vec![]).into()
}

fn facts_of(events: impl IntoIterator<Item = Event>) -> Vec<Fact> {
    let mut history = History::default();
    let mut facts = Vec::new();
    for event in events {
        history.apply(event, &mut facts).unwrap();
    }
    history.settle(&mut facts);
    facts
}

fn touched(paths: &[&str]) -> Fact {
    Fact::Touched(paths.iter().map(PathBuf::from).collect())
}

#[test]
fn a_step_is_one_fact_with_the_sources_of_its_messages() {
    let foreign = Event::from(ForeignEvent::new("note", Json::of("ü").unwrap()).unwrap());
    let facts = facts_of([
        Event::TurnStart,
        Event::StepStart,
        SystemMessage { text: "be kind".into() }.into(),
        UserMessage::text("grüß dich").into(),
        instruction("i1"),
        foreign,
        instruction("i2"),
        AssistantMessage::text("hallo").into(),
        Event::StepEnd(End::default()),
        Event::StepStart,
        Event::StepEnd(End::default()),
    ]);
    let expected = [
        Fact::Entered(vec![source("i1"), source("i2")]),
        Fact::StepClosed,
        Fact::Entered(vec![]),
        Fact::StepClosed,
    ];
    assert_eq!(facts, expected, "a step without instructions enters too");
}

#[test]
fn a_foreign_source_enters_no_instruction() {
    let foreign = UserMessage::text("x").with_source(Json::parse(r#"{"kind":"else"}"#).unwrap());
    let facts = facts_of([Event::TurnStart, Event::StepStart, foreign.into()]);
    assert_eq!(facts, [Fact::Entered(vec![])], "what is not ours is ignored");
}

#[test]
fn touches_of_inner_calls_count_when_the_outermost_settles() {
    let rows = [
        ("one call", vec![result("a", true, &["x", "ü"], None)], vec![touched(&["x", "ü"])]),
        ("a failed call", vec![result("a", false, &["x"], None)], vec![]),
        ("no paths", vec![result("a", true, &[], None)], vec![]),
        (
            "inner ones, the outer one failed",
            vec![
                result("i1", true, &["a"], Some("o")),
                result("i2", false, &["b"], Some("o")),
                result("o", false, &["c"], None),
            ],
            vec![touched(&["a"])],
        ),
        (
            "two levels, beside another call",
            vec![
                result("j", true, &["deep"], Some("i")),
                result("x", true, &["beside"], None),
                result("i", true, &["mid"], Some("o")),
                result("o", true, &["top"], None),
            ],
            vec![touched(&["beside"]), touched(&["deep", "mid", "top"])],
        ),
        ("an outer one that never settled", vec![result("i", true, &["a"], Some("o"))], vec![]),
    ];
    for (name, events, expected) in rows {
        assert_eq!(facts_of(events), expected, "{name}");
    }
}

#[test]
fn inner_touches_end_with_their_instance() {
    let facts = facts_of([
        Event::TurnStart,
        Event::StepStart,
        result("i", true, &["a"], Some("o")),
        Event::StepEnd(End::default()),
        Event::InstanceStart,
        result("o", false, &[], None),
    ]);
    assert_eq!(facts, [Fact::Entered(vec![]), Fact::StepClosed], "the call died with its instance");
}

#[test]
fn a_new_instance_ends_what_the_former_one_left_open_and_nothing_else() {
    let mut history = History::default();
    let mut apply = |event: Event| {
        history.apply(event, &mut Vec::new()).unwrap();
        history.settle(&mut Vec::new());
        history.takeover()
    };
    let interrupted = Event::StepEnd(End { outcome: EndOutcome::Interrupted });
    assert_eq!(apply(Event::TurnStart), [], "an open turn goes on");
    assert_eq!(apply(Event::StepStart), std::slice::from_ref(&interrupted), "an open step is closed");
    let both = [interrupted.clone(), Event::InstanceStart];
    assert_eq!(apply(result("i", true, &["a"], Some("o"))), both, "an inner call has not settled");
    assert_eq!(apply(interrupted), [Event::InstanceStart]);
    assert_eq!(apply(Event::InstanceStart), [], "a second resume has nothing to add");
}

#[test]
fn inner_calls_are_not_on_the_surface() {
    let call = |id: &str, parent: Option<&str>| {
        let parent = parent.map(Into::into);
        Event::from(ToolCall { id: id.into(), name: "n".into(), arguments: Json::of(&()).unwrap(), parent })
    };
    let mut history = History::default();
    for event in [
        call("o", None),
        call("i", Some("o")),
        result("i", true, &[], Some("o")),
        result("o", true, &[], None),
    ] {
        history.apply(event, &mut Vec::new()).unwrap();
    }
    let seen: Vec<_> = history.surface().iter().map(|(seq, _)| seq).collect();
    assert_eq!(seen, [0, 3], "the model sees its own call and what came back");
}

#[test]
fn what_cannot_stand_where_it_does_is_refused() {
    use Event::{StepStart, TurnStart};
    let (turn_end, step_end) = (Event::TurnEnd(End::default()), Event::StepEnd(End::default()));
    let user = Event::from(UserMessage::text("spät"));
    let said = Event::from(AssistantMessage::text("x"));
    let rows = [
        ("a turn in a turn", vec![TurnStart], TurnStart, EventError::TurnOpen),
        ("a turn in a step", vec![TurnStart, StepStart], TurnStart, EventError::TurnOpen),
        ("an end without a turn", vec![], turn_end.clone(), EventError::NoTurn),
        ("a turn's end in a step", vec![TurnStart, StepStart], turn_end, EventError::StepOpen),
        ("a step without a turn", vec![], StepStart, EventError::NoTurn),
        ("a step in a step", vec![TurnStart, StepStart], StepStart, EventError::StepOpen),
        ("an end without a step", vec![TurnStart], step_end, EventError::NoStep),
        ("a message outside a step", vec![TurnStart], user.clone(), EventError::LateMessage),
        ("a message after an answer", vec![TurnStart, StepStart, said], user, EventError::LateMessage),
    ];
    for (name, before, event, error) in rows {
        let mut history = History::default();
        let mut facts = Vec::new();
        for event in before.clone() {
            history.apply(event, &mut facts).unwrap();
        }
        let as_before = (history.clone(), facts.clone());
        let seq = history.next();
        let whole = [before, vec![event.clone()]].concat();
        assert_eq!(History::default().check(&whole), Err((seq, error.clone())), "{name}: checked");
        assert_eq!(history.apply(event, &mut facts), Err(error), "{name}: applied");
        assert_eq!((history, facts), as_before, "{name}: a refused entry changes nothing");
    }
}

#[test]
fn a_message_after_the_batch_of_its_step_is_late() {
    let mut history = History::default();
    for event in [Event::TurnStart, Event::StepStart] {
        history.apply(event, &mut Vec::new()).unwrap();
    }
    history.settle(&mut Vec::new());
    let late = [UserMessage::text("spät").into()];
    assert_eq!(history.check(&late), Err((2, EventError::LateMessage)), "a batch's end ends the messages");
}

#[test]
fn the_system_prompt_is_the_last_one_recorded() {
    let mut history = History::default();
    assert_eq!(history.system(), None, "none yet");
    for text in ["one", "zwei ü"] {
        history.apply(SystemMessage { text: text.into() }.into(), &mut Vec::new()).unwrap();
    }
    assert_eq!(history.system(), Some("zwei ü"), "verbatim");
    assert!(history.surface().is_empty(), "it is not a message");
}

/// One move of a random history; numbers are reduced to what is possible.
#[derive(Clone, Debug)]
enum Move {
    Step(Vec<bool>),
    Say,
    Tool { ok: bool, inner: Option<u8>, path: u8 },
    Replace(u16, u16),
    CloseStep,
    CloseTurn,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => prop::collection::vec(any::<bool>(), 0..4).prop_map(Move::Step),
        3 => Just(Move::Say),
        3 => (any::<bool>(), prop::option::of(0..3_u8), any::<u8>())
            .prop_map(|(ok, inner, path)| Move::Tool { ok, inner, path }),
        4 => (any::<u16>(), any::<u16>()).prop_map(|(a, b)| Move::Replace(a, b)),
        2 => Just(Move::CloseStep),
        1 => Just(Move::CloseTurn),
    ];
    prop::collection::vec(one, 0..60)
}

/// What is in view after `events`, worked out anew with nothing but a list.
fn naive(events: &[Event]) -> Vec<(u64, Option<String>)> {
    let mut view: Vec<(u64, Option<String>)> = Vec::new();
    for (seq, event) in (0..).zip(events) {
        match event {
            Event::UserMessage(message) => {
                let id = message.instruction_source().map(|source| source.unwrap().id.to_string());
                view.push((seq, id));
            }
            Event::AssistantMessage(_) => view.push((seq, None)),
            Event::ToolResult(result) if result.parent.is_none() => view.push((seq, None)),
            Event::SurfaceReplaced(range) => {
                let at = |wanted| view.iter().position(|(seq, _)| *seq == wanted).unwrap();
                let (first, last) = (at(range.first), at(range.last));
                view.splice(first..=last, [(seq, None)]);
            }
            _ => {}
        }
    }
    view
}

/// The batches that the moves make, each possible where it stands.
fn batches(moves: &[Move]) -> Vec<Vec<Event>> {
    let mut batches: Vec<Vec<Event>> = Vec::new();
    let (mut turn, mut step, mut count) = (false, false, 0);
    for one in moves {
        let so_far = batches.concat();
        let batch = match one {
            Move::Step(messages) => {
                let mut batch = Vec::new();
                if step {
                    batch.push(Event::StepEnd(End::default()));
                }
                if !turn {
                    batch.push(Event::TurnStart);
                }
                (turn, step) = (true, true);
                batch.push(Event::StepStart);
                for ours in messages {
                    count += 1;
                    let id = format!("i{count}");
                    batch.push(if *ours { instruction(&id) } else { UserMessage::text("ä").into() });
                }
                batch
            }
            Move::Say => vec![AssistantMessage::text("ö").into()],
            Move::Tool { ok, inner, path } => {
                let parent = inner.map(|parent| format!("c{parent}"));
                let id = format!("c{}", path % 5);
                let parent = parent.filter(|parent| *parent != id);
                vec![result(&id, *ok, &[&format!("p{path}")], parent.as_deref())]
            }
            Move::Replace(a, b) => {
                let view = naive(&so_far);
                if view.is_empty() {
                    continue;
                }
                let (a, b) = (usize::from(*a) % view.len(), usize::from(*b) % view.len());
                vec![replace(view[a.min(b)].0, view[a.max(b)].0)]
            }
            Move::CloseStep if step => {
                step = false;
                vec![Event::StepEnd(End::default())]
            }
            Move::CloseTurn if turn => {
                let mut batch = Vec::new();
                if step {
                    batch.push(Event::StepEnd(End { outcome: EndOutcome::Interrupted }));
                }
                (turn, step) = (false, false);
                batch.push(Event::TurnEnd(End::default()));
                batch.push(Event::InstanceStart);
                batch
            }
            Move::CloseStep | Move::CloseTurn => continue,
        };
        batches.push(batch);
    }
    batches
}

/// The touches of `events` by the rule of C5, worked out from call trees at the end.
fn naive_touches(events: &[Event]) -> Vec<PathBuf> {
    let mut waiting: HashMap<String, Vec<PathBuf>> = HashMap::new();
    let mut counted = Vec::new();
    for event in events {
        match event {
            Event::ToolResult(result) => {
                let mut paths = waiting.remove(&result.id).unwrap_or_default();
                if result.ok {
                    paths.extend(result.touched.clone());
                }
                match &result.parent {
                    Some(parent) => waiting.entry(parent.clone()).or_default().extend(paths),
                    None => counted.extend(paths),
                }
            }
            Event::InstanceStart => waiting.clear(),
            _ => {}
        }
    }
    counted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Law: following batch by batch equals replay from any prefix equals a naive recomputation,
    /// in what is in view and in the facts.
    #[test]
    fn following_equals_replay_equals_recomputation(moves in moves()) {
        let batches = batches(&moves);
        let mut followed = History::default();
        let mut follow_facts = Vec::new();
        let mut events: Vec<Event> = Vec::new();
        let mut prefixes = vec![(followed.clone(), 0)];
        for batch in &batches {
            prop_assert_eq!(followed.check(batch), Ok(()), "a possible batch passes the check");
            for event in batch {
                followed.apply(event.clone(), &mut follow_facts).unwrap();
            }
            followed.settle(&mut follow_facts);
            events.extend(batch.iter().cloned());

            let view: Vec<_> = followed.surface().iter().map(|(seq, _)| seq).collect();
            let instructions: Vec<_> = followed.surface().instructions().map(ToString::to_string).collect();
            let expected = naive(&events);
            prop_assert_eq!(view, expected.iter().map(|(seq, _)| *seq).collect::<Vec<_>>());
            let ids: Vec<_> = expected.into_iter().filter_map(|(_, id)| id).collect();
            prop_assert_eq!(&instructions, &ids, "in surface order");
            prefixes.push((followed.clone(), follow_facts.len()));
        }

        let mut start = 0;
        for (at, (prefix, known)) in prefixes.iter().enumerate() {
            let mut replayed = prefix.clone();
            let mut facts = Vec::new();
            for event in &events[start..] {
                replayed.apply(event.clone(), &mut facts).unwrap();
            }
            replayed.settle(&mut facts);
            prop_assert_eq!(&replayed, &followed, "replay from prefix {}", at);
            prop_assert_eq!(&facts[..], &follow_facts[*known..], "facts from prefix {}", at);
            start += batches.get(at).map_or(0, Vec::len);
        }

        let mut in_view = HashSet::new();
        let mut touches = Vec::new();
        for fact in follow_facts {
            match fact {
                Fact::Entered(sources) => in_view.extend(sources.into_iter().map(|source| source.id.to_string())),
                Fact::Shadowed(ids) => for id in ids {
                    prop_assert!(in_view.remove(id.as_str()), "what is shadowed was in view");
                },
                Fact::Touched(paths) => touches.extend(paths),
                Fact::ShadowedExcept(_) | Fact::StepClosed => {}
            }
        }
        let expected: HashSet<_> = naive(&events).into_iter().filter_map(|(_, id)| id).collect();
        prop_assert_eq!(in_view, expected, "the facts alone tell what is in view");
        prop_assert_eq!(touches, naive_touches(&events), "the facts alone tell what was touched");
    }

    /// Law: the check of a batch says what applying it would say, for any entries in any order.
    #[test]
    fn the_check_agrees_with_applying(moves in moves(), picks in prop::collection::vec(any::<u16>(), 0..12)) {
        let pool = batches(&moves).concat();
        prop_assume!(!pool.is_empty());
        let batch: Vec<Event> =
            picks.iter().map(|pick| pool[usize::from(*pick) % pool.len()].clone()).collect();
        let half = batch.len() / 2;
        let mut history = History::default();
        for event in &batch[..half] {
            let _ = history.apply(event.clone(), &mut Vec::new());
        }
        history.settle(&mut Vec::new());
        let checked = history.check(&batch[half..]);
        let applied = batch[half..].iter().try_for_each(|event| {
            let seq = history.next();
            history.apply(event.clone(), &mut Vec::new()).map_err(|error| (seq, error))
        });
        prop_assert_eq!(checked, applied);
    }
}
