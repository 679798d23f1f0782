use crate::block::{Block, Fate, Layout, Overflow};
use crate::cut::Room;
use crate::notice::{self, Truncated};
use crate::scan::Measure;
use crate::section::{BLANK_LINE, Passage, Section};
use crate::wording::{Wording, sentences};

/// How a complete message begins (R1, R3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// `introduction`: a first baseline, an injector's first delivery.
    Introduction,
    /// `replaces_earlier` and `introduction`: a superseding baseline, and nothing else stays in force.
    ReplacesAll,
    /// `replaces_chain` and `introduction`: a superseding baseline beside nested scopes that stay.
    ReplacesChain,
    /// `replaces_earlier` and `none_active`: a superseding baseline without files, and nothing in force.
    NothingLeft,
    /// `replaces_chain` alone: a superseding baseline without files beside nested scopes that stay.
    OthersLeft,
}

impl Opening {
    /// The text in full and, where R6 has another for tight budgets, compact.
    fn texts(self, wording: &Wording) -> (String, Option<String>) {
        let replacing = |replaces: &str| {
            (
                sentences(replaces, &wording.introduction),
                Some(sentences(replaces, &wording.compact_introduction)),
            )
        };
        match self {
            Self::Introduction => {
                (wording.introduction.to_string(), Some(wording.compact_introduction.to_string()))
            }
            Self::ReplacesAll => replacing(&wording.replaces_earlier),
            Self::ReplacesChain => replacing(wording.chain_replaced()),
            Self::NothingLeft => (sentences(&wording.replaces_earlier, &wording.none_active), None),
            Self::OthersLeft => (wording.chain_replaced().to_owned(), None),
        }
    }
}

/// A message that chooses what is in force: a baseline, or an injector's first delivery (C3, C8).
#[derive(Clone, Copy, Debug)]
pub struct Complete<'a> {
    /// How it begins. The two without files keep their sentence if there are sections all the same.
    pub opening: Opening,
    /// The files, the broadest first (C10). A removal here is taken as a file without content: what a
    /// baseline's list removes has no section (R2).
    pub sections: &'a [Section<'a>],
    /// The order in which sections give way, by their places in `sections`, each once; empty: their own. What
    /// is imported gives way before the files of its directory (M7).
    pub gives_way: &'a [usize],
    /// Bytes of the whole block, frame and notice included; 0 leaves no text. "Off" is for the caller (R5).
    pub budget: usize,
    /// What gives way first.
    pub overflow: Overflow,
    /// The sentences and the frame.
    pub wording: &'a Wording,
}

/// Renders a complete message within its budget (R1, R5, R6).
///
/// 1. Everything, behind the introduction.
/// 2. Over budget, the fewest files go from the broad end that let the others stand whole with the notice
///    that names them. With [`Overflow::Trim`] the last of those is cut instead, where a character of it
///    fits beside the longer notice. When only the most specific is left, it is cut.
/// 3. Where not one character, nor the heading of an empty file, fits: the same from the start behind the
///    compact introduction, which alone is no loss and has no notice.
/// 4. Where that fails too, every file is lost, the most specific one `to 0 bytes` (an empty one
///    `from 0 to 0`): framed with its head behind either introduction, else without frame notice and head,
///    notice, notice cut. An empty file whose heading stands so, without frame, is represented all the same.
///
/// Without sections the opening stands alone; over budget compact, then without frame, then cut.
///
/// Reads no more of all contents together than a few times the budget, and of the paths only those that the
/// notice can hold (R8).
pub fn complete(message: &Complete<'_>) -> Block {
    let (full, compact) = message.opening.texts(message.wording);
    let openings = || std::iter::once(full.as_str()).chain(compact.as_deref());
    let plan = Plan::new(message);
    let Some((_, last)) = plan.sections.last() else {
        return Block { text: alone(message, openings()), fates: Vec::new() };
    };
    let kept = openings().find_map(|opening| plan.keep(opening));
    kept.unwrap_or_else(|| plan.lose_all(openings(), last))
}

/// What is known before the form is chosen: lengths from either end, each only as far as it can matter.
struct Plan<'a> {
    message: &'a Complete<'a>,
    /// Each with its place, in the order in which they give way. A section's text is the same wherever it
    /// stands, so every length is.
    sections: Vec<(usize, &'a Section<'a>)>,
    /// Bytes between the tags.
    room: usize,
    /// The notice up to so many omitted paths, as far as the budget goes.
    names: Vec<Measure<'a>>,
    /// The last section, the one before it and so on, as far as the budget goes, and the bytes up to each.
    suffixes: Vec<(Passage<'a>, usize)>,
}

impl<'a> Plan<'a> {
    fn new(message: &'a Complete<'a>) -> Self {
        let room = message.budget.saturating_sub(message.wording.frame.overhead());
        let mut sections: Vec<_> = message.sections.iter().enumerate().collect();
        if !message.gives_way.is_empty() {
            let mut ranks = vec![usize::MAX; sections.len()];
            for (rank, place) in message.gives_way.iter().enumerate() {
                ranks.get_mut(*place).into_iter().for_each(|known| *known = rank);
            }
            sections.sort_by_key(|(place, _)| ranks.get(*place).copied());
        }
        let mut plan = Self { message, sections, room, names: Vec::new(), suffixes: Vec::new() };
        plan.measure_suffixes();
        plan.measure_names();
        plan
    }

    fn measure_suffixes(&mut self) {
        let mut used = 0;
        for (_, section) in self.sections.iter().rev() {
            let joint = if self.suffixes.is_empty() { 0 } else { BLANK_LINE.len() };
            let Some(room) = self.room.checked_sub(used + joint) else { break };
            let Some(passage) = section.whole_within(self.message.wording, room) else { break };
            used += joint + passage.len();
            self.suffixes.push((passage, used));
        }
    }

    fn measure_names(&mut self) {
        let mut notice = Measure::new(&self.message.wording.frame);
        notice.push(&notice::lead(self.message.budget));
        self.names.push(notice);
        for (index, (_, section)) in self.sections.iter().enumerate() {
            notice.push(notice::omitted(index));
            if section.path().len() > self.message.budget {
                break;
            }
            notice.push(section.path());
            if notice.len() > self.message.budget {
                break;
            }
            self.names.push(notice);
        }
    }

    /// Bytes of the sections from `first` on; `None` when they alone are over budget.
    fn suffix(&self, first: usize) -> Option<usize> {
        let sections = self.sections.len().checked_sub(first)?;
        self.suffixes.get(sections.checked_sub(1)?).map(|(_, bytes)| *bytes)
    }

    /// Whether the framed block fits that omits the first `omitted` sections and has the others whole.
    fn is_whole(&self, opening: &str, omitted: usize) -> bool {
        self.whole(opening, omitted).is_some_and(|len| len <= self.room)
    }

    fn whole(&self, opening: &str, omitted: usize) -> Option<usize> {
        let notice = match omitted {
            0 => None,
            _ => Some(*self.names.get(omitted)?),
        };
        Some(self.before(notice, opening).len() + self.suffix(omitted)?)
    }

    /// Notice and opening, and the blank line behind each.
    fn before(&self, notice: Option<Measure<'a>>, opening: &str) -> Measure<'a> {
        let mut before = notice.unwrap_or_else(|| Measure::new(&self.message.wording.frame));
        if notice.is_some() {
            before.push(BLANK_LINE);
        }
        if !opening.is_empty() {
            before.push(opening);
            before.push(BLANK_LINE);
        }
        before
    }

    /// The fewest sections whose omission lets the others stand whole. A section is longer than its name in
    /// the notice, so from one omission on each further one makes the block shorter.
    fn fewest_omitted(&self, opening: &str) -> Option<usize> {
        if self.is_whole(opening, 0) {
            return Some(0);
        }
        let count = self.sections.len();
        let (mut low, mut high) = (count.saturating_sub(self.suffixes.len()).max(1), count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.is_whole(opening, middle) { high = middle } else { low = middle + 1 }
        }
        (low < count).then_some(low)
    }

    /// The best block behind `opening` that represents something.
    fn keep(&self, opening: &str) -> Option<Block> {
        let whole = self.fewest_omitted(opening);
        let cut = match (whole, self.message.overflow) {
            (Some(omitted), Overflow::Trim) => omitted.checked_sub(1),
            (Some(_), Overflow::Drop) => None,
            (None, _) => self.sections.len().checked_sub(1),
        };
        let cut = cut.and_then(|index| Some((index, self.cut(opening, index)?)));
        match (cut, whole) {
            (Some((index, to)), _) => Some(self.block(opening, index, Some(to))),
            (None, Some(omitted)) => Some(self.block(opening, omitted, None)),
            (None, None) => None,
        }
    }

    /// How many bytes fit of section `index`, those before it omitted and those behind it whole.
    fn cut(&self, opening: &str, index: usize) -> Option<usize> {
        let wording = self.message.wording;
        let (_, section) = self.sections.get(index)?;
        let mut notice = *self.names.get(index)?;
        notice.push(&self.truncated(index, 0)?.part(index, ""));
        let mut before = self.before(Some(notice), opening);
        before.push(&section.head(wording));
        before.push(BLANK_LINE);
        let is_last = index + 1 == self.sections.len();
        let behind = if is_last { 0 } else { BLANK_LINE.len() + self.suffix(index + 1)? };
        let bytes = self.room.checked_sub(before.len() + behind)?;
        let room = Room { scan: before.scan(), bytes, counted: true, content: true };
        Some(room.cut(section.content())).filter(|to| *to > 0)
    }

    /// The framed block that omits the first `omitted` sections, cuts the next one to `cut` bytes where that
    /// is given, and has the others whole.
    fn block(&self, opening: &str, omitted: usize, cut: Option<usize>) -> Block {
        let wording = self.message.wording;
        let mut fates = vec![Fate::Whole; self.sections.len()];
        let mut fate = |place: usize, now| fates.get_mut(place).into_iter().for_each(|fate| *fate = now);
        self.sections.iter().take(omitted).for_each(|(place, _)| fate(*place, Fate::Omitted));
        let cut_section = cut.and_then(|to| {
            let (place, section) = self.sections.get(omitted)?;
            fate(*place, Fate::Cut { from: section.content().len(), to });
            Some((*place, section.cut(wording, to)))
        });
        let whole = self.sections.len().saturating_sub(omitted + usize::from(cut_section.is_some()));
        let places = self.sections.iter().rev().map(|(place, _)| *place);
        let behind = places.zip(self.suffixes.iter().map(|(passage, _)| passage)).take(whole);
        let cut_passage = cut_section.iter().map(|(place, passage)| (*place, passage));
        let mut passages: Vec<_> = behind.chain(cut_passage).collect();
        passages.sort_unstable_by_key(|(place, _)| *place);
        let passages = passages.into_iter().map(|(_, passage)| passage).collect();
        let notice = if omitted > 0 || cut.is_some() { self.notice(omitted, cut) } else { String::new() };
        let layout = Layout { frame: &wording.frame, framed: true, notice: &notice, opening, passages };
        Block { text: layout.write(), fates }
    }

    /// The block when no content is left of any section: the last one `to 0 bytes`, those before it omitted.
    fn lose_all<'o>(&self, openings: impl Iterator<Item = &'o str>, last: &Section<'_>) -> Block {
        let Complete { wording, budget, .. } = *self.message;
        let frame = &wording.frame;
        let omitted = self.sections.len().saturating_sub(1);
        let notice = &self.notice(omitted, Some(0));
        let mut fates = vec![Fate::Omitted; self.sections.len()];
        if let Some(mut measure) = self.names.get(omitted).copied() {
            let truncated = Truncated { path: last.path(), from: last.content().len(), to: 0 };
            measure.push(&truncated.part(omitted, "0"));
            let head = last.cut(wording, 0);
            let passages = vec![&head];
            let behind = BLANK_LINE.len() + head.len();
            for opening in openings {
                let before = self.before(Some(measure), opening).len() - BLANK_LINE.len();
                if before + behind + frame.overhead() <= budget {
                    let layout = Layout { frame, framed: true, notice, opening, passages };
                    return Block { text: layout.write(), fates };
                }
            }
            if measure.len() + behind <= budget {
                let place = self.sections.last().map_or(0, |(place, _)| *place);
                if let (true, Some(fate)) = (last.content().is_empty(), fates.get_mut(place)) {
                    *fate = Fate::Whole;
                }
                let layout = Layout { frame, framed: false, notice, opening: "", passages };
                return Block { text: layout.write(), fates };
            }
        }
        Block { text: unframed(notice, wording, budget), fates }
    }

    fn truncated(&self, index: usize, to: usize) -> Option<Truncated<'a>> {
        let (_, section) = self.sections.get(index)?;
        Some(Truncated { path: section.path(), from: section.content().len(), to })
    }

    fn notice(&self, omitted: usize, cut: Option<usize>) -> String {
        let paths = self.sections.iter().take(omitted).map(|(_, section)| section.path());
        let truncated = cut.and_then(|to| self.truncated(omitted, to));
        notice::text(self.message.budget, paths, truncated, self.message.budget)
    }
}

/// An opening without sections.
fn alone<'o>(message: &Complete<'_>, openings: impl Iterator<Item = &'o str>) -> String {
    let Complete { wording, budget, .. } = *message;
    let mut last = "";
    for opening in openings {
        let mut measure = Measure::new(&wording.frame);
        measure.push(opening);
        if measure.len() + wording.frame.overhead() <= budget {
            return wording.frame.wrap(opening);
        }
        last = opening;
    }
    unframed(last, wording, budget)
}

/// As much of `text` as fits without a frame, neutralised all the same.
fn unframed(text: &str, wording: &Wording, budget: usize) -> String {
    let frame = &wording.frame;
    let room = Room { scan: Measure::new(frame).scan(), bytes: budget, counted: false, content: false };
    frame.neutralise(text.get(..room.cut(text)).unwrap_or_default()).into_owned()
}
