use crate::Frame;
use crate::scan::{Measure, Scan};
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
/// taken verbatim: decoded, without a byte-order mark, line ends kept (D10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    kind: Kind<'a>,
    path: &'a str,
    content: &'a str,
}

impl<'a> Section<'a> {
    /// `Instructions from: PATH`, without a sentence: in complete messages, and an injector's later `set`.
    #[must_use]
    pub fn instructions(path: &'a str, content: &'a str) -> Self {
        Self { kind: Kind::Instructions, path, content }
    }

    /// `Additional instructions from: PATH`: a `set` after the baseline.
    #[must_use]
    pub fn additional(path: &'a str, applies: Applies<'a>, content: &'a str) -> Self {
        Self { kind: Kind::Additional(applies), path, content }
    }

    /// `Updated instructions from: PATH`: a `replace`, by a file of another name where `switch` says so.
    #[must_use]
    pub fn updated(path: &'a str, switch: Option<Switch<'a>>, content: &'a str) -> Self {
        Self { kind: Kind::Updated(switch), path, content }
    }

    /// `Instructions removed: PATH`: a `remove`.
    #[must_use]
    pub fn removed(path: &'a str) -> Self {
        Self { kind: Kind::Removed, path, content: "" }
    }

    /// `Instructions removed: PATH`, there but without room (C8): an `omit` of what was in force.
    #[must_use]
    pub fn left_out(path: &'a str) -> Self {
        Self { kind: Kind::LeftOut, path, content: "" }
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
            Kind::Instructions => "Instructions from: ",
            Kind::Additional(_) => "Additional instructions from: ",
            Kind::Updated(_) => "Updated instructions from: ",
            Kind::Removed | Kind::LeftOut => "Instructions removed: ",
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
        let mut head = self.heading();
        if !sentence.is_empty() {
            head.push_str(BLANK_LINE);
            head.push_str(&sentence);
        }
        head
    }

    /// One more byte when text that ends in what `before` stands for is followed by this section: its first
    /// word may be the frame's tag.
    pub(crate) fn joint(&self, before: Scan<'_>, frame: &Frame) -> usize {
        let word = self.heading_words().split(' ').next().unwrap_or_default();
        usize::from(before.is_open() && word.eq_ignore_ascii_case(frame.tag()))
    }

    /// The whole section, unless it has more than `room` bytes. Looks at no content that is longer than that.
    pub(crate) fn measured<'f>(&self, wording: &'f Wording, room: usize) -> Option<Measure<'f>> {
        if self.path.len() > room || self.content.len() > room {
            return None;
        }
        let mut measure = Measure::new(&wording.frame);
        measure.push(&self.head(wording));
        if !self.content.is_empty() {
            measure.push(BLANK_LINE);
            measure.push(self.content);
        }
        (measure.len() <= room).then_some(measure)
    }
}
