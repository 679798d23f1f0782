//! What a session's history implies for its instructions: pure, without files or a runtime.
//!
//! A host with a history of its own, here a plain `Vec` of chat messages, turns it into facts and
//! needs nothing else:
//!
//! ```
//! use standing_orders_session::{Digest, Fact, Fold, InstructionSource};
//!
//! enum Chat {
//!     User { text: String, source: Option<InstructionSource> },
//!     Tool { touched: Vec<std::path::PathBuf> },
//! }
//!
//! /// The facts of a transcript: a step begins with the user messages that stand together.
//! fn facts(transcript: &[Chat]) -> Vec<Fact> {
//!     let mut facts = Vec::new();
//!     for part in transcript.chunk_by(|a, b| matches!((a, b), (Chat::User { .. }, Chat::User { .. }))) {
//!         let sources = part.iter().filter_map(|message| match message {
//!             Chat::User { source, .. } => source.clone(),
//!             Chat::Tool { .. } => None,
//!         });
//!         facts.push(match part {
//!             [Chat::Tool { touched }] => Fact::Touched(touched.clone()),
//!             _ => Fact::Entered(sources.collect()),
//!         });
//!     }
//!     facts
//! }
//!
//! let source = InstructionSource {
//!     id: "i-1".into(),
//!     injector: "workspace".into(),
//!     baseline: true,
//!     baseline_identity: None,
//!     replaces: None,
//!     cwd: Digest::of("/ws"),
//!     at: ".".to_owned(),
//!     changes: vec![],
//! };
//! let mut transcript = vec![
//!     Chat::User { text: "hello".to_owned(), source: None },
//!     Chat::User { text: "<system-reminder>…".to_owned(), source: Some(source) },
//!     Chat::Tool { touched: vec!["src/lib.rs".into()] },
//! ];
//! let mut fold = Fold::replay(facts(&transcript));
//! assert!(fold.is_visible(&"i-1".into()));
//!
//! // The host compacts all of it into one message, and says so.
//! transcript.splice(.., [Chat::User { text: "summary".to_owned(), source: None }]);
//! fold.follow([Fact::ShadowedExcept(vec![])]);
//! assert!(!fold.is_visible(&"i-1".into()));
//! ```
//!
//! # Concepts
//! - [`SessionHeader`] and [`SessionClass`]: who a session is, and of what kind (I1).
//! - [`InstructionSource`], [`Fact`], [`Fold`]: what an instruction message did, what a host tells
//!   of its history, and what is visible after it (H3 to H5). [`Ledger`] keeps the sources for
//!   messages that cannot carry one.
//! - [`reconcile()`] and [`commit`]: what is due, from what is visible and what was found (C6 to C10).
//! - [`TouchLog`]: which touched paths wait for a step (C5).
//!
//! # What it does not do
//! It reads no instruction file, renders no text, asks no clock and no environment, and knows no
//! agent loop; it has no files and no runtime. A complete history for hosts without one is
//! `standing-orders-history`.

mod class;
mod digest;
mod fact;
mod fold;
mod header;
mod ledger;
mod reconcile;
mod source;
pub mod stored_path;
mod touches;

pub use class::SessionClass;
pub use digest::Digest;
pub use fact::Fact;
pub use fold::{Fold, Recorded, ScopeEntry, ScopeState, Stray, VisibleBaseline};
pub use header::{AdditionalDirectory, DirectoryLoad, HeaderError, Origin, SessionHeader};
pub use ledger::Ledger;
pub use reconcile::{
    BaselineRules, CandidateState, Complete, Content, Decision, FileKey, Fit, Observation, Plan,
    RemovalReason, Rules, Selection, Slot, Zone, commit, reconcile,
};
pub use source::{Action, Change, InjectorId, InstructionSource, MessageId, Replaces, Scope, SourceError};
pub use touches::TouchLog;
