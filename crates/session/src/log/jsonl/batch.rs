//! The last batch of a plain log, read from its end: whether it is whole, torn, or damaged.

use crate::Damage;
use crate::event::LineHead;

pub(super) const OUT_OF_RANGE: &str = "the number of the entry is out of range";

pub(super) fn not_an_event(reason: &str) -> Damage {
    Damage::NotAnEvent { reason: reason.to_owned() }
}

/// What stands between two line feeds.
pub(super) enum Line {
    Whole(LineHead),
    /// It has zeros, and may be what is left of several lines. Its place, or the first one's, where
    /// that is still there.
    Lost(Option<LineHead>),
}

impl Line {
    /// One with zeros.
    pub(super) fn lost(line: &[u8]) -> Self {
        Self::Lost(place(line))
    }
}

/// The place, as every line that is written here begins with it; `None` where it is lost.
fn place(line: &[u8]) -> Option<LineHead> {
    let (seq, behind) = number(line.strip_prefix(b"{\"seq\":")?)?;
    let behind = behind.strip_prefix(b",")?;
    let more = match behind.strip_prefix(b"\"more\":") {
        Some(more) => number(more)?.0,
        None if behind.get(..b"\"more\":".len())?.contains(&0) => return None,
        None => 0,
    };
    Some(LineHead { seq, more })
}

/// The number that `text` begins with, and what follows it.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, behind) = text.split_at_checked(end)?;
    // One that zeros follow may have had more digits.
    if behind.first() == Some(&0) {
        return None;
    }
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, behind))
}

/// What the lines tell that were taken, each before the one taken last.
#[derive(Default)]
pub(super) struct Batch {
    lines: bool,
    /// Half a line stands behind the last line feed.
    half: bool,
    torn: bool,
    zeros: bool,
    /// The number of the first line that was taken.
    first: Option<First>,
    /// The head behind the batch, if it is or were whole.
    head: Option<u64>,
}

#[derive(Clone, Copy)]
enum First {
    Is(u64),
    AtMost(u64),
}

/// Something is wrong with the line that was taken, or with the one behind it.
pub(super) struct Wrong {
    behind: bool,
    pub(super) damage: Damage,
}

impl Wrong {
    /// Where, if the line reaches from `start` to `end`.
    pub(super) const fn place(&self, start: u64, end: u64) -> u64 {
        if self.behind { end } else { start }
    }
}

impl Batch {
    /// One that ends with half a line or with a line feed.
    pub(super) fn ending_with(half: bool) -> Self {
        Self { half, torn: half, ..Self::default() }
    }

    /// Whether the next line to take is the last one of the log.
    pub(super) const fn is_empty(&self) -> bool {
        !self.lines && !self.half
    }

    /// Takes the line before. One that is whole and ends a batch is taken as the last one only.
    pub(super) fn take(&mut self, line: Line) -> Result<(), Wrong> {
        let wrong = |damage| Wrong { behind: false, damage };
        let last = self.is_empty();
        self.lines = true;
        let (lost, place) = match line {
            Line::Whole(place) => (false, Some(place)),
            Line::Lost(place) => (true, place),
        };
        self.zeros |= lost;
        self.torn |= lost;
        let Some(LineHead { seq, more }) = place else {
            self.first = match self.first {
                None => None,
                Some(First::Is(first) | First::AtMost(first)) => match first.checked_sub(1) {
                    Some(before) => Some(First::AtMost(before)),
                    None => {
                        return Err(Wrong {
                            behind: true,
                            damage: Damage::Sequence { expected: 1, found: 0 },
                        });
                    }
                },
            };
            return Ok(());
        };
        if !last && more == 0 {
            return Err(wrong(not_an_event("it has zeros, and its batch is not the last one")));
        }
        self.torn |= last && more > 0;
        let head = seq.checked_add(more).and_then(|last| last.checked_add(1));
        let head = head.ok_or_else(|| wrong(not_an_event(OUT_OF_RANGE)))?;
        let gap = |found| Wrong { behind: true, damage: Damage::Sequence { expected: seq + 1, found } };
        match self.first {
            Some(First::Is(first)) if first <= seq || !lost && first > seq + 1 => return Err(gap(first)),
            Some(First::AtMost(first)) if first <= seq => return Err(gap(first)),
            _ => {}
        }
        let known = *self.head.get_or_insert(head);
        if known != head {
            let (last, says) = (known - 1, head - 1);
            let reason = format!("its batch ends with entry {last}, and it says {says}");
            return Err(wrong(Damage::NotAnEvent { reason }));
        }
        self.first = Some(First::Is(seq));
        Ok(())
    }

    /// Checks that its first line can be the entry `expected`.
    pub(super) fn follows(&self, expected: u64) -> Result<(), Damage> {
        match self.first {
            Some(First::Is(found)) if found != expected => Err(Damage::Sequence { expected, found }),
            Some(First::AtMost(found)) if found < expected => Err(Damage::Sequence { expected, found }),
            _ => Ok(()),
        }
    }

    pub(super) const fn has_zeros(&self) -> bool {
        self.zeros
    }

    /// The head behind it, if nothing of it is missing.
    pub(super) const fn whole(&self) -> Option<u64> {
        if self.torn { None } else { self.head }
    }
}
