//! Whether a whole batch can follow, before any of it is written.

use std::collections::{HashMap, HashSet};

use super::History;
use crate::surface::Places;
use crate::{Event, EventError, Inbox};

impl History {
    /// Whether all of `batch` can follow, without taking it in.
    ///
    /// # Errors
    /// The sequence number of the first entry that cannot, and why.
    pub fn check(&self, batch: &[Event]) -> Result<(), (u64, EventError)> {
        let mut ahead = Ahead::new(self);
        let mut phase = self.phase.settled();
        for (seq, event) in (self.next..).zip(batch) {
            phase = phase
                .after(event)
                .and_then(|phase| ahead.take(seq, event).map(|()| phase))
                .map_err(|e| (seq, e))?;
        }
        Ok(())
    }
}

/// An identity enters: it may neither wait nor have entered.
pub(super) fn identity(id: &str, inbox: &Inbox, entered: impl Fn(&str) -> bool) -> Result<(), EventError> {
    if inbox.waits(id) {
        return Err(EventError::StillQueued { id: id.to_owned() });
    }
    if entered(id) {
        return Err(EventError::DuplicateMessage { id: id.to_owned() });
    }
    Ok(())
}

/// What a batch would change, over the history as it is.
struct Ahead<'a> {
    history: &'a History,
    /// A copy once the batch changes it.
    inbox: Option<Inbox>,
    entered: HashSet<&'a str>,
    /// The places of entries that the batch brings.
    places: HashMap<u64, u64>,
    replaced: Vec<(u64, Places)>,
}

impl<'a> Ahead<'a> {
    fn new(history: &'a History) -> Self {
        let (entered, places) = (HashSet::new(), HashMap::new());
        Self { history, inbox: None, entered, places, replaced: Vec::new() }
    }

    fn take(&mut self, seq: u64, event: &'a Event) -> Result<(), EventError> {
        let Self { history, inbox, entered, .. } = self;
        match event {
            Event::UserMessage(message) => {
                if let Some(id) = &message.id {
                    let inbox = inbox.as_ref().unwrap_or(&history.inbox);
                    identity(id, inbox, |id| entered.contains(id) || history.entered.contains(id))?;
                    entered.insert(id);
                }
                self.places.insert(seq, seq);
            }
            Event::InboxSpliced(splice) => inbox
                .get_or_insert_with(|| history.inbox.clone())
                .splice(splice.clone(), |id| entered.contains(id) || history.entered.contains(id))?,
            Event::AssistantMessage(_) => {
                self.places.insert(seq, seq);
            }
            Event::ToolCall(call) if call.parent.is_none() => {
                self.places.insert(seq, seq);
            }
            Event::ToolResult(result) if result.parent.is_none() => {
                self.places.insert(seq, seq);
            }
            Event::SurfaceReplaced(range) => {
                let (first, last) = (self.place(range.first)?, self.place(range.last)?);
                if first > last {
                    return Err(EventError::RangeReversed { first: range.first, last: range.last });
                }
                self.replaced.push((seq, Places { first, last }));
                self.places.insert(seq, first);
            }
            Event::TurnStart
            | Event::TurnEnd(_)
            | Event::StepStart
            | Event::StepEnd(_)
            | Event::InstanceStart
            | Event::ToolCall(_)
            | Event::ToolResult(_)
            | Event::SystemMessage(_)
            | Event::SubagentDescriptor(_)
            | Event::Foreign(_) => {}
        }
        Ok(())
    }

    /// The place of `seq`, unless a replacement of this batch took it.
    fn place(&self, seq: u64) -> Result<u64, EventError> {
        let place = self.places.get(&seq).copied().or_else(|| self.history.surface.place(seq));
        place
            .filter(|place| {
                !self
                    .replaced
                    .iter()
                    .any(|(by, range)| seq < *by && (range.first..=range.last).contains(place))
            })
            .ok_or(EventError::NotOnSurface { seq })
    }
}
