//! What Standing Orders asks of a file system, and the file systems it ships.
//!
//! A [`FsProvider`] answers three questions, each for a whole batch of paths in one trip: what is
//! there ([`probe_many`](FsProvider::probe_many)), what is in it
//! ([`read_many`](FsProvider::read_many)), and which names a directory has
//! ([`list_many`](FsProvider::list_many)).
//!
//! ```
//! use standing_orders_fs::{FsProvider, MemoryFs, PathBatch, Probe, ReadOutcome};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv."), ("/ws/.git/", "")]);
//! let paths: PathBatch = ["/ws/AGENTS.md", "/ws/CLAUDE.md"].into_iter().collect();
//!
//! let probes = fs.probe_many(&paths).await;
//! assert!(matches!(probes[0], Ok(Probe::Present(_))));
//! assert_eq!(probes[1], Ok(Probe::Absent));
//!
//! let reads = fs.read_many(&paths, 1024).await;
//! assert!(matches!(&reads[0], Ok(ReadOutcome::Content { bytes, .. }) if bytes == "Use uv."));
//! assert_eq!(fs.counters().round_trips, 2);
//! # }
//! ```
//!
//! # Concepts
//! - **Three answers.** Present, absent, or a fault ([`FsError`]). A fault is never absence: what
//!   cannot be known now must not look like a removal (P2).
//! - **Version** ([`Version`]): an opaque value that changes whenever the content may have. It is
//!   *unsettled* while the last change is so recent that another could leave the same stamps; only
//!   a settled one may be kept and compared (P3).
//! - **Identity** ([`FileId`]): equal for two paths to one file (P4).
//! - **Providers.** [`LocalFs`] for the machine, [`MemoryFs`] for documentation, tests and
//!   simulation. [`Timeout`] bounds a batch in time, [`Traced`] tells `tracing` of it,
//!   [`ContentOver`] takes the metadata of one provider and the content of another (P5).
//! - **Conformance.** With the feature `testing`, `testing::conformance` checks any provider
//!   against these rules (P7).
//!
//! # What it does not do
//! It knows no instruction file, no root and no session; it does not write or watch
//! directories, keeps no cache, and decodes no text. The confined mode (P8) is not there yet.

mod batch;
mod content_over;
mod error;
mod forward;
mod listing;
mod local;
mod memory;
mod metadata;
mod plan;
mod provider;
mod sugar;
#[cfg(feature = "testing")]
pub mod testing;
mod timeout;
mod traced;

pub use batch::{PathBatch, PathBatchBuilder};
pub use content_over::ContentOver;
pub use error::{FaultKind, FsError};
pub use listing::{DirectoryEntry, EntryKind, Listing};
pub use local::{LocalFs, LocalFsOptions};
pub use memory::{Counters, Fault, MemoryFs, Versions};
pub use metadata::{FileId, FileKind, Metadata, Probe, ReadOutcome, Version};
pub use plan::{KnownVersion, Picker, PlannedRead, Probed, ReadPlan};
pub use provider::FsProvider;
pub use sugar::FsProviderExt;
pub use timeout::Timeout;
pub use traced::Traced;
