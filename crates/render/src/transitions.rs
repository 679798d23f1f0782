use crate::block::{Block, Fate, Layout, Overflow};
use crate::cut::Room;
use crate::notice::{self, Truncated};
use crate::scan::Measure;
use crate::section::{BLANK_LINE, Passage, Section};
use crate::wording::Wording;

/// Renders later sets, replaces and removals within a budget (R2, R5, R6, C8). `sections` are in the order
/// of C10, the broadest first; `budget` is the bytes of the whole block.
///
/// - **Removals first.** From the most specific one on, as many as fit. One that would not fit with its
///   sentence in a message of its own stands by its heading; one that then does not fit in a frame stands
///   without it, alone in the message, when its turn comes as the most specific one. Broader ones wait.
/// - **Then content**, from the most specific file on, as many whole files as fit beside them. If not even
///   the first does, it is cut, even where it would fit whole in a later message: it is due now. Broader
///   ones wait. With [`Overflow::Trim`] the first that does not fit whole is cut, whichever it is. Where
///   not one character fits beside what else stands, it waits. An empty file that fits no frame, but the
///   form without one, stands so, alone in the message, when its turn comes as the most specific one.
/// - The notice names what is cut. What waits is not lost and not named.
/// - A section that fits no message ([`fits_alone`]) waits and takes no other's place: the caller leaves it
///   out for good, or turns it into [`Section::left_out`].
///
/// With nothing to represent the block is empty (C9). Unless `sections` is empty or nothing in it fits
/// alone, something is represented, so that what waits gets its turn.
pub fn transitions(sections: &[Section<'_>], budget: usize, overflow: Overflow, wording: &Wording) -> Block {
    let mut draft = Draft {
        sections,
        placed: sections.iter().map(|_| None).collect(),
        wording,
        budget,
        room: budget.saturating_sub(wording.frame.overhead()),
        used: 0,
        truncated: None,
    };
    if let Some(index) = draft.place_removals() {
        return draft.unframed_heading(index);
    }
    if let Some(index) = draft.place_content(overflow) {
        return draft.unframed_empty_file(index);
    }
    draft.into_block()
}

/// Whether `section` can be represented in a message of transitions of its own (C8): at least one character
/// of its content, the heading and sentence of an empty file, the heading of a removal.
///
/// Reads no more than `budget` bytes of its content.
#[must_use]
pub fn fits_alone(section: &Section<'_>, budget: usize, wording: &Wording) -> bool {
    let frame = &wording.frame;
    if section.is_removal() {
        return section.heading_within(frame, budget).is_some();
    }
    if empty_file_unframed(section, budget, wording).is_some() {
        return true;
    }
    let Some(room) = budget.checked_sub(frame.overhead()) else { return false };
    let first_character =
        section.content().chars().next().and_then(|c| section.content().get(..c.len_utf8()));
    let cut = first_character.is_some_and(|first| {
        cut_room(section, budget, wording, room).is_some_and(|room| room.cut(first) > 0)
    });
    cut || section.whole_within(wording, room).is_some()
}

/// The third form of R6 for an empty file, which represents it: notice, blank line, head.
fn empty_file_unframed(section: &Section<'_>, budget: usize, wording: &Wording) -> Option<String> {
    if section.is_removal() || !section.content().is_empty() {
        return None;
    }
    let frame = &wording.frame;
    let cut = Truncated { path: section.path(), from: 0, to: 0 };
    let mut notice = Measure::new(frame);
    notice.push(&notice::lead(budget));
    notice.push(&cut.part(0, "0"));
    let head = section.whole_within(wording, budget.checked_sub(notice.len() + BLANK_LINE.len())?)?;
    let notice = &notice::text(budget, std::iter::empty(), Some(cut), usize::MAX);
    Some(Layout { frame, framed: false, notice, opening: "", passages: vec![&head] }.write())
}

/// The room for content that is cut, out of `room` bytes for its section and the notice with its blank line.
fn cut_room<'f>(section: &Section<'_>, budget: usize, wording: &'f Wording, room: usize) -> Option<Room<'f>> {
    let frame = &wording.frame;
    let truncated = Truncated { path: section.path(), from: section.content().len(), to: 0 };
    let mut notice = Measure::new(frame);
    notice.push(&notice::lead(budget));
    notice.push(&truncated.part(0, ""));
    let mut head = Measure::new(frame);
    head.push(&section.head(wording));
    head.push(BLANK_LINE);
    let bytes = room.checked_sub(notice.len() + BLANK_LINE.len() + head.len())?;
    Some(Room { scan: head.scan(), bytes, counted: true, content: true })
}

struct Placed<'a> {
    passage: Passage<'a>,
    fate: Fate,
}

/// A block in the making. Sections are placed from the specific end, removals before content.
struct Draft<'a> {
    sections: &'a [Section<'a>],
    placed: Vec<Option<Placed<'a>>>,
    wording: &'a Wording,
    budget: usize,
    /// Bytes between the tags.
    room: usize,
    /// Bytes of what is placed, each section with a blank line before it, the first one too.
    used: usize,
    truncated: Option<Truncated<'a>>,
}

impl<'a> Draft<'a> {
    /// Places what fits of the removals, or names the one that is to stand without frame.
    fn place_removals(&mut self) -> Option<usize> {
        let frame = &self.wording.frame;
        for (index, section) in self.sections.iter().enumerate().rev() {
            if !section.is_removal() {
                continue;
            }
            let whole = section.whole_within(self.wording, self.room).map(|passage| (passage, Fate::Whole));
            let own = whole.or_else(|| Some((section.heading_within(frame, self.room)?, Fate::HeadingOnly)));
            match own {
                Some((passage, fate)) => {
                    let used = self.used + BLANK_LINE.len() + passage.len();
                    if used > self.limit() {
                        return None;
                    }
                    self.place(index, Placed { passage, fate }, used);
                }
                None if section.heading_within(frame, self.budget).is_some() => {
                    return (self.used == 0).then_some(index);
                }
                None => {}
            }
        }
        None
    }

    /// Places what fits of the files, or names the empty one that is to stand without frame.
    fn place_content(&mut self, overflow: Overflow) -> Option<usize> {
        let mut any = false;
        for (index, section) in self.sections.iter().enumerate().rev() {
            if section.is_removal() {
                continue;
            }
            let base = self.used + BLANK_LINE.len();
            let room = self.limit().saturating_sub(base);
            if let Some(passage) = section.whole_within(self.wording, room).filter(|_| base <= self.limit()) {
                let used = base + passage.len();
                self.place(index, Placed { passage, fate: Fate::Whole }, used);
                any = true;
                continue;
            }
            if !fits_alone(section, self.budget, self.wording) {
                continue;
            }
            if section.content().is_empty() {
                return (self.used == 0).then_some(index);
            }
            if overflow == Overflow::Trim || !any {
                self.place_cut(index, section, room);
            }
            break;
        }
        None
    }

    fn place_cut(&mut self, index: usize, section: &Section<'a>, room: usize) {
        let Some(room) = cut_room(section, self.budget, self.wording, room) else { return };
        let (from, to) = (section.content().len(), room.cut(section.content()));
        if to > 0 {
            self.truncated = Some(Truncated { path: section.path(), from, to });
            let passage = section.cut(self.wording, to);
            self.place(index, Placed { passage, fate: Fate::Cut { from, to } }, self.limit());
        }
    }

    fn place(&mut self, index: usize, placed: Placed<'a>, used: usize) {
        if let Some(slot) = self.placed.get_mut(index) {
            *slot = Some(placed);
            self.used = used;
        }
    }

    /// What `used` may come to: no blank line stands before the first section.
    fn limit(&self) -> usize {
        if self.room == 0 { 0 } else { self.room + BLANK_LINE.len() }
    }

    /// That removal by its heading, alone and without frame.
    fn unframed_heading(&self, index: usize) -> Block {
        let heading = self.sections.get(index).and_then(|section| {
            let passage = section.heading_within(&self.wording.frame, self.budget)?;
            let mut text = String::with_capacity(passage.len());
            passage.write(&mut text);
            Some(text)
        });
        self.alone(index, heading, Fate::HeadingOnly)
    }

    fn unframed_empty_file(&self, index: usize) -> Block {
        let section = self.sections.get(index);
        let text = section.and_then(|section| empty_file_unframed(section, self.budget, self.wording));
        self.alone(index, text, Fate::Whole)
    }

    fn alone(&self, index: usize, text: Option<String>, fate: Fate) -> Block {
        let mut fates = vec![Fate::Waits; self.sections.len()];
        if let (Some(slot), true) = (fates.get_mut(index), text.is_some()) {
            *slot = fate;
        }
        Block { text: text.unwrap_or_default(), fates }
    }

    fn into_block(self) -> Block {
        let fate = |placed: &Option<Placed<'_>>| placed.as_ref().map_or(Fate::Waits, |placed| placed.fate);
        let fates = self.placed.iter().map(fate).collect();
        let passages: Vec<_> = self.placed.iter().flatten().map(|placed| &placed.passage).collect();
        if passages.is_empty() {
            return Block { text: String::new(), fates };
        }
        let notice =
            self.truncated.map(|cut| notice::text(self.budget, std::iter::empty(), Some(cut), usize::MAX));
        let notice = notice.as_deref().unwrap_or_default();
        let layout = Layout { frame: &self.wording.frame, framed: true, notice, opening: "", passages };
        Block { text: layout.write(), fates }
    }
}
