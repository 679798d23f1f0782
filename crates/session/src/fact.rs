//! What a host tells us of its history.

use std::path::PathBuf;

use crate::{InstructionSource, MessageId};

/// One fact of an append-only history, as far as instructions are concerned (H3).
///
/// A host with a history of its own feeds these in order and needs nothing else of this crate.
/// Facts are not taken back: after a rewind, begin again with those that are left.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A step entered; these instruction messages of ours stood in it, in this order. A step
    /// without any is an empty list: it still answers touches (C4). A message that enters again,
    /// by its identity, is one message with one more copy (H3).
    Entered(Vec<InstructionSource>),
    /// The messages with these identities are no longer visible, with all their copies, as after a
    /// compaction of a range.
    /// Identities that are not ours are ignored.
    Shadowed(Vec<MessageId>),
    /// Every instruction message so far but these is no longer visible, as after a compaction
    /// of everything.
    ShadowedExcept(Vec<MessageId>),
    /// Tools touched these paths (C5). A relative one is resolved against the cwd of the session that
    /// is open, so a host whose sessions move records them absolute.
    Touched(Vec<PathBuf>),
    /// The open step ended durably. The next step to enter answers the touches before it; without
    /// it a touch may be looked at once more after a restart. A host that reports no `Entered` for
    /// steps without instructions still gets its older touches answered by this.
    StepClosed,
}
