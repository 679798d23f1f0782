//! A loop's boundaries over the reference history: claims, entering, touches, compaction, resume.

mod tools;

use std::path::PathBuf;

use standing_orders_history::{
    Block, Event, LogError, Queue, Session, SessionError, SessionLog, SurfaceReplaced, ToolResult,
    UserMessage,
};
use standing_orders_session::{Fact, SessionHeader};

use crate::{Context, EnterError, InstructionMessage, OpenError, Prepared, SessionSetup, StepInput};

pub use standing_orders_history::{End, InboxMessage};
pub use tools::{SettledCall, TouchMapping};

/// One session of an engine over its reference history: what a host without a loop of its own
/// starts from, and what `simulate` runs.
///
/// # Flow
/// [`open`](Self::open) replays the log. Prompts go to the inbox ([`send`](Self::send)). At each
/// boundary [`pre_step`](Self::pre_step) claims what waits and prepares what is due;
/// [`decide`](Self::decide) lets the step enter or not, in one append. Within the step
/// [`settled`](Self::settled) records tool calls and what they touched, [`end_step`](Self::end_step)
/// ends it.
///
/// # Guarantees
/// Instruction messages stand right after the claimed ones (C2). They count once they are in the
/// log: an append that is refused leaves everything as it was.
#[derive(Debug)]
pub struct Driver {
    session: Session,
    context: Context,
    touching: TouchMapping,
    calls: u64,
    /// How often entries of another writer were taken in.
    caught_up: u64,
}

/// A boundary of the loop: what would enter.
#[derive(Debug)]
#[must_use = "say what becomes of it with `Driver::decide`"]
pub struct Boundary {
    /// The turn's first step.
    first: bool,
    /// Ends the turn that is open.
    ends_turn: bool,
    /// Takes the claimed messages out of the inbox.
    splices: Vec<Event>,
    claimed: Vec<UserMessage>,
    prepared: Prepared,
    caught_up: u64,
}

/// What becomes of a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The step goes ahead.
    Enter,
    /// It goes ahead without the claimed messages.
    Empty,
    /// It does not go ahead; the claimed messages are dropped.
    Reject,
}

/// What became of a boundary.
#[derive(Debug)]
pub enum Outcome {
    /// The step is open; these are its messages, in order.
    Entered {
        /// The claimed ones.
        claimed: Vec<UserMessage>,
        /// Ours.
        instructions: Vec<InstructionMessage>,
    },
    /// No step was entered.
    NotEntered {
        /// What was due, and still is (C1).
        due: Vec<InstructionMessage>,
    },
}

/// Why the driver could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The history refused, or its log failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The step cannot enter.
    #[error(transparent)]
    Enter(#[from] EnterError),
    /// A step is open: end it first.
    #[error("a step is open: end it before the next boundary")]
    StepOpen,
}

impl DriverError {
    /// Whether the history went on since the step was prepared, here or by another writer:
    /// [`Driver::catch_up`], then prepare again.
    pub fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::Session(SessionError::Log(LogError::Stale { .. })) | Self::Enter(EnterError::Stale { .. })
        )
    }
}

impl Driver {
    /// Replays the log and opens the session over it. A step that a former instance left open is
    /// closed, and inner calls that had not settled are over (C5, C12).
    ///
    /// The header is the setup's: the log's own, unless the session moved.
    ///
    /// # Errors
    /// The log cannot be read, or the header has no absolute working directory.
    pub async fn open(setup: SessionSetup, log: impl SessionLog + 'static) -> Result<Self, DriverError> {
        let (mut session, mut facts) = Session::open(log).await?;
        facts.extend(session.resume().await?);
        let context = setup.open(facts)?;
        Ok(Self { session, context, touching: TouchMapping::default(), calls: 0, caught_up: 0 })
    }

    /// Which tools touch what (C5).
    #[must_use]
    pub fn touching(mut self, mapping: TouchMapping) -> Self {
        self.touching = mapping;
        self
    }

    /// The header the session runs under.
    pub fn header(&self) -> &SessionHeader {
        self.context.header()
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The context, to supply a provider late.
    pub fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// The history.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Puts a message into the inbox: for the next turn, or for the next step, as when a user
    /// steers.
    ///
    /// # Errors
    /// The identity is taken, or the log fails.
    pub async fn send(&mut self, queue: Queue, message: InboxMessage) -> Result<(), DriverError> {
        let event = self.session.history().inbox().push(queue, message);
        self.append(vec![event]).await
    }

    /// Claims what waits in the inbox and prepares what is due. What waits for the next turn
    /// begins one; else the open turn goes on with what waits for its next step; where no turn is
    /// open, one begins with nothing.
    ///
    /// Changes nothing; dropping future or boundary leaves everything as it was.
    ///
    /// # Errors
    /// A step is open.
    pub async fn pre_step(&self, input: StepInput<'_>) -> Result<Boundary, DriverError> {
        let history = self.session.history();
        if history.step_open() {
            return Err(DriverError::StepOpen);
        }
        let (mut splices, mut claimed) = (Vec::new(), Vec::new());
        for queue in [Queue::NextTurn, Queue::NextStep] {
            if let Some((splice, messages)) = history.inbox().claim(queue) {
                splices.push(splice);
                claimed.extend(messages);
            }
        }
        let new_turn = !history.inbox().queue(Queue::NextTurn).is_empty();
        let first = new_turn || !history.turn_open();
        let ends_turn = new_turn && history.turn_open();
        let prepared = self.context.pre_step(input).await;
        let caught_up = self.caught_up;
        Ok(Boundary { first, ends_turn, splices, claimed, prepared, caught_up })
    }

    /// Lets the step enter or not, in one append. A turn's first step that would send nothing but
    /// instructions is not entered (C2).
    ///
    /// # Errors
    /// The history went on since, or the log refused or failed: nothing has changed. See
    /// [`DriverError::is_stale`].
    pub async fn decide(&mut self, boundary: Boundary, decision: Decision) -> Result<Outcome, DriverError> {
        let Boundary { first, ends_turn, splices, claimed, prepared, caught_up } = boundary;
        self.context.may_enter(&prepared)?;
        // Another writer's step may have ended after a touch that this one does not know: in the
        // log it would seem to answer it (C5).
        if caught_up != self.caught_up {
            return Err(EnterError::Stale { sources: prepared.sources() }.into());
        }
        let claimed = if decision == Decision::Enter { claimed } else { Vec::new() };
        let enters = decision != Decision::Reject && !(first && claimed.is_empty());
        let mut batch = Vec::new();
        if ends_turn {
            batch.push(Event::TurnEnd(End::default()));
        }
        if first {
            batch.push(Event::TurnStart);
        }
        batch.extend(splices);
        if !enters {
            self.append(batch).await?;
            return Ok(Outcome::NotEntered { due: prepared.messages });
        }
        batch.push(Event::StepStart);
        batch.extend(claimed.iter().cloned().map(Event::from));
        batch.extend(prepared.messages().iter().map(|message| Event::from(to_user_message(message))));
        // The step's own entering is told with what was prepared for it.
        let facts = self.session.append(batch).await?;
        self.context.apply_own(facts.into_iter().filter(|fact| !matches!(fact, Fact::Entered(_))));
        let instructions = self.context.enter(prepared);
        Ok(Outcome::Entered { claimed, instructions })
    }

    /// Records a tool call that has settled, and what it touched (C5).
    ///
    /// # Errors
    /// The log fails.
    pub async fn settled(&mut self, call: SettledCall) -> Result<(), DriverError> {
        // As they are now: the session may have another working directory when this is replayed.
        let touches = self.context.touches();
        let touched = self.touching.of(&call).iter().filter_map(|path| touches.resolve(path)).collect();
        self.calls += 1;
        let id = call.id.unwrap_or_else(|| format!("call-{}-{}", self.session.history().next(), self.calls));
        let SettledCall { name, ok, content, parent, .. } = call;
        self.append(vec![ToolResult { id, name, ok, content, touched, parent }.into()]).await
    }

    /// Ends the open step, if one is open.
    ///
    /// # Errors
    /// The log fails.
    pub async fn end_step(&mut self) -> Result<(), DriverError> {
        match self.session.history().step_open() {
            true => self.append(vec![Event::StepEnd(End::default())]).await,
            false => Ok(()),
        }
    }

    /// Replaces everything the model sees by one message. Nothing visible: nothing happens.
    ///
    /// # Errors
    /// The log fails.
    pub async fn compact(&mut self, summary: impl Into<String>) -> Result<(), DriverError> {
        self.compact_keeping(0, summary).await
    }

    /// Replaces what the model sees by one message, but for its last `keep` messages and what stands
    /// between and behind them. Calls and results are no messages. Nothing before those: nothing happens.
    ///
    /// # Errors
    /// The log fails.
    pub async fn compact_keeping(
        &mut self,
        keep: usize,
        summary: impl Into<String>,
    ) -> Result<(), DriverError> {
        let surface = self.session.history().surface();
        let entries: Vec<(u64, &Event)> = surface.iter().collect();
        let is_message = |event: &Event| !matches!(event, Event::ToolCall(_) | Event::ToolResult(_));
        let mut messages = entries.iter().enumerate().rev().filter(|(_, (_, event))| is_message(event));
        let end = match keep.checked_sub(1) {
            None => entries.len(),
            Some(later) => messages.nth(later).map_or(0, |(at, _)| at),
        };
        let gone = entries.get(..end).unwrap_or_default();
        let (Some(&(first, _)), Some(&(last, _))) = (gone.first(), gone.last()) else { return Ok(()) };
        let content = vec![Block::Text(summary.into())];
        self.append(vec![SurfaceReplaced { first, last, content }.into()]).await
    }

    /// Appends entries of the host's own: what the model said, the system prompt, the turn's end.
    ///
    /// # Errors
    /// An entry cannot stand where it does, or the log fails.
    pub async fn append(&mut self, events: Vec<Event>) -> Result<(), DriverError> {
        let facts = self.session.append(events).await?;
        self.context.apply_own(facts);
        Ok(())
    }

    /// Takes in what another writer appended. What was prepared before is stale then.
    ///
    /// # Errors
    /// The log cannot be read.
    pub async fn catch_up(&mut self) -> Result<(), DriverError> {
        let before = self.session.history().next();
        let facts = self.session.catch_up().await?;
        self.caught_up += u64::from(self.session.history().next() != before);
        self.context.apply(facts);
        Ok(())
    }
}

impl Boundary {
    /// What is due with this step.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// The messages claimed from the inbox.
    pub fn claimed(&self) -> &[UserMessage] {
        &self.claimed
    }

    /// Whether it is a turn's first step.
    pub fn is_first(&self) -> bool {
        self.first
    }
}

/// An instruction message as an entry of the reference history.
pub fn to_user_message(message: &InstructionMessage) -> UserMessage {
    let blocks = message.blocks.iter().cloned().map(Block::Text).collect();
    UserMessage::instruction(&message.source, blocks)
}

/// What a call touched, as the host says.
pub(crate) type Touched = Vec<PathBuf>;
