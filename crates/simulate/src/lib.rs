//! Scenarios: a tree, steps, and what came of them, over an in-memory file system and log.
//!
//! The format is the one of the conformance suite; see `conformance/README.md` in the repository.
//! [`simulate`] runs one, deterministically: no clock, no disk, no network.

mod config;
mod outcome;
mod run;
mod scenario;

pub use outcome::{MessageRecord, ScenarioOutcome, StepRecord, VisibleRecord};
pub use run::{SimulateError, compose, simulate};
pub use scenario::{FileEntry, Scenario, ScenarioConfig, ScenarioSession, ScenarioStep, StepDecision, Text};
