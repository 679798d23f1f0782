//! The headings of sections and the notice, and content that has lines like them (R1, R2, R6, R9).

use memchr::{memchr, memchr_iter, memchr2_iter, memchr3_iter};

use crate::reader::Reading;
use crate::sign::{Sign, sign};

pub(crate) const INSTRUCTIONS: &str = "Instructions from: ";
pub(crate) const ADDITIONAL: &str = "Additional instructions from: ";
pub(crate) const UPDATED: &str = "Updated instructions from: ";
pub(crate) const REMOVED: &str = "Instructions removed: ";
pub(crate) const NOTICE: &str = "Workspace instruction budget ";

/// All of them.
pub(crate) const HEADINGS: [&str; 5] = [INSTRUCTIONS, ADDITIONAL, UPDATED, REMOVED, NOTICE];

/// A line of content that begins like a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forged {
    /// Where its first letter stands: the backslash goes before it.
    pub(crate) begins: usize,
    /// Where the character stands that makes it one.
    pub(crate) last: usize,
}

/// The lines of `content` that begin like a heading, by the character that makes each one (R9).
///
/// They are read as R4 reads: letter case, compatibility forms, what is not seen. A line begins behind every
/// mandatory break of Unicode, for a reader may show each as one: `\n`, `\r`, U+000B, U+000C, U+0085, U+2028
/// and U+2029. White space in a line is one blank however long.
pub(crate) fn forged(content: &str) -> Vec<Forged> {
    #[cfg(test)]
    crate::scan::counter::add(content.len());
    let bytes = content.as_bytes();
    let mut lines = Lines { content, has_tag_characters: memchr(0xf3, bytes).is_some(), ..Lines::default() };
    lines.visit(0);
    let mut from = 0;
    loop {
        let rare = rare_line(bytes, from);
        let near = bytes.get(from..rare.unwrap_or(bytes.len())).unwrap_or_default();
        for end in memchr_iter(b'\n', near) {
            lines.visit(from + end + 1);
        }
        let Some(rare) = rare else { break };
        lines.visit(rare);
        from = rare;
    }
    let mut found = lines.found;
    // Two readings may find one line; the earlier end is the one that counts.
    found.sort_unstable_by_key(|forged| (forged.begins, forged.last));
    found.dedup_by_key(|forged| forged.begins);
    found.sort_unstable_by_key(|forged| forged.last);
    found
}

/// Where the next line begins that does not follow a line feed.
fn rare_line(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..).unwrap_or_default();
    let ascii = memchr3_iter(b'\r', 0x0b, 0x0c, rest)
        .find(|at| !matches!(rest.get(*at..), Some([b'\r', b'\n', ..])))
        .map(|at| at + 1);
    let rest = rest.get(..ascii.unwrap_or(rest.len())).unwrap_or_default();
    let wide = memchr2_iter(0xc2, 0xe2, rest).find_map(|at| match rest.get(at..) {
        Some([0xc2, 0x85, ..]) => Some(at + 2),
        Some([0xe2, 0x80, 0xa8 | 0xa9, ..]) => Some(at + 3),
        _ => None,
    });
    wide.or(ascii).map(|at| from + at)
}

#[derive(Default)]
struct Lines<'t> {
    content: &'t str,
    has_tag_characters: bool,
    /// Up to where lines are read, by reading: those that begin in one run of what is passed over are one.
    read: [usize; 2],
    found: Vec<Forged>,
}

impl Lines<'_> {
    fn visit(&mut self, begins: usize) {
        match self.content.as_bytes().get(begins) {
            Some(byte) if may_begin(*byte) => {}
            _ => return,
        }
        self.read_line(begins, Reading::Plain);
        if self.has_tag_characters {
            self.read_line(begins, Reading::TagCharacters);
        }
    }

    fn read_line(&mut self, begins: usize, reading: Reading) {
        let Some(read) = self.read.get_mut(reading as usize) else { return };
        if begins < *read {
            return;
        }
        let mut chars = self.content.get(begins..).unwrap_or_default().char_indices();
        let text = chars.by_ref().find(|(_, c)| !is_passed_over(sign(*c), reading));
        let Some((offset, first)) = text else {
            *read = self.content.len();
            return;
        };
        let begins = begins + offset;
        *read = begins + 1;
        let mut heading = Heading::default();
        let rest = std::iter::once((0, first)).chain(chars.map(|(at, c)| (at - offset, c)));
        for (at, c) in rest {
            match heading.read(c, reading) {
                Read::More => {}
                Read::Whole => {
                    self.found.push(Forged { begins, last: begins + at });
                    return;
                }
                Read::No => return,
            }
        }
    }
}

/// Whether a line that begins with this byte may be a heading.
fn may_begin(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), 0..=b' ' | 0x7f.. | b'i' | b'a' | b'u' | b'w')
}

fn is_passed_over(sign: Sign, reading: Reading) -> bool {
    match sign {
        Sign::Skip | Sign::Blank | Sign::White => true,
        Sign::Tag(byte) => reading == Reading::Plain || byte == b' ',
        Sign::Letters(_) | Sign::Other { .. } => false,
    }
}

enum Read {
    More,
    Whole,
    No,
}

/// The headings that a line may still become.
struct Heading {
    alive: [bool; HEADINGS.len()],
    /// How many characters of each have been read.
    matched: usize,
}

impl Default for Heading {
    fn default() -> Self {
        Self { alive: [true; HEADINGS.len()], matched: 0 }
    }
}

impl Heading {
    fn read(&mut self, c: char, reading: Reading) -> Read {
        match (sign(c), reading) {
            (Sign::Skip, _) | (Sign::Tag(_), Reading::Plain) => Read::More,
            (Sign::Blank, _) if self.is_at(self.matched, b' ') => self.letter(b' '),
            (Sign::Blank, _) => Read::More,
            (Sign::White, _) if matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}') => Read::No,
            (Sign::White, _) | (Sign::Tag(b' '), _) => {
                let again = self.matched.checked_sub(1).is_some_and(|before| self.is_at(before, b' '));
                if again { Read::More } else { self.letter(b' ') }
            }
            (Sign::Tag(byte), _) => self.letter(byte),
            (Sign::Letters(letters), _) => {
                for &byte in letters.bytes() {
                    match self.letter(byte) {
                        Read::More => {}
                        end => return end,
                    }
                }
                Read::More
            }
            (Sign::Other { .. }, _) => Read::No,
        }
    }

    /// Whether a heading that is alive has this character there.
    fn is_at(&self, at: usize, byte: u8) -> bool {
        let alive = HEADINGS.iter().zip(self.alive).filter(|(_, alive)| *alive);
        alive.map(|(heading, _)| heading.as_bytes().get(at)).any(|letter| letter == Some(&byte))
    }

    fn letter(&mut self, byte: u8) -> Read {
        let mut read = Read::No;
        for (heading, alive) in HEADINGS.iter().zip(&mut self.alive) {
            let letters = heading.trim_end().as_bytes();
            *alive &= letters.get(self.matched).is_some_and(|letter| letter.eq_ignore_ascii_case(&byte));
            if *alive {
                read = if self.matched + 1 == letters.len() { Read::Whole } else { Read::More };
            }
        }
        self.matched += 1;
        read
    }
}

/// The heading that begins with this word, in any letter case.
pub(crate) fn beginning_with(word: &str) -> Option<&'static str> {
    let first =
        |heading: &&str| heading.split(' ').next().is_some_and(|first| first.eq_ignore_ascii_case(word));
    HEADINGS.into_iter().find(first).map(str::trim_end)
}
