//! The command line as people and scripts use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
#![cfg(unix)]

mod action;
mod audit;
mod audit_laws;
mod audit_logs;
mod audit_view;
mod check;
mod check_forms;
mod check_planted;
mod check_profiles;
mod check_ratchet;
mod check_roots;
mod configuration;
mod end_to_end;
mod explain;
mod explain_notes;
mod explain_odd;
mod help;
mod json;
mod manual;
mod misuse;
mod odd_files;
mod render;
mod repo;
mod simulate;
mod streams;
