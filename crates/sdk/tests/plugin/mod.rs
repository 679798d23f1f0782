//! The plugin SDK as plugin authors and hosts use it.

mod building;
mod containment;
mod delivery;
mod kit;
mod laws;
mod observer;
mod policy;
mod scale;
mod sessions;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use standing_orders::plugin::{InjectError, InjectionContext, Injector, InjectorId, Instruction, Wanted};
use standing_orders::testing::Harness;
use standing_orders::{Budget, Engine, EngineBuilder, InstructionMessage, Settings};

/// What a [`Scripted`] injector does when it is asked.
#[derive(Clone, Debug)]
enum Does {
    Want(Vec<Instruction>),
    Same,
    Fail(&'static str),
    Panic(&'static str),
    /// Answers nothing, ever.
    Hang,
    /// Waits on tokio's clock, then wants these.
    Late(Duration, Vec<Instruction>),
}

/// An injector that does as it is told. Clones share what it does.
#[derive(Clone, Debug)]
struct Scripted {
    id: InjectorId,
    does: Arc<Mutex<Does>>,
}

impl Scripted {
    fn new(id: &str, does: Does) -> Self {
        Self { id: id.into(), does: Arc::new(Mutex::new(does)) }
    }

    fn wanting(id: &str, text: &str) -> Self {
        Self::new(id, Does::Want(vec![note(text)]))
    }

    fn now(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }
}

#[async_trait]
impl Injector for Scripted {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, _context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let does = self.does.lock().unwrap().clone();
        match does {
            Does::Want(wanted) => Ok(Wanted::These(wanted)),
            Does::Same => Ok(Wanted::Same),
            Does::Fail(message) => Err(InjectError::new(message)),
            Does::Panic(message) => panic!("{message}"),
            Does::Hang => std::future::pending().await,
            Does::Late(after, wanted) => {
                tokio::time::sleep(after).await;
                Ok(Wanted::These(wanted))
            }
        }
    }
}

/// One instruction of one text.
fn note(text: &str) -> Instruction {
    Instruction::text("note", "a note", text)
}

fn builder() -> EngineBuilder {
    Engine::builder(Settings::new(Budget::from_bytes(65_536)))
}

fn harness(builder: EngineBuilder) -> Harness {
    Harness::new(builder.build().unwrap())
}

fn injectors(messages: &[InstructionMessage]) -> Vec<&str> {
    messages.iter().map(|message| message.injector().as_str()).collect()
}

/// The paths of what is in force of one injector.
fn in_force(session: &standing_orders::testing::TestSession, injector: &str) -> Vec<String> {
    let all = session.context().in_force().into_iter();
    all.filter(|scope| scope.injector.as_str() == injector).map(|scope| scope.path).collect()
}

fn problems(session: &standing_orders::testing::TestSession) -> Vec<String> {
    session.report().unwrap().problems().iter().map(ToString::to_string).collect()
}
