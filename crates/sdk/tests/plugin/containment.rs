//! Injectors and observers that fail (I6, I7): what is in force stands, and it is reported.

use std::time::Duration;

use async_trait::async_trait;
use standing_orders::plugin::{
    InjectError, InjectionContext, Injector, InjectorId, Instruction, InstructionId, SessionHeader, Wanted,
};
use standing_orders::{Prepared, StepInput};

use super::{Does, Scripted, builder, harness, in_force, injectors, note, problems};

#[tokio::test(start_paused = true)]
async fn what_is_in_force_stands_while_an_injector_fails_and_the_others_go_on() {
    let rows = [
        ("fails", Does::Fail("no network: ñ"), "injector bad: no network: ñ"),
        ("panics", Does::Panic("index out of range"), "injector bad: panicked: index out of range"),
        ("hangs", Does::Hang, "injector bad: no answer within 10s"),
        (
            "is late",
            Does::Late(Duration::from_secs(11), vec![note("late")]),
            "injector bad: no answer within 10s",
        ),
    ];
    for (name, does, problem) in rows {
        let bad = Scripted::wanting("bad", "first");
        let good = Scripted::wanting("good", "one");
        let project = harness(builder().injector(bad.clone()).injector(good.clone()));
        let mut main = project.main("m").await.unwrap();
        main.turn("go").await.unwrap();

        bad.now(does);
        good.now(Does::Want(vec![note("two")]));
        let entered = main.step().await.unwrap();
        assert_eq!(problems(&main), [problem], "{name}: it is reported");
        assert_eq!(injectors(&entered), ["good"], "{name}: the others go on, and it says nothing");
        assert_eq!(in_force(&main, "bad"), ["a note"], "{name}: what it had in force stands");

        main.resume().await.unwrap();
        assert!(main.step().await.unwrap().is_empty(), "{name}: a restart does not withdraw it either");

        bad.now(Does::Want(vec![note("second")]));
        let entered = main.step().await.unwrap();
        assert!(problems(&main).is_empty(), "{name}: it is well again");
        assert_eq!(injectors(&entered), ["bad"], "{name}: and its change is one update");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_at_the_start_delays_only_its_own_first_delivery() {
    let bad = Scripted::new("bad", Does::Hang);
    let project = harness(builder().injector(bad.clone()).injector_timeout(Some(Duration::from_secs(1))));
    project.write("AGENTS.md", "Everybody.");
    let mut main = project.main("m").await.unwrap();
    let before = tokio::time::Instant::now();
    assert_eq!(injectors(&main.turn("go").await.unwrap()), ["workspace"]);
    assert_eq!(before.elapsed(), Duration::from_secs(1), "the limit is the host's");
    bad.now(Does::Want(vec![note("here")]));
    assert_eq!(injectors(&main.step().await.unwrap()), ["bad"], "due as soon as it answers");
}

#[tokio::test(start_paused = true)]
async fn slow_injectors_are_waited_for_together() {
    let slow = |id: &str| Scripted::new(id, Does::Late(Duration::from_secs(4), vec![note(id)]));
    let project = harness(builder().injector(slow("a")).injector(slow("b")).injector(slow("c")));
    let mut main = project.main("m").await.unwrap();
    let before = tokio::time::Instant::now();
    assert_eq!(injectors(&main.turn("go").await.unwrap()), ["a", "b", "c"]);
    assert_eq!(before.elapsed(), Duration::from_secs(4), "their times do not add up");
}

/// Panics wherever it can, outside of `wanted`.
#[derive(Debug)]
struct Rude(InjectorId);

#[async_trait]
impl Injector for Rude {
    fn id(&self) -> &InjectorId {
        &self.0
    }
    async fn wanted(&self, _context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        Ok(Wanted::These(vec![note("never")]))
    }
    fn max_bytes(&self) -> Option<u64> {
        panic!("no budget")
    }
    fn order(&self) -> &[InstructionId] {
        panic!("no order")
    }
}

#[tokio::test]
async fn a_panic_in_any_of_its_answers_is_contained() {
    let project = harness(builder().injector(Rude("rude".into())));
    project.write("AGENTS.md", "Everybody.");
    let mut main = project.main("m").await.unwrap();
    assert_eq!(injectors(&main.turn("go").await.unwrap()), ["workspace"], "the step goes on");
    assert_eq!(problems(&main), ["injector rude: panicked: no budget"]);
}

#[test]
fn in_a_runtime_without_a_timer_there_is_no_limit_and_no_panic() {
    /// Suspended once, as by a channel.
    #[derive(Debug)]
    struct Suspends(InjectorId);
    #[async_trait]
    impl Injector for Suspends {
        fn id(&self) -> &InjectorId {
            &self.0
        }
        async fn wanted(&self, _context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
            tokio::task::yield_now().await;
            Ok(Wanted::These(vec![note("after all")]))
        }
    }
    let project = harness(builder().injector(Suspends("s".into())));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let entered = runtime.block_on(async {
        let mut main = project.main("m").await.unwrap();
        main.turn("go").await.unwrap()
    });
    assert_eq!(injectors(&entered), ["s"]);
}

#[derive(Debug)]
struct RudeObserver;

impl standing_orders::plugin::Observer for RudeObserver {
    fn prepared(&self, _session: &str, _prepared: &Prepared) {
        panic!("prepared")
    }
    fn entered(&self, _session: &str, _prepared: &Prepared) {
        panic!("entered")
    }
    fn fact(&self, _session: &str, _fact: &standing_orders::Fact) {
        panic!("fact")
    }
}

#[tokio::test]
async fn an_observer_that_panics_changes_nothing() {
    let project = harness(builder().observer(RudeObserver).injector(Scripted::wanting("a", "note")));
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    main.touch("x").await.unwrap();
    main.steps(2).await.unwrap();
    assert_eq!(main.injections_per_step("a").await.unwrap(), [1, 0, 0]);
}

#[tokio::test]
async fn dropping_a_pre_step_while_an_injector_works_leaves_no_trace() {
    let slow = Scripted::new("slow", Does::Hang);
    let engine = builder().injector(slow.clone()).injector_timeout(None).build().unwrap();
    let header = SessionHeader::main("m", 0).with_cwd("/ws");
    let fs = std::sync::Arc::new(standing_orders::fs::MemoryFs::from_iter([("/ws/AGENTS.md", "Everybody.")]));
    let mut context = engine.session(header).fs(fs).open([]).unwrap();
    let cancelled = tokio::select! {
        biased;
        _ = context.pre_step(StepInput::default()) => false,
        () = tokio::task::yield_now() => true,
    };
    assert!(cancelled, "it was still waiting");
    slow.now(Does::Want(vec![Instruction::text("n", "n", "now")]));
    let prepared = context.pre_step(StepInput::default()).await;
    assert_eq!(injectors(prepared.messages()), ["workspace", "slow"]);
    context.entered(prepared).unwrap();
}
