//! Plain names, and the two lists of candidates (D3).

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::shown::shown;

/// The name of one entry of a directory: not empty, not `.` or `..`, without `/`, `\` or NUL, and
/// shown as it is (D11).
///
/// Candidates (D3) and root markers (D1) are plain names. Cheap to clone. White space is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlainName(Arc<str>);

/// Why an entry of a list of names is ignored (D3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameFault {
    /// It is empty.
    #[error("the name is empty")]
    Empty,
    /// It is `.` or `..`.
    #[error("`.` and `..` name no file")]
    Dots,
    /// It contains `/` or `\`, on every platform.
    #[error("a name of the same directory has no `/` and no `\\`")]
    Separator,
    /// It contains NUL, which no file name can.
    #[error("no file name contains NUL")]
    Nul,
    /// It has characters that a heading does not show as they are, such as line ends, bidirectional
    /// marks and other control and format characters (D11): a name must not write headings of its own.
    #[error("the name has characters that are not shown as they are, such as control and format characters")]
    NotShown,
    /// It is in the local list, and the base list has it already.
    #[error("the base list has this name already")]
    InBaseList,
}

/// An entry that was ignored: which, where it stood, and why (D3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameWarning {
    /// In which list.
    pub slot: Slot,
    /// At which position of the list as it was given, from 0.
    pub position: usize,
    /// The entry as it was given.
    pub name: String,
    /// Why it is ignored.
    pub fault: NameFault,
}

/// What competes in one directory under [`Selection::First`](crate::Selection::First) (D4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The names of `instruction_file_candidates`.
    Base,
    /// The names of `local_instruction_file_candidates`: overlays, added after the base file.
    Local,
}

/// The candidate names of one directory: the base list, then the local list (D3).
///
/// A candidate is named by its index in this joined list. Cheap to clone.
///
/// ```
/// use standing_orders_discovery::{CandidateNames, NameFault, Slot};
///
/// let (names, warnings) = CandidateNames::new(["RULES.md", "sub/X.md", "RULES.md"], ["RULES.local.md"]);
/// assert_eq!(names.iter().collect::<Vec<_>>(), [(Slot::Base, "RULES.md"), (Slot::Local, "RULES.local.md")]);
/// assert_eq!(warnings[0].fault, NameFault::Separator);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateNames {
    names: Arc<[PlainName]>,
    base: usize,
}

impl PlainName {
    /// The name, if it is a plain one.
    ///
    /// # Errors
    /// Says what keeps it from being one; never [`NameFault::InBaseList`].
    pub fn new(name: &str) -> Result<Self, NameFault> {
        match name {
            "" => Err(NameFault::Empty),
            "." | ".." => Err(NameFault::Dots),
            _ if name.contains(['/', '\\']) => Err(NameFault::Separator),
            _ if name.contains('\0') => Err(NameFault::Nul),
            _ if shown(Path::new(name)).to_string() != name => Err(NameFault::NotShown),
            _ => Ok(Self(name.into())),
        }
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CandidateNames {
    /// The names that count, and a warning for each entry that is ignored (D3).
    ///
    /// Duplicates count once, where they stand first; a repetition within one list is not worth a
    /// warning. A local name that the base list has stays a base name, with a warning: it cannot fill
    /// two slots. An empty local list turns overlays off.
    pub fn new<B, L>(base: B, local: L) -> (Self, Vec<NameWarning>)
    where
        B: IntoIterator<Item: AsRef<str>>,
        L: IntoIterator<Item: AsRef<str>>,
    {
        let mut names = Vec::new();
        let mut warnings = Vec::new();
        let mut seen = HashMap::new();
        let mut add = |slot, position, name: &str| {
            let fault = match PlainName::new(name) {
                Err(fault) => fault,
                Ok(plain) => match seen.get(&plain) {
                    None => {
                        seen.insert(plain.clone(), slot);
                        names.push(plain);
                        return;
                    }
                    Some(&first) if first == slot => return,
                    Some(_) => NameFault::InBaseList,
                },
            };
            warnings.push(NameWarning { slot, position, name: name.to_owned(), fault });
        };
        for (position, name) in base.into_iter().enumerate() {
            add(Slot::Base, position, name.as_ref());
        }
        for (position, name) in local.into_iter().enumerate() {
            add(Slot::Local, position, name.as_ref());
        }
        let base = seen.values().filter(|&&slot| slot == Slot::Base).count();
        (Self { names: names.into(), base }, warnings)
    }

    /// How many names there are, in both lists.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of the candidate at `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(PlainName::as_str)
    }

    /// The slot that the candidate at `index` competes for, if there is one.
    pub fn slot(&self, index: usize) -> Option<Slot> {
        match index {
            _ if index < self.base => Some(Slot::Base),
            _ if index < self.len() => Some(Slot::Local),
            _ => None,
        }
    }

    /// The names in order, each with its slot.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Slot, &str)> {
        self.names.iter().enumerate().map(|(index, name)| {
            let slot = if index < self.base { Slot::Base } else { Slot::Local };
            (slot, name.as_str())
        })
    }
}

/// `AGENTS.md`, `CLAUDE.md`; `AGENTS.local.md`, `CLAUDE.local.md` (D3).
impl Default for CandidateNames {
    fn default() -> Self {
        Self::new(["AGENTS.md", "CLAUDE.md"], ["AGENTS.local.md", "CLAUDE.local.md"]).0
    }
}
