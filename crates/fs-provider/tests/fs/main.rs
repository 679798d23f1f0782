#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
#![cfg(unix)] // They make links, FIFOs and names that are not text.
//! The tests of the crate, a module for each of its own.

mod batch;
#[cfg(feature = "testing")]
mod conformance;
#[cfg(feature = "testing")]
mod conformance_fixtures;
#[cfg(feature = "testing")]
mod conformance_rejects;
mod content_over;
mod error;
mod fixtures;
mod listing;
mod local;
mod local_bounds;
mod local_odd;
mod local_settled;
mod memory;
mod memory_as_disk;
mod memory_counters;
mod metadata;
mod timeout;
mod traced;
