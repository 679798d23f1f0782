//! Characters that a reader does not see.

use std::collections::HashMap;

use super::Note;
use crate::shown::is_default_ignorable;

/// One note for each kind of character, by first place.
pub(super) fn characters(text: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut at: HashMap<char, usize> = HashMap::new();
    let (mut line, mut column) = (1, 0);
    let mut before = Before::Start;
    for character in text.chars() {
        column += 1;
        if is_invisible(character) && !before.calls_for(character) {
            let index = *at.entry(character).or_insert(notes.len());
            match notes.get_mut(index) {
                Some(Note::Invisible { count, .. }) => *count += 1,
                _ => notes.push(Note::Invisible { character, line, column, count: 1 }),
            }
        }
        before = before.then(character);
        if character == '\n' {
            (line, column) = (line + 1, 0);
        }
    }
    notes
}

fn is_invisible(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{c}' => false,
        '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' => true,
        _ => c.is_control() || is_default_ignorable(c),
    }
}

/// What stands before a character, as far as it can call for an invisible one.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Nothing, white space, ASCII other than a keycap's, or an invisible character.
    Start,
    /// A digit, `#` or `*`, which with a selector and U+20E3 is a keycap.
    Keycap,
    /// A visible character outside ASCII.
    Visible,
    /// A visible character and its selector.
    Selected,
    /// A black flag, and how many tags follow it.
    Flag(u8),
}

/// The tags that name a flag's region, at most.
const FLAG_TAGS: u8 = 6;

impl Before {
    /// Whether writing needs the invisible `c` here: a sequence of emoji, a script with joiners.
    fn calls_for(self, c: char) -> bool {
        match c {
            '\u{200d}' => matches!(self, Self::Visible | Self::Selected | Self::Flag(_)),
            '\u{200c}' => self == Self::Visible,
            '\u{fe0e}' | '\u{fe0f}' => matches!(self, Self::Visible | Self::Keycap | Self::Flag(_)),
            '\u{fe00}'..='\u{fe0d}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{e0100}'..='\u{e01ef}' => {
                self == Self::Visible
            }
            '\u{e0020}'..='\u{e007e}' => matches!(self, Self::Flag(tags) if tags < FLAG_TAGS),
            '\u{e007f}' => matches!(self, Self::Flag(_)),
            _ => false,
        }
    }

    fn then(self, c: char) -> Self {
        match (c, self) {
            ('\u{1f3f4}', _) => Self::Flag(0),
            ('\u{e0020}'..='\u{e007e}', Self::Flag(tags)) if tags < FLAG_TAGS => Self::Flag(tags + 1),
            ('0'..='9' | '#' | '*', _) => Self::Keycap,
            ('\u{200c}' | '\u{200d}', _) => Self::Start,
            _ if is_invisible(c) && self.calls_for(c) => Self::Selected,
            _ if c.is_ascii() || c.is_whitespace() || is_invisible(c) => Self::Start,
            _ => Self::Visible,
        }
    }
}
