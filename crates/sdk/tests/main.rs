//! The sdk as a host uses it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod additional;
mod belief;
#[cfg(feature = "config")]
mod config;
mod conformance;
mod delegation;
mod embedding;
mod host;
mod imports;
mod imports_reported;
mod model;
mod plugin;
mod rules;
mod rules_laws;
mod runtime_context;
mod sections;
mod what_each_session_sees;
