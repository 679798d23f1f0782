//! The state that the entries of a history imply.

mod calls;
mod check;
mod phase;

use std::collections::HashSet;

use crate::{End, EndOutcome, Event, EventError, Fact, Inbox, InstructionSource, Surface};
use calls::Calls;
use phase::Phase;

/// The state of a history (H1): what the model sees, what waits, which turn and step is open, and
/// the facts for the fold (H3). Pure: no log, no I/O. Replay and following give the same state
/// and the same facts.
///
/// # Which messages a step takes along
/// A step's user messages stand right after its `step_start` and in one batch with it; only
/// changes of the inbox, a system message and foreign entries may stand between. They are one
/// [`Fact::Entered`], given at the first other entry or at the batch's end ([`settle`](Self::settle)).
/// A user message anywhere else is refused: what a user says meanwhile waits in the [`Inbox`].
///
/// # Touches
/// A result that is `ok` touches its paths; those of an inner call wait for the outermost one
/// (C5). What still waits when another instance takes over is dropped ([`takeover`](Self::takeover)).
///
/// ```
/// use standing_orders_history::{Event, History, UserMessage};
/// use standing_orders_session::Fact;
///
/// let mut history = History::default();
/// let mut facts = Vec::new();
/// for event in [Event::TurnStart, Event::StepStart, UserMessage::text("hi").into()] {
///     history.apply(event, &mut facts)?;
/// }
/// history.settle(&mut facts);
/// assert_eq!(facts, [Fact::Entered(vec![])]);
/// assert_eq!(history.surface().len(), 1);
/// assert!(history.apply(UserMessage::text("late").into(), &mut facts).is_err());
/// # Ok::<(), standing_orders_history::EventError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    next: u64,
    phase: Phase,
    /// Of the step whose messages are still coming.
    entering: Vec<InstructionSource>,
    surface: Surface,
    inbox: Inbox,
    /// Identities of host messages that entered.
    entered: HashSet<String>,
    calls: Calls,
    system: Option<String>,
}

impl History {
    /// How many entries there are: the sequence number of the next one.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// What the model sees.
    pub const fn surface(&self) -> &Surface {
        &self.surface
    }

    /// What waits.
    pub const fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Whether a turn is open.
    pub const fn turn_open(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    /// Whether a step is open.
    pub const fn step_open(&self) -> bool {
        matches!(self.phase, Phase::Opening | Phase::Step)
    }

    /// The system prompt as last recorded.
    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// What a new instance that takes over appends first: the end of a step that the former one left
    /// open (C12), and the end of inner calls that had not settled (C5). Nothing, if it left
    /// neither. The turn goes on, or the host ends it.
    pub fn takeover(&self) -> Vec<Event> {
        let step = self.step_open().then_some(Event::StepEnd(End { outcome: EndOutcome::Interrupted }));
        let calls = (!self.calls.is_empty()).then_some(Event::InstanceStart);
        step.into_iter().chain(calls).collect()
    }

    /// Takes the next entry in and adds the facts it gives. An entry that is refused changes
    /// nothing.
    ///
    /// # Errors
    /// [`EventError`].
    pub fn apply(&mut self, event: Event, facts: &mut Vec<Fact>) -> Result<(), EventError> {
        let phase = self.phase.after(&event)?;
        if let Event::SurfaceReplaced(range) = &event {
            self.surface.range(range.first, range.last)?;
        }
        if self.phase == Phase::Opening && phase != Phase::Opening {
            self.settle(facts);
        }
        let seq = self.next;
        match event {
            Event::TurnStart
            | Event::TurnEnd(_)
            | Event::StepStart
            | Event::SubagentDescriptor(_)
            | Event::Foreign(_) => {}
            Event::StepEnd(_) => facts.push(Fact::StepClosed),
            Event::InstanceStart => self.calls.clear(),
            Event::UserMessage(message) => {
                if let Some(id) = &message.id {
                    check::identity(id, &self.inbox, |id| self.entered.contains(id))?;
                    self.entered.insert(id.clone());
                }
                let source = message.instruction_source().and_then(Result::ok);
                let id = source.as_ref().map(|source| source.id.clone());
                self.entering.extend(source);
                self.surface.append(seq, Event::UserMessage(message), id);
            }
            Event::AssistantMessage(_) => self.surface.append(seq, event, None),
            Event::ToolCall(ref call) => {
                if call.parent.is_none() {
                    self.surface.append(seq, event, None);
                }
            }
            Event::ToolResult(ref result) => {
                facts.extend(self.calls.settled(result).map(Fact::Touched));
                if result.parent.is_none() {
                    self.surface.append(seq, event, None);
                }
            }
            Event::SystemMessage(message) => self.system = Some(message.text),
            Event::InboxSpliced(splice) => self.inbox.splice(splice, |id| self.entered.contains(id))?,
            Event::SurfaceReplaced(ref range) => {
                let (first, last) = (range.first, range.last);
                let shadowed = self.surface.replace(seq, first, last, event)?;
                if !shadowed.is_empty() {
                    facts.push(Fact::Shadowed(shadowed));
                }
            }
        }
        self.phase = phase;
        self.next += 1;
        Ok(())
    }

    /// A batch, or a replay, is at its end: the messages of a step that has just begun are
    /// complete.
    pub fn settle(&mut self, facts: &mut Vec<Fact>) {
        if self.phase == Phase::Opening {
            facts.push(Fact::Entered(std::mem::take(&mut self.entering)));
            self.phase = Phase::Step;
        }
    }
}
