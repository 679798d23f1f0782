use memchr::memrchr;

use crate::heading::{Forged, forged};
use crate::landmarks::Landmarks;
use crate::scan::Scan;

/// The room for a text that has to be cut.
pub(crate) struct Room<'f> {
    /// Where the readers stand before the text.
    pub(crate) scan: Scan<'f>,
    /// Bytes for the neutralised text, and for the digits of its own length when `counted`.
    pub(crate) bytes: usize,
    pub(crate) counted: bool,
    /// Whether it is a file's content (R9).
    pub(crate) content: bool,
}

impl Room<'_> {
    /// Bytes of the longest piece of `text` that fits, at a character boundary, drawn back to just before
    /// its last line feed when that keeps at least half of it (R5). A piece that already ends before a line
    /// feed, or is the whole text, is not drawn back. 0 is nothing. Reads no further than `bytes`.
    pub(crate) fn cut(&self, text: &str) -> usize {
        let fits = self.longest(text);
        let bytes = text.as_bytes();
        if matches!(bytes.get(fits), None | Some(b'\n')) {
            return fits;
        }
        match bytes.get(..fits).and_then(|kept| memrchr(b'\n', kept)) {
            Some(line_end) if 2 * line_end >= fits => line_end,
            _ => fits,
        }
    }

    /// What a piece costs without the backslashes that its end decides never falls as it grows, so the
    /// first piece that does not fit without them ends the search.
    fn longest(&self, text: &str) -> usize {
        let text = text.get(..floor(text, self.bytes)).unwrap_or_default();
        let frame = self.scan.frame;
        let landmarks =
            if self.content { Landmarks::of_content(text, frame) } else { Landmarks::of_text(text, frame) };
        let mut headings = Headings::new(forged(text, &landmarks.lines));
        let mut openers = landmarks.openers.iter().copied().peekable();
        let mut scan = self.scan;
        let (mut added, mut fits, mut at) = (0, 0, 0);
        loop {
            if scan.is_idle() {
                while openers.next_if(|opener| *opener < at).is_some() {}
                let opener = openers.peek().copied().unwrap_or(text.len());
                let end = headings.next_end().map_or(opener, |end| opener.min(end));
                if self.cost(end) + added > self.bytes {
                    return fits.max(floor(text, self.most(added)));
                }
                fits = end;
                at = end;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            #[cfg(test)]
            crate::scan::counter::add(c.len_utf8());
            headings.begin(at, &scan);
            added += headings.end(at, &mut scan);
            scan.step(c, |place| {
                added += 1;
                headings.found(place);
            });
            at += c.len_utf8();
            if self.cost(at) + added > self.bytes {
                break;
            }
            if self.cost(at) + added + scan.pending() <= self.bytes {
                fits = at;
            }
        }
        fits
    }

    fn cost(&self, length: usize) -> usize {
        length + if self.counted { digits(length) } else { 0 }
    }

    /// The greatest length that fits beside so many backslashes.
    fn most(&self, added: usize) -> usize {
        let bytes = self.bytes.saturating_sub(added);
        if !self.counted {
            return bytes;
        }
        let mut length = bytes.saturating_sub(digits(bytes));
        while self.cost(length + 1) <= bytes {
            length += 1;
        }
        length
    }
}

/// The lines like headings (R9): each costs its backslash once its last character is kept, and one for each
/// tag that this backslash makes of a name that was whole before it.
struct Headings {
    /// By where they begin, the first one last.
    coming: Vec<Forged>,
    /// Their last characters, the first one last.
    ends: Vec<usize>,
    /// Those names: the last character of the heading, and where the tag opens.
    names: Vec<(usize, usize)>,
}

impl Headings {
    fn new(mut lines: Vec<Forged>) -> Self {
        let ends = lines.iter().rev().map(|line| line.last).collect();
        lines.sort_unstable_by_key(|line| std::cmp::Reverse(line.begins));
        Self { coming: lines, ends, names: Vec::new() }
    }

    fn next_end(&self) -> Option<usize> {
        self.ends.last().copied()
    }

    /// Before the character at `at` is read.
    fn begin(&mut self, at: usize, scan: &Scan<'_>) {
        while let Some(line) = self.coming.pop_if(|line| line.begins <= at) {
            if line.begins == at {
                self.names.extend(scan.each_pending().map(|place| (line.last, place)));
            }
        }
    }

    /// That tag has its backslash.
    fn found(&mut self, place: usize) {
        self.names.retain(|(_, tag)| *tag != place);
    }

    /// The backslashes of the headings that are whole at `at`.
    fn end(&mut self, at: usize, scan: &mut Scan<'_>) -> usize {
        let mut added = 0;
        while let Some(end) = self.ends.pop_if(|end| *end <= at) {
            added += 1;
            while let Some((_, place)) = self.names.iter().copied().find(|(last, _)| *last == end) {
                self.found(place);
                scan.mark(place);
                added += 1;
            }
        }
        added
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| usize::try_from(log).unwrap_or(usize::MAX) + 1)
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let lowest = at.saturating_sub(3);
    (lowest..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
