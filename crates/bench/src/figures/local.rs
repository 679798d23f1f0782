//! First loads and unchanged steps.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use standing_orders::plugin::SessionHeader;
use standing_orders::{Context, StepInput};
use standing_orders_fs::{FsProvider, LocalFs};
use tokio::runtime::Runtime;

use crate::figure::{Measured, Outcome, Scale};
use crate::fixture::{self, DEPTH, Project};
use crate::measure::{alternate, alternate_beside};
use crate::{
    events,
    plain::{InTasks, Plain},
};

/// Opening a session and working out its baseline, against the system calls in as many tasks.
pub(crate) fn first_load(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let project = Project::on_disk(&runtime)?;
    let tasks = InTasks::new(Plain::new(&project.dirs, &fixture::names()));
    let engine = fixture::engine();
    let fs: Arc<dyn FsProvider> = Arc::new(LocalFs::new());
    let (rounds, beside) = alternate_beside(
        scale.rounds,
        scale.of(400, 100),
        || {
            runtime.block_on(async {
                let start = Instant::now();
                let context = fixture::open(&engine, &fs, "s", project.cwd())?;
                let prepared = context.pre_step(StepInput::default()).await;
                let elapsed = start.elapsed();
                fixture::expect_load(&prepared, DEPTH)?;
                Ok(elapsed)
            })
        },
        || {
            runtime.block_on(async {
                let start = Instant::now();
                let seen = black_box(tasks.first_load().await?);
                let elapsed = start.elapsed();
                expect_files(seen.0, seen.1 > 0).map(|()| elapsed)
            })
        },
        || {
            let start = Instant::now();
            let seen = black_box(tasks.plain().first_load()?);
            let elapsed = start.elapsed();
            expect_files(seen.0, seen.1 > 0).map(|()| elapsed)
        },
    )?;
    let note = format!(
        "depth {DEPTH}, four names, {DEPTH} files; open and pre-step, two blocking tasks: {}; {beside}",
        rounds.sides()
    );
    Ok(rounds.measured(note))
}

/// A step in which nothing changed, against the system calls in as many tasks.
pub(crate) fn unchanged_step(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let project = Project::on_disk(&runtime)?;
    let tasks = InTasks::new(Plain::new(&project.dirs, &fixture::names()));
    let engine = fixture::engine();
    let fs: Arc<dyn FsProvider> = Arc::new(LocalFs::new());
    let context = fixture::open(&engine, &fs, "s", project.cwd())?;
    let mut context = runtime.block_on(fixture::loaded(context, DEPTH))?;
    let (rounds, beside) = alternate_beside(
        scale.rounds,
        scale.of(1_000, 200),
        || step(&runtime, &mut context),
        || {
            runtime.block_on(async {
                let start = Instant::now();
                let files = black_box(tasks.unchanged_step().await?);
                let elapsed = start.elapsed();
                expect_files(files, true).map(|()| elapsed)
            })
        },
        || {
            let start = Instant::now();
            let files = black_box(tasks.plain().unchanged_step());
            let elapsed = start.elapsed();
            expect_files(files, true).map(|()| elapsed)
        },
    )?;
    let note = format!(
        "depth {DEPTH}, four names, {DEPTH} files; pre-step and entered, one blocking task: {}; {beside}",
        rounds.sides()
    );
    Ok(rounds.measured(note))
}

/// The same after a long history and after a short one.
pub(crate) fn unchanged_step_history(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let (fs, cwd) = fixture::in_memory(DEPTH);
    let fs: Arc<dyn FsProvider> = Arc::new(fs);
    let engine = fixture::engine();
    let source = fixture::baseline()?;
    let after = |events: usize| -> Outcome<Context> {
        let mut facts = Vec::new();
        events::facts(events, Some(source.clone()), |fact| facts.push(fact))?;
        let header = SessionHeader::main("s", 0).with_cwd(&cwd);
        let mut context = engine.session(header).fs(Arc::clone(&fs)).open(facts)?;
        for _ in 0..2 {
            let resumed = runtime.block_on(context.pre_step(StepInput::default()));
            if !resumed.is_empty() {
                return Err("a resume without change has something due".into());
            }
            context.entered(resumed)?;
        }
        Ok(context)
    };
    let many = scale.of(1_000_000, 100_000);
    let (mut long, mut short) = (after(many)?, after(10)?);
    let rounds = alternate(
        scale.rounds,
        scale.of(2_000, 400),
        || step(&runtime, &mut long),
        || step(&runtime, &mut short),
    )?;
    let note =
        format!("{many} events, resumed; the visible state is the same after both: {}", rounds.sides());
    Ok(rounds.measured(note))
}

fn expect_files(files: usize, bytes: bool) -> Outcome<()> {
    match (files, bytes) {
        (DEPTH, true) => Ok(()),
        _ => Err("the plain calls saw something else".into()),
    }
}

fn step(runtime: &Runtime, context: &mut Context) -> Outcome<Duration> {
    runtime.block_on(async {
        let start = Instant::now();
        let prepared = context.pre_step(StepInput::default()).await;
        fixture::expect_unchanged(&prepared)?;
        context.entered(prepared)?;
        Ok(start.elapsed())
    })
}
