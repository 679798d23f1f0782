#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod complete;
mod cut;
mod fixture;
mod frame;
mod laws;
mod look_alikes;
mod naive;
mod notice;
mod reader;
mod scenarios;
mod transitions;
mod wording;
