//! The durable history of a session and what it implies: header, sources, fold, reconcile; events, surface, logs.

mod digest;
mod fact;
mod source;

pub use digest::Digest;
pub use fact::Fact;
pub use source::{Action, Change, InjectorId, InstructionSource, MessageId, Scope, SourceError};
