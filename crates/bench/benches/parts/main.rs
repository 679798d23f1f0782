#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
//! The parts, each alone and without a disk: `cargo bench -p standing-orders-bench`.

mod discovery;
mod project;
mod render;
mod session;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    parts,
    discovery::look,
    session::reconcile,
    session::fold,
    render::complete,
    render::neutralise
);
criterion_main!(parts);
