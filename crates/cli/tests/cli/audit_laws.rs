//! The audit against the reference history: whatever is compacted, both end alike.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use standing_orders::history::{AssistantMessage, Block, End, Event, History, SurfaceReplaced, UserMessage};
use standing_orders::inspect::Fold;
use standing_orders::{
    Action, Change, Digest, InjectorId, InstructionSource, MessageId, Scope, SessionHeader,
};

use crate::repo::Repo;

/// The number of an injector, and of scope, action and content of each change.
type Carried = (usize, Vec<(usize, usize, usize)>);

/// Injector, path, digest, and whether it is in force.
type Standing = (String, String, String, bool);

#[derive(Clone, Debug)]
enum Happens {
    /// A step with these instruction messages.
    Step(Vec<Carried>),
    Said,
    Compaction(Index, Index),
}

fn happens() -> impl Strategy<Value = Happens> {
    let change = (0..3_usize, 0..4_usize, 0..3_usize);
    let message = (0..2_usize, prop::collection::vec(change, 0..3));
    prop_oneof![
        4 => prop::collection::vec(message, 0..3).prop_map(Happens::Step),
        1 => Just(Happens::Said),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Happens::Compaction(a, b)),
    ]
}

fn message(serial: u64, injector: usize, changes: &[(usize, usize, usize)]) -> Event {
    let changes = changes.iter().map(|(scope, action, content)| {
        let action = [Action::Set, Action::Replace, Action::Remove, Action::Omit][*action];
        let name = ["a.md", "é.md", "z.md"][*scope];
        let digest = (action != Action::Remove).then(|| Digest::of(&content.to_string()));
        Change { action, scope: Scope::of(".", name), path: name.to_owned(), previous: None, digest }
    });
    let source = InstructionSource {
        id: MessageId::from(format!("m{serial}")),
        injector: InjectorId::from(["workspace", "ü"][injector]),
        baseline: false,
        baseline_identity: None,
        replaces: None,
        cwd: Digest::of("/ws"),
        at: ".".to_owned(),
        changes: changes.collect(),
    };
    UserMessage::instruction(&source, vec![Block::Text(format!("text {serial}"))]).into()
}

/// The entries, and the scopes that the fold says are in force behind them, or left out.
fn run(happens: &[Happens]) -> (Vec<Event>, BTreeSet<Standing>) {
    let (mut history, mut facts, mut events) = (History::default(), Vec::new(), Vec::new());
    let mut apply = |history: &mut History, event: Event| {
        history.apply(event.clone(), &mut facts).expect("the entry can stand there");
        events.push(event);
    };
    apply(&mut history, Event::TurnStart);
    for happens in happens {
        match happens {
            Happens::Step(messages) => {
                apply(&mut history, Event::StepStart);
                for (injector, changes) in messages {
                    let event = message(history.next(), *injector, changes);
                    apply(&mut history, event);
                }
                apply(&mut history, Event::StepEnd(End::default()));
            }
            Happens::Said => apply(&mut history, AssistantMessage::text("ok").into()),
            Happens::Compaction(a, b) => {
                let visible: Vec<u64> = history.surface().iter().map(|(seq, _)| seq).collect();
                if visible.is_empty() {
                    continue;
                }
                let (a, b) = (a.index(visible.len()), b.index(visible.len()));
                let (first, last) = (visible[a.min(b)], visible[a.max(b)]);
                apply(&mut history, SurfaceReplaced { first, last, content: Vec::new() }.into());
            }
        }
    }
    history.settle(&mut facts);
    let fold = Fold::replay(facts);
    let mut standing = BTreeSet::new();
    for injector in fold.injectors() {
        standing.extend(fold.scopes(injector).map(|scope| {
            let digest = scope.state.digest().to_string();
            (injector.to_string(), scope.path.to_string(), digest, scope.state.is_in_force())
        }));
    }
    (events, standing)
}

/// The same in the words of another program: a line a number, the header's the first, and ranges of them.
fn foreign(events: &[Event], named: bool) -> String {
    let mut log = format!("{}\n", json!({ "type": "session", "id": "é", "cwd": "/ws" }));
    for (seq, event) in events.iter().enumerate() {
        let mut line = match event {
            Event::UserMessage(message) => {
                let source = message.source.as_ref().map(|source| source.to_value().unwrap());
                let content = json!([{ "type": "text", "text": format!("text {seq}") }]);
                let data = json!({ "role": "user", "content": content, "source": source });
                json!({ "type": "user/message", "data": data, "surfaceOp": "append" })
            }
            Event::SurfaceReplaced(SurfaceReplaced { first, last, .. }) => {
                let source = json!({ "kind": "plugin", "plugin": "compact" });
                let data = json!({ "role": "user", "content": "summary", "source": source });
                let operation = json!({ "op": "replace", "start": first + 1, "end": last + 1 });
                json!({ "type": "user/message", "data": data, "surfaceOp": operation })
            }
            Event::AssistantMessage(_) => json!({ "type": "assistant/message", "text": "ok" }),
            Event::StepStart => json!({ "type": "step/start" }),
            Event::StepEnd(_) => json!({ "type": "step/end" }),
            _ => json!({ "type": "turn/start" }),
        };
        if named {
            line["seq"] = json!(seq + 1);
        }
        log.push_str(&format!("{line}\n"));
    }
    log
}

/// What stands at the end by an audit.
fn audited(log: &str) -> Result<BTreeSet<Standing>, TestCaseError> {
    let repo = Repo::with(&[("r/log", log)]);
    let output = repo.run(["audit", "--json", "log"]).output().unwrap();
    let audited: Value = serde_json::from_slice(&output.stdout).unwrap();
    let log = &audited["logs"][0];
    prop_assert_eq!(&log["damage_count"], 0, "nothing is wrong with the log");
    let standing = |name: &str, in_force: bool| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let scopes = log[name].as_array().unwrap().iter();
        scopes
            .map(|s| (text(&s["injector"]), text(&s["path"]), text(&s["digest"]), in_force))
            .collect::<Vec<_>>()
    };
    Ok(standing("in_force", true).into_iter().chain(standing("left_out", false)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_at_the_end_is_that_of_the_reference_history(
        happens in prop::collection::vec(happens(), 0..24),
    ) {
        let (events, expected) = run(&happens);
        let mut log = format!("{}\n", serde_json::to_value(SessionHeader::main("s", 0)).unwrap());
        for (seq, event) in events.iter().enumerate() {
            let mut line = serde_json::to_value(event).unwrap();
            line["seq"] = json!(seq);
            log.push_str(&format!("{line}\n"));
        }
        prop_assert_eq!(audited(&log)?, expected, "compaction counts as in the surface (H5)");
    }

    #[test]
    fn a_log_of_another_program_that_names_the_same_ranges_ends_alike(
        happens in prop::collection::vec(happens(), 0..24),
        named in any::<bool>(),
    ) {
        let (events, expected) = run(&happens);
        let log = foreign(&events, named);
        prop_assert_eq!(audited(&log)?, expected, "exactly what a replacement names leaves the view: {}", log);
    }
}
