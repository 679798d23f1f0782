use crate::Frame;
use crate::heading::{ADDITIONAL, INSTRUCTIONS, REMOVED, UPDATED};
use crate::scan::{Marks, write};
use crate::wording::{Wording, fill, sentences};

/// What separates the parts of a body, and the parts of a section (R1, R2).
pub(crate) const BLANK_LINE: &str = "\n\n";

/// Where an additional file applies (R2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies<'a> {
    /// The sentence `applies_everywhere`: the user-global file.
    Everywhere,
    /// The sentence `applies_to` with this directory as its `{scope}`, `.` for the root.
    Directory(&'a str),
    /// No sentence about a place.
    Nothing,
}

/// The name that a scope's file had before (R2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<'a> {
    /// The path it had, as shown: `{previous}`.
    pub previous: &'a str,
    /// The directory of both, `.` for the root: `{scope}`.
    pub scope: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'a> {
    Instructions,
    Additional(Applies<'a>),
    Updated(Option<Switch<'a>>),
    Removed,
    LeftOut,
}

/// One file's part of a message (R1, R2): heading, sentence, content.
///
/// Paths are in the form that is shown (D11), one line; they are not escaped here beyond R4. Content is
/// taken verbatim: decoded, without a byte-order mark, line ends kept (D10); but a line of it that reads
/// like one of our headings gets a backslash before its first letter (R9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    kind: Kind<'a>,
    path: &'a str,
    content: &'a str,
    /// Behind the sentence of its kind.
    sentence: &'a str,
}

impl<'a> Section<'a> {
    /// `Instructions from: PATH`, without a sentence: in complete messages, and an injector's later `set`.
    #[must_use]
    pub fn instructions(path: &'a str, content: &'a str) -> Self {
        Self { kind: Kind::Instructions, path, content, sentence: "" }
    }

    /// `Additional instructions from: PATH`: a `set` after the baseline.
    #[must_use]
    pub fn additional(path: &'a str, applies: Applies<'a>, content: &'a str) -> Self {
        Self { kind: Kind::Additional(applies), path, content, sentence: "" }
    }

    /// `Updated instructions from: PATH`: a `replace`, by a file of another name where `switch` says so.
    #[must_use]
    pub fn updated(path: &'a str, switch: Option<Switch<'a>>, content: &'a str) -> Self {
        Self { kind: Kind::Updated(switch), path, content, sentence: "" }
    }

    /// `Instructions removed: PATH`: a `remove`.
    #[must_use]
    pub fn removed(path: &'a str) -> Self {
        Self { kind: Kind::Removed, path, content: "", sentence: "" }
    }

    /// `Instructions removed: PATH`, there but without room (C8): an `omit` of what was in force.
    #[must_use]
    pub fn left_out(path: &'a str) -> Self {
        Self { kind: Kind::LeftOut, path, content: "", sentence: "" }
    }

    /// With one more sentence, behind that of its kind; an empty one is none.
    #[must_use]
    pub fn with_sentence(self, sentence: &'a str) -> Self {
        Self { sentence, ..self }
    }

    /// The path in its heading.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// Its content; empty for a removal.
    #[must_use]
    pub fn content(&self) -> &'a str {
        self.content
    }

    /// Whether it takes a file out of force: removed or left out.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        matches!(self.kind, Kind::Removed | Kind::LeftOut)
    }

    fn heading_words(&self) -> &'static str {
        match self.kind {
            Kind::Instructions => INSTRUCTIONS,
            Kind::Additional(_) => ADDITIONAL,
            Kind::Updated(_) => UPDATED,
            Kind::Removed | Kind::LeftOut => REMOVED,
        }
    }

    pub(crate) fn heading(&self) -> String {
        [self.heading_words(), self.path].concat()
    }

    /// Heading, blank line and sentence, or the heading alone where no sentence goes with it.
    pub(crate) fn head(&self, wording: &Wording) -> String {
        let sentence = match self.kind {
            Kind::Instructions | Kind::Additional(Applies::Nothing) => String::new(),
            Kind::Additional(Applies::Everywhere) => wording.applies_everywhere.to_string(),
            Kind::Additional(Applies::Directory(scope)) => fill(&wording.applies_to, &[("{scope}", scope)]),
            Kind::Updated(None) => wording.changed.to_string(),
            Kind::Updated(Some(Switch { previous, scope })) => {
                let switched = fill(&wording.switched, &[("{previous}", previous), ("{scope}", scope)]);
                sentences(&wording.changed, &switched)
            }
            Kind::Removed => wording.removed.to_string(),
            Kind::LeftOut => wording.left_out.to_string(),
        };
        let sentence = sentences(&sentence, self.sentence);
        let mut head = self.heading();
        if !sentence.is_empty() {
            head.push_str(BLANK_LINE);
            head.push_str(&sentence);
        }
        head
    }

    /// The whole section, unless it has more than `room` bytes. Looks at no content that is longer than that.
    pub(crate) fn whole_within(&self, wording: &Wording, room: usize) -> Option<Passage<'a>> {
        if self.path.len() > room || self.content.len() > room {
            return None;
        }
        Some(Passage::new(self.head(wording), self.content, &wording.frame))
            .filter(|passage| passage.len() <= room)
    }

    /// The head and so many bytes of the content.
    pub(crate) fn cut(&self, wording: &Wording, bytes: usize) -> Passage<'a> {
        let content = self.content.get(..bytes).unwrap_or_default();
        Passage::new(self.head(wording), content, &wording.frame)
    }

    /// The heading alone, if it has no more than `room` bytes.
    pub(crate) fn heading_within(&self, frame: &Frame, room: usize) -> Option<Passage<'a>> {
        if self.path.len() > room {
            return None;
        }
        Some(Passage::new(self.heading(), "", frame)).filter(|passage| passage.len() <= room)
    }
}

/// A section, or its beginning, neutralised.
///
/// It is so whatever stands before it: no frame's name is the first word of a heading (R4), so no tag ends
/// in one. Behind it stands white space.
#[derive(Clone, Debug)]
pub(crate) struct Passage<'a> {
    head: String,
    content: &'a str,
    /// Where backslashes go.
    places: Vec<usize>,
}

impl<'a> Passage<'a> {
    fn new(head: String, content: &'a str, frame: &Frame) -> Self {
        let mut marks = Marks::new(frame);
        marks.push(&head);
        if !content.is_empty() {
            marks.push(BLANK_LINE);
            marks.push_content(content);
        }
        Self { head, content, places: marks.finish() }
    }

    /// Bytes.
    pub(crate) fn len(&self) -> usize {
        let content = if self.content.is_empty() { 0 } else { BLANK_LINE.len() + self.content.len() };
        self.head.len() + content + self.places.len()
    }

    pub(crate) fn write(&self, out: &mut String) {
        let separator = if self.content.is_empty() { "" } else { BLANK_LINE };
        write(out, [self.head.as_str(), separator, self.content], &self.places);
    }
}
