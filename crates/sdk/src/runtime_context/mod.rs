//! What holds for a session right now, as one snapshot in front of the model (S2).
//!
//! [`RuntimeContext`] is an injector like any other: the engine delivers it, once while it is
//! visible and unchanged. Its text comes from entries, each with a name and a place:
//!
//! - its own: [`Entry::SUBAGENT_DELEGATION`] in every subagent session (S3), and [`Entry::MODE`]
//!   while the host is in a mode;
//! - those that a deployment registers ([`RuntimeContext::entry`]): a function of header, class,
//!   mode, root and what was touched;
//! - those that a host sets for one session from anywhere ([`RuntimeValues`]): the sandbox policy
//!   that a person has just changed.
//!
//! ```
//! use standing_orders::plugin::SessionHeader;
//! use standing_orders::runtime_context::{Entry, RuntimeContext};
//! use standing_orders::{Budget, Engine, Settings};
//! use standing_orders::fs::MemoryFs;
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let runtime = RuntimeContext::new();
//! let values = runtime.values();
//! let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536))).injector(runtime).build()?;
//!
//! values.set("s1", Entry::SANDBOX_POLICY, "Writes stay below the working directory.")?;
//! let session = engine.session(SessionHeader::main("s1", 0)).fs(Arc::new(MemoryFs::new()));
//! let text = session.compose(&[]).await?.text();
//! assert!(text.contains("[sandbox-policy]\nWrites stay below the working directory."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod entry;
mod snapshot;
mod values;

pub use entry::{Entry, EntryError};
pub use snapshot::RuntimeContext;
pub use values::RuntimeValues;
