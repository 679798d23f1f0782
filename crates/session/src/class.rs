//! What kind of session is asking.

use std::fmt;

/// The class of a session (I1). Policy decides by matching on it, never on a string or a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionClass {
    /// Started by a person or a program.
    Main,
    /// Started by another session.
    Subagent {
        /// How many sessions stand above it: at least 1.
        depth: u32,
    },
}

impl SessionClass {
    /// Whether this is the main session.
    pub const fn is_main(self) -> bool {
        matches!(self, Self::Main)
    }

    /// 0 for the main session, at least 1 for a subagent.
    pub const fn depth(self) -> u32 {
        match self {
            Self::Main => 0,
            Self::Subagent { depth } => depth,
        }
    }
}

impl fmt::Display for SessionClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("main"),
            Self::Subagent { depth } => write!(f, "subagent at depth {depth}"),
        }
    }
}
