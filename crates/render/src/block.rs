use crate::scan::Writer;
use crate::section::{BLANK_LINE, Section};
use crate::wording::Wording;

/// What gives way when a message is over budget (R5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// Whole files, from the broad end.
    #[default]
    Drop,
    /// The same, but the last one that would go is cut instead, where at least one character of it fits.
    Trim,
}

/// What became of one section (R5, R6, R7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stands whole.
    Whole,
    /// Its content was cut.
    Cut {
        /// Bytes of its content.
        from: usize,
        /// Bytes of its content that stayed, at least one character.
        to: usize,
    },
    /// A removal that stands by its heading, without its sentence.
    HeadingOnly,
    /// Nothing of its content is in a complete message, though its head may be.
    Omitted,
    /// It is not in this message of transitions and stays due (C8).
    Waits,
}

impl Fate {
    /// Whether the message can be recorded as carrying it (R7).
    #[must_use]
    pub fn is_represented(self) -> bool {
        match self {
            Self::Whole | Self::Cut { .. } | Self::HeadingOnly => true,
            Self::Omitted | Self::Waits => false,
        }
    }
}

/// One text block of a message (R1), never longer than its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "fates say what may be recorded, and the text is what the model reads"]
pub struct Block {
    /// The text, frame included; empty when there is nothing to send.
    pub text: String,
    /// One for each section, in the order given.
    pub fates: Vec<Fate>,
}

impl Block {
    /// Whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// How much of a section is written.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    Heading,
    Head,
    /// Head and so many bytes of content.
    Content(usize),
}

/// A block whose parts are settled, in the order in which they stand.
pub(crate) struct Layout<'a> {
    pub(crate) wording: &'a Wording,
    pub(crate) framed: bool,
    pub(crate) notice: Option<String>,
    pub(crate) opening: &'a str,
    pub(crate) parts: Vec<(Section<'a>, Extent)>,
}

impl Layout<'_> {
    pub(crate) fn write(&self) -> String {
        let frame = &self.wording.frame;
        let contents = self.parts.iter().map(|(section, extent)| match extent {
            Extent::Content(bytes) => section.path().len() + bytes,
            Extent::Head | Extent::Heading => section.path().len(),
        });
        let notice = self.notice.as_deref().unwrap_or_default();
        let reserve =
            notice.len() + self.opening.len() + contents.sum::<usize>() + 64 * (self.parts.len() + 1);
        let start = if self.framed { frame.opening(reserve) } else { String::with_capacity(reserve) };
        let mut body = Body { writer: Writer::new(frame, start), begun: false };
        body.part(notice);
        body.part(self.opening);
        for (section, extent) in &self.parts {
            match *extent {
                Extent::Heading => body.part(&section.heading()),
                Extent::Head => body.part(&section.head(self.wording)),
                Extent::Content(bytes) => {
                    body.part(&section.head(self.wording));
                    body.part(section.content().get(..bytes).unwrap_or_default());
                }
            }
        }
        if self.framed { frame.close(body.writer) } else { body.writer.finish() }
    }
}

struct Body<'f> {
    writer: Writer<'f>,
    begun: bool,
}

impl Body<'_> {
    /// What is empty is no part (R1: an empty file has its heading alone).
    fn part(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.begun {
            self.writer.push(BLANK_LINE);
        }
        self.writer.push(text);
        self.begun = true;
    }
}
