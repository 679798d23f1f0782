/// A frame tag that is not a plain tag name (R3).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// No name at all.
    #[error("the frame tag is empty")]
    Empty,
    /// The first character is not an ASCII letter.
    #[error("the frame tag {tag:?} starts with {found:?}, not with an ASCII letter")]
    Start {
        /// The name as given.
        tag: String,
        /// Its first character.
        found: char,
    },
    /// A character that no plain tag name has.
    #[error(
        "the frame tag {tag:?} contains {found:?}; it takes ASCII letters, digits, `-`, `_`, `.` and `:`"
    )]
    Character {
        /// The name as given.
        tag: String,
        /// The first such character.
        found: char,
    },
    /// One of our headings begins with it: a text that ends in `<` before it would make a tag (R4).
    #[error("our heading `{heading}` begins with the frame tag {tag:?}; it takes a name that begins none")]
    Heading {
        /// The name as given.
        tag: String,
        /// The heading, without what varies.
        heading: &'static str,
    },
}
