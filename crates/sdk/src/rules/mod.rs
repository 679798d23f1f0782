//! What a file of a rules folder says by its head: when it applies, and to whom (F3 to F7). Pure: the pass
//! finds the files, and delivers what is due.

mod activation;
mod dialect;
mod head;
mod patterns;
mod pieces;
#[cfg(test)]
mod tests;

pub use dialect::Dialect;

pub(crate) use activation::Activation;
pub(crate) use patterns::{BadPattern, Patterns};

/// A file of a rules folder, but for its body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) activation: Activation,
    /// Where it has one.
    pub(crate) name: Option<Box<str>>,
    /// Patterns that are dropped, each alone.
    pub(crate) bad_patterns: Vec<BadPattern>,
    /// Whose agents it is not for, and those it is for if there are any.
    not_for: Vec<String>,
    only_for: Vec<String>,
    /// Where the body begins, in bytes.
    body: usize,
}

impl Rule {
    /// Reads the head of `text`. What cannot be understood is never due ([`Activation::Never`]).
    pub(crate) fn read(dialect: Dialect, text: &str) -> Self {
        let head = match head::read(dialect, text) {
            Ok(head) => head,
            Err(fault) => return Self { activation: Activation::Never(fault.into()), ..Self::whole() },
        };
        let (activation, bad_patterns) = activation::of(dialect, &head);
        Self {
            activation,
            name: head.name.map(Into::into),
            bad_patterns,
            not_for: head.exclude_agent,
            only_for: head.agents,
            body: head.body,
        }
    }

    /// What is imported is a rule where its head has patterns, by `paths` or `globs`; else it is text, whatever
    /// it begins with (M3).
    pub(crate) fn of_import(text: &str) -> Option<Self> {
        [Dialect::Plain, Dialect::Cursor].into_iter().map(|dialect| Self::read(dialect, text)).find(|rule| {
            let has_patterns = matches!(rule.activation, Activation::Paths(_));
            has_patterns && rule.body > 0
        })
    }

    /// A file that is always due, whatever it begins with (F1).
    pub(crate) fn whole() -> Self {
        let (not_for, only_for) = (Vec::new(), Vec::new());
        let (activation, bad_patterns) = (Activation::Always, Vec::new());
        Self { activation, name: None, bad_patterns, not_for, only_for, body: 0 }
    }

    /// The text without the head.
    pub(crate) fn body<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.body..).unwrap_or_default()
    }

    /// Whether it is for a session of this agent preset, as gated files are (I4).
    pub(crate) fn admits(&self, agent: Option<&str>) -> bool {
        let listed = self.only_for.iter().map(String::as_str);
        let mut listed = listed.filter(|name| !name.starts_with('!')).peekable();
        let excluded = |agent: &str| {
            let own = self.only_for.iter().filter_map(|name| name.strip_prefix('!'));
            own.chain(self.not_for.iter().map(String::as_str)).any(|name| name == agent)
        };
        match agent {
            None => listed.peek().is_none(),
            Some(agent) => !excluded(agent) && (listed.peek().is_none() || listed.any(|name| name == agent)),
        }
    }
}
