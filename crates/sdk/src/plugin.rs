//! What a plugin writer needs, and nothing else: injectors, session classes, policies (I1 to I7).
//!
//! An [`Injector`] says what it wants the model to have now; the engine alone delivers it: once
//! while it is visible and unchanged, updated when it changes, removed when it is no longer
//! wanted, again after compaction, nothing on resume (I3).
//!
//! ```
//! use standing_orders::plugin::*;
//! use standing_orders::{Budget, Engine, Settings};
//!
//! /// The language of the house, for everybody but subagents.
//! #[derive(Debug)]
//! struct HouseLanguage(InjectorId);
//!
//! #[async_trait]
//! impl Injector for HouseLanguage {
//!     fn id(&self) -> &InjectorId {
//!         &self.0
//!     }
//!     async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
//!         let text = Instruction::text("language", "house rules", "Answer in Spanish.");
//!         let wanted = if context.class().is_main() { vec![text] } else { Vec::new() };
//!         Ok(Wanted::These(wanted))
//!     }
//! }
//!
//! let settings = Settings::new(Budget::from_bytes(65_536));
//! let engine = Engine::builder(settings).injector(HouseLanguage("language".into())).build()?;
//! # Ok::<(), standing_orders::EngineError>(())
//! ```
//!
//! # Concepts
//! - **[`Injector`]**: contributes instructions, as texts or as files that the engine reads.
//!   [`GatedFiles`] is one from conditions alone: by class, depth, agent, mode and touched paths.
//! - **[`SessionClass`]**: main, or subagent at a depth; of the [`SessionHeader`].
//! - **[`SessionPolicy`]**: the deployment's say over every injector. [`PolicyTable`] is one from
//!   configuration, and can only narrow.
//! - **[`Observer`]**: is told what happens, and changes nothing.
//!
//! [`lessons`] tells what went wrong where this was done by hand, and why it cannot here. Tests of
//! a plugin are short with `standing_orders::testing` (feature `testing`).
//!
//! # What it does not do
//! A plugin cannot patch a request, write history, compare with it, or repeat itself. Injectors
//! are trusted code: they may name any file, and a thread that they block stays blocked.

#[doc = include_str!("../docs/lessons.md")]
pub mod lessons {}

// What implementations of these traits carry, so that a plugin needs nothing but this crate.
pub use async_trait::async_trait;
pub use standing_orders_session::{InjectorId, SessionClass, SessionHeader};

pub use crate::injector::{
    Body, GatedError, GatedFiles, InjectError, InjectionContext, Injector, Instruction, InstructionId,
    RulesError, RulesFolders, Trap, Wanted,
};
pub use crate::observer::Observer;
pub use crate::policy::{
    Admission, AdmissionRequest, AllowAll, Part, PolicyError, PolicyRow, PolicyTable, SessionPolicy, Sessions,
};
pub use crate::rules::Dialect;
