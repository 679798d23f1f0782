//! Why an entry is refused.

use crate::Queue;

/// Why an entry cannot follow the history so far.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// A turn begins in an open one.
    #[error("a turn begins while one is open")]
    TurnOpen,
    /// A turn ends, or a step begins, outside a turn.
    #[error("no turn is open")]
    NoTurn,
    /// A step begins, or the turn ends, in an open step.
    #[error("a step is still open")]
    StepOpen,
    /// A step ends and none is open.
    #[error("no step is open")]
    NoStep,
    /// A user message that no step takes along. What comes later waits in the inbox.
    #[error("a user message stands right after the step_start of its step, in one batch with it")]
    LateMessage,
    /// A range that names an entry the model does not see: never there, or already replaced.
    #[error("event {seq} is not on the surface")]
    NotOnSurface {
        /// As named.
        seq: u64,
    },
    /// A range whose end stands before its beginning.
    #[error("event {last} stands before event {first} on the surface")]
    RangeReversed {
        /// As named.
        first: u64,
        /// As named.
        last: u64,
    },
    /// A splice beyond the end of its queue.
    #[error("{remove} messages from {start} on are out of bounds: {queue:?} has {len}")]
    SpliceOutOfBounds {
        /// The queue.
        queue: Queue,
        /// As named.
        start: usize,
        /// As named.
        remove: usize,
        /// How many messages wait there.
        len: usize,
    },
    /// A message whose identity waits or has entered already.
    #[error("the message {id:?} is there already")]
    DuplicateMessage {
        /// The identity.
        id: String,
    },
    /// A message enters that has not been taken out of the inbox.
    #[error("the message {id:?} enters while it waits in the inbox")]
    StillQueued {
        /// The identity.
        id: String,
    },
}
