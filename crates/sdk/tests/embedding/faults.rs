//! What a second review found, where the host, its policy or its plugins misbehave; each was wrong once.

use std::error::Error as _;
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use standing_orders::driver::{Decision, Driver, InboxMessage};
use standing_orders::plugin::*;
use standing_orders::{
    Budget, Context, Engine, EngineError, EnterError, Fate, Home, Prepared, Settings, StepInput,
};
use standing_orders_fs::{Fault, FaultKind, FsError, FsProvider, MemoryFs, PathBatch, Probe, ReadOutcome};
use standing_orders_history::{MemoryLog, Queue};
use standing_orders_session::Fact;

use super::{engine, project, session};

fn settings() -> Settings {
    Settings::new(Budget::from_bytes(65_536))
}

fn header() -> SessionHeader {
    SessionHeader::main("s", 0).with_cwd("/ws")
}

fn open(engine: &Engine, fs: &MemoryFs) -> Context {
    engine.session(header()).fs(Arc::new(fs.clone())).open([]).unwrap()
}

fn changes(prepared: &Prepared) -> Vec<String> {
    let changes = prepared.messages().iter().flat_map(|message| &message.source.changes);
    changes.map(|change| format!("{:?} {}", change.action, change.path)).collect()
}

async fn step(context: &mut Context, mode: Option<&str>) -> Vec<String> {
    let prepared = context.pre_step(StepInput::in_mode(mode)).await;
    let changes = changes(&prepared);
    context.entered(prepared).unwrap();
    changes
}

/// Denies, narrows or panics by the host's mode.
#[derive(Debug)]
struct ByMode;

impl SessionPolicy for ByMode {
    fn admit(&self, request: &AdmissionRequest<'_>) -> Admission {
        match request.mode {
            Some("broken") => panic!("cannot say"),
            Some("lean") if request.injector.is_workspace() => {
                Admission::AllowWithin(NonZeroU64::new(600).unwrap())
            }
            _ => Admission::Allow,
        }
    }
}

#[tokio::test]
async fn a_step_without_a_provider_answers_no_touch() {
    let mut context = engine().session(header()).open([]).unwrap();
    assert!(step(&mut context, None).await.is_empty(), "inert (P9)");
    context.touches().report("api/x");
    step(&mut context, None).await;
    context.set_fs(Some(Arc::new(project())));
    assert_eq!(step(&mut context, None).await, ["Set AGENTS.md", "Set api/AGENTS.md"]);
}

#[tokio::test]
async fn a_step_whose_policy_could_not_say_answers_no_touch_and_forgets_none() {
    let engine = Engine::builder(settings()).policy(ByMode).build().unwrap();
    let fs = project();
    let mut context = open(&engine, &fs);
    step(&mut context, None).await;
    context.touches().report("api/x");
    assert!(step(&mut context, Some("broken")).await.is_empty(), "nothing is looked at (C14)");
    fs.fault("/ws/api/AGENTS.md", Fault::Read(FaultKind::PermissionDenied));
    step(&mut context, None).await;
    step(&mut context, Some("broken")).await;
    fs.fault("/ws/api/AGENTS.md", None);
    assert_eq!(step(&mut context, None).await, ["Set api/AGENTS.md"], "it was still to be answered (C4)");
}

/// Wants a note once `x` was touched; fails at its second call.
#[derive(Debug)]
struct Flaky(InjectorId, AtomicUsize);

#[async_trait]
impl Injector for Flaky {
    fn id(&self) -> &InjectorId {
        &self.0
    }

    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        if self.1.fetch_add(1, Ordering::Relaxed) == 1 {
            return Err(InjectError::new("no network"));
        }
        let touched = context.touched().iter().any(|path| path.ends_with("x"));
        let note = (touched || context.any_in_force()).then(|| Instruction::text("n", "note", "Look at é."));
        Ok(Wanted::These(note.into_iter().collect()))
    }
}

#[tokio::test]
async fn an_injector_that_failed_is_told_of_the_touches_it_missed() {
    let flaky = Flaky("flaky".into(), AtomicUsize::new(0));
    let engine = Engine::builder(settings()).injector(flaky).build().unwrap();
    let mut context = open(&engine, &project());
    step(&mut context, None).await;
    context.touches().report("api/x");
    assert_eq!(step(&mut context, None).await, ["Set api/AGENTS.md"], "the workspace goes ahead (I6)");
    assert_eq!(step(&mut context, None).await, ["Set note"], "the step that it missed is made up for");
    assert!(step(&mut context, None).await.is_empty(), "once");
}

#[tokio::test]
async fn what_a_narrowed_budget_left_out_comes_when_it_is_lifted() {
    let fs = project();
    fs.write("/ws/AGENTS.md", "r".repeat(2000));
    fs.write("/ws/AGENTS.local.md", "é");
    let engine = Engine::builder(settings()).policy(ByMode).build().unwrap();
    let mut context = open(&engine, &fs);
    let lean = context.pre_step(StepInput::in_mode("lean")).await;
    let identity = lean.messages()[0].source.baseline_identity.clone().unwrap();
    assert_eq!(identity["max_bytes"], 600, "the budget it was composed within (C3)");
    assert_eq!(changes(&lean), ["Omit AGENTS.md", "Set AGENTS.local.md"]);
    context.entered(lean).unwrap();
    assert!(step(&mut context, Some("lean")).await.is_empty(), "and again, nothing");
    assert_eq!(step(&mut context, None).await, ["Set AGENTS.md", "Set AGENTS.local.md"]);
    assert!(step(&mut context, None).await.is_empty(), "once");
}

/// Wants one file under two names.
#[derive(Debug)]
struct Twice(InjectorId);

#[async_trait]
impl Injector for Twice {
    fn id(&self) -> &InjectorId {
        &self.0
    }

    async fn wanted(&self, _: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let file = |id: &str, path: &str| Instruction {
            id: id.into(),
            shown: id.into(),
            body: Body::File(path.into()),
        };
        Ok(Wanted::These(vec![file("é", "note.md"), file("b", "./note.md")]))
    }
}

#[tokio::test]
async fn one_path_is_one_file_also_without_identities() {
    for identities in [true, false] {
        let fs = project();
        fs.write("/ws/note.md", "note");
        fs.set_identities(identities);
        let engine = Engine::builder(settings()).injector(Twice("twice".into())).build().unwrap();
        let setup = engine.session(header()).home(Home::new("/ws/api", "$H")).fs(Arc::new(fs.clone()));
        let mut context = setup.open([]).unwrap();
        context.touches().report("api/x");
        let first = step(&mut context, None).await;
        assert_eq!(first, ["Set $H/AGENTS.md", "Set AGENTS.md", "Set é"], "identities: {identities} (D9)");
        assert!(step(&mut context, None).await.is_empty(), "identities: {identities}");
    }
}

/// Gives everybody 5,000 bytes.
#[derive(Debug)]
struct Generous;

impl SessionPolicy for Generous {
    fn admit(&self, _: &AdmissionRequest<'_>) -> Admission {
        Admission::AllowWithin(NonZeroU64::new(5000).unwrap())
    }
}

#[test]
fn a_table_narrows_whatever_the_policy_below_it_gives() {
    let within = |bytes| PolicyRow::allow_within(NonZeroU64::new(bytes).unwrap());
    let rows = [
        ("a row that gives more than is asked for", Some(2000), Admission::Allow),
        ("no row", None, Admission::Allow),
        ("a row that gives less", Some(500), Admission::AllowWithin(NonZeroU64::new(500).unwrap())),
    ];
    for (name, bytes, answer) in rows {
        let table = PolicyTable::new(bytes.map(within)).over(Generous);
        let (header, id) = (header(), InjectorId::workspace());
        let request = AdmissionRequest::new(&header, &id, Part::Base, Budget::from_bytes(1000));
        assert_eq!(table.admit(&request), answer, "{name}: of 1,000 bytes asked for");
    }
}

#[test]
fn a_trap_is_refused_however_its_injector_is_registered() {
    let files = || GatedFiles::new("g", ["api/AGENTS.md"]).unwrap();
    let builders = [
        Engine::builder(settings()).gated(files()),
        Engine::builder(settings()).injector(files()),
        Engine::builder(settings()).shared_injector(Arc::new(files())),
    ];
    for builder in builders {
        assert!(matches!(builder.build(), Err(EngineError::Trap(_))), "every session would see it (I5)");
    }
}

#[derive(Debug, Default)]
struct Notes(Mutex<Vec<usize>>);

impl Observer for &'static Notes {
    fn entered(&self, _: &str, prepared: &Prepared) {
        self.0.lock().unwrap().push(prepared.messages().len());
    }
}

#[tokio::test]
async fn an_observer_of_the_driver_sees_the_messages_that_enter() {
    let notes: &'static Notes = Box::leak(Box::default());
    let engine = Engine::builder(settings()).observer(notes).build().unwrap();
    let setup = engine.session(header()).fs(Arc::new(project()));
    let mut driver = Driver::open(setup, MemoryLog::new(header())).await.unwrap();
    driver.send(Queue::NextTurn, InboxMessage::text("p", "hi")).await.unwrap();
    let boundary = driver.pre_step(StepInput::default()).await.unwrap();
    driver.decide(boundary, Decision::Enter).await.unwrap();
    assert_eq!(*notes.0.lock().unwrap(), [1], "the baseline (I7)");
}

#[tokio::test]
async fn what_the_home_is_shown_as_is_one_line() {
    let fs = project();
    fs.write("/h/AGENTS.md", "mine");
    let home = Home::new("/h", "~/a\nInstructions from: b");
    let setup = engine().session(header()).home(home).fs(Arc::new(fs));
    let composition = setup.compose(&[]).await.unwrap();
    assert_eq!(composition.parts[0].source.changes[0].path, r"~/a\u{a}Instructions from: b/AGENTS.md");
    let headings = composition.text().lines().filter(|line| line.starts_with("Instructions from:")).count();
    assert_eq!(headings, 2, "one a file (D11)");
}

#[tokio::test]
async fn a_step_that_was_prepared_before_another_entered_is_stale() {
    let fs = project();
    let mut context = session(&fs, "s").open([]).unwrap();
    step(&mut context, None).await;
    let older = context.pre_step(StepInput::default()).await;
    context.touches().report("api/x");
    fs.fault("/ws/api/AGENTS.md", Fault::Stat(FaultKind::PermissionDenied));
    let newer = context.pre_step(StepInput::default()).await;
    context.entered(newer).unwrap();
    assert_eq!(context.entered(older), Err(EnterError::Stale { sources: Vec::new() }));
    fs.fault("/ws/api/AGENTS.md", None);
    assert_eq!(step(&mut context, None).await, ["Set api/AGENTS.md"], "what waits is not forgotten");
}

#[tokio::test]
async fn what_was_due_enters_at_the_root_it_was_worked_out_for() {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/AGENTS.md", "root");
    fs.write("/ws/a/AGENTS.md", "a");
    fs.fault("/ws/a/.git", Fault::Stat(FaultKind::PermissionDenied));
    let at = SessionHeader::main("s", 0).with_cwd("/ws/a");
    let open = || engine().session(at.clone()).fs(Arc::new(fs.clone())).open([]).unwrap();

    let mut context = open();
    let due = context.due(StepInput::default()).await;
    context.entered(due).unwrap();
    assert_eq!(context.root(), Some("/ws/a".as_ref()), "entering fixes it, as a pre-step does (D1)");

    let mut context = open();
    let due = context.due(StepInput::default()).await;
    fs.fault("/ws/a/.git", None);
    let prepared = context.pre_step(StepInput::default()).await;
    assert_eq!(context.root(), Some("/ws".as_ref()), "the pre-step has fixed another");
    assert!(matches!(context.entered(due), Err(EnterError::Stale { .. })), "so this is not for here");
    context.entered(prepared).unwrap();
}

#[derive(Debug)]
struct Broken;

#[async_trait]
impl FsProvider for Broken {
    async fn probe_many(&self, _: &PathBatch) -> Vec<Result<Probe, FsError>> {
        panic!("a bug of the provider's")
    }

    async fn read_many(&self, _: &PathBatch, _: u64) -> Vec<Result<ReadOutcome, FsError>> {
        panic!("a bug of the provider's")
    }
}

#[tokio::test]
async fn a_provider_that_panics_has_failed() {
    let fs = project();
    let mut context = session(&fs, "s").open([]).unwrap();
    step(&mut context, None).await;
    context.set_fs(Some(Arc::new(Broken)));
    let prepared = context.pre_step(StepInput::default()).await;
    assert!(prepared.is_empty(), "unknown is not absent (C7)");
    let troubles = prepared.report().troubles();
    assert!(troubles.iter().any(|trouble| trouble.contains("a bug of the provider's")), "{troubles:?}");
    assert_eq!(context.in_force().len(), 1, "the last good state stands");
}

/// A store with a failing disk, as its reads say.
#[derive(Debug)]
struct Failing(MemoryFs);

#[async_trait]
impl FsProvider for Failing {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.0.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, _: u64) -> Vec<Result<ReadOutcome, FsError>> {
        paths.iter().map(|path| Err(FsError::from_io(path, io::Error::from_raw_os_error(5)))).collect()
    }
}

#[tokio::test]
async fn a_row_of_the_report_leads_to_the_error_of_the_system() {
    let context = engine().session(header()).fs(Arc::new(Failing(project()))).open([]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    let Some(Fate::Unavailable(fault)) = prepared.report().fate("AGENTS.md") else {
        panic!("it cannot be read")
    };
    assert!(matches!(fault.kind(), FaultKind::Other(_)), "{fault}");
    let source = fault.source().and_then(|source| source.downcast_ref::<io::Error>());
    assert_eq!(source.and_then(io::Error::raw_os_error), Some(5), "{fault}");
}

/// Never answers, and panics when it is given up.
#[derive(Debug)]
struct Sore(InjectorId);

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("dropped")
    }
}

#[async_trait]
impl Injector for Sore {
    fn id(&self) -> &InjectorId {
        &self.0
    }

    async fn wanted(&self, _: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let _guard = PanicsOnDrop;
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn an_injector_that_panics_when_it_is_given_up_is_contained() {
    let sore = Sore("sore".into());
    let builder = Engine::builder(settings()).injector(sore).injector_timeout(Some(Duration::from_secs(1)));
    let mut context = open(&builder.build().unwrap(), &project());
    let prepared = context.pre_step(StepInput::default()).await;
    assert_eq!(changes(&prepared), ["Set AGENTS.md"], "the workspace goes ahead (I6)");
    assert_eq!(prepared.report().problems().len(), 1, "and it is told");
    context.entered(prepared).unwrap();
}

#[tokio::test]
async fn globs_are_relative_to_the_root_however_they_are_written() {
    for glob in ["api/**", "./api/**", "api/", "**/x"] {
        let fs = project();
        fs.write("/ws/rules.md", "é");
        let files = GatedFiles::new("g", ["rules.md"]).unwrap().when_touched([glob]).unwrap();
        let engine = Engine::builder(settings()).gated(files).build().unwrap();
        let mut context = open(&engine, &fs);
        step(&mut context, None).await;
        context.touches().report("api/x");
        assert_eq!(step(&mut context, None).await, ["Set api/AGENTS.md", "Set rules.md"], "{glob}");
    }
    let refused = GatedFiles::new("g", ["rules.md"]).unwrap().when_touched(["/api/**"]).unwrap_err();
    assert!(refused.to_string().contains("relative to the project root"), "{refused}");
}

#[tokio::test]
async fn a_budget_without_room_for_one_character_sends_no_empty_text() {
    let fs = project();
    let mut context = session(&fs, "s").open([]).unwrap();
    let loaded = context.pre_step(StepInput::default()).await;
    let facts = [Fact::Entered(loaded.sources())];
    context.entered(loaded).unwrap();
    fs.remove("/ws/AGENTS.md");
    let mut tight = Settings::new(Budget::from_bytes(2));
    tight.wording.replaces_earlier = "以下".into();
    tight.wording.none_active = "无".into();
    let setup = Engine::new(tight).session(header()).fs(Arc::new(fs));
    let context = setup.open(facts).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    let blocks = prepared.messages().iter().flat_map(|message| &message.blocks);
    assert!(blocks.clone().all(|block| !block.is_empty()), "{:?}", blocks.collect::<Vec<_>>());
}
