//! A history and the log it is kept in.

use crate::{Event, EventError, Fact, History, LogError, SessionHeader, SessionLog};

/// The reference history (H1): the [`History`] in memory, over a log.
///
/// # Flow
/// [`open`](Self::open) replays the log; [`append`](Self::append) checks a batch, writes it and
/// takes it in; [`resume`](Self::resume) ends what a former instance left open.
///
/// # Guarantees
/// A batch enters as a whole or not at all, in the log and in memory. What was appended survives a
/// crash if the log does as [`SessionLog`] asks.
///
/// # Cancellation
/// When the future of `append` is dropped the batch may be in the log all the same; the next
/// append is then refused as stale and [`catch_up`](Self::catch_up) takes it in. A `catch_up` that
/// is dropped leaves the session as it was.
#[derive(Debug)]
pub struct Session {
    log: Box<dyn SessionLog>,
    history: History,
}

/// Why a session could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// An entry cannot follow the history: of a batch, which was then not written, or of a log
    /// that was written without these rules.
    #[error("event {seq} cannot stand where it does")]
    Refused {
        /// The sequence number of the entry.
        seq: u64,
        /// Why.
        source: EventError,
    },
    /// The log failed, or refused a stale writer.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Session {
    /// Replays `log` and gives the facts of its whole history, for the fold.
    ///
    /// # Errors
    /// [`SessionError`] when the log cannot be read or an entry cannot follow.
    pub async fn open(log: impl SessionLog + 'static) -> Result<(Self, Vec<Fact>), SessionError> {
        let mut facts = Vec::new();
        let session = Self::open_with(log, |fact| facts.push(fact)).await?;
        Ok((session, facts))
    }

    /// [`open`](Self::open), handing on the facts one by one, so that none is kept.
    ///
    /// # Errors
    /// [`SessionError`] when the log cannot be read or an entry cannot follow.
    pub async fn open_with(
        log: impl SessionLog + 'static,
        mut fact: impl FnMut(Fact) + Send,
    ) -> Result<Self, SessionError> {
        let mut session = Self { log: Box::new(log), history: History::default() };
        let mut chunks = session.log.read(0).await?;
        let mut facts = Vec::new();
        while let Some(chunk) = chunks.next_chunk().await? {
            for event in chunk.events {
                take(&mut session.history, event, &mut facts)?;
                facts.drain(..).for_each(&mut fact);
            }
        }
        session.history.settle(&mut facts);
        facts.into_iter().for_each(fact);
        Ok(session)
    }

    /// Who the session is.
    pub fn header(&self) -> &SessionHeader {
        self.log.header()
    }

    /// The state.
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// The log.
    pub fn log(&self) -> &dyn SessionLog {
        &*self.log
    }

    /// Appends `batch` and gives its facts. An empty batch does nothing.
    ///
    /// # Errors
    /// [`SessionError::Refused`] when an entry cannot follow, before anything is written;
    /// [`SessionError::Log`] when the log is ahead of this session ([`LogError::Stale`]: see
    /// [`catch_up`](Self::catch_up)) or fails.
    pub async fn append(&mut self, batch: Vec<Event>) -> Result<Vec<Fact>, SessionError> {
        self.history.check(&batch).map_err(|(seq, source)| SessionError::Refused { seq, source })?;
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        self.log.append(self.history.next(), &batch).await?;
        self.take_all(batch)
    }

    /// Takes in what others appended, or what an append of ours that was dropped left in the log,
    /// and gives its facts. A pre-step that was prepared before is stale then.
    ///
    /// # Errors
    /// [`SessionError`] when the log cannot be read or an entry cannot follow.
    pub async fn catch_up(&mut self) -> Result<Vec<Fact>, SessionError> {
        let mut chunks = self.log.read(self.history.next()).await?;
        let mut events = Vec::new();
        while let Some(mut chunk) = chunks.next_chunk().await? {
            events.append(&mut chunk.events);
        }
        self.take_all(events)
    }

    /// Ends what a former instance left open ([`History::takeover`]), and gives the facts of that.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub async fn resume(&mut self) -> Result<Vec<Fact>, SessionError> {
        self.append(self.history.takeover()).await
    }

    /// In one go, so that a batch is never half taken in.
    fn take_all(&mut self, events: Vec<Event>) -> Result<Vec<Fact>, SessionError> {
        self.history.check(&events).map_err(|(seq, source)| SessionError::Refused { seq, source })?;
        let mut facts = Vec::new();
        for event in events {
            take(&mut self.history, event, &mut facts)?;
        }
        self.history.settle(&mut facts);
        Ok(facts)
    }
}

fn take(history: &mut History, event: Event, facts: &mut Vec<Fact>) -> Result<(), SessionError> {
    let seq = history.next();
    history.apply(event, facts).map_err(|source| SessionError::Refused { seq, source })
}
