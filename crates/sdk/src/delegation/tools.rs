//! Which tools a session may use, by name.

use crate::nearest::nearest;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The tools that one session may use, of those that the host has (S3). Cheap to clone.
///
/// The host enforces it: it asks [`admits`](Self::admits) before each call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolGrant {
    known: Arc<BTreeSet<String>>,
    granted: Arc<BTreeSet<String>>,
}

/// What a child is given of its parent's tools, by name and never by path (S3).
///
/// # Precedence
/// 1. The parent's tools.
/// 2. With an allow list: of these only those on it. An empty list allows none.
/// 3. Less those on the deny list, also where the allow list has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Why a filter does not apply: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFilterError {
    faults: Vec<ToolFault>,
}

/// One name that a filter cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFault {
    /// The host has no such tool. A filter that names none by mistake would let through what it
    /// was to keep out.
    #[error("there is no tool {name:?}{}", suggestion(.nearest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name that could stand there, if one is near.
        nearest: Option<String>,
    },
    /// The parent may not use it, so its child cannot be allowed it.
    #[error("the tool {name:?} is not among the parent's, and a child has none that its parent lacks")]
    NotGranted {
        /// The name.
        name: String,
    },
}

impl ToolGrant {
    /// Every tool that the host has: what a main session has unless it is narrowed. Names are
    /// compared byte for byte; each counts once.
    pub fn all<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let known: Arc<BTreeSet<String>> = Arc::new(names.into_iter().map(Into::into).collect());
        Self { granted: known.clone(), known }
    }

    /// These tools less what the filter keeps out: never more.
    ///
    /// # Errors
    /// A name that the host does not know, with the nearest one; a name on the allow list that is
    /// not granted here. Denying what is not granted is no error. All of them are named.
    pub fn narrow(&self, filter: &ToolFilter) -> Result<Self, ToolFilterError> {
        let allowed = filter.allow.iter().flatten().map(|name| (name, &self.granted));
        let denied = filter.deny.iter().map(|name| (name, &self.known));
        let faults: Vec<ToolFault> =
            allowed.chain(denied).filter_map(|(name, choice)| self.fault(name, choice)).collect();
        if !faults.is_empty() {
            return Err(ToolFilterError { faults });
        }
        let keeps = |name: &String| {
            filter.allow.as_ref().is_none_or(|allow| allow.contains(name)) && !filter.deny.contains(name)
        };
        let granted = self.granted.iter().filter(|name| keeps(name)).cloned().collect();
        Ok(Self { known: self.known.clone(), granted: Arc::new(granted) })
    }

    /// Whether the session may use this tool. What the host does not have is not admitted.
    pub fn admits(&self, name: &str) -> bool {
        self.granted.contains(name)
    }

    /// The names of the tools to offer, in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.granted.iter().map(String::as_str)
    }

    /// What is wrong with a name that has to be one of `choice`.
    fn fault(&self, name: &str, choice: &BTreeSet<String>) -> Option<ToolFault> {
        let name_owned = || name.to_owned();
        if !self.known.contains(name) {
            return Some(ToolFault::Unknown {
                name: name_owned(),
                nearest: nearest(name, choice.iter().map(String::as_str)).map(str::to_owned),
            });
        }
        (!choice.contains(name)).then(|| ToolFault::NotGranted { name: name_owned() })
    }
}

impl ToolFilter {
    /// Everything that the parent has.
    pub fn none() -> Self {
        Self::default()
    }

    /// Only these.
    pub fn allow<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { allow: Some(names.into_iter().map(Into::into).collect()), deny: Vec::new() }
    }

    /// All but these.
    pub fn deny<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::none().but(names)
    }

    /// And less these.
    #[must_use]
    pub fn but<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(names.into_iter().map(Into::into));
        self
    }
}

impl ToolFilterError {
    /// Each name that is wrong: the allow list's, then the deny list's.
    pub fn faults(&self) -> &[ToolFault] {
        &self.faults
    }
}

impl fmt::Display for ToolFilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tool filter is refused: ")?;
        for (number, fault) in self.faults.iter().enumerate() {
            let between = if number == 0 { "" } else { "; " };
            write!(f, "{between}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ToolFilterError {}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(": did you mean {nearest:?}?"))
}
