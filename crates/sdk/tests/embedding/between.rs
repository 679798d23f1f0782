//! What a second pair of eyes found between the scenarios; each was wrong once.

use std::sync::Arc;

use serde_json::json;
use standing_orders::driver::{Decision, Driver, InboxMessage, SettledCall};
use standing_orders::plugin::{
    Admission, AdmissionRequest, InjectError, InjectionContext, Injector, InjectorId, Instruction,
    SessionHeader, SessionPolicy, Wanted,
};
use standing_orders::{Budget, Context, Engine, Fate, Problem, Settings, StepInput, Trigger};
use standing_orders_fs::{Fault, FaultKind, MemoryFs};
use standing_orders_history::{MemoryLog, Queue};

use super::{engine, project, session};

async fn step(context: &mut Context, mode: Option<&str>) -> Vec<String> {
    let prepared = context.pre_step(StepInput::in_mode(mode)).await;
    let changes = prepared.messages().iter().flat_map(|message| &message.source.changes);
    let changes = changes.map(|change| format!("{:?} {}", change.action, change.path)).collect();
    context.entered(prepared).unwrap();
    changes
}

#[tokio::test]
async fn a_boundary_that_went_stale_writes_nothing() {
    let header = SessionHeader::main("s", 0).with_cwd("/ws");
    let log = MemoryLog::new(header.clone());
    let setup = engine().session(header).fs(Arc::new(project()));
    let mut driver = Driver::open(setup, log.clone()).await.unwrap();
    driver.send(Queue::NextTurn, InboxMessage::text("p1", "hi")).await.unwrap();
    let first = driver.pre_step(StepInput::default()).await.unwrap();
    driver.decide(first, Decision::Enter).await.unwrap();
    driver.end_step().await.unwrap();
    let stale = driver.pre_step(StepInput::default()).await.unwrap();
    driver.compact("summary").await.unwrap();
    let before = driver.session().history().next();
    let refused = driver.decide(stale, Decision::Enter).await.unwrap_err();
    assert!(refused.is_stale(), "it says that it must be prepared again: {refused}");
    assert_eq!(driver.session().history().next(), before, "and nothing was appended");
}

#[tokio::test]
async fn a_touch_keeps_the_place_it_had_when_it_was_reported() {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/pkg/AGENTS.md", "pkg");
    fs.make_dir("/ws/other");
    let mut settings = Settings::new(Budget::from_bytes(65_536));
    settings.nested_discovery = standing_orders::NestedDiscovery::Project;
    let engine = Engine::new(settings);
    let open = |cwd: &str, log: MemoryLog| {
        let header = SessionHeader::main("s", 0).with_cwd(cwd);
        Driver::open(engine.session(header).fs(Arc::new(fs.clone())), log)
    };
    let log = MemoryLog::new(SessionHeader::main("s", 0).with_cwd("/ws"));
    let mut driver = open("/ws", log.clone()).await.unwrap();
    driver.settled(SettledCall::ok("read", json!({"file_path": "pkg/x"}))).await.unwrap();
    let driver = open("/ws/other", log).await.unwrap();
    let boundary = driver.pre_step(StepInput::default()).await.unwrap();
    let changes = &boundary.prepared().messages()[0].source.changes;
    assert_eq!(changes[0].path, "pkg/AGENTS.md", "relative to the cwd it had then (C4)");
}

#[tokio::test]
async fn a_provider_that_is_replaced_while_a_step_is_prepared_starts_with_empty_caches() {
    let (one, two) = (project(), project());
    let mut context = session(&one, "s").open([]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    two.write("/ws/AGENTS.md", "other rules");
    one.write("/ws/AGENTS.md", "root rules");
    context.set_fs(Some(Arc::new(two)));
    context.entered(prepared).unwrap();
    assert_eq!(
        step(&mut context, None).await,
        ["Replace AGENTS.md"],
        "versions of another provider say nothing (P9)"
    );
}

/// Denies every plugin in the mode `quiet`; panics in the mode `broken`.
#[derive(Debug)]
struct ByMode;

impl SessionPolicy for ByMode {
    fn admit(&self, request: &AdmissionRequest<'_>) -> Admission {
        match request.mode {
            Some("broken") => panic!("no table for this mode"),
            Some("quiet") if !request.injector.is_workspace() => Admission::Deny,
            _ => Admission::Allow,
        }
    }
}

/// Wants its text, and says `Same` ever after.
#[derive(Debug)]
struct Once(InjectorId, std::sync::atomic::AtomicBool);

#[async_trait::async_trait]
impl Injector for Once {
    fn id(&self) -> &InjectorId {
        &self.0
    }

    async fn wanted(&self, _: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let again = self.1.swap(true, std::sync::atomic::Ordering::Relaxed);
        let wanted = Wanted::These(vec![Instruction::text("note", "note", "be kind")]);
        Ok(if again { Wanted::Same } else { wanted })
    }
}

fn by_mode() -> Engine {
    let settings = Settings::new(Budget::from_bytes(65_536));
    let once = Once(InjectorId::from("once"), false.into());
    Engine::builder(settings).injector(once).policy(ByMode).build().unwrap()
}

#[tokio::test]
async fn what_was_denied_for_a_while_is_the_same_again_after_it() {
    let setup = by_mode().session(SessionHeader::main("s", 0).with_cwd("/ws")).fs(Arc::new(project()));
    let mut context = setup.open([]).unwrap();
    assert_eq!(step(&mut context, None).await, ["Set AGENTS.md", "Set note"]);
    assert_eq!(step(&mut context, Some("quiet")).await, ["Remove note"]);
    assert_eq!(step(&mut context, Some("quiet")).await, [""; 0], "denied once, then silence (I2)");
    assert_eq!(step(&mut context, None).await, ["Set note"], "`Same` is what it wanted before");
}

#[tokio::test]
async fn a_policy_that_panics_fails_no_step_and_withdraws_nothing() {
    let setup = by_mode().session(SessionHeader::main("s", 0).with_cwd("/ws")).fs(Arc::new(project()));
    let mut context = setup.open([]).unwrap();
    step(&mut context, None).await;
    let prepared = context.pre_step(StepInput::in_mode("broken")).await;
    assert!(prepared.is_empty(), "what is in view stays (C14)");
    assert!(matches!(prepared.report().problems(), [Problem::PolicyFailed { .. }]), "and it is reported");
}

#[tokio::test]
async fn what_waits_for_room_is_undelivered_too() {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/a/AGENTS.md", "a".repeat(600));
    fs.write("/ws/z/AGENTS.md", "z".repeat(600));
    let engine = Engine::new(Settings::new(Budget::from_bytes(1000)));
    let setup = engine.session(SessionHeader::main("s", 0).with_cwd("/ws")).fs(Arc::new(fs));
    let context = setup.open([]).unwrap();
    context.touches().report("z/f");
    let waiting = context.undelivered(&["a/f"], StepInput::default()).await;
    let paths: Vec<_> = waiting.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["a/AGENTS.md"], "a write there would be too early (C15)");
}

#[tokio::test]
async fn asking_fixes_no_root() {
    let fs = project();
    fs.write("/ws/a/AGENTS.md", "a");
    fs.fault("/ws/a/.git", Fault::Stat(FaultKind::PermissionDenied));
    let setup = engine().session(SessionHeader::main("s", 0).with_cwd("/ws/a")).fs(Arc::new(fs.clone()));
    let mut context = setup.open([]).unwrap();
    let _ = context.undelivered(&["x"], StepInput::default()).await;
    let _ = context.due(StepInput::default()).await;
    assert_eq!(context.root(), None, "only a pre-step does (D1, C15)");
    fs.fault("/ws/a/.git", None);
    assert_eq!(step(&mut context, None).await, ["Set AGENTS.md", "Set a/AGENTS.md"]);
}

#[tokio::test]
async fn fates_are_said_in_every_step_as_in_the_first() {
    let fs = project();
    fs.write("/ws/AGENTS.md", "a\0b");
    let mut context = session(&fs, "s").open([]).unwrap();
    for _ in 0..2 {
        let prepared = context.pre_step(StepInput::default()).await;
        assert_eq!(prepared.report().fate("AGENTS.md"), Some(Fate::NotText), "read or remembered (X1)");
        context.entered(prepared).unwrap();
    }
}

#[tokio::test]
async fn an_update_that_waits_for_room_is_looked_at_because_it_is_in_force() {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/a/AGENTS.md", "a");
    fs.write("/ws/é/AGENTS.md", "e");
    let engine = Engine::new(Settings::new(Budget::from_bytes(600)));
    let header = SessionHeader::main("s", 0).with_cwd("/ws");
    let mut context = engine.session(header).fs(Arc::new(fs.clone())).open([]).unwrap();
    for path in ["a/x", "é/x"] {
        context.touches().report(path);
        step(&mut context, None).await;
    }
    fs.write("/ws/a/AGENTS.md", "a".repeat(300));
    fs.write("/ws/é/AGENTS.md", "é".repeat(150));
    let first = step(&mut context, None).await;
    let report = context.last_report().unwrap();
    let waits = report.entries().find(|entry| entry.fate == Fate::Waits).expect("one has no room");
    assert_eq!((first.len(), waits.trigger), (1, Trigger::Visible), "the first goes ahead");
    let second = context.pre_step(StepInput::default()).await;
    let entry = second.report().entries().find(|entry| entry.path == waits.path).unwrap();
    assert!(matches!(entry.fate, Fate::Replaced { .. } | Fate::Truncated { .. }), "the other follows");
    assert_eq!(entry.trigger, Trigger::Visible, "nobody touched it again");
}
