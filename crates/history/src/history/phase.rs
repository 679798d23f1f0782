//! Which turn and step is open.

use crate::{Event, EventError};

/// Where a history stands between two entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for a turn.
    #[default]
    Idle,
    /// Within a turn, waits for a step or the turn's end.
    Turn,
    /// A step has begun and its messages are coming.
    Opening,
    /// A step runs.
    Step,
}

impl Phase {
    /// What follows `event`, or why it cannot stand here.
    pub(super) fn after(self, event: &Event) -> Result<Self, EventError> {
        use Phase::{Idle, Opening, Step, Turn};
        match (event, self) {
            (Event::TurnStart, Idle) => Ok(Turn),
            (Event::TurnStart, _) => Err(EventError::TurnOpen),
            (Event::TurnEnd(_), Turn) => Ok(Idle),
            (Event::StepStart, Turn) => Ok(Opening),
            (Event::TurnEnd(_) | Event::StepStart, Idle) => Err(EventError::NoTurn),
            (Event::TurnEnd(_) | Event::StepStart, Opening | Step) => Err(EventError::StepOpen),
            (Event::StepEnd(_), Opening | Step) => Ok(Turn),
            (Event::StepEnd(_), Idle | Turn) => Err(EventError::NoStep),
            (Event::UserMessage(_), Opening) => Ok(Opening),
            (Event::UserMessage(_), _) => Err(EventError::LateMessage),
            (Event::SystemMessage(_) | Event::InboxSpliced(_) | Event::Foreign(_), phase) => Ok(phase),
            (
                Event::AssistantMessage(_)
                | Event::ToolCall(_)
                | Event::ToolResult(_)
                | Event::SubagentDescriptor(_)
                | Event::InstanceStart
                | Event::SurfaceReplaced(_),
                phase,
            ) => Ok(if phase == Opening { Step } else { phase }),
        }
    }

    /// What a batch's end makes of it.
    pub(super) const fn settled(self) -> Self {
        match self {
            Self::Opening => Self::Step,
            Self::Idle | Self::Turn | Self::Step => self,
        }
    }
}
