use std::fmt;
use std::sync::Arc;

use standing_orders_session::SessionClass;

/// The name of the section that says who the agent is. A child's persona shadows its parent's
/// under this name (S3).
pub const PERSONA_PREFIX: &str = "deployment:persona-prefix";

/// One part of the system prompt: a name to shadow it by, a place, a text. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    name: Arc<str>,
    order: i32,
    text: Arc<str>,
}

impl Section {
    /// A section called `name` at the place `order`: see [`order`](super::order) for the usual ones.
    /// The name is never shown to the model, and any text is one.
    pub fn new(name: impl Into<Arc<str>>, order: i32, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), order, text: text.into() }
    }

    /// What it is shadowed, replaced and removed by. Compared byte for byte.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its place: lower stands earlier.
    pub const fn order(&self) -> i32 {
        self.order
    }

    /// Its text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it stands in the prompt: without line ends before, without white space after.
    pub(super) fn shown(&self) -> &str {
        self.text.trim_end().trim_start_matches(['\n', '\r'])
    }
}

/// Whose a section is, from far to near (S1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Of every session.
    Deployment,
    /// Of one session and of those that it starts: seen from a child, its parent's and its own
    /// are two of these.
    Session(SessionClass),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deployment => f.write_str("deployment"),
            Self::Session(class) => fmt::Display::fmt(class, f),
        }
    }
}
