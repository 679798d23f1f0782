//! What a host does with its history: append twice, take back, compact, let others write (H3, C5, C11).

use std::sync::Arc;

use serde_json::json;
use standing_orders::driver::{Decision, Driver, InboxMessage, SettledCall};
use standing_orders::plugin::SessionHeader;
use standing_orders::{Context, EnterError, Prepared, StepInput};
use standing_orders_fs::MemoryFs;
use standing_orders_history::{MemoryLog, Queue};
use standing_orders_session::{Fact, InstructionSource};

use super::{engine, project, session};

async fn due(context: &Context) -> Vec<String> {
    paths(&context.pre_step(StepInput::default()).await)
}

fn paths(prepared: &Prepared) -> Vec<String> {
    let changes = prepared.messages().iter().flat_map(|message| &message.source.changes);
    changes.map(|change| change.path.clone()).collect()
}

async fn first_step(fs: &MemoryFs) -> Vec<InstructionSource> {
    session(fs, "s").open([]).unwrap().pre_step(StepInput::default()).await.sources()
}

#[tokio::test]
async fn what_two_writers_appended_both_leaves_the_view_as_one_message() {
    let fs = project();
    let (mut a, mut b) = (session(&fs, "s").open([]).unwrap(), session(&fs, "s").open([]).unwrap());
    let (first, second) = (a.pre_step(StepInput::default()).await, b.pre_step(StepInput::default()).await);
    let sources = first.sources();
    let id = sources[0].id.clone();
    assert_eq!(id, second.sources()[0].id, "same inputs, same identity");
    a.entered(first).unwrap();
    b.apply([Fact::Entered(sources.clone())]);
    let Err(EnterError::Stale { sources: again }) = b.entered(second) else { panic!("the second is stale") };
    // It was appended all the same.
    b.apply([Fact::Entered(again.clone())]);
    a.apply([Fact::Entered(again.clone())]);
    let gone = Fact::Shadowed(vec![id.clone(), id]);
    a.apply([gone.clone()]);
    b.apply([gone.clone()]);
    let replayed = session(&fs, "s").open([Fact::Entered(sources), Fact::Entered(again), gone]).unwrap();
    for (name, context) in [("the first writer", &a), ("the second", &b), ("a restart", &replayed)] {
        assert_eq!(context.in_force(), [], "{name}: no copy is in view");
        assert_eq!(due(context).await, ["AGENTS.md"], "{name}: a compaction restores it (C11)");
    }
}

#[tokio::test]
async fn a_repeated_append_is_one_message() {
    let fs = project();
    let sources = first_step(&fs).await;
    let id = sources[0].id.clone();
    let entered = || Fact::Entered(sources.clone());
    let rows = [
        ("named once", vec![entered(), entered(), Fact::Shadowed(vec![id.clone()])], vec!["AGENTS.md"]),
        ("all of it", vec![entered(), entered(), Fact::ShadowedExcept(vec![])], vec!["AGENTS.md"]),
        ("kept", vec![entered(), entered(), Fact::ShadowedExcept(vec![id])], vec![]),
    ];
    for (name, facts, expected) in rows {
        assert_eq!(due(&session(&fs, "s").open(facts).unwrap()).await, expected, "{name}");
    }
}

#[tokio::test]
async fn the_newest_copy_of_a_message_decides() {
    let fs = project();
    let baseline = first_step(&fs).await;
    let mut context = session(&fs, "s").open([Fact::Entered(baseline.clone())]).unwrap();
    fs.write("/ws/AGENTS.md", "other rules");
    let update = context.pre_step(StepInput::default()).await;
    context.entered(update).unwrap();
    assert_eq!(due(&context).await, [""; 0], "updated");
    context.apply([Fact::Entered(baseline)]);
    assert_eq!(due(&context).await, ["AGENTS.md"], "the text that stands last is the old one again");
}

/// What a driver over a log finds due, and the log.
async fn with_late_touch(restart: bool) -> Vec<String> {
    let fs = project();
    fs.write("/ws/pkg/AGENTS.md", "pkg");
    let header = || SessionHeader::main("s", 0).with_cwd("/ws");
    let setup = || engine().session(header()).fs(Arc::new(fs.clone()));
    let log = MemoryLog::new(header());
    let mut driver = Driver::open(setup(), log.clone()).await.unwrap();
    driver.send(Queue::NextTurn, InboxMessage::text("p1", "hi")).await.unwrap();
    let first = driver.pre_step(StepInput::default()).await.unwrap();
    driver.settled(SettledCall::ok("read", json!({"file_path": "pkg/x"}))).await.unwrap();
    driver.decide(first, Decision::Enter).await.unwrap();
    driver.end_step().await.unwrap();
    if restart {
        driver = Driver::open(setup(), log.clone()).await.unwrap();
    }
    paths(driver.pre_step(StepInput::default()).await.unwrap().prepared())
}

#[tokio::test]
async fn a_touch_between_pre_step_and_entering_is_due_with_and_without_a_restart() {
    for restart in [false, true] {
        assert_eq!(with_late_touch(restart).await, ["pkg/AGENTS.md"], "restart: {restart}");
    }
}

#[tokio::test]
async fn a_step_of_another_writer_answers_no_touch_of_ours() {
    let fs = project();
    fs.write("/ws/pkg/AGENTS.md", "pkg");
    let theirs = first_step(&fs).await;
    let mut ours = session(&fs, "s").open([]).unwrap();
    ours.touches().report("pkg/x");
    ours.apply([Fact::Entered(theirs), Fact::StepClosed, Fact::Entered(vec![])]);
    assert_eq!(due(&ours).await, ["pkg/AGENTS.md"], "they did not know of it (C5)");
}

#[tokio::test]
async fn a_boundary_that_another_writer_overtook_is_stale() {
    let fs = project();
    let header = || SessionHeader::main("s", 0).with_cwd("/ws");
    let setup = || engine().session(header()).fs(Arc::new(fs.clone()));
    let log = MemoryLog::new(header());
    let mut ours = Driver::open(setup(), log.clone()).await.unwrap();
    let mut theirs = Driver::open(setup(), log.clone()).await.unwrap();
    ours.send(Queue::NextTurn, InboxMessage::text("p1", "hi")).await.unwrap();
    let boundary = ours.pre_step(StepInput::default()).await.unwrap();
    theirs.catch_up().await.unwrap();
    theirs.settled(SettledCall::ok("read", json!({"file_path": "pkg/x"}))).await.unwrap();
    ours.catch_up().await.unwrap();
    let refused = ours.decide(boundary, Decision::Enter).await.unwrap_err();
    assert!(refused.is_stale(), "its pre-step did not know of their touch: {refused}");
}

/// A host that takes messages back opens the context again from the facts that are left (H3).
#[tokio::test]
async fn after_a_rewind_a_context_opened_anew_asks_again_for_what_was_taken_back() {
    let fs = project();
    fs.write("/ws/pkg/AGENTS.md", "pkg");
    let mut facts = vec![Fact::Entered(first_step(&fs).await)];
    let mut context = session(&fs, "s").open(facts.clone()).unwrap();
    let before_the_call = facts.len();
    facts.push(Fact::Touched(vec!["/ws/pkg/x".into()]));
    context.touches().report("pkg/x");
    let step = context.pre_step(StepInput::default()).await;
    assert_eq!(paths(&step), ["pkg/AGENTS.md"]);
    facts.push(Fact::Entered(step.sources()));
    context.entered(step).unwrap();

    // The user edits an earlier prompt: the call and all after it are taken back.
    facts.truncate(before_the_call);
    let context = session(&fs, "s").open(facts.clone()).unwrap();
    assert_eq!(context.in_force().len(), 1, "what was taken back is not in force");
    context.touches().report("pkg/x");
    assert_eq!(due(&context).await, ["pkg/AGENTS.md"], "and the same call is answered again");
}
