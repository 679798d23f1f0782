//! A kit to test a plugin with: main and subagent sessions over a tree in memory (I8).
//!
//! A [`Harness`] has an engine and a project; it opens sessions, each with a history of its own.
//! A [`TestSession`] is stepped through turns, touches, compactions and restarts, and tells what
//! the model sees. Its [`Transcript`] is read from the stored history, because what was stored
//! counts, not what a run said of itself.
//!
//! ```
//! use standing_orders::plugin::*;
//! use standing_orders::testing::Harness;
//! use standing_orders::{Budget, Engine, Settings};
//!
//! #[derive(Debug)]
//! struct OnCall(InjectorId);
//!
//! #[async_trait]
//! impl Injector for OnCall {
//!     fn id(&self) -> &InjectorId {
//!         &self.0
//!     }
//!     async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
//!         let note = context.class().is_main().then(|| Instruction::file("on-call.md"));
//!         Ok(Wanted::These(note.into_iter().collect()))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::new(Budget::from_bytes(65_536));
//! let engine = Engine::builder(settings).injector(OnCall("on-call".into())).build()?;
//! let harness = Harness::new(engine);
//! harness.write("on-call.md", "Ana has the pager.");
//!
//! let mut main = harness.main("m").await?;
//! main.turn("hello").await?;
//! main.steps(10).await?;
//! assert_eq!(main.injections_per_step("on-call").await?, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
//!
//! let mut child = main.child("c").await?;
//! child.turn("look into it").await?;
//! assert!(main.sees().contains("Ana") && !child.sees().contains("Ana"));
//!
//! harness.write("on-call.md", "Bo has the pager.");
//! main.resume().await?;
//! main.step().await?;
//! assert!(main.sees().contains("Updated instructions from: on-call.md"));
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here sleeps or reads a clock. A plugin that waits is best tested under tokio's paused
//! clock.

mod error;
mod harness;
mod session;
mod transcript;

pub use error::HarnessError;
pub use harness::Harness;
pub use session::TestSession;
pub use transcript::Transcript;
