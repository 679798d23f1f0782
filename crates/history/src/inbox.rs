//! What waits to be said.

use std::collections::HashSet;

use crate::{Event, EventError, InboxMessage, InboxSpliced, Queue, UserMessage};

/// The two queues of host messages (H1). Changed by [`InboxSpliced`] entries alone, so what
/// waits survives a restart.
///
/// An identity waits once over both queues, and one that has entered the history does not come
/// back. A message that was taken out may be put in again: that is how one moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inbox {
    next_turn: Vec<InboxMessage>,
    next_step: Vec<InboxMessage>,
    /// The identities in both queues.
    waiting: HashSet<String>,
}

impl Inbox {
    /// What waits in `queue`, first in first out.
    pub fn queue(&self, queue: Queue) -> &[InboxMessage] {
        match queue {
            Queue::NextTurn => &self.next_turn,
            Queue::NextStep => &self.next_step,
        }
    }

    /// Whether nothing waits.
    pub const fn is_empty(&self) -> bool {
        self.next_turn.is_empty() && self.next_step.is_empty()
    }

    /// The entry that adds `message` at the end of `queue`.
    pub fn push(&self, queue: Queue, message: InboxMessage) -> Event {
        let start = self.queue(queue).len();
        InboxSpliced { queue, start, remove: 0, insert: vec![message] }.into()
    }

    /// All that waits in `queue`: the entry that takes it out, and the messages to enter, which
    /// belong into one batch. `None` when nothing waits.
    pub fn claim(&self, queue: Queue) -> Option<(Event, Vec<UserMessage>)> {
        let waiting = self.queue(queue);
        if waiting.is_empty() {
            return None;
        }
        let splice = InboxSpliced { queue, start: 0, remove: waiting.len(), insert: Vec::new() };
        Some((splice.into(), waiting.iter().cloned().map(UserMessage::from).collect()))
    }

    /// Applies `splice`, or says why not and changes nothing. `entered` tells the identities that
    /// are in the history already.
    pub(crate) fn splice(
        &mut self,
        splice: InboxSpliced,
        entered: impl Fn(&str) -> bool,
    ) -> Result<(), EventError> {
        let InboxSpliced { queue, start, remove, insert } = splice;
        let len = self.queue(queue).len();
        let Some(goes) = start.checked_add(remove).and_then(|end| self.queue(queue).get(start..end)) else {
            return Err(EventError::SpliceOutOfBounds { queue, start, remove, len });
        };
        let going: HashSet<&str> = goes.iter().map(|message| &*message.id).collect();
        let mut coming = HashSet::with_capacity(insert.len());
        for InboxMessage { id, .. } in &insert {
            let waits = self.waiting.contains(id) && !going.contains(&**id);
            if waits || entered(id) || !coming.insert(&**id) {
                return Err(EventError::DuplicateMessage { id: id.clone() });
            }
        }
        let ids: Vec<String> = insert.iter().map(|message| message.id.clone()).collect();
        let queue = match queue {
            Queue::NextTurn => &mut self.next_turn,
            Queue::NextStep => &mut self.next_step,
        };
        for message in queue.splice(start..start.saturating_add(remove), insert) {
            self.waiting.remove(&message.id);
        }
        self.waiting.extend(ids);
        Ok(())
    }

    pub(crate) fn waits(&self, id: &str) -> bool {
        self.waiting.contains(id)
    }
}
