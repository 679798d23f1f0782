//! Reading a long log back.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use standing_orders_history::{Event, JsonlLog, Session, SessionLog};
use standing_orders_session::{Fold, SessionHeader, TouchLog};
use tokio::runtime::Runtime;

use crate::events::Events;
use crate::figure::{Measured, Outcome, Scale};
use crate::fixture;
use crate::measure::alternate;

/// A log to state: entries, surface, facts and fold, against parsing alone.
pub(crate) fn replay(scale: &Scale) -> Outcome<Measured> {
    let runtime = fixture::current_thread()?;
    let dir = tempfile::Builder::new().prefix("standing-orders-bench").tempdir()?;
    let path = dir.path().join("session.jsonl");
    let count = scale.of(1_000_000, 50_000);
    let source = fixture::baseline()?;
    runtime.block_on(write(&path, Events::new(Some(source))?.take(count)))?;
    let bytes = path.metadata()?.len();
    let rounds = alternate(
        scale.of(9, scale.rounds),
        scale.of(1, 5),
        || follow(&runtime, &path, count as u64),
        || parse(&path, count),
    )?;
    let note = format!("{count} events, {:.0} MB: {}", bytes as f64 / 1e6, rounds.sides());
    Ok(rounds.measured(note))
}

async fn write(path: &Path, mut events: impl Iterator<Item = Event>) -> Outcome<()> {
    let header = SessionHeader::main("s", 0).with_cwd("/home/agent/work/project");
    let log = JsonlLog::create(path, header).await?;
    let mut next = 0;
    loop {
        let batch: Vec<Event> = events.by_ref().take(10_000).collect();
        if batch.is_empty() {
            return Ok(());
        }
        next = log.append(next, &batch).await?;
    }
}

fn follow(runtime: &Runtime, path: &Path, count: u64) -> Outcome<Duration> {
    runtime.block_on(async {
        let start = Instant::now();
        let log = JsonlLog::read_only(path).await?;
        let (mut fold, mut touches) = (Fold::new(), TouchLog::new());
        let session = Session::open_with(log, |fact| {
            touches.apply(&fact);
            fold.follow([fact]);
        })
        .await?;
        let elapsed = start.elapsed();
        if session.history().next() != count || fold.baseline().is_none() {
            return Err("the replay came to something else".into());
        }
        black_box((session, fold, touches));
        Ok(elapsed)
    })
}

fn parse(path: &Path, count: usize) -> Outcome<Duration> {
    let start = Instant::now();
    let mut lines = BufReader::with_capacity(64 << 10, File::open(path)?);
    let mut line = Vec::new();
    // The header is no entry.
    lines.read_until(b'\n', &mut line)?;
    // Kept, as the session keeps what the model sees: a parse that drops each entry at once does less
    // than was asked for.
    let mut parsed = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        parsed.push(serde_json::from_slice::<Event>(&line)?);
    }
    let elapsed = start.elapsed();
    if black_box(&parsed).len() != count {
        return Err("the lines are not the entries".into());
    }
    Ok(elapsed)
}
