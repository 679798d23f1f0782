//! A log in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Chunk, LogChunks, SessionLog};
use crate::{Event, LogError, SessionHeader};

/// A log in memory: for documentation, tests and simulation, and for sessions that need not
/// outlive the process. Clones share the entries.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), standing_orders_history::LogError> {
/// use standing_orders_history::{Event, LogError, MemoryLog, SessionLog as _};
/// use standing_orders_session::SessionHeader;
///
/// let log = MemoryLog::new(SessionHeader::main("s1", 0));
/// assert_eq!(log.append(0, &[Event::TurnStart]).await?, 1);
/// let late = log.append(0, &[Event::TurnStart]).await;
/// assert!(matches!(late, Err(LogError::Stale { expected: 0, actual: 1 })));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryLog {
    header: Arc<SessionHeader>,
    events: Arc<Mutex<Vec<Event>>>,
}

/// Entries in one chunk.
const CHUNK: usize = 1024;

impl MemoryLog {
    /// An empty log.
    pub fn new(header: SessionHeader) -> Self {
        Self { header: Arc::new(header), events: Arc::default() }
    }
}

fn lock(events: &Mutex<Vec<Event>>) -> MutexGuard<'_, Vec<Event>> {
    // Entries are only ever pushed, so a panic elsewhere leaves none half written.
    events.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl SessionLog for MemoryLog {
    fn header(&self) -> &SessionHeader {
        &self.header
    }

    async fn head(&self) -> Result<u64, LogError> {
        Ok(lock(&self.events).len() as u64)
    }

    async fn append(&self, expected_next: u64, batch: &[Event]) -> Result<u64, LogError> {
        let mut events = lock(&self.events);
        let actual = events.len() as u64;
        if actual != expected_next {
            return Err(LogError::Stale { expected: expected_next, actual });
        }
        events.extend_from_slice(batch);
        Ok(events.len() as u64)
    }

    async fn read(&self, from: u64) -> Result<Box<dyn LogChunks>, LogError> {
        let end = lock(&self.events).len();
        let at = usize::try_from(from).unwrap_or(end).min(end);
        Ok(Box::new(MemoryChunks { events: Arc::clone(&self.events), at, end }))
    }
}

#[derive(Debug)]
struct MemoryChunks {
    events: Arc<Mutex<Vec<Event>>>,
    at: usize,
    end: usize,
}

#[async_trait]
impl LogChunks for MemoryChunks {
    async fn next_chunk(&mut self) -> Result<Option<Chunk>, LogError> {
        let to = self.end.min(self.at.saturating_add(CHUNK));
        let events = lock(&self.events).get(self.at..to).map(<[Event]>::to_vec).unwrap_or_default();
        if events.is_empty() {
            return Ok(None);
        }
        let first = self.at as u64;
        self.at = to;
        Ok(Some(Chunk { first, events }))
    }
}
