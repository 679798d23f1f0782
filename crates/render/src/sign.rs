//! What one character is to a careful reader (R4).

use unicode_normalization::char::decompose_compatible;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// What a reader makes of one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Not seen: default-ignorable, format and control characters.
    Skip,
    /// Not seen inside a word, and a blank behind one: the tab and its relatives, the fillers.
    Blank,
    /// White space that separates.
    White,
    /// A tag character, by the ASCII character it stands for, lower case.
    Tag(u8),
    /// ASCII, lower case, or what is read as that.
    Letters(Letters),
    /// Anything else. `word`: a letter or digit.
    Other { word: bool },
}

/// The ASCII that one character is read as: `ﬆ` is `st`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letters {
    bytes: [u8; Letters::MOST],
    len: usize,
    /// Whether it is the ASCII character itself.
    pub(crate) plain: bool,
}

impl Letters {
    const MOST: usize = 8;

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    pub(crate) fn one(byte: u8, plain: bool) -> Self {
        let mut letters = Self { bytes: [0; Self::MOST], len: 0, plain };
        letters.push(byte);
        letters
    }

    /// Whether there was room.
    fn push(&mut self, byte: u8) -> bool {
        let Some(slot) = self.bytes.get_mut(self.len) else { return false };
        *slot = byte.to_ascii_lowercase();
        self.len += 1;
        true
    }
}

pub(crate) fn sign(c: char) -> Sign {
    match c {
        '\n' | '\r' | ' ' => Sign::White,
        '\t' | '\u{b}' | '\u{c}' | '\u{85}' => Sign::Blank,
        // Fillers are default-ignorable letters that show as a gap, and the empty braille cell is a symbol.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' => Sign::Blank,
        '!'..='~' => Sign::Letters(Letters::one(ascii(c), true)),
        // Ideographs and Hangul syllables, the bulk of such texts: none is a form of anything in ASCII.
        '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => Sign::Other { word: c.is_alphanumeric() },
        '\u{e0020}'..='\u{e007e}' => Sign::Tag(ascii(c).to_ascii_lowercase()),
        c if c.is_control() || is_default_ignorable(c) => Sign::Skip,
        c if c.is_whitespace() => Sign::White,
        c if c.general_category() == GeneralCategory::Format => Sign::Skip,
        c => match read_as_ascii(c) {
            Some(letters) => Sign::Letters(letters),
            None => Sign::Other { word: c.is_alphanumeric() },
        },
    }
}

/// The low seven bits: of a tag character, those of the character it stands for.
fn ascii(c: char) -> u8 {
    u8::try_from(u32::from(c) & 0x7f).unwrap_or_default()
}

/// The default-ignorable code points that are neither format characters nor fillers. Unicode adds to
/// this property only from what these ranges hold already.
fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2065}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn is_dash(c: char) -> bool {
    c == '\u{2212}' || c.general_category() == GeneralCategory::DashPunctuation
}

/// `c` in its compatibility form, letter case aside, where all of that is ASCII. A letter with a mark
/// (`é`) is another letter.
fn read_as_ascii(c: char) -> Option<Letters> {
    // `İ`, whose lower case is `i` and a mark.
    if let Some(lower) = c.to_lowercase().next().filter(char::is_ascii) {
        return Some(Letters::one(ascii(lower), false));
    }
    let mut letters = Letters { bytes: [0; Letters::MOST], len: 0, plain: false };
    let mut fits = true;
    decompose_compatible(c, |part| {
        if is_dash(part) {
            fits &= letters.push(b'-');
            return;
        }
        // There and back: `ſ`, `ı` and `ß` have ASCII capitals only.
        for upper in part.to_lowercase().flat_map(char::to_uppercase) {
            fits &= upper.is_ascii() && letters.push(ascii(upper));
        }
    });
    (fits && letters.len > 0).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_compatibility_form_in_ascii_is_too_long_to_be_read() {
        for c in '\u{80}'..=char::MAX {
            let (mut ascii, mut len) = (true, 0);
            decompose_compatible(c, |part| (ascii, len) = (ascii && part.is_ascii(), len + 1));
            assert!(!ascii || len <= Letters::MOST, "{c:?} has {len} characters");
        }
    }

    #[test]
    fn what_is_passed_over_unread_has_no_form_in_ascii() {
        for c in ('\u{3400}'..='\u{9fff}').chain('\u{ac00}'..='\u{d7a3}') {
            assert_eq!(read_as_ascii(c), None, "{c:?}");
            assert!(!c.is_whitespace() && c.general_category() != GeneralCategory::Format, "{c:?}");
        }
    }
}
