//! The one recogniser of frame tags (R4), and the two things that read through it.
//!
//! Private because it works on pieces of text as they come: a tag that begins in one piece and ends in the
//! next is a tag, which no function over a single string could see. [`Measure`] counts what [`Writer`]
//! writes; every length and every byte of a block comes from these two.

use memchr::memchr2;

use crate::Frame;

const ENTITY: [char; 4] = ['&', 'l', 't', ';'];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Outside of anything that could become a tag.
    Text,
    /// So many characters of `&lt;`, one to three.
    Entity(usize),
    /// `<` or `&lt;` and white space.
    Open,
    /// The same, a `/`, and white space.
    Slashed,
    /// So many bytes of the tag's name, at least one and not all.
    Name(usize),
    /// The whole name; the next character, or the end, decides.
    Named,
}

/// What one character did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Step {
    /// The tag before this character is one.
    pub(crate) confirmed: bool,
    opened: bool,
}

/// Where the recogniser stands between two characters.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'f> {
    tag: &'f str,
    state: State,
}

impl<'f> Scan<'f> {
    fn new(frame: &'f Frame) -> Self {
        Self { tag: frame.tag(), state: State::Text }
    }

    /// Whether the next character that matters is the next `<` or `&`.
    pub(crate) fn is_text(&self) -> bool {
        self.state == State::Text
    }

    /// Whether the end of the text, or white space, makes a tag of what stands before it.
    pub(crate) fn is_named(&self) -> bool {
        self.state == State::Named
    }

    /// Whether the tag's name, coming now, would make a tag.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Open | State::Slashed)
    }

    pub(crate) fn step(&mut self, c: char) -> Step {
        let mut step = Step::default();
        self.state = match self.state {
            State::Open | State::Slashed if c.is_whitespace() => self.state,
            State::Open if c == '/' => State::Slashed,
            State::Open | State::Slashed => self.name(0, c, &mut step),
            State::Name(matched) => self.name(matched, c, &mut step),
            State::Named if continues_a_name(c) => State::Text,
            State::Named => {
                step.confirmed = true;
                fresh(c, &mut step)
            }
            State::Entity(matched) if ENTITY.get(matched) == Some(&c) => {
                if matched + 1 == ENTITY.len() {
                    step.opened = true;
                    State::Open
                } else {
                    State::Entity(matched + 1)
                }
            }
            State::Entity(_) | State::Text => fresh(c, &mut step),
        };
        step
    }

    fn name(&self, matched: usize, c: char, step: &mut Step) -> State {
        match self.tag.as_bytes().get(matched) {
            Some(&byte) if is_same_letter(c, byte) => {
                if matched + 1 == self.tag.len() {
                    State::Named
                } else {
                    State::Name(matched + 1)
                }
            }
            _ => fresh(c, step),
        }
    }

    /// Whether `<` or `&` at the start of `bytes` could begin a tag, by the byte behind it: most of
    /// those in texts cannot.
    fn may_begin(&self, bytes: &[u8]) -> bool {
        match bytes {
            [b'&', next, ..] => *next == b'l',
            [_, next, ..] => {
                let name = self.tag.as_bytes().first();
                *next <= b' '
                    || *next >= 0x80
                    || *next == b'/'
                    || name.is_some_and(|first| first.eq_ignore_ascii_case(next))
            }
            _ => true,
        }
    }

    /// Reads `text`. `hit` gets, for each tag confirmed, where its `<` or `&lt;` ends in `text`, or `None`
    /// when that lies in text read before. Returns where the last one that may still become a tag ends.
    fn advance(&mut self, text: &str, mut hit: impl FnMut(Option<usize>)) -> Option<usize> {
        #[cfg(test)]
        counter::add(text.len());
        let mut opened = None;
        let mut at = 0;
        while let Some(rest) = text.get(at..) {
            if self.is_text() {
                let Some(offset) = next_opener(rest) else { break };
                at += offset;
                if !self.may_begin(rest.as_bytes().get(offset..).unwrap_or_default()) {
                    at += 1;
                    continue;
                }
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            at += c.len_utf8();
            let step = self.step(c);
            if step.confirmed {
                hit(opened);
            }
            if step.opened {
                opened = Some(at);
            }
        }
        opened
    }
}

/// Where the next character stands that could begin a tag.
pub(crate) fn next_opener(text: &str) -> Option<usize> {
    memchr2(b'<', b'&', text.as_bytes())
}

fn fresh(c: char, step: &mut Step) -> State {
    match c {
        '<' => {
            step.opened = true;
            State::Open
        }
        '&' => State::Entity(1),
        _ => State::Text,
    }
}

fn continues_a_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')
}

/// Any letter case, the two letters included whose lower or upper case is an ASCII one.
fn is_same_letter(c: char, byte: u8) -> bool {
    match c {
        '\u{17f}' => byte.eq_ignore_ascii_case(&b's'),
        '\u{212a}' => byte.eq_ignore_ascii_case(&b'k'),
        _ => u8::try_from(c).is_ok_and(|c| c.is_ascii() && c.eq_ignore_ascii_case(&byte)),
    }
}

/// The length that a [`Writer`] fed with the same pieces would have.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'f> {
    scan: Scan<'f>,
    len: usize,
}

impl<'f> Measure<'f> {
    pub(crate) fn new(frame: &'f Frame) -> Self {
        Self { scan: Scan::new(frame), len: 0 }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let mut added = 0;
        self.scan.advance(text, |_| added += 1);
        self.len += text.len() + added;
    }

    /// Bytes, when white space or the end follows.
    pub(crate) fn len(&self) -> usize {
        self.len + usize::from(self.scan.is_named())
    }

    pub(crate) fn scan(&self) -> Scan<'f> {
        self.scan
    }
}

/// Neutralised text (R4).
pub(crate) struct Writer<'f> {
    text: String,
    scan: Scan<'f>,
    /// Where in `text` the backslash goes when what is open becomes a tag.
    opened: usize,
}

impl<'f> Writer<'f> {
    /// `start` stands before the first piece and is not looked at.
    pub(crate) fn new(frame: &'f Frame, start: String) -> Self {
        Self { opened: start.len(), text: start, scan: Scan::new(frame) }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let Self { text: out, scan, opened } = self;
        let mut copied = 0;
        let pending = scan.advance(text, |at| match at {
            Some(at) => {
                out.push_str(text.get(copied..at).unwrap_or_default());
                out.push('\\');
                copied = at;
            }
            None => out.insert(*opened, '\\'),
        });
        out.push_str(text.get(copied..).unwrap_or_default());
        if let Some(at) = pending {
            *opened = out.len() - (text.len() - at);
        }
    }

    /// The text so far, its end decided as if white space followed.
    pub(crate) fn finish(mut self) -> String {
        if self.scan.is_named() {
            self.text.insert(self.opened, '\\');
        }
        self.text
    }
}

/// Bytes read, so that a test can count work instead of timing it (R8).
#[cfg(test)]
pub(crate) mod counter {
    use std::cell::Cell;

    thread_local!(static READ: Cell<usize> = const { Cell::new(0) });

    pub(crate) fn add(bytes: usize) {
        READ.with(|read| read.set(read.get() + bytes));
    }

    /// Bytes read by this thread while `work` ran.
    pub(crate) fn during<T>(work: impl FnOnce() -> T) -> (T, usize) {
        READ.with(|read| read.set(0));
        let result = work();
        (result, READ.with(Cell::get))
    }
}
