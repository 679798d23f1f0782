//! Scopes and shown paths without owned strings.

use std::fmt;

use crate::Scope;

/// A scope in borrowed parts: what a pre-step compares many of without building one (H4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeRef<'a> {
    /// The user-global file.
    UserGlobal,
    /// One slot of one directory.
    Slot {
        /// Relative to the root, in shown form; `.` for the root.
        dir: &'a str,
        /// `base`, `local`, or in `all_distinct` the file name.
        slot: &'a str,
    },
    /// Another injector's instruction.
    Id(&'a str),
}

impl<'a> ScopeRef<'a> {
    /// The parts of a written scope.
    pub fn parse(scope: &'a str) -> Self {
        if scope == Scope::USER_GLOBAL {
            return Self::UserGlobal;
        }
        match scope.split_once('\0') {
            Some((dir, slot)) => Self::Slot { dir, slot },
            None => Self::Id(scope),
        }
    }

    /// The owned form.
    pub fn to_scope(self) -> Scope {
        match self {
            Self::UserGlobal => Scope::from(Scope::USER_GLOBAL),
            Self::Slot { dir, slot } => Scope::of(dir, slot),
            Self::Id(id) => Scope::from(id),
        }
    }

    /// The directory, `.` for the root, of a slot's scope.
    pub fn dir(self) -> Option<&'a str> {
        match self {
            Self::Slot { dir, .. } => Some(dir),
            Self::UserGlobal | Self::Id(_) => None,
        }
    }
}

/// A shown path in two parts (D11).
#[derive(Clone, Copy, Debug)]
pub struct PathRef<'a> {
    /// The folder in shown form; empty or `.` adds nothing.
    pub dir: &'a str,
    /// The rest.
    pub name: &'a str,
}

impl<'a> PathRef<'a> {
    /// A path that is not split.
    pub const fn whole(path: &'a str) -> Self {
        Self { dir: "", name: path }
    }

    fn prefix(self) -> Option<&'a str> {
        (!self.dir.is_empty() && self.dir != ".").then_some(self.dir)
    }
}

impl PartialEq<str> for PathRef<'_> {
    fn eq(&self, path: &str) -> bool {
        match self.prefix() {
            None => self.name == path,
            Some(dir) => path
                .strip_prefix(dir)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|name| name == self.name),
        }
    }
}

impl fmt::Display for PathRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix() {
            None => f.write_str(self.name),
            Some(dir) => write!(f, "{dir}/{}", self.name),
        }
    }
}
