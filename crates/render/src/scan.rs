//! The one recogniser of frame tags (R4), and the two things that read through it.
//!
//! Private because it works on pieces of text as they come: a tag that begins in one piece and ends in the
//! next is a tag, which no function over a single string could see. [`Measure`] counts what [`Marks`]
//! places; every length and every backslash of a block comes from these two.

use crate::Frame;
use crate::heading::forged;
use crate::landmarks::Landmarks;
use crate::reader::{Reader, Reading};
use crate::sign::sign;

/// The readings of the frame's own tag and of the default frame's.
const READERS: usize = 4;

/// Where the readers stand between two characters.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'f> {
    pub(crate) frame: &'f Frame,
    readers: [Reader<'f>; READERS],
    /// How many of them there are: two where the frame is the default one.
    count: usize,
    /// Bytes read.
    at: usize,
}

impl<'f> Scan<'f> {
    fn new(frame: &'f Frame) -> Self {
        let own = |reading| Reader::new(frame.tag(), reading);
        let default = |reading| Reader::new(Frame::DEFAULT_TAG, reading);
        let readers = [
            own(Reading::Plain),
            own(Reading::TagCharacters),
            default(Reading::Plain),
            default(Reading::TagCharacters),
        ];
        Self { frame, readers, count: if frame.is_default() { 2 } else { READERS }, at: 0 }
    }

    /// Other readers than those of R4.
    pub(crate) fn with(frame: &'f Frame, readers: [Reader<'f>; 2]) -> Self {
        let [one, two] = readers;
        Self { frame, readers: [one, two, one, two], count: 2, at: 0 }
    }

    fn readers(&self) -> impl Iterator<Item = &Reader<'f>> {
        self.readers.iter().take(self.count)
    }

    /// Whether the next character that matters is the next opener.
    pub(crate) fn is_idle(&self) -> bool {
        self.readers().all(Reader::is_idle)
    }

    /// How many backslashes the end of the text, or white space, adds to those found.
    pub(crate) fn pending(&self) -> usize {
        self.each_pending().count()
    }

    /// Where they go, each place once.
    pub(crate) fn each_pending(&self) -> impl Iterator<Item = usize> {
        let earlier =
            |at: usize, place| self.readers().take(at).any(|reader| reader.pending() == Some(place));
        let places = self.readers().enumerate().filter_map(|(at, reader)| Some((at, reader.pending()?)));
        places.filter(move |(at, place)| !earlier(*at, *place)).map(|(_, place)| place)
    }

    /// Reads one character. `mark` gets the place of each backslash, once, as soon as it is certain.
    pub(crate) fn step(&mut self, c: char, mut mark: impl FnMut(usize)) {
        self.at += c.len_utf8();
        let (sign, end) = (sign(c), self.at);
        for index in 0..self.count {
            let found = self.readers.get_mut(index).and_then(|reader| reader.read(c, sign, end));
            self.found(found, &mut mark);
        }
        if self.readers().any(|reader| reader.opens_at(end)) {
            self.end_names(mark);
        }
    }

    /// A backslash goes in here: it ends each name that was whole.
    pub(crate) fn end_names(&mut self, mut mark: impl FnMut(usize)) {
        for index in 0..self.count {
            let found = self.readers.get(index).and_then(Reader::pending);
            self.found(found, &mut mark);
        }
    }

    /// The tag that opens there has its backslash.
    pub(crate) fn mark(&mut self, place: usize) {
        self.readers.iter_mut().for_each(|reader| reader.mark(place));
    }

    fn found(&mut self, place: Option<usize>, mark: &mut impl FnMut(usize)) {
        if let Some(place) = place {
            mark(place);
            self.mark(place);
        }
    }

    /// Reads `text`, from opener to opener where nothing has begun. `headings`: where its lines get a
    /// backslash (R9), in ascending order.
    fn advance(&mut self, text: &str, openers: &[usize], headings: &[usize], mut mark: impl FnMut(usize)) {
        let base = self.at;
        let mut openers = openers.iter();
        let mut headings = headings.iter().copied().peekable();
        let mut at = 0;
        while at < text.len() {
            if self.is_idle() {
                let Some(opener) = openers.find(|opener| **opener >= at) else { break };
                at = *opener;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            #[cfg(test)]
            counter::add(c.len_utf8());
            self.at = base + at;
            while headings.next_if(|heading| *heading < at).is_some() {}
            if headings.next_if_eq(&at).is_some() {
                self.end_names(&mut mark);
            }
            self.step(c, &mut mark);
            at += c.len_utf8();
        }
        self.at = base + text.len();
    }
}

/// The length that neutralised text has, for pieces as they come.
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
        let landmarks = Landmarks::of_text(text, self.scan.frame);
        self.scan.advance(text, &landmarks.openers, &[], |_| added += 1);
        self.len += text.len() + added;
    }

    /// Bytes, when white space or the end follows.
    pub(crate) fn len(&self) -> usize {
        self.len + self.scan.pending()
    }

    pub(crate) fn scan(&self) -> Scan<'f> {
        self.scan
    }
}

/// Where the backslashes of a text go, for pieces as they come.
pub(crate) struct Marks<'f> {
    scan: Scan<'f>,
    places: Vec<usize>,
}

impl<'f> Marks<'f> {
    pub(crate) fn new(frame: &'f Frame) -> Self {
        Self { scan: Scan::new(frame), places: Vec::new() }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let landmarks = Landmarks::of_text(text, self.scan.frame);
        self.scan.advance(text, &landmarks.openers, &[], |place| self.places.push(place));
    }

    /// Content of a file, which stands behind a blank line: no line of it is a heading (R9).
    pub(crate) fn push_content(&mut self, content: &str) {
        let landmarks = Landmarks::of_content(content, self.scan.frame);
        let begins = self.scan.at;
        let forged = forged(content, &landmarks.lines);
        let mut headings: Vec<usize> = forged.iter().map(|heading| heading.begins).collect();
        headings.sort_unstable();
        self.places.extend(headings.iter().map(|heading| begins + heading));
        self.scan.advance(content, &landmarks.openers, &headings, |place| self.places.push(place));
    }

    /// Their places in ascending order, the end decided as if white space followed.
    pub(crate) fn finish(mut self) -> Vec<usize> {
        self.places.extend(self.scan.each_pending());
        self.places.sort_unstable();
        self.places
    }
}

/// Appends the pieces with a backslash at each place, counted from the beginning of the first piece.
pub(crate) fn write<'t>(out: &mut String, pieces: impl IntoIterator<Item = &'t str>, places: &[usize]) {
    let mut begins = 0;
    let mut places = places.iter().peekable();
    for piece in pieces {
        let mut copied = 0;
        // A place at the end of a piece is also one at the beginning of the next: the same backslash.
        while let Some(place) = places.next_if(|place| **place <= begins + piece.len()) {
            let at = place - begins;
            out.push_str(piece.get(copied..at).unwrap_or_default());
            out.push('\\');
            copied = at;
        }
        out.push_str(piece.get(copied..).unwrap_or_default());
        begins += piece.len();
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
