//! Looking on (I7).

use std::sync::{Arc, Mutex};

use standing_orders::Fact;
use standing_orders::Prepared;
use standing_orders::plugin::Observer;
use standing_orders::testing::TestSession;

use super::{Scripted, builder, harness};

#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Observer for Notes {
    fn prepared(&self, session: &str, prepared: &Prepared) {
        self.0.lock().unwrap().push(format!("{session} prepared {}", prepared.messages().len()));
    }
    fn entered(&self, session: &str, prepared: &Prepared) {
        let problems = prepared.report().problems().len();
        self.0.lock().unwrap().push(format!("{session} entered, {problems} problems"));
    }
    fn fact(&self, session: &str, fact: &Fact) {
        let name = match fact {
            Fact::Entered(_) => "entered",
            Fact::Shadowed(_) | Fact::ShadowedExcept(_) => "shadowed",
            Fact::Touched(_) => "touched",
            Fact::StepClosed => "closed",
        };
        self.0.lock().unwrap().push(format!("{session} fact {name}"));
    }
}

async fn run(session: &mut TestSession) {
    session.turn("go").await.unwrap();
    session.touch("src/añá.rs").await.unwrap();
    session.step().await.unwrap();
    session.compact("so far").await.unwrap();
    session.rejected_turn("no").await.unwrap();
    session.turn("yes").await.unwrap();
}

#[tokio::test]
async fn an_observer_is_told_of_what_is_prepared_of_what_entered_and_of_facts() {
    let notes = Notes::default();
    let project = harness(builder().observer(notes.clone()).injector(Scripted::wanting("p", "note")));
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    assert_eq!(notes.take(), ["m prepared 1", "m entered, 0 problems"]);
    main.touch("src/añá.rs").await.unwrap();
    assert_eq!(notes.take(), ["m fact touched"]);
    main.compact("so far").await.unwrap();
    assert_eq!(notes.take(), ["m fact closed", "m fact shadowed"]);
    main.rejected_turn("no").await.unwrap();
    assert_eq!(notes.take(), ["m prepared 1"], "it was prepared, and did not enter");
    drop(main.context().due(standing_orders::StepInput::default()).await);
    assert!(notes.take().is_empty(), "a look that is no step tells nobody");
}

#[tokio::test]
async fn a_session_that_is_looked_on_at_is_the_same_session() {
    let plain = harness(builder().injector(Scripted::wanting("p", "note")));
    let watched = harness(builder().observer(Notes::default()).injector(Scripted::wanting("p", "note")));
    let (mut plain, mut watched) = (plain.main("m").await.unwrap(), watched.main("m").await.unwrap());
    run(&mut plain).await;
    run(&mut watched).await;
    let (plain, watched) = (plain.transcript().await.unwrap(), watched.transcript().await.unwrap());
    assert_eq!(plain, watched, "an observer cannot change anything");
}
