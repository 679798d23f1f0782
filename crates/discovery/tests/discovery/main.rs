#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
//! Modules mirror `src`; `cases` holds what was seen in the field.

mod cases;
mod look;
mod names;
mod notes;
mod path;
mod read;
mod root;
mod shown;
mod text;
mod together;
mod tree;
