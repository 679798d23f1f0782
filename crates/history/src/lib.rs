//! A complete history of a session, for hosts without one (H1, H2).
//!
//! ```
//! use standing_orders_history::{Event, History, MemoryLog, Session, UserMessage};
//! use standing_orders_session::{Fact, SessionHeader};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let log = MemoryLog::new(SessionHeader::main("session-1", 0).with_cwd("/ws"));
//! let (mut session, facts) = Session::open(log.clone()).await?;
//! assert!(facts.is_empty(), "nothing has happened yet");
//! session.append(vec![Event::TurnStart, Event::StepStart, UserMessage::text("hi").into()]).await?;
//!
//! // Another instance, over the same log.
//! let (session, facts) = Session::open(log).await?;
//! assert_eq!(facts, [Fact::Entered(vec![])], "a step entered, without instructions");
//! assert_eq!(session.history().surface().len(), 1, "the model sees one message");
//! # Ok(())
//! # }
//! ```
//!
//! # Concepts
//! - [`Event`]: one entry of a history. [`History`]: the state that its entries imply, pure: the
//!   [`Surface`] that the model sees, the [`Inbox`] of what waits, which turn and step is open, and the
//!   facts for the fold of `standing-orders-session`.
//! - [`Session`]: a [`History`] over a log.
//! - [`SessionLog`]: where it is kept (H2): [`MemoryLog`]; with the feature `jsonl` a file of JSON lines,
//!   with `zstd` compressed ones are read, with `zstd-write`, which needs a C compiler, written.
//!
//! # What it does not do
//! It knows no engine, reads no instruction file, renders no text, and asks no clock and no environment.
//! Without features it has no files and no runtime.

mod error;
mod event;
mod history;
mod inbox;
mod json;
mod log;
mod session;
mod surface;

pub use error::EventError;
pub use event::{
    AssistantMessage, Block, End, EndOutcome, Event, ForeignEvent, InboxMessage, InboxSpliced, Queue,
    SubagentDescriptor, SurfaceReplaced, SystemMessage, ToolCall, ToolResult, UserMessage,
};
pub use history::History;
pub use inbox::Inbox;
pub use json::Json;
#[cfg(feature = "zstd")]
pub use log::ZstdReader;
#[cfg(feature = "testing")]
pub use log::testing;
pub use log::{Chunk, Damage, LogChunks, LogError, MemoryLog, SessionLog};
#[cfg(feature = "jsonl")]
pub use log::{Cut, Encoding, JsonlLog, JsonlOptions};
pub use session::{Session, SessionError};
pub use surface::Surface;

use standing_orders_session::{Fact, HeaderError, InstructionSource, MessageId, SessionHeader, SourceError};
