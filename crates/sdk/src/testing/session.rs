//! One session of a test.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use standing_orders_history::{AssistantMessage, Event, InboxMessage, MemoryLog, Queue, SessionLog};
use standing_orders_session::SessionHeader;

use super::transcript::push_texts;
use super::{Harness, HarnessError, Transcript};
use crate::driver::{Decision, Driver, DriverError, Outcome, SettledCall};
use crate::{Context, Engine, InstructionMessage, Report, StepInput};

/// One session of a [`Harness`], over a history of its own in memory.
///
/// A step that was entered stays open until the next one, a compaction or a restart, so that what
/// is touched in between belongs to it.
#[derive(Debug)]
pub struct TestSession {
    harness: Harness,
    log: MemoryLog,
    driver: Driver,
    mode: Option<String>,
    prompts: u64,
    report: Option<Arc<Report>>,
}

impl TestSession {
    pub(super) async fn open(harness: Harness, log: MemoryLog) -> Result<Self, HarnessError> {
        let driver = Driver::open(harness.setup(log.header().clone()), log.clone()).await?;
        Ok(Self { harness, log, driver, mode: None, prompts: 0, report: None })
    }

    /// Its header.
    pub fn header(&self) -> &SessionHeader {
        self.driver.header()
    }

    /// The context, as a host has it: what is in force, touches, the last report.
    pub fn context(&self) -> &Context {
        self.driver.context()
    }

    /// A subagent session that this one starts (I1): in the same project, with an empty history.
    ///
    /// # Errors
    /// It would be too deep.
    pub async fn child(&self, id: impl Into<String>) -> Result<Self, HarnessError> {
        self.harness.open(SessionHeader::child_of(self.header(), id, 0)?).await
    }

    /// The host's mode from the next step on. Default: none.
    pub fn set_mode<'m>(&mut self, mode: impl Into<Option<&'m str>>) {
        self.mode = mode.into().map(str::to_owned);
    }

    /// A new turn with this prompt: its first step enters. Gives the instruction messages that
    /// entered with it.
    ///
    /// # Errors
    /// The history refuses, which it does not of itself.
    pub async fn turn(&mut self, prompt: impl Into<String>) -> Result<Vec<InstructionMessage>, HarnessError> {
        self.send(prompt).await?;
        self.boundary(Decision::Enter).await
    }

    /// A new turn with this prompt that the host rejects: nothing enters. Gives what was due (C2).
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub async fn rejected_turn(
        &mut self,
        prompt: impl Into<String>,
    ) -> Result<Vec<InstructionMessage>, HarnessError> {
        self.send(prompt).await?;
        self.boundary(Decision::Reject).await
    }

    /// The turn's next step, as after tool calls. Gives the instruction messages that entered.
    ///
    /// # Errors
    /// [`HarnessError::NoTurn`].
    pub async fn step(&mut self) -> Result<Vec<InstructionMessage>, HarnessError> {
        if !self.driver.session().history().turn_open() {
            return Err(HarnessError::NoTurn);
        }
        self.boundary(Decision::Enter).await
    }

    /// So many steps.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn steps(&mut self, count: usize) -> Result<(), HarnessError> {
        for _ in 0..count {
            self.step().await?;
        }
        Ok(())
    }

    /// A tool has read this path, relative to the session's working directory unless absolute (C5).
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub async fn touch(&mut self, path: impl AsRef<Path>) -> Result<(), HarnessError> {
        let path = path.as_ref().to_string_lossy().into_owned();
        self.driver.settled(SettledCall::ok("read", json!({ "file_path": path }))).await?;
        Ok(())
    }

    /// The model says this.
    ///
    /// # Errors
    /// No step is open.
    pub async fn says(&mut self, text: impl Into<String>) -> Result<(), HarnessError> {
        self.driver.append(vec![Event::AssistantMessage(AssistantMessage::text(text))]).await?;
        Ok(())
    }

    /// Ends the step and replaces everything that the model sees by this summary.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub async fn compact(&mut self, summary: impl Into<String>) -> Result<(), HarnessError> {
        self.driver.end_step().await?;
        self.driver.compact(summary).await?;
        Ok(())
    }

    /// A restart: a new instance over the stored history, with empty caches (C12).
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub async fn resume(&mut self) -> Result<(), HarnessError> {
        self.driver = Driver::open(self.harness.setup(self.header().clone()), self.log.clone()).await?;
        Ok(())
    }

    /// A restart under another engine: other injectors, another policy, other settings.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub async fn resume_with(&mut self, engine: Engine) -> Result<(), HarnessError> {
        self.harness = self.harness.with_engine(engine);
        self.resume().await
    }

    /// The text that the model sees now: prompts, instructions, answers, results and summaries in
    /// order, a line end after each.
    pub fn sees(&self) -> String {
        let history = self.driver.session().history();
        let mut text = String::new();
        if let Some(system) = history.system() {
            text.push_str(system);
            text.push('\n');
        }
        for (_, event) in history.surface().iter() {
            push_texts(event, &mut text);
        }
        text
    }

    /// What the last boundary considered, whether its step entered or not (X1).
    pub fn report(&self) -> Option<&Report> {
        self.report.as_deref()
    }

    /// The whole stored history, also of what the model does not see any more.
    ///
    /// # Errors
    /// None that a history in memory can have.
    pub async fn transcript(&self) -> Result<Transcript, HarnessError> {
        let failed = |error| HarnessError::Driver(DriverError::Session(error));
        let mut events = Vec::new();
        let mut chunks = self.log.read(0).await.map_err(|error| failed(error.into()))?;
        while let Some(chunk) = chunks.next_chunk().await.map_err(|error| failed(error.into()))? {
            events.extend(chunk.events);
        }
        Ok(Transcript::new(self.log.header().clone(), events))
    }

    /// How many messages of this injector each entered step has in the stored history, from the
    /// first step on.
    ///
    /// # Errors
    /// As [`transcript`](Self::transcript).
    pub async fn injections_per_step(&self, injector: &str) -> Result<Vec<usize>, HarnessError> {
        Ok(self.transcript().await?.injections_per_step(injector))
    }

    async fn send(&mut self, prompt: impl Into<String>) -> Result<(), HarnessError> {
        self.prompts += 1;
        let id = format!("prompt-{}-{}", self.prompts, self.driver.session().history().next());
        self.driver.send(Queue::NextTurn, InboxMessage::text(id, prompt)).await?;
        Ok(())
    }

    async fn boundary(&mut self, decision: Decision) -> Result<Vec<InstructionMessage>, HarnessError> {
        self.driver.end_step().await?;
        let boundary = self.driver.pre_step(StepInput::in_mode(self.mode.as_deref())).await?;
        self.report = Some(boundary.prepared().report().clone());
        Ok(match self.driver.decide(boundary, decision).await? {
            Outcome::Entered { instructions, .. } => instructions,
            Outcome::NotEntered { due } => due,
        })
    }
}
