//! Where in a text tags and headings can begin at all, found by the fastest means there are: a clean text
//! has next to none.

use memchr::{memchr_iter, memchr2_iter, memchr3_iter};

use crate::Frame;

/// Places in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Landmarks {
    /// The openers behind which a tag can follow: `<`, `&` and their other forms.
    pub(crate) openers: Vec<usize>,
    /// The beginnings of lines that can be headings. A line begins behind every mandatory break of Unicode:
    /// `\n`, `\r`, U+000B, U+000C, U+0085, U+2028 and U+2029.
    pub(crate) lines: Vec<usize>,
}

impl Landmarks {
    /// Of text that is no file's content: it has no lines.
    pub(crate) fn of_text(text: &str, frame: &Frame) -> Self {
        #[cfg(test)]
        crate::scan::counter::add(text.len());
        let bytes = text.as_bytes();
        let mut landmarks = Self::default();
        let names = Names::new(frame);
        for at in memchr2_iter(b'<', b'&', bytes) {
            landmarks.opener(at, bytes, &names);
        }
        for at in memchr2_iter(0xef, 0xf3, bytes) {
            landmarks.wide(at, bytes);
        }
        landmarks.openers.sort_unstable();
        landmarks
    }

    pub(crate) fn of_content(content: &str, frame: &Frame) -> Self {
        #[cfg(test)]
        crate::scan::counter::add(content.len());
        let bytes = content.as_bytes();
        let mut landmarks = Self::default();
        let names = Names::new(frame);
        landmarks.line(0, bytes);
        for at in memchr3_iter(b'\n', b'<', b'&', bytes) {
            match bytes.get(at) {
                Some(b'\n') => landmarks.line(at + 1, bytes),
                _ => landmarks.opener(at, bytes, &names),
            }
        }
        let common = (landmarks.openers.len(), landmarks.lines.len());
        for at in memchr3_iter(b'\r', 0x0b, 0x0c, bytes) {
            if bytes.get(at + 1) != Some(&b'\n') {
                landmarks.line(at + 1, bytes);
            }
        }
        // Cheaper than to look for what begins characters that are not.
        if !content.is_ascii() {
            for at in memchr3_iter(0xe2, 0xef, 0xf3, bytes) {
                landmarks.wide(at, bytes);
            }
            for at in memchr_iter(0xc2, bytes) {
                if bytes.get(at + 1) == Some(&0x85) {
                    landmarks.line(at + 2, bytes);
                }
            }
        }
        if common != (landmarks.openers.len(), landmarks.lines.len()) {
            landmarks.openers.sort_unstable();
            landmarks.lines.sort_unstable();
        }
        landmarks
    }

    fn line(&mut self, at: usize, bytes: &[u8]) {
        if bytes.get(at).is_some_and(|byte| begins_heading(*byte)) {
            self.lines.push(at);
        }
    }

    /// Most of those in texts cannot begin a tag, by the byte behind them.
    fn opener(&mut self, at: usize, bytes: &[u8], names: &Names) {
        let rest = bytes.get(at..).unwrap_or_default();
        let may_begin = match rest {
            [b'&', next, ..] => matches!(next, b'l' | b'L' | b'a' | b'A' | b'#' | 0..b' ' | 0x7f..),
            [_, next, ..] => matches!(next, 0..=b' ' | b'/' | b'&' | 0x7f..) || names.begin_with(*next),
            _ => true,
        };
        if may_begin {
            self.openers.push(at);
        }
    }

    /// What is not ASCII, by its first byte there.
    fn wide(&mut self, at: usize, bytes: &[u8]) {
        match bytes.get(at..).unwrap_or_default() {
            // ＜ ＆ ﹤ ﹠, and `<` and `&` as tag characters.
            [0xef, 0xbc, 0x9c | 0x86, ..]
            | [0xef, 0xb9, 0xa4 | 0xa0, ..]
            | [0xf3, 0xa0, 0x80, 0xbc | 0xa6, ..] => self.openers.push(at),
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => self.line(at + 3, bytes),
            _ => {}
        }
    }
}

/// Whether a line that begins with this byte may be a heading.
fn begins_heading(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7f..) || matches!(byte | 0x20, b'i' | b'a' | b'u' | b'w')
}

/// The first letters of the names of tags, lower case.
struct Names([u8; 2]);

impl Names {
    fn new(frame: &Frame) -> Self {
        Self([frame.tag(), Frame::DEFAULT_TAG].map(|tag| tag.bytes().next().unwrap_or_default() | 0x20))
    }

    fn begin_with(&self, byte: u8) -> bool {
        self.0.contains(&(byte | 0x20))
    }
}
