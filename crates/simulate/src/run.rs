//! Running a scenario.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use standing_orders::driver::{Decision, Driver, DriverError, Outcome, SettledCall};
use standing_orders::fs::{Fault, FaultKind, MemoryFs};
use standing_orders::history::{Block, Event, InboxMessage, MemoryLog, Queue, SessionLog};
use standing_orders::{Action, EngineError, HeaderError, Home, SessionHeader, SessionSetup, StepInput};

use crate::outcome::{MessageRecord, ScenarioOutcome, StepRecord, VisibleRecord, report};
use crate::scenario::{Fail, FileEntry, Scenario, ScenarioSession, ScenarioStep, StepDecision};

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// A setting is not one, or has a wrong value.
    #[error("config: {0}")]
    Config(String),
    /// A gated file's entry is not one.
    #[error("injectors[{index}]: {message}")]
    Injector {
        /// Which entry.
        index: usize,
        /// Why.
        message: String,
    },
    /// The header cannot be.
    #[error("session: {0}")]
    Header(#[from] HeaderError),
    /// The engine cannot be built.
    #[error("injectors: {0}")]
    Engine(#[from] EngineError),
    /// A step cannot stand where it does.
    #[error("steps[{step}]: {source}")]
    Step {
        /// Its index.
        step: usize,
        /// Why.
        source: DriverError,
    },
    /// A restart is not one that can be.
    #[error("steps[{step}]: {source}")]
    Resume {
        /// Its index.
        step: usize,
        /// Why.
        source: Box<SimulateError>,
    },
    /// The session cannot be opened.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Runs a scenario.
///
/// # Errors
/// [`SimulateError`] names the key or the step that cannot be.
pub async fn simulate(scenario: &Scenario) -> Result<ScenarioOutcome, SimulateError> {
    let mut run = Run::start(scenario).await?;
    for (index, step) in scenario.steps.iter().enumerate() {
        run.step(index, step).await?;
    }
    let mut visible: Vec<_> = run.driver.context().in_force();
    visible.sort_by(|a, b| (&a.path, &a.injector).cmp(&(&b.path, &b.injector)));
    let visible = visible.into_iter().map(|scope| VisibleRecord { path: scope.path, digest: scope.digest });
    Ok(ScenarioOutcome { outcome: run.outcome, visible: visible.collect() })
}

struct Run {
    fs: MemoryFs,
    config: Map<String, Value>,
    injectors: Vec<Value>,
    session: ScenarioSession,
    mode: Option<String>,
    driver: Driver,
    prompts: usize,
    outcome: Vec<StepRecord>,
}

impl Run {
    async fn start(scenario: &Scenario) -> Result<Self, SimulateError> {
        let fs = MemoryFs::new();
        for (path, entry) in &scenario.files {
            match entry {
                _ if path.ends_with('/') => fs.make_dir(path),
                FileEntry::Directory => fs.make_dir(path),
                FileEntry::File(text) => fs.write(path, text.to_text()),
                FileEntry::Symlink(target) => fs.symlink(target, path),
            }
        }
        let session = scenario.session.clone();
        let driver = open(&fs, &scenario.config, &scenario.injectors, &session, &[]).await?;
        Ok(Self {
            fs,
            config: scenario.config.clone(),
            injectors: scenario.injectors.clone(),
            mode: session.mode.clone(),
            session,
            driver,
            prompts: 0,
            outcome: Vec::new(),
        })
    }

    async fn step(&mut self, index: usize, step: &ScenarioStep) -> Result<(), SimulateError> {
        let at = |source| SimulateError::Step { step: index, source };
        match step {
            ScenarioStep::Write { path, text } => self.fs.write(path, text.to_text()),
            ScenarioStep::Mkdir { path } => self.fs.make_dir(path),
            ScenarioStep::Symlink { path, target } => self.fs.symlink(target, path),
            ScenarioStep::Remove { path } => {
                self.fs.remove(path);
            }
            ScenarioStep::Fault { path, fail } => self.fs.fault(
                path,
                match fail {
                    Fail::Stat => Some(Fault::Stat(FaultKind::Other("injected".to_owned()))),
                    Fail::Read => Some(Fault::Read(FaultKind::Other("injected".to_owned()))),
                    Fail::None => None,
                },
            ),
            ScenarioStep::PreStep { prompt, mode, decision, requested } => {
                if mode.is_some() {
                    self.mode.clone_from(mode);
                }
                self.boundary(index, prompt.as_deref(), *decision, requested).await.map_err(at)?;
            }
            ScenarioStep::Tool { name, path, ok, id, parent } => {
                let arguments = path.as_ref().map_or(Value::Null, |path| json!({ "file_path": path }));
                let (id, parent) = (id.clone(), parent.clone());
                let call = SettledCall { ok: *ok, id, parent, ..SettledCall::ok(name, arguments) };
                self.driver.settled(call).await.map_err(at)?;
            }
            ScenarioStep::StepEnd => self.driver.end_step().await.map_err(at)?,
            ScenarioStep::Compact { keep } => {
                self.driver.compact_keeping(*keep, "summary").await.map_err(at)?
            }
            ScenarioStep::Resume { config, session } => {
                let resumed = self.resume(config, session).await;
                resumed.map_err(|source| SimulateError::Resume { step: index, source: Box::new(source) })?;
            }
        }
        Ok(())
    }

    async fn boundary(
        &mut self,
        index: usize,
        prompt: Option<&str>,
        decision: StepDecision,
        requested: &[String],
    ) -> Result<(), DriverError> {
        if self.driver.session().history().step_open() {
            return Err(DriverError::StepOpen);
        }
        if let Some(prompt) = prompt {
            self.prompts += 1;
            let message = InboxMessage::text(format!("prompt-{}-{index}", self.prompts), prompt);
            self.driver.send(Queue::NextTurn, message).await?;
        }
        let requested: Vec<&str> = requested.iter().map(String::as_str).collect();
        let input = StepInput { requested: &requested, ..StepInput::in_mode(self.mode.as_deref()) };
        let boundary = self.driver.pre_step(input).await?;
        let report = report(boundary.prepared().report());
        let (decided, name) = match decision {
            StepDecision::Enter => (Decision::Enter, "enter"),
            StepDecision::Empty => (Decision::Empty, "enter"),
            StepDecision::Reject => (Decision::Reject, "reject"),
        };
        let (mut entered, mut due) = (Vec::new(), Vec::new());
        match self.driver.decide(boundary, decided).await? {
            Outcome::Entered { claimed, instructions } => {
                for message in claimed {
                    let texts = message.content.into_iter().map(|block| match block {
                        Block::Text(text) => text,
                        Block::Other(_) => String::new(),
                    });
                    entered.push(MessageRecord::Prompt { text: texts.collect() });
                }
                entered.extend(instructions.iter().map(MessageRecord::of));
            }
            Outcome::NotEntered { due: messages } => due.extend(messages.iter().map(MessageRecord::of)),
        }
        self.outcome.push(StepRecord { step: index, decision: name, entered, due, report });
        Ok(())
    }

    /// A new instance over the same history, with empty caches.
    async fn resume(
        &mut self,
        config: &Map<String, Value>,
        session: &Map<String, Value>,
    ) -> Result<(), SimulateError> {
        for (key, value) in config {
            self.config.insert(key.clone(), value.clone());
        }
        for (key, value) in session {
            let wrong = |error| SimulateError::Config(format!("session.{key}: {error}"));
            let text = || Option::<String>::deserialize(value).map_err(wrong);
            match key.as_str() {
                "cwd" => self.session.cwd = text()?,
                "origin" => self.session.origin = text()?,
                "agent_preset" => self.session.agent_preset = text()?,
                "mode" => self.mode = text()?,
                "delegation_depth" => {
                    self.session.delegation_depth = Option::deserialize(value).map_err(wrong)?;
                }
                other => return Err(SimulateError::Config(format!("session has no key {other:?}"))),
            }
        }
        let events = self.events().await?;
        self.driver = open(&self.fs, &self.config, &self.injectors, &self.session, &events).await?;
        Ok(())
    }

    async fn events(&self) -> Result<Vec<Event>, DriverError> {
        let log = |error| DriverError::Session(error);
        let mut chunks = self.driver.session().log().read(0).await.map_err(|error| log(error.into()))?;
        let mut events = Vec::new();
        while let Some(chunk) = chunks.next_chunk().await.map_err(|error| log(error.into()))? {
            events.extend(chunk.events);
        }
        Ok(events)
    }
}

async fn open(
    fs: &MemoryFs,
    config: &Map<String, Value>,
    injectors: &[Value],
    session: &ScenarioSession,
    events: &[Event],
) -> Result<Driver, SimulateError> {
    let log = MemoryLog::new(header(session)?);
    log.append(0, events).await.map_err(|error| DriverError::Session(error.into()))?;
    Ok(Driver::open(setup(fs, config, injectors, session)?, log).await?)
}

fn setup(
    fs: &MemoryFs,
    config: &Map<String, Value>,
    injectors: &[Value],
    session: &ScenarioSession,
) -> Result<SessionSetup, SimulateError> {
    let (engine, home) = crate::config::engine(config, injectors)?;
    let setup = engine.session(header(session)?).fs(Arc::new(fs.clone()));
    Ok(match home {
        Some(home) => setup.home(Home::new(PathBuf::from(home), "$DSH_HOME")),
        None => setup,
    })
}

/// What a host without a history is given at a scenario's first boundary: the changes to the tree
/// before it are made, and the rest is not looked at. In the form of an outcome of one step.
///
/// # Errors
/// [`SimulateError`] names the key or the step that cannot be.
pub async fn compose(scenario: &Scenario) -> Result<ScenarioOutcome, SimulateError> {
    let mut run = Run::start(scenario).await?;
    let mut boundary = (0, None, None);
    for (index, step) in scenario.steps.iter().enumerate() {
        if let ScenarioStep::PreStep { prompt, mode, .. } = step {
            boundary = (index, prompt.clone(), mode.clone().or(run.mode.clone()));
            break;
        }
        run.step(index, step).await?;
    }
    let (step, prompt, mode) = boundary;
    let setup = setup(&run.fs, &run.config, &run.injectors, &run.session)?;
    let composing = setup.compose_with(&[], StepInput::in_mode(mode.as_deref()));
    let composition = composing.await.map_err(DriverError::from)?;
    let mut entered: Vec<_> = prompt.into_iter().map(|text| MessageRecord::Prompt { text }).collect();
    entered.extend(composition.parts.iter().map(MessageRecord::of));
    let changes = composition.parts.iter().flat_map(|part| &part.source.changes);
    let in_force = changes.filter(|change| change.action == Action::Set);
    let mut visible: Vec<_> = in_force
        .filter_map(|change| Some(VisibleRecord { path: change.path.clone(), digest: change.digest? }))
        .collect();
    visible.sort_by(|a, b| a.path.cmp(&b.path));
    let report = report(&composition.report);
    let record = StepRecord { step, decision: "enter", entered, due: Vec::new(), report };
    Ok(ScenarioOutcome { outcome: vec![record], visible })
}

fn header(session: &ScenarioSession) -> Result<SessionHeader, HeaderError> {
    let base = SessionHeader::main("scenario", 0);
    let base = match &session.cwd {
        Some(cwd) => base.with_cwd(Path::new(cwd)),
        None => base,
    };
    // The stored form, because a scenario may say one of the two parts of a subagent alone.
    let mut stored = serde_json::to_value(&base).unwrap_or_default();
    if let Some(map) = stored.as_object_mut() {
        let parts = [("origin", session.origin.clone()), ("agent_preset", session.agent_preset.clone())];
        for (key, value) in parts {
            if let Some(value) = value {
                map.insert(key.to_owned(), value.into());
            }
        }
        if let Some(depth) = session.delegation_depth {
            map.insert("delegation_depth".to_owned(), depth.into());
        }
    }
    SessionHeader::from_value(&stored)
}
