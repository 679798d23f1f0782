//! What a host tells us of its history.

use std::path::PathBuf;

use crate::{InstructionSource, MessageId};

/// One fact of an append-only history, as far as instructions are concerned (H3).
///
/// A host with a history of its own feeds these in order and needs nothing else of this crate.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A step entered; these instruction messages of ours stood in it, in this order. A step
    /// without any is an empty list: it still answers the touches before it (C4).
    Entered(Vec<InstructionSource>),
    /// The messages with these identities are no longer visible, as after a compaction of a range.
    /// Identities that are not ours are ignored.
    Shadowed(Vec<MessageId>),
    /// Every instruction message so far but these is no longer visible, as after a compaction
    /// of everything.
    ShadowedExcept(Vec<MessageId>),
    /// Tools touched these paths, absolute or relative to the session's cwd (C5).
    Touched(Vec<PathBuf>),
    /// The open step ended durably. A host that reports no `Entered` for steps without
    /// instructions still gets its older touches answered by this.
    StepClosed,
}
