//! How often the provider is waited for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use standing_orders::StepInput;
use standing_orders_fs::FsProvider;
use tokio::runtime::Builder;
use tokio::time::Instant;

use crate::figure::{Measured, Outcome, Scale};
use crate::fixture;

const LATENCY: Duration = Duration::from_millis(10);

/// The virtual time of a first load and of a step without changes.
struct Waited {
    depth: usize,
    first_load: Duration,
    unchanged: Duration,
}

fn waited(depth: usize) -> Outcome<Waited> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let (memory, cwd) = fixture::in_memory(depth);
    memory.set_latency(LATENCY);
    let fs: Arc<dyn FsProvider> = Arc::new(memory);
    let engine = fixture::engine();
    runtime.block_on(async {
        let mut context = fixture::open(&engine, &fs, "s", Path::new(&cwd))?;
        let start = Instant::now();
        let prepared = context.pre_step(StepInput::default()).await;
        let first_load = start.elapsed();
        fixture::expect_load(&prepared, depth)?;
        context.entered(prepared)?;
        let start = Instant::now();
        let prepared = context.pre_step(StepInput::default()).await;
        let unchanged = start.elapsed();
        fixture::expect_unchanged(&prepared)?;
        Ok(Waited { depth, first_load, unchanged })
    })
}

/// The most of all depths; they must be equal.
fn most(depths: &[usize], of: impl Fn(&Waited) -> Duration, per: Duration) -> Outcome<Measured> {
    let waited = depths.iter().map(|depth| waited(*depth)).collect::<Outcome<Vec<_>>>()?;
    let values: Vec<Duration> = waited.iter().map(&of).collect();
    let most = values.iter().max().copied().unwrap_or_default();
    let each = waited.iter().map(|at| format!("depth {}: {} ms", at.depth, of(at).as_millis()));
    let note = format!("10 ms a round trip; {}", each.collect::<Vec<_>>().join(", "));
    let equal = values.iter().all(|value| *value == most);
    let broken = (!equal).then(|| "not equal at every depth".to_owned());
    Ok(Measured { broken, ..Measured::once(most.as_secs_f64() / per.as_secs_f64(), note) })
}

/// Round trips of a first load.
pub(crate) fn first_load(_scale: &Scale) -> Outcome<Measured> {
    most(&[3, 10, 30], |waited| waited.first_load, LATENCY)
}

/// Round trips of a step without changes.
pub(crate) fn unchanged(_scale: &Scale) -> Outcome<Measured> {
    most(&[3, 10, 30], |waited| waited.unchanged, LATENCY)
}

/// Milliseconds of a first load.
pub(crate) fn first_load_virtual(_scale: &Scale) -> Outcome<Measured> {
    most(&[3, 30], |waited| waited.first_load, Duration::from_millis(1))
}
