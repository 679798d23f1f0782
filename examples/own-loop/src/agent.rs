//! The loop. Four calls of the library embed it: `open`, `pre_step`, `entered`, `touches`.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use standing_orders::Fact;
use standing_orders::fs::LocalFs;
use standing_orders::plugin::SessionHeader;
use standing_orders::{Context, Engine, StepInput};

use crate::chat::{Message, Role, facts};
use crate::model::{Reply, Script};

/// One session: a transcript, a model, and the context of the library.
pub(crate) struct Agent {
    engine: Engine,
    header: SessionHeader,
    context: Context,
    pub(crate) transcript: Vec<Message>,
    pub(crate) script: Script,
    pub(crate) mode: Option<&'static str>,
    pub(crate) children: Vec<Agent>,
}

impl Agent {
    /// Over a stored transcript, or an empty one.
    pub(crate) fn open(
        engine: &Engine,
        header: SessionHeader,
        transcript: Vec<Message>,
    ) -> Result<Self, Box<dyn Error>> {
        // 1. open: the header says who is asking, the transcript what the model has already.
        let setup = engine.session(header.clone()).fs(Arc::new(LocalFs::new()));
        let context = setup.open(facts(&transcript))?;
        let (engine, script) = (engine.clone(), Script::default());
        Ok(Self { engine, header, context, transcript, script, mode: None, children: Vec::new() })
    }

    /// One turn: steps until the model has no more calls.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Result<(), Box<dyn Error>> {
        self.transcript.push(Message::new(Role::User, prompt));
        while self.step().await? {}
        Ok(())
    }

    /// One step; whether the turn goes on.
    pub(crate) async fn step(&mut self) -> Result<bool, Box<dyn Error>> {
        // 2. pre_step: what is due with this step. Nothing has happened yet.
        let prepared = self.context.pre_step(StepInput::in_mode(self.mode)).await;
        for trouble in prepared.report().troubles() {
            println!("  ! {trouble}");
        }
        self.transcript.extend(prepared.messages().iter().map(Message::from));
        // 3. entered: now it is in the transcript, and counts.
        self.context.entered(prepared)?;

        let (message, goes_on) = match self.script.answer(&self.transcript) {
            Reply::Say(text) => (Message::new(Role::Assistant, text), false),
            call => (self.call(call).await?, true),
        };
        self.transcript.push(message);
        Ok(goes_on)
    }

    /// One tool call, and its result.
    async fn call(&mut self, call: Reply) -> Result<Message, Box<dyn Error>> {
        // 4. touches: a handle that tools report paths to, once they have succeeded.
        let touches = self.context.touches();
        let cwd = self.header.cwd().unwrap_or(Path::new("/"));
        match call {
            Reply::Read(path) => {
                let text = fs::read_to_string(cwd.join(path))?;
                touches.report(path);
                // The transcript keeps it too, for a restart before the next step.
                Ok(Message { touched: vec![path.into()], ..Message::new(Role::Tool, text) })
            }
            Reply::Write(path, text) => {
                fs::write(cwd.join(path), text)?;
                touches.report(path);
                let wrote = Message::new(Role::Tool, format!("wrote {path}"));
                Ok(Message { touched: vec![path.into()], ..wrote })
            }
            Reply::Delegate(task, script) => {
                let id = format!("{}.{}", self.header.id(), self.children.len() + 1);
                let header = SessionHeader::child_of(&self.header, id, 0)?;
                let mut child = Agent::open(&self.engine, header, Vec::new())?;
                child.script.add(script);
                Box::pin(child.turn(task)).await?;
                let answer = child.transcript.last().map_or("", |message| message.text.as_str()).to_owned();
                self.children.push(child);
                Ok(Message::new(Role::Tool, answer))
            }
            Reply::Say(text) => Ok(Message::new(Role::Tool, text)),
        }
    }

    /// Replaces the transcript by a summary, and tells the library that it did.
    pub(crate) fn compact(&mut self, summary: &str) {
        self.transcript = vec![Message::new(Role::User, summary)];
        self.context.apply([Fact::ShadowedExcept(Vec::new())]);
    }

    /// Stops, stores the transcript, and goes on in a new instance that has nothing else.
    pub(crate) fn restart(self, store: &Path) -> Result<Self, Box<dyn Error>> {
        fs::write(store, serde_json::to_string(&self.transcript)?)?;
        let Self { engine, header, mode, .. } = self;
        let transcript = serde_json::from_str(&fs::read_to_string(store)?)?;
        Ok(Self { mode, ..Self::open(&engine, header, transcript)? })
    }

    /// How many instruction messages of this injector the model sees.
    pub(crate) fn sees(&self, injector: &str) -> usize {
        let sources = self.transcript.iter().filter_map(|message| message.source.as_ref());
        sources.filter(|source| source.injector.as_str() == injector).count()
    }

    /// Prints the transcript from this message on, a line a message.
    pub(crate) fn show(&self, from: usize) {
        println!("  {} ({}) sees:", self.header.id(), self.header.class());
        for message in self.transcript.iter().skip(from) {
            match &message.source {
                Some(source) => {
                    let changes: Vec<_> =
                        source.changes.iter().map(|c| format!("{:?} {}", c.action, c.path)).collect();
                    println!("    * {}: {}", source.injector, changes.join(", "));
                }
                None => println!("    {:?}: {}", message.role, message.text.lines().next().unwrap_or("")),
            }
        }
    }
}
