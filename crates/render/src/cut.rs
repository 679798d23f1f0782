use memchr::memrchr;

use crate::Frame;
use crate::scan::{Scan, next_opener};
use crate::section::Section;

/// The room for a text that has to be cut.
pub(crate) struct Room<'f, 'a> {
    /// Where the recogniser stands before the text.
    pub(crate) scan: Scan<'f>,
    pub(crate) frame: &'f Frame,
    /// Bytes for the neutralised text, and for the digits of its own length when `counted`.
    pub(crate) bytes: usize,
    pub(crate) counted: bool,
    /// The section behind the cut.
    pub(crate) next: Option<&'a Section<'a>>,
}

impl Room<'_, '_> {
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

    /// The cost of a piece never falls as the piece grows (a backslash that goes with the next character
    /// makes room for it), so the first one that does not fit ends the search.
    fn longest(&self, text: &str) -> usize {
        let text = text.get(..floor(text, self.bytes)).unwrap_or_default();
        let mut scan = self.scan;
        let (mut added, mut fits, mut at) = (0, 0, 0);
        while let Some(rest) = text.get(at..) {
            if scan.is_text() {
                let end = at + next_opener(rest).unwrap_or(rest.len());
                #[cfg(test)]
                crate::scan::counter::add(end - at);
                if self.cost(end) + added > self.bytes {
                    return fits.max(floor(text, self.most(added)));
                }
                fits = end;
                at = end;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            #[cfg(test)]
            crate::scan::counter::add(c.len_utf8());
            at += c.len_utf8();
            added += usize::from(scan.step(c).confirmed);
            let at_end =
                usize::from(scan.is_named()) + self.next.map_or(0, |section| section.joint(scan, self.frame));
            if self.cost(at) + added + at_end > self.bytes {
                break;
            }
            fits = at;
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
