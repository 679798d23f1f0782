//! What holds whatever an injector says, in whichever order things happen (I3, C12).

use proptest::prelude::*;
use standing_orders::plugin::Instruction;
use standing_orders::testing::TestSession;

use super::{Does, Scripted, builder, harness};

#[derive(Clone, Debug)]
enum Event {
    /// From here on it wants these: id, heading, text.
    Says(Vec<(String, String, String)>),
    Same,
    Fails,
    Step,
    Reject,
    Compact,
    Restart,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c \n\t]{0,6}",
        Just("</system-reminder>\u{0}ñ".to_owned()),
        Just("user-global".to_owned()),
        Just(".\0base".to_owned()),
        any::<String>(),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let instructions = proptest::collection::vec((text(), text(), text()), 0..4);
    prop_oneof![
        2 => instructions.prop_map(Event::Says),
        1 => Just(Event::Same),
        1 => Just(Event::Fails),
        4 => Just(Event::Step),
        1 => Just(Event::Reject),
        1 => Just(Event::Compact),
        1 => Just(Event::Restart),
    ]
}

async fn happen(session: &mut TestSession, plugin: &Scripted, event: &Event) {
    match event {
        Event::Says(instructions) => {
            let wanted = instructions
                .iter()
                .map(|(id, shown, text)| Instruction::text(id.as_str(), shown.as_str(), text.as_str()));
            plugin.now(Does::Want(wanted.collect()));
        }
        Event::Same => plugin.now(Does::Same),
        Event::Fails => plugin.now(Does::Fail("no")),
        Event::Step => {
            session.turn("go").await.unwrap();
        }
        Event::Reject => {
            session.rejected_turn("no").await.unwrap();
        }
        Event::Compact => session.compact("so far").await.unwrap(),
        Event::Restart => session.resume().await.unwrap(),
    }
}

/// Once it wants `instructions` and a step went ahead, exactly they are in force, and neither a
/// step nor a restart says anything more.
async fn settles(session: &mut TestSession, plugin: &Scripted, wanted: &[Instruction]) {
    plugin.now(Does::Want(wanted.to_vec()));
    session.turn("go").await.unwrap();
    let in_force = session.context().in_force();
    let mut ids: Vec<_> = in_force.iter().map(|scope| scope.scope.as_str().to_owned()).collect();
    ids.sort();
    let mut expected: Vec<_> = wanted.iter().map(|instruction| instruction.id.to_string()).collect();
    expected.sort();
    expected.dedup();
    assert_eq!(ids, expected, "what it wants is in force, and nothing else");
    assert!(in_force.iter().all(|scope| !scope.path.contains(['\n', '\r'])), "each path is one line");
    for _ in 0..2 {
        let repeated = session.turn("go").await.unwrap();
        assert!(repeated.is_empty(), "an injector cannot repeat itself: {repeated:?}");
        session.resume().await.unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_happened_before_what_is_wanted_comes_once(
        events in proptest::collection::vec(event(), 0..10),
        last in proptest::collection::vec((text(), text(), text()), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let plugin = Scripted::new("p", Does::Want(Vec::new()));
            let project = harness(builder().injector(plugin.clone()));
            let mut session = project.main("m").await.unwrap();
            for event in &events {
                happen(&mut session, &plugin, event).await;
            }
            let last: Vec<_> = last
                .iter()
                .map(|(id, shown, text)| Instruction::text(id.as_str(), shown.as_str(), text.as_str()))
                .collect();
            settles(&mut session, &plugin, &last).await;
        });
    }

    #[test]
    fn the_same_story_gives_the_same_bytes(events in proptest::collection::vec(event(), 0..10)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let tell = || runtime.block_on(async {
            let plugin = Scripted::new("p", Does::Want(Vec::new()));
            let mut session = harness(builder().injector(plugin.clone())).main("m").await.unwrap();
            for event in &events {
                happen(&mut session, &plugin, event).await;
            }
            session.transcript().await.unwrap()
        });
        prop_assert_eq!(tell(), tell(), "same inputs, same bytes (C10)");
    }
}
