//! What sessions cost in heap.

use std::sync::Arc;

use standing_orders::{Context, StepInput};
use standing_orders_fs::{FsProvider, LocalFs};
use stats_alloc::{Region, Stats};

use crate::HEAP;
use crate::figure::{Measured, Outcome, Scale};
use crate::fixture::{self, DEPTH, Project};
use crate::measure::spread;

fn live(change: &Stats) -> isize {
    change.bytes_allocated.cast_signed() - change.bytes_deallocated.cast_signed()
}

/// Heap bytes of one of many open sessions, each with eight scopes in force.
pub(crate) fn idle_session(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let (fs, cwd) = fixture::in_memory(DEPTH);
    let fs: Arc<dyn FsProvider> = Arc::new(fs);
    let engine = fixture::engine();
    let count = scale.of(100_000, 5_000);
    let mut sessions: Vec<Context> = Vec::with_capacity(count);
    let region = Region::new(HEAP);
    for number in 0..count {
        let context = fixture::open(&engine, &fs, &format!("session-{number}"), &cwd)?;
        sessions.push(runtime.block_on(fixture::loaded(context, DEPTH))?);
    }
    let change = region.change();
    let heap = live(&change) as f64 / count as f64;
    let inline = std::mem::size_of::<Context>();
    let pieces = change.allocations.cast_signed() - change.deallocations.cast_signed();
    if sessions.iter().any(|session| session.in_force().len() != DEPTH) {
        return Err("a session has not all of its scopes in force".into());
    }
    let note = format!(
        "{count} sessions after a first load and an unchanged step, cwd of {} bytes; {heap:.0} bytes in {:.1} \
         allocations each, and {inline} of the context itself",
        cwd.as_os_str().len(),
        pieces as f64 / count as f64,
    );
    Ok(Measured::once(heap + inline as f64, note))
}

/// Allocations of one step without changes, reallocations included.
pub(crate) fn allocations(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let project = Project::on_disk(&runtime)?;
    let local = count(&runtime, Arc::new(LocalFs::new()), project.cwd(), scale.rounds)?;
    let (fs, cwd) = fixture::in_memory(DEPTH);
    let memory = count(&runtime, Arc::new(fs), &cwd, scale.rounds)?;
    let in_memory = memory.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
    Ok(spread(local, format!("depth {DEPTH}, pre-step and entered; {in_memory:.0} with MemoryFs")))
}

fn count(
    runtime: &tokio::runtime::Runtime,
    fs: Arc<dyn FsProvider>,
    cwd: &std::path::Path,
    rounds: usize,
) -> Outcome<Vec<f64>> {
    let engine = fixture::engine();
    runtime.block_on(async {
        let context = fixture::open(&engine, &fs, "s", cwd)?;
        let mut context = fixture::loaded(context, DEPTH).await?;
        let mut counts = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let region = Region::new(HEAP);
            let prepared = context.pre_step(StepInput::default()).await;
            fixture::expect_unchanged(&prepared)?;
            context.entered(prepared)?;
            let change = region.change();
            counts.push((change.allocations + change.reallocations) as f64);
        }
        Ok(counts)
    })
}
