use crate::block::{Block, Extent, Fate, Layout, Overflow};
use crate::cut::Room;
use crate::notice::{self, Truncated};
use crate::scan::{Measure, Scan};
use crate::section::{BLANK_LINE, Section};
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
///   not one character fits beside what else stands, it waits.
/// - The notice names what is cut. What waits is not lost and not named.
/// - A section that fits no message ([`fits_alone`]) waits and takes no other's place: the caller leaves it
///   out for good, or turns it into [`Section::left_out`].
///
/// With nothing to represent the block is empty (C9). Unless `sections` is empty or nothing in it fits
/// alone, something is represented, so that what waits gets its turn.
pub fn transitions(sections: &[Section<'_>], budget: usize, overflow: Overflow, wording: &Wording) -> Block {
    let mut draft = Draft {
        sections,
        placed: vec![None; sections.len()],
        wording,
        budget,
        room: budget.saturating_sub(wording.frame.overhead()),
        used: 0,
        truncated: None,
    };
    if let Some(index) = draft.place_removals() {
        let mut fates = vec![Fate::Waits; sections.len()];
        let heading = sections.get(index).map(Section::heading).unwrap_or_default();
        if let Some(fate) = fates.get_mut(index) {
            *fate = Fate::HeadingOnly;
        }
        return Block { text: wording.frame.neutralise(&heading).into_owned(), fates };
    }
    draft.place_content(overflow);
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
        return heading(section, wording, budget).is_some();
    }
    let Some(room) = budget.checked_sub(frame.overhead()) else { return false };
    let first_character =
        section.content().chars().next().and_then(|c| section.content().get(..c.len_utf8()));
    let cut = first_character.is_some_and(|first| {
        cut_room(section, None, budget, wording, room).is_some_and(|room| room.cut(first) > 0)
    });
    cut || section.measured(wording, room).is_some()
}

/// The heading alone, if it has no more than `room` bytes.
fn heading<'f>(section: &Section<'_>, wording: &'f Wording, room: usize) -> Option<Measure<'f>> {
    if section.path().len() > room {
        return None;
    }
    let mut measure = Measure::new(&wording.frame);
    measure.push(&section.heading());
    (measure.len() <= room).then_some(measure)
}

/// The room for content that is cut, out of `room` bytes for its section and the notice with its blank line.
fn cut_room<'f, 'a>(
    section: &Section<'_>,
    next: Option<&'a Section<'a>>,
    budget: usize,
    wording: &'f Wording,
    room: usize,
) -> Option<Room<'f, 'a>> {
    let frame = &wording.frame;
    let truncated = Truncated { path: section.path(), from: section.content().len(), to: 0 };
    let mut notice = Measure::new(frame);
    notice.push(&notice::lead(budget));
    notice.push(&truncated.part(0, ""));
    let mut head = Measure::new(frame);
    head.push(&section.head(wording));
    head.push(BLANK_LINE);
    let bytes = room.checked_sub(notice.len() + BLANK_LINE.len() + head.len())?;
    Some(Room { scan: head.scan(), frame, bytes, counted: true, next })
}

#[derive(Clone, Copy)]
struct Placed<'f> {
    /// Where the recogniser stands behind it.
    end: Scan<'f>,
    extent: Extent,
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
        let mut next = None;
        for (index, section) in self.sections.iter().enumerate().rev() {
            if !section.is_removal() {
                continue;
            }
            let whole = section.measured(self.wording, self.room).map(|m| (m, Extent::Head, Fate::Whole));
            let own = whole.or_else(|| {
                let measure = heading(section, self.wording, self.room)?;
                Some((measure, Extent::Heading, Fate::HeadingOnly))
            });
            match own {
                Some((measure, extent, fate)) => {
                    let used =
                        self.used + BLANK_LINE.len() + measure.len() + self.joint(Some(measure.scan()), next);
                    if used > self.limit() {
                        return None;
                    }
                    self.place(index, Placed { end: measure.scan(), extent, fate }, used);
                    next = Some(section);
                }
                None if heading(section, self.wording, self.budget).is_some() => {
                    return next.is_none().then_some(index);
                }
                None => {}
            }
        }
        None
    }

    fn place_content(&mut self, overflow: Overflow) {
        let before = self.ends_before();
        let (mut next, mut any) = (None, false);
        for ((index, section), before) in self.sections.iter().enumerate().zip(before).rev() {
            if self.placed.get(index).is_some_and(Option::is_some) {
                next = Some(section);
                continue;
            }
            if section.is_removal() {
                continue;
            }
            let base =
                self.used - self.joint(before, next) + self.joint(before, Some(section)) + BLANK_LINE.len();
            let room = self.limit().saturating_sub(base);
            let whole = section.measured(self.wording, room).and_then(|measure| {
                let used = base + measure.len() + self.joint(Some(measure.scan()), next);
                (used <= self.limit()).then_some((measure.scan(), used))
            });
            if let Some((end, used)) = whole {
                let extent = Extent::Content(section.content().len());
                self.place(index, Placed { end, extent, fate: Fate::Whole }, used);
                (next, any) = (Some(section), true);
                continue;
            }
            if !fits_alone(section, self.budget, self.wording) {
                continue;
            }
            if overflow == Overflow::Trim || !any {
                self.place_cut(index, section, next, room);
            }
            break;
        }
    }

    fn place_cut(&mut self, index: usize, section: &Section<'a>, next: Option<&Section<'_>>, room: usize) {
        let Some(room) = cut_room(section, next, self.budget, self.wording, room) else { return };
        let (from, to) = (section.content().len(), room.cut(section.content()));
        if to > 0 {
            self.truncated = Some(Truncated { path: section.path(), from, to });
            let cut = Placed { end: room.scan, extent: Extent::Content(to), fate: Fate::Cut { from, to } };
            self.place(index, cut, self.limit());
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

    fn joint(&self, before: Option<Scan<'_>>, next: Option<&Section<'_>>) -> usize {
        match (before, next) {
            (Some(before), Some(next)) => next.joint(before, &self.wording.frame),
            _ => 0,
        }
    }

    /// For each section the end of the nearest one placed before it.
    fn ends_before(&self) -> Vec<Option<Scan<'a>>> {
        let mut nearest = None;
        let ends = self.placed.iter().map(|placed| {
            let before = nearest;
            nearest = placed.map(|placed| placed.end).or(nearest);
            before
        });
        ends.collect()
    }

    fn into_block(self) -> Block {
        let fates =
            self.placed.iter().map(|placed| placed.map_or(Fate::Waits, |placed| placed.fate)).collect();
        let placed = self.sections.iter().zip(&self.placed);
        let parts: Vec<_> =
            placed.filter_map(|(section, placed)| Some((*section, (*placed)?.extent))).collect();
        if parts.is_empty() {
            return Block { text: String::new(), fates };
        }
        let notice =
            self.truncated.map(|cut| notice::text(self.budget, std::iter::empty(), Some(cut), usize::MAX));
        let text = Layout { wording: self.wording, framed: true, notice, opening: "", parts }.write();
        Block { text, fates }
    }
}
