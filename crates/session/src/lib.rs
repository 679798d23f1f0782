//! The durable history of a session and what it implies: header, sources, fold, reconcile; events, surface, logs.

mod class;
mod digest;
mod error;
mod event;
mod fact;
mod fold;
mod header;
mod history;
mod inbox;
mod json;
mod ledger;
mod log;
mod reconcile;
mod scope;
mod session;
mod source;
mod stored_path;
mod surface;
mod touches;

pub use class::SessionClass;
pub use digest::Digest;
pub use error::EventError;
pub use event::{
    AssistantMessage, Block, End, EndOutcome, Event, ForeignEvent, InboxMessage, InboxSpliced, Queue,
    SubagentDescriptor, SurfaceReplaced, SystemMessage, ToolCall, ToolResult, UserMessage,
};
pub use fact::Fact;
pub use fold::{Fold, Recorded, ScopeEntry, ScopeState, VisibleBaseline};
pub use header::{AdditionalDirectory, DirectoryLoad, HeaderError, Origin, SessionHeader};
pub use history::History;
pub use inbox::Inbox;
pub use json::Json;
pub use ledger::Ledger;
#[cfg(feature = "testing")]
pub use log::testing;
pub use log::{Chunk, Damage, LogChunks, LogError, MemoryLog, SessionLog};
#[cfg(feature = "jsonl")]
pub use log::{Cut, Encoding, JsonlLog, JsonlOptions};
pub use reconcile::{
    BaselineRules, Candidate, Complete, Content, FileKey, Op, Outcome, Plan, PlannedItem, RemovalReason,
    Rules, Seen, Selection, Slot, Zone, commit, reconcile,
};
pub use scope::{PathRef, ScopeRef};
pub use session::{Session, SessionError};
pub use source::{Action, Change, InjectorId, InstructionSource, MessageId, Scope, SourceError};
pub use surface::Surface;
pub use touches::TouchLog;
