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

    fn bytes(self) -> impl Iterator<Item = u8> {
        let prefix = self.prefix().into_iter().flat_map(|dir| dir.bytes().chain([b'/']));
        prefix.chain(self.name.bytes())
    }
}

/// Equal where both are shown the same, however they are split.
impl PartialEq for PathRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.prefix(), other.prefix());
        if ours == theirs {
            return self.name == other.name;
        }
        self.bytes().eq(other.bytes())
    }
}

impl Eq for PathRef<'_> {}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_equal_as_they_are_shown() {
        let rows = [
            (PathRef { dir: ".", name: "é.md" }, PathRef::whole("é.md"), true),
            (PathRef { dir: "a/b", name: "c" }, PathRef::whole("a/b/c"), true),
            (PathRef { dir: "a/b", name: "c" }, PathRef { dir: "a", name: "b/c" }, true),
            (PathRef { dir: "a", name: "b" }, PathRef { dir: "a", name: "c" }, false),
            (PathRef { dir: "a", name: "b" }, PathRef::whole("ab"), false),
            (PathRef { dir: ".", name: "a" }, PathRef { dir: "a", name: "" }, false),
        ];
        for (one, other, equal) in rows {
            assert_eq!(one == other, equal, "{one} and {other}");
            assert_eq!(other == one, equal, "{other} and {one}");
            assert_eq!(one == *other.to_string(), equal, "{one} and the text {other}");
        }
    }
}
