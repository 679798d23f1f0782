//! Many sessions at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use standing_orders::{Context, Engine, StepInput};
use standing_orders_fs::{FsProvider, LocalFs};
use tokio::runtime::{Builder, Runtime};

use crate::figure::{Measured, Outcome, Scale};
use crate::fixture::{self, DEPTH, Project};
use crate::measure::{alternate, median, processor_time, show};
use crate::plain::{InTasks, Plain};

/// Workers of the runtime, and threads of the plain side.
const CORES: usize = 2;

/// Opening and composing many sessions, against the system calls in as many tasks.
pub(crate) fn sessions_at_once(scale: &Scale) -> Outcome<Measured> {
    let runtime = Builder::new_multi_thread().worker_threads(CORES).build()?;
    let project = Project::on_disk(&runtime)?;
    let tasks = InTasks::new(Plain::new(&project.dirs, &fixture::names()));
    let engine = fixture::engine();
    let fs: Arc<dyn FsProvider> = Arc::new(LocalFs::new());
    let sessions = scale.of(10_000, 1_000);
    let (mut busy, mut plain_busy) = (Vec::new(), Vec::new());
    let rounds = alternate(
        scale.rounds,
        scale.of(1, 5),
        || spending(&mut busy, || open_all(&runtime, &engine, &fs, &project, sessions)),
        || spending(&mut plain_busy, || tasks_all(&runtime, &tasks, sessions)),
    )?;
    let others = alternate(
        scale.rounds.div_ceil(5),
        scale.of(1, 5),
        || open_all(&runtime, &engine, &fs, &project, sessions),
        || plain_all(tasks.plain(), sessions),
    )?;
    let mut note = format!(
        "{sessions} sessions of one project, all open at once, two workers and the blocking pool: {}",
        rounds.sides()
    );
    if let (Some(ours), Some(plain)) = (median(&mut busy), median(&mut plain_busy)) {
        // More threads get more of a machine that does something else besides; this tells.
        let times = ours.as_secs_f64() / plain.as_secs_f64();
        note.push_str(&format!("; in processor time {times:.2}"));
    }
    if let Some(times) = others.measured("").value {
        let plain = show(others.limit);
        note.push_str(&format!("; {times:.2} times the plain calls on {CORES} threads ({plain})"));
    }
    Ok(rounds.measured(note))
}

/// Adds what `work` takes of the processors, where that can be told.
fn spending(busy: &mut Vec<Duration>, work: impl FnOnce() -> Outcome<Duration>) -> Outcome<Duration> {
    let before = processor_time();
    let elapsed = work()?;
    busy.extend(before.zip(processor_time()).map(|(before, after)| after.saturating_sub(before)));
    Ok(elapsed)
}

fn open_all(
    runtime: &Runtime,
    engine: &Engine,
    fs: &Arc<dyn FsProvider>,
    project: &Project,
    sessions: usize,
) -> Outcome<Duration> {
    let cwd: Arc<std::path::Path> = project.cwd().into();
    runtime.block_on(async {
        let start = Instant::now();
        let tasks: Vec<_> = (0..sessions)
            .map(|number| {
                let (engine, fs, cwd) = (engine.clone(), Arc::clone(fs), Arc::clone(&cwd));
                tokio::spawn(async move { compose(&engine, &fs, number, &cwd).await })
            })
            .collect();
        let mut open = Vec::with_capacity(sessions);
        for task in tasks {
            open.push(task.await??);
        }
        let elapsed = start.elapsed();
        match open.len() == sessions {
            true => Ok(elapsed),
            false => Err("a session is missing".into()),
        }
    })
}

async fn compose(
    engine: &Engine,
    fs: &Arc<dyn FsProvider>,
    number: usize,
    cwd: &std::path::Path,
) -> Result<Context, String> {
    let context = fixture::open(engine, fs, &format!("session-{number}"), cwd);
    let mut context = context.map_err(|error| error.to_string())?;
    let prepared = context.pre_step(StepInput::default()).await;
    fixture::expect_load(&prepared, DEPTH).map_err(|error| error.to_string())?;
    context.entered(prepared).map_err(|error| error.to_string())?;
    Ok(context)
}

fn tasks_all(runtime: &Runtime, tasks: &InTasks, sessions: usize) -> Outcome<Duration> {
    runtime.block_on(async {
        let start = Instant::now();
        let loads: Vec<_> = (0..sessions)
            .map(|_| {
                let tasks = tasks.clone();
                tokio::spawn(async move { tasks.first_load().await })
            })
            .collect();
        for load in loads {
            if load.await??.0 != DEPTH {
                return Err("the plain calls saw something else".into());
            }
        }
        Ok(start.elapsed())
    })
}

fn plain_all(plain: &Plain, sessions: usize) -> Outcome<Duration> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let work = || (0..sessions / CORES).try_for_each(|_| plain.first_load().map(|_| ()));
        let threads: Vec<_> = (0..CORES).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    Ok(start.elapsed())
}
