//! The headings of sections and the notice, and content that has lines like them (R1, R2, R6, R9).

use memchr::memchr;

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

/// The lines of `content` that begin like a heading, by the character that makes each one (R9). `lines` is
/// where lines begin that can, in ascending order.
///
/// They are read as R4 reads: letter case, compatibility forms, what is not seen. White space in a line is
/// one blank however long.
pub(crate) fn forged(content: &str, lines: &[usize]) -> Vec<Forged> {
    if lines.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    read_lines(content, lines, Reading::Plain, &mut found);
    // Tag characters of ASCII begin with this byte.
    if memchr(0xf3, content.as_bytes()).is_some() {
        read_lines(content, lines, Reading::TagCharacters, &mut found);
        // Both readings may find one line; the earlier end is the one that counts.
        found.sort_unstable_by_key(|forged: &Forged| (forged.begins, forged.last));
        found.dedup_by_key(|forged| forged.begins);
    }
    found.sort_unstable_by_key(|forged| forged.last);
    found
}

fn read_lines(content: &str, lines: &[usize], reading: Reading, found: &mut Vec<Forged>) {
    // Lines that begin in one run of what is passed over are one.
    let mut read = 0;
    for &line in lines {
        if line < read {
            continue;
        }
        let mut chars = content.get(line..).unwrap_or_default().char_indices();
        let Some((offset, first)) = chars.find(|(_, c)| !is_passed_over(sign(*c), reading)) else { return };
        let begins = line + offset;
        read = begins + 1;
        let mut heading = Heading::default();
        for (at, c) in std::iter::once((offset, first)).chain(chars) {
            #[cfg(test)]
            crate::scan::counter::add(c.len_utf8());
            match heading.read(c, reading) {
                Read::More => {}
                Read::Whole => {
                    found.push(Forged { begins, last: line + at });
                    break;
                }
                Read::No => break,
            }
        }
    }
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

/// The heading that begins with this text, in any letter case.
pub(crate) fn beginning_with(text: &str) -> Option<&'static str> {
    let begins =
        |heading: &&str| heading.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text));
    HEADINGS.into_iter().find(begins).map(str::trim_end)
}
