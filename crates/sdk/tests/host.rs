//! A host with a history of its own, as small as one can be.

use std::sync::Arc;

use standing_orders::plugin::{InjectorId, SessionHeader};
use standing_orders::runtime_context::RuntimeContext;
use standing_orders::{Context, Engine, InstructionMessage, Prepared, StepInput};
use standing_orders_fs::MemoryFs;
use standing_orders_session::Fact;

pub(crate) struct Host {
    engine: Engine,
    header: SessionHeader,
    pub(crate) fs: Arc<MemoryFs>,
    pub(crate) context: Context,
    facts: Vec<Fact>,
}

impl Host {
    pub(crate) fn open(engine: Engine, header: SessionHeader, fs: MemoryFs) -> Self {
        let fs = Arc::new(fs);
        let context = engine.session(header.clone()).fs(fs.clone()).open([]).unwrap();
        Self { engine, header, fs, context, facts: Vec::new() }
    }

    pub(crate) async fn prepare(&self, mode: Option<&str>) -> Prepared {
        self.context.pre_step(StepInput::in_mode(mode)).await
    }

    /// A step that goes ahead, and what entered with it.
    pub(crate) async fn step_in(&mut self, mode: Option<&str>) -> Vec<InstructionMessage> {
        let prepared = self.prepare(mode).await;
        let messages = prepared.messages().to_vec();
        self.facts.push(Fact::Entered(messages.iter().map(|message| message.source.clone()).collect()));
        self.context.entered(prepared).unwrap();
        messages
    }

    /// The text of the runtime context's message in a step that goes ahead, if there was one.
    pub(crate) async fn runtime_in(&mut self, mode: Option<&str>) -> Option<String> {
        let id = InjectorId::from(RuntimeContext::ID);
        let messages = self.step_in(mode).await;
        let mut ours = messages.iter().filter(|message| *message.injector() == id);
        let text = ours.next().map(InstructionMessage::text);
        assert!(ours.next().is_none(), "an injector has at most one message a step");
        text
    }

    pub(crate) async fn runtime(&mut self) -> Option<String> {
        self.runtime_in(None).await
    }

    /// Everything so far is summarised.
    pub(crate) fn compact(&mut self) {
        let fact = Fact::ShadowedExcept(Vec::new());
        self.facts.push(fact.clone());
        self.context.apply([fact]);
    }

    /// Another process takes over, with the history alone.
    pub(crate) fn resume(&mut self) {
        self.resume_with(self.engine.clone());
    }

    pub(crate) fn resume_with(&mut self, engine: Engine) {
        let setup = engine.session(self.header.clone()).fs(self.fs.clone());
        self.context = setup.open(self.facts.iter().cloned()).unwrap();
        self.engine = engine;
    }
}
