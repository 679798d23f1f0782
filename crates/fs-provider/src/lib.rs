//! What Standing Orders asks of a file system, and the file systems it ships.

mod batch;
mod error;
mod metadata;
mod provider;

pub use batch::{PathBatch, PathBatchBuilder};
pub use error::FsError;
pub use metadata::{FileId, FileKind, Metadata, Probe, ReadOutcome, Version};
pub use provider::FsProvider;
