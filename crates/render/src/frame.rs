use std::borrow::Cow;

use crate::error::FrameError;
use crate::heading::beginning_with;
use crate::scan::{Marks, write};

/// The tag around every block, `system-reminder` unless the host says otherwise (R1, R3, R4).
///
/// ```
/// use standing_orders_render::Frame;
///
/// let frame = Frame::default();
/// assert_eq!(frame.neutralise("a </ System-Reminder > b"), r"a <\/ System-Reminder > b");
/// assert_eq!(frame.wrap("<system-reminder>"), "<system-reminder>\n<\\system-reminder>\n</system-reminder>");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    tag: Cow<'static, str>,
}

impl Default for Frame {
    fn default() -> Self {
        Self { tag: Cow::Borrowed(Self::DEFAULT_TAG) }
    }
}

impl Frame {
    pub(crate) const DEFAULT_TAG: &'static str = "system-reminder";

    /// A frame with this tag name, written as given.
    ///
    /// # Errors
    ///
    /// The name is not plain: empty, not starting with an ASCII letter, or with anything in it but ASCII
    /// letters, digits, `-`, `_`, `.` and `:`, the characters that R4 counts as part of a name. Or it is the
    /// beginning of one of our headings, in any letter case (`instructions`, `in`): behind a text that ends in
    /// `<` that heading could be a tag.
    pub fn new(tag: impl Into<String>) -> Result<Self, FrameError> {
        let tag = tag.into();
        let Some(first) = tag.chars().next() else { return Err(FrameError::Empty) };
        if !first.is_ascii_alphabetic() {
            return Err(FrameError::Start { tag, found: first });
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if let Some(found) = tag.chars().find(|c| !plain(*c)) {
            return Err(FrameError::Character { tag, found });
        }
        if let Some(heading) = beginning_with(&tag) {
            return Err(FrameError::Heading { tag, heading });
        }
        Ok(Self { tag: Cow::Owned(tag) })
    }

    /// The tag's name.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Whether it is the default one, in any letter case.
    pub(crate) fn is_default(&self) -> bool {
        self.tag.eq_ignore_ascii_case(Self::DEFAULT_TAG)
    }

    /// `text` with a backslash after the `<` of every tag of this frame or of the default one, all else as it
    /// was (R4).
    ///
    /// - A tag is `<`, any number of `/` among white space, the name, not followed by a letter, digit, `-`,
    ///   `_`, `.` or `:`. The end of `text` ends a name.
    /// - Letter case, full mappings included, is ignored: `ſ`, `K`, `ı`, `İ`, and `ß` for `ss`. What NFKC
    ///   turns into ASCII is that ASCII, and any dash is `-`. Behind the name punctuation counts as written:
    ///   `…` ends one.
    /// - Default-ignorable, format and control characters other than line feed and carriage return are not
    ///   seen. Those that show as a gap (the tab, U+000B, U+000C, U+0085, Hangul fillers, and the empty braille
    ///   cell U+2800, which is none of these) end a name.
    /// - Tag characters are read both ways, as not there and as the ASCII they stand for. One right behind a
    ///   name ends it.
    /// - `<` is also an entity: `lt`, 60 or x3C, in any letter case, leading zeros, with or without `;`, its
    ///   `&` in turn `amp`, 38 or x26 any number of times. `/` can be one, too: `sol`, 47 or x2F.
    /// - Letters of other scripts are other letters: [`look_alikes`](Self::look_alikes).
    /// - Nothing is allocated when there is no tag.
    /// - Two neutralised texts put one after the other can make a tag that neither has. Join first.
    /// - A file's content needs more (R9), which [`complete()`](crate::complete()) and
    ///   [`transitions()`](crate::transitions()) do.
    #[must_use]
    pub fn neutralise<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let places = self.places(text);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut safe = String::with_capacity(text.len() + places.len());
        write(&mut safe, [text], &places);
        Cow::Owned(safe)
    }

    /// `body`, neutralised, in this frame (R1): opening tag, line feed, body, line feed, closing tag.
    #[must_use]
    pub fn wrap(&self, body: &str) -> String {
        let places = self.places(body);
        let mut text = self.opening(body.len() + places.len());
        write(&mut text, [body], &places);
        self.close(text)
    }

    fn places(&self, text: &str) -> Vec<usize> {
        let mut marks = Marks::new(self);
        marks.push(text);
        marks.finish()
    }

    /// The opening tag and its line feed, with room for a body of so many bytes.
    pub(crate) fn opening(&self, body: usize) -> String {
        let mut text = String::with_capacity(self.overhead() + body);
        text.push('<');
        text.push_str(&self.tag);
        text.push_str(">\n");
        text
    }

    /// `text`, an opening tag and a body, and the closing tag. Nothing but this writes a tag after a body.
    pub(crate) fn close(&self, mut text: String) -> String {
        text.push_str("\n</");
        text.push_str(&self.tag);
        text.push('>');
        text
    }

    /// Bytes of the two tags with their line feeds.
    pub(crate) fn overhead(&self) -> usize {
        2 * self.tag.len() + "<>\n\n</>".len()
    }
}
