//! One reading of a text for one tag name (R4): a state machine that is fed one sign after the other.

use crate::look_alike::passes_for;
use crate::sign::{Letters, Sign};

/// How a reader takes what can be taken in two ways. A tag in either reading is a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Tag characters are not seen.
    Plain,
    /// Tag characters are the ASCII they stand for.
    TagCharacters,
    /// As `Plain`, and a character that passes for an ASCII one is that. For notes: such a tag is none (R4).
    LookAlikes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Outside of anything that could become a tag.
    Text,
    /// `&`, or what is read as that. `semicolon`: of an entity that may still have one.
    Ampersand { semicolon: bool },
    /// So many characters of this entity's name, at least one and not all.
    Entity(&'static str, usize),
    /// `&#`
    Number,
    /// `&#`, in hexadecimal the `x`, and digits that come to this value.
    Digits { base: u32, value: u32, any: bool },
    /// `<`, white space and slashes.
    Open(Semicolon),
    /// So many bytes of the tag's name, at least one and not all.
    Name(usize),
    /// The whole name; what follows decides.
    Named,
}

/// What a semicolon right behind an entity is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Semicolon {
    /// Nothing.
    None,
    /// The entity that opens: the backslash goes behind it.
    Opener,
    /// An entity for a slash.
    Slash,
}

/// A part of one sign.
#[derive(Clone, Copy)]
enum Unit {
    Skip,
    Blank,
    White,
    /// A character that is not seen, and which no honest name has behind it.
    Break,
    Ascii {
        byte: u8,
        plain: bool,
    },
    Other {
        word: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'f> {
    name: &'f str,
    reading: Reading,
    state: State,
    /// Where the last opener ends: where the backslash goes.
    opened: usize,
    /// Where the last digit of an entity ends.
    digits_end: usize,
    /// Whether a `<` came before the entity that is being read, with nothing but white space and slashes.
    within: bool,
    /// Whether the last opener has its backslash.
    marked: bool,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(name: &'f str, reading: Reading) -> Self {
        Self { name, reading, state: State::Text, opened: 0, digits_end: 0, within: false, marked: false }
    }

    /// Whether nothing before matters to what comes.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Text
    }

    /// Where a backslash goes if white space or the end of the text is next.
    pub(crate) fn pending(&self) -> Option<usize> {
        (self.state == State::Named && !self.marked).then_some(self.opened)
    }

    /// Another reader has found the tag that opens there.
    pub(crate) fn mark(&mut self, at: usize) {
        self.marked |= self.opened == at;
    }

    /// Whether an opener ends there, as far as can be told.
    pub(crate) fn opens_at(&self, end: usize) -> bool {
        match self.state {
            State::Open(_) => self.opened == end,
            State::Digits { value: 60, any: true, .. } => self.digits_end == end,
            _ => false,
        }
    }

    /// Reads `c`, whose sign that is and which ends at `end`. Returns where a backslash goes when that makes a tag of what
    /// stands before it.
    pub(crate) fn read(&mut self, c: char, sign: Sign, end: usize) -> Option<usize> {
        let passes_for = if self.reading == Reading::LookAlikes { passes_for(c) } else { None };
        if let Some(byte) = passes_for {
            return self.step(Unit::Ascii { byte, plain: false }, end);
        }
        let unit = match (sign, self.reading) {
            (Sign::Skip, _) => Unit::Skip,
            (Sign::Blank, _) => Unit::Blank,
            (Sign::White, _) => Unit::White,
            (Sign::Other { word }, _) => Unit::Other { word },
            (Sign::Tag(_), Reading::Plain | Reading::LookAlikes) => Unit::Break,
            (Sign::Tag(b' '), Reading::TagCharacters) => Unit::White,
            (Sign::Tag(byte), Reading::TagCharacters) => Unit::Ascii { byte, plain: true },
            (Sign::Letters(letters), _) => return self.read_letters(&letters, end),
        };
        self.step(unit, end)
    }

    fn read_letters(&mut self, letters: &Letters, end: usize) -> Option<usize> {
        let mut found = None;
        for &byte in letters.bytes() {
            found = self.step(Unit::Ascii { byte, plain: letters.plain }, end).or(found);
        }
        found
    }

    fn step(&mut self, unit: Unit, end: usize) -> Option<usize> {
        if self.state == State::Named {
            return self.step_behind_name(unit, end);
        }
        if matches!(unit, Unit::Skip | Unit::Break | Unit::Blank) {
            return None;
        }
        let Unit::Ascii { byte, .. } = unit else {
            let open = matches!(self.end_of_digits(), State::Open(_)) && matches!(unit, Unit::White);
            self.state = if open { State::Open(Semicolon::None) } else { State::Text };
            return None;
        };
        self.state = match (self.state, byte) {
            (State::Digits { base, value, .. }, digit) if char::from(digit).is_digit(base) => {
                self.digits_end = end;
                let digit = char::from(digit).to_digit(base).unwrap_or_default();
                State::Digits { base, value: value.saturating_mul(base).saturating_add(digit), any: true }
            }
            (State::Digits { .. }, _) => {
                self.state = self.end_of_digits();
                return if self.state == State::Text { self.fresh(byte, end) } else { self.step(unit, end) };
            }
            (State::Ampersand { semicolon: true }, b';') => State::Ampersand { semicolon: false },
            (State::Ampersand { .. }, b'#') => State::Number,
            (State::Ampersand { .. }, b'l') => State::Entity("lt", 1),
            (State::Ampersand { .. }, b'a') => State::Entity("amp", 1),
            (State::Ampersand { .. }, b's') => State::Entity("sol", 1),
            (State::Number, b'x') => State::Digits { base: 16, value: 0, any: false },
            (State::Number, b'0'..=b'9') => {
                self.state = State::Digits { base: 10, value: 0, any: false };
                return self.step(unit, end);
            }
            (State::Entity(name, matched), byte) if name.as_bytes().get(matched) == Some(&byte) => {
                match (name, matched + 1 == name.len()) {
                    (_, false) => State::Entity(name, matched + 1),
                    ("lt", _) => self.open(end),
                    ("amp", _) => State::Ampersand { semicolon: true },
                    _ => self.slash(),
                }
            }
            (State::Open(Semicolon::Opener), b';') => {
                self.opened = end;
                State::Open(Semicolon::None)
            }
            (State::Open(Semicolon::Slash), b';') | (State::Open(_), b'/') => State::Open(Semicolon::None),
            (State::Open(_), b'&') => {
                self.within = true;
                State::Ampersand { semicolon: false }
            }
            (State::Open(_), byte) => return self.step_name(0, byte, end),
            (State::Name(matched), byte) => return self.step_name(matched, byte, end),
            _ => return self.fresh(byte, end),
        };
        None
    }

    fn step_name(&mut self, matched: usize, byte: u8, end: usize) -> Option<usize> {
        match self.name.as_bytes().get(matched) {
            Some(letter) if letter.eq_ignore_ascii_case(&byte) => {
                let whole = matched + 1 == self.name.len();
                self.state = if whole { State::Named } else { State::Name(matched + 1) };
                None
            }
            _ => self.fresh(byte, end),
        }
    }

    fn step_behind_name(&mut self, unit: Unit, end: usize) -> Option<usize> {
        let continues = match unit {
            Unit::Skip => return None,
            Unit::Blank | Unit::White | Unit::Break => false,
            Unit::Other { word } => word,
            Unit::Ascii { byte, plain } => {
                byte.is_ascii_alphanumeric() || byte == b'-' || plain && matches!(byte, b'_' | b'.' | b':')
            }
        };
        let found = if continues { None } else { self.pending() };
        match unit {
            Unit::Ascii { byte, .. } => {
                self.fresh(byte, end);
            }
            _ => self.state = State::Text,
        }
        found
    }

    /// Outside of everything, or at the beginning of an opener.
    fn fresh(&mut self, byte: u8, end: usize) -> Option<usize> {
        self.state = match byte {
            b'<' => {
                self.open(end);
                State::Open(Semicolon::None)
            }
            b'&' => {
                self.within = false;
                State::Ampersand { semicolon: false }
            }
            _ => State::Text,
        };
        None
    }

    fn open(&mut self, end: usize) -> State {
        self.opened = end;
        self.marked = false;
        State::Open(Semicolon::Opener)
    }

    fn slash(&self) -> State {
        if self.within { State::Open(Semicolon::Slash) } else { State::Text }
    }

    /// The state behind a number that has no further digit: what its value says.
    fn end_of_digits(&mut self) -> State {
        match self.state {
            State::Digits { value: 60, any: true, .. } => self.open(self.digits_end),
            State::Digits { value: 38, any: true, .. } => State::Ampersand { semicolon: true },
            State::Digits { value: 47, any: true, .. } => self.slash(),
            State::Digits { .. } => State::Text,
            other => other,
        }
    }
}
