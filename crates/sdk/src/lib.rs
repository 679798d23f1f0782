//! AGENTS.md loader for Rust agent loops: the engine a host embeds, and the plugin SDK.
//!
//! Four calls embed it in a loop. Here a host keeps its messages in a `Vec`, with the typed source
//! of each instruction message beside its text:
//!
//! ```
//! use std::sync::Arc;
//!
//! use standing_orders::fs::MemoryFs; // or `LocalFs`
//! use standing_orders::plugin::SessionHeader;
//! use standing_orders::{Budget, Engine, Fact, InstructionSource, Settings, StepInput};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let fs = MemoryFs::new();
//! fs.make_dir("/ws/.git");
//! fs.write("/ws/AGENTS.md", "Run the tests before you push.");
//! fs.write("/ws/api/AGENTS.md", "Every handler has a timeout.");
//! let fs = Arc::new(fs);
//!
//! // One engine a deployment, one context a session.
//! let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
//! let header = SessionHeader::main("session-1", 0).with_cwd("/ws");
//! let mut history: Vec<(String, Option<InstructionSource>)> = Vec::new();
//!
//! // 1. Open it over what the history says of instructions: nothing yet.
//! let mut context = engine.session(header.clone()).fs(fs.clone()).open([])?;
//! for step in ["fix the handler", "go on"] {
//!     // 2. What is due with this step. Nothing has happened yet.
//!     let prepared = context.pre_step(StepInput::default()).await;
//!     history.push((step.to_owned(), None));
//!     for message in prepared.messages() {
//!         history.push((message.text(), Some(message.source.clone())));
//!     }
//!     // 3. Now it is in the history, and counts.
//!     context.entered(prepared)?;
//!     // ... ask the model, run its tools ...
//!     // 4. Tools report the paths they touched, from any task.
//!     context.touches().report("api/users.rs");
//! }
//! let said = |what: &str| history.iter().filter(|(text, _)| text.contains(what)).count();
//! assert_eq!((said("Run the tests"), said("Every handler")), (1, 1), "each once, when it was due");
//!
//! // A restart: the sources are all there is to know, besides touches that no step has answered.
//! let entered = history.iter().filter_map(|(_, source)| source.clone()).collect();
//! let context = engine.session(header).fs(fs).open([Fact::Entered(entered)])?;
//! assert!(context.pre_step(StepInput::default()).await.is_empty(), "nothing changed, nothing is due");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Concepts
//! - [`Engine`]: what all sessions of a deployment share: [`Settings`], injectors, policy. Cheap to
//!   clone.
//! - [`SessionSetup`]: one session before it is open: its header, its file system, home and root.
//!   [`compose`](SessionSetup::compose) gives the whole current text to a host without a history.
//! - [`Context`]: an open session. Besides the four calls, [`apply`](Context::apply) tells it what
//!   else happened to the history: a compaction, another writer.
//! - [`Prepared`] and [`Report`]: the messages due, and the fate of every file that was considered;
//!   [`troubles`](Report::troubles) are lines to print.
//! - [`plugin`]: injectors, gated files, policies. [`delegation`]: subagents. [`sections`]: texts of
//!   a request that are not instructions. [`runtime_context`]: what the model knows of its
//!   surroundings. `driver` (feature `history`): the loop's boundaries over the reference history, for a
//!   host that has none.
//!
//! # Features
//! - `config` (default): configuration in files and variables ([`config`]).
//! - `history`: a complete history for hosts without one, and the driver over it. `logs`: its logs in files,
//!   with compressed ones read. `zstd-write`: written too, which needs a C compiler.
//! - `testing`: sessions in memory, for the tests of plugins. `schema`: JSON Schema of the reference
//!   history's events.
//!
//! # What it does not do
//! It sends nothing to a model, keeps no text, watches no folder, scans none downwards, and reads
//! neither the current directory nor the environment, the home folder or the clock.

mod budget;
#[cfg(feature = "config")]
pub mod config;
mod context;
pub mod delegation;
mod deployment;
#[cfg(feature = "history")]
pub mod driver;
mod engine;
mod error;
mod exclude;
mod globs;
mod injector;
mod message;
mod nearest;
mod observer;
mod panic;
mod pass;
pub mod plugin;
mod policy;
mod prepared;
mod report;
mod rooted;
mod rules;
pub mod runtime_context;
pub mod sections;
mod settings;
mod setup;
mod shown;
#[cfg(feature = "testing")]
pub mod testing;
mod touches;

pub use budget::Budget;
pub use context::{Context, InForce, StepInput, Undelivered};
pub use engine::{Engine, EngineBuilder};
pub use error::{EngineError, EnterError, OpenError};
pub use exclude::{Exclude, ExcludeError};
pub use message::InstructionMessage;
pub use prepared::Prepared;
pub use report::{Counts, Fate, ImportFault, Inactive, Problem, Report, ReportEntry, RootSeen, Trigger};
pub use settings::{Home, Imports, NestedDiscovery, Settings};
pub use setup::{Composition, SessionSetup};
pub use touches::Touches;

// What a host names of the parts below, so that it needs nothing but this crate in its manifest.
pub use standing_orders_discovery::{CandidateNames, RootOptions, RootRule, Rules, Selection};
pub use standing_orders_render::{Frame, Overflow, Wording};
pub use standing_orders_session::{
    Action, AdditionalDirectory, Change, Digest, DirectoryLoad, Fact, HeaderError, InjectorId,
    InstructionSource, Ledger, MessageId, Origin, Replaces, Scope, SessionClass, SessionHeader, SourceError,
};

/// File systems: the ones that ship, and what a provider of one's own answers (P1 to P7, P10).
pub mod fs {
    pub use standing_orders_fs::{
        ContentOver, Counters, DirectoryEntry, EntryKind, Fault, FaultKind, FileId, FileKind, FsError,
        FsProvider, FsProviderExt, KnownVersion, Listing, LocalFs, LocalFsOptions, MemoryFs, Metadata,
        PathBatch, PathBatchBuilder, PlannedRead, Probe, Probed, ReadOutcome, ReadPlan, Timeout, Traced,
        Version, Versions,
    };
}

/// What tools look closer with than a host needs to: shown paths, notes, single looks.
pub mod inspect {
    pub use standing_orders_discovery::{
        Absence, CandidateNames, Content, Encoding, Finding, Found, Look, NameFault, NameWarning, Places,
        PlainName, Replaced, Root, RootOptions, RootReason, RootRule, Rules, Selection, Slot, SourceText,
        Why, find_root, look, notes, path,
    };
    pub use standing_orders_session::{Fold, ScopeEntry, ScopeState, Stray};
}

/// A complete history, for hosts without one: events, what the model sees of them, logs (H1, H2).
/// [`driver`] is a loop's boundaries over it.
#[cfg(feature = "history")]
pub mod history {
    pub use standing_orders_history::{
        AssistantMessage, Block, Chunk, Damage, End, EndOutcome, Event, EventError, ForeignEvent, History,
        Inbox, InboxMessage, InboxSpliced, Json, LogChunks, LogError, MemoryLog, Queue, Session,
        SessionError, SessionLog, SubagentDescriptor, Surface, SurfaceReplaced, SystemMessage, ToolCall,
        ToolResult, UserMessage,
    };
    #[cfg(feature = "logs")]
    pub use standing_orders_history::{Cut, Encoding, JsonlLog, JsonlOptions, ZstdReader};
}
