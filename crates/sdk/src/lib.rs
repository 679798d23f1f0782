//! AGENTS.md loader for Rust agent loops: the engine a host embeds, and the plugin SDK.

#[cfg(feature = "config")]
pub mod config;
mod context;
pub mod delegation;
pub mod driver;
mod engine;
mod error;
mod nearest;
pub mod plugin;
mod prepared;
mod report;
mod road;
pub mod runtime_context;
pub mod sections;
mod settings;
mod setup;
#[cfg(feature = "simulate")]
pub mod simulate;
#[cfg(feature = "testing")]
pub mod testing;
mod touches;

pub use context::{Context, InForce, StepInput, Undelivered};
pub use engine::{Engine, EngineBuilder};
pub use error::{EngineError, EnterError, OpenError};
pub use prepared::{InstructionMessage, Prepared};
pub use report::{Counts, Fate, Looked, Problem, Report, ReportEntry, RootSeen};
pub use settings::{Budget, Home, NestedDiscovery, Settings};
pub use setup::{Composition, SessionSetup};
pub use touches::Touches;

// A host needs their names, and nothing but this crate in its manifest.
pub use standing_orders_discovery as discovery;
pub use standing_orders_fs as fs;
pub use standing_orders_session as session;
