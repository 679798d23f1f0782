use crate::Frame;
use crate::scan::{Marks, write};
use crate::section::{BLANK_LINE, Passage};

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
    /// It stands whole; an empty file by its heading.
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

/// A block whose parts are settled, in the order in which they stand.
pub(crate) struct Layout<'b, 'a> {
    pub(crate) frame: &'b Frame,
    pub(crate) framed: bool,
    /// Nothing when empty, as the opening (R1).
    pub(crate) notice: &'b str,
    pub(crate) opening: &'b str,
    pub(crate) passages: Vec<&'b Passage<'a>>,
}

impl Layout<'_, '_> {
    pub(crate) fn write(&self) -> String {
        let between = if self.notice.is_empty() || self.opening.is_empty() { "" } else { BLANK_LINE };
        let lead = [self.notice, between, self.opening];
        let mut marks = Marks::new(self.frame);
        lead.iter().for_each(|piece| marks.push(piece));
        let places = marks.finish();

        let lead_bytes: usize = lead.iter().map(|piece| piece.len()).sum();
        let passages = self.passages.iter().map(|passage| BLANK_LINE.len() + passage.len());
        let bytes = lead_bytes + places.len() + passages.sum::<usize>();
        let mut text = if self.framed { self.frame.opening(bytes) } else { String::with_capacity(bytes) };
        write(&mut text, lead, &places);
        let mut begun = lead_bytes > 0;
        for passage in &self.passages {
            if begun {
                text.push_str(BLANK_LINE);
            }
            passage.write(&mut text);
            begun = true;
        }
        if self.framed { self.frame.close(text) } else { text }
    }
}
