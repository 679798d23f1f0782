//! What the model sees.

use std::collections::HashMap;

use crate::{Event, EventError, MessageId};

/// The messages, calls and results that the model sees, in order (H1): each is appended, or
/// replaces a range.
///
/// A summary stands where its range began, so a range may itself hold summaries, and a later one
/// shadows every instruction inside the interval, also one that entered after an earlier summary
/// was written (H5).
///
/// Amortised constant time an event; a replacement looks its two ends up in logarithmic time and
/// then takes time in proportion to what it removes. Memory is in proportion to what is visible.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// By `seq`; what was replaced stays as a hole until half of it is holes.
    nodes: Vec<Node>,
    first: Option<usize>,
    last: Option<usize>,
    live: usize,
    /// How often each instruction message is in view: the model has it until the last copy goes.
    copies: HashMap<MessageId, usize>,
}

#[derive(Clone, Debug)]
struct Node {
    seq: u64,
    /// Of the place on the surface: the entry's own number, or of a summary the place of the
    /// first entry it replaced. Strictly rising along the surface.
    place: u64,
    previous: Option<usize>,
    next: Option<usize>,
    /// `None` once replaced.
    entry: Option<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    event: Event,
    instruction: Option<MessageId>,
}

/// A range by the places of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Surface {
    /// The entries in order, each with its sequence number. A summary is the
    /// [`Event::SurfaceReplaced`] that brought it.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Event)> + '_ {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at?)?;
            at = node.next;
            Some((node.seq, &node.entry.as_ref()?.event))
        })
    }

    /// How many entries there are.
    pub const fn len(&self) -> usize {
        self.live
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The sequence numbers of the first and the last entry: the range to replace when all of it
    /// is compacted.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        let seq = |at: Option<usize>| Some(self.nodes.get(at?)?.seq);
        Some((seq(self.first)?, seq(self.last)?))
    }

    /// The identities of the instruction messages in view, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &MessageId> + '_ {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at?)?;
            at = node.next;
            Some(node.entry.as_ref()?.instruction.as_ref())
        })
        .flatten()
    }

    pub(crate) fn append(&mut self, seq: u64, event: Event, instruction: Option<MessageId>) {
        let at = self.nodes.len();
        if let Some(id) = &instruction {
            *self.copies.entry(id.clone()).or_default() += 1;
        }
        let entry = Some(Entry { event, instruction });
        self.nodes.push(Node { seq, place: seq, previous: self.last, next: None, entry });
        self.link(self.last, Some(at));
        self.last = Some(at);
        self.live += 1;
    }

    /// Replaces `first..=last` by `event` and returns the instruction messages that are no longer
    /// in view.
    pub(crate) fn replace(
        &mut self,
        seq: u64,
        first: u64,
        last: u64,
        event: Event,
    ) -> Result<Vec<MessageId>, EventError> {
        let places = self.range(first, last)?;
        let (Some(from), Some(to)) = (self.find(first), self.find(last)) else {
            return Err(EventError::NotOnSurface { seq: first });
        };
        let previous = self.nodes.get(from).and_then(|node| node.previous);
        let next = self.nodes.get(to).and_then(|node| node.next);
        let mut shadowed = Vec::new();
        let mut at = Some(from);
        while let Some(node) = at.filter(|at| Some(*at) != next).and_then(|at| self.nodes.get_mut(at)) {
            let gone = node.entry.take().and_then(|entry| entry.instruction);
            shadowed.extend(gone.filter(|id| take_copy(&mut self.copies, id)));
            self.live -= 1;
            at = node.next;
        }
        let summary = self.nodes.len();
        let entry = Some(Entry { event, instruction: None });
        self.nodes.push(Node { seq, place: places.first, previous, next, entry });
        self.live += 1;
        self.link(previous, Some(summary));
        match next.and_then(|next| self.nodes.get_mut(next)) {
            Some(node) => node.previous = Some(summary),
            None => self.last = Some(summary),
        }
        self.sweep();
        Ok(shadowed)
    }

    /// The places of `first` and `last`, if both are on the surface and in this order.
    pub(crate) fn range(&self, first: u64, last: u64) -> Result<Places, EventError> {
        let place = |seq| self.place(seq).ok_or(EventError::NotOnSurface { seq });
        let places = Places { first: place(first)?, last: place(last)? };
        if places.first > places.last {
            return Err(EventError::RangeReversed { first, last });
        }
        Ok(places)
    }

    /// The place of the visible entry `seq`.
    pub(crate) fn place(&self, seq: u64) -> Option<u64> {
        self.find(seq).and_then(|at| self.nodes.get(at)).map(|node| node.place)
    }

    fn find(&self, seq: u64) -> Option<usize> {
        let at = self.nodes.binary_search_by_key(&seq, |node| node.seq).ok()?;
        self.nodes.get(at).filter(|node| node.entry.is_some()).map(|_| at)
    }

    /// Makes `next` follow `previous`, or come first.
    fn link(&mut self, previous: Option<usize>, next: Option<usize>) {
        match previous.and_then(|at| self.nodes.get_mut(at)) {
            Some(node) => node.next = next,
            None => self.first = next,
        }
    }

    /// Closes the holes once they are the greater part.
    fn sweep(&mut self) {
        if self.nodes.len() < self.live.saturating_mul(2).saturating_add(16) {
            return;
        }
        let mut moved = Vec::with_capacity(self.nodes.len());
        let mut kept = 0;
        for node in &self.nodes {
            moved.push(kept);
            kept += usize::from(node.entry.is_some());
        }
        let new = |at: Option<usize>| at.and_then(|at| moved.get(at).copied());
        self.nodes.retain(|node| node.entry.is_some());
        self.nodes.shrink_to(kept.saturating_mul(2));
        for node in &mut self.nodes {
            node.previous = new(node.previous);
            node.next = new(node.next);
        }
        self.first = new(self.first);
        self.last = new(self.last);
    }
}

/// Takes one copy; whether it was the last.
fn take_copy(copies: &mut HashMap<MessageId, usize>, id: &MessageId) -> bool {
    let left = copies.get(id).map_or(0, |count| count.saturating_sub(1));
    match left {
        0 => drop(copies.remove(id)),
        left => drop(copies.insert(id.clone(), left)),
    }
    left == 0
}

/// Equal when the model sees the same under the same numbers.
impl PartialEq for Surface {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}
