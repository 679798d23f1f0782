use std::borrow::Cow;

use crate::error::FrameError;
use crate::scan::{Measure, Writer};

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
        Self { tag: Cow::Borrowed("system-reminder") }
    }
}

impl Frame {
    /// A frame with this tag name, written as given.
    ///
    /// # Errors
    ///
    /// The name is not plain: empty, not starting with an ASCII letter, or with anything in it but ASCII
    /// letters, digits, `-`, `_`, `.` and `:`, the characters that R4 counts as part of a name.
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
        Ok(Self { tag: Cow::Owned(tag) })
    }

    /// The tag's name.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// `text` with a backslash after the `<` or `&lt;` of every tag of this frame, all else as it was (R4).
    ///
    /// - A tag is `<` or `&lt;`, optional white space, optional `/`, optional white space, the name in any
    ///   letter case, not followed by a letter, digit, `-`, `_`, `.` or `:`. Letters, digits and white space
    ///   are Unicode's; letter case includes `ſ` for `s` and the Kelvin sign for `k`; the end of `text`
    ///   ends a name. `&lt;` is lower case only.
    /// - Nothing is allocated when there is no tag.
    /// - Two neutralised texts put one after the other can make a tag that neither has. Join first.
    #[must_use]
    pub fn neutralise<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut measure = Measure::new(self);
        measure.push(text);
        if measure.len() == text.len() {
            return Cow::Borrowed(text);
        }
        let mut writer = Writer::new(self, String::with_capacity(measure.len()));
        writer.push(text);
        Cow::Owned(writer.finish())
    }

    /// `body`, neutralised, in this frame (R1): opening tag, line feed, body, line feed, closing tag.
    #[must_use]
    pub fn wrap(&self, body: &str) -> String {
        let mut writer = Writer::new(self, self.opening(body.len()));
        writer.push(body);
        self.close(writer)
    }

    /// The opening tag and its line feed, with room for a body of so many bytes.
    pub(crate) fn opening(&self, body: usize) -> String {
        let mut text = String::with_capacity(self.overhead() + body);
        text.push('<');
        text.push_str(&self.tag);
        text.push_str(">\n");
        text
    }

    /// The body that `writer` holds, and the closing tag. Nothing but this writes a tag after a body.
    pub(crate) fn close(&self, writer: Writer<'_>) -> String {
        let mut text = writer.finish();
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
