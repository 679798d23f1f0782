//! One entry of a message, in few bytes.

use crate::{Action, Change, Digest, Scope, ScopeRef};

/// A change as the fold keeps it. A scope repeats most of its path, so only the path is kept where
/// the scope follows from it: eight of these are the bulk of an idle session.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) serial: u32,
    /// Its place among the scopes of its injector.
    pub(super) row: u32,
    /// The entry of the same scope before it.
    pub(super) earlier: u32,
    pub(super) injector: u16,
    pub(super) action: Action,
    /// Whether its message is visible.
    pub(super) live: bool,
    key: Key,
    pub(super) digest: Option<Digest>,
    /// The path; in the form [`Key::Apart`] the scope follows it.
    text: Box<str>,
}

#[derive(Clone, Copy, Debug)]
enum Key {
    UserGlobal,
    /// The path's folder, slot `base`.
    Base,
    /// The path's folder, slot `local`.
    Local,
    /// The path's folder, and its name as the slot.
    Name,
    /// The path itself.
    Path,
    /// None of these: the scope stands in `text` from this byte on.
    Apart(u32),
}

fn folder(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

fn key_of(scope: &Scope, path: &str) -> Key {
    let (dir, name) = folder(path);
    match ScopeRef::parse(scope.as_str()) {
        ScopeRef::UserGlobal => Key::UserGlobal,
        ScopeRef::Slot { dir: of, slot: "base" } if of == dir => Key::Base,
        ScopeRef::Slot { dir: of, slot: "local" } if of == dir => Key::Local,
        ScopeRef::Slot { dir: of, slot } if of == dir && slot == name => Key::Name,
        ScopeRef::Id(id) if id == path => Key::Path,
        _ => Key::Apart(u32::try_from(path.len()).unwrap_or(u32::MAX)),
    }
}

impl Entry {
    pub(super) fn new(serial: u32, injector: u16, change: &Change) -> Self {
        let Change { action, scope, path, digest } = change;
        let key = key_of(scope, path);
        let text = match key {
            Key::Apart(_) => format!("{path}{}", scope.as_str()).into(),
            _ => path.as_str().into(),
        };
        let (row, earlier) = (super::NONE, super::NONE);
        Self { serial, row, earlier, injector, action: *action, live: true, key, digest: *digest, text }
    }

    pub(super) fn path(&self) -> &str {
        match self.key {
            Key::Apart(end) => self.text.get(..end as usize).unwrap_or(&self.text),
            _ => &self.text,
        }
    }

    pub(super) fn scope(&self) -> ScopeRef<'_> {
        let (dir, name) = folder(&self.text);
        match self.key {
            Key::UserGlobal => ScopeRef::UserGlobal,
            Key::Base => ScopeRef::Slot { dir, slot: "base" },
            Key::Local => ScopeRef::Slot { dir, slot: "local" },
            Key::Name => ScopeRef::Slot { dir, slot: name },
            Key::Path => ScopeRef::Id(&self.text),
            Key::Apart(start) => ScopeRef::parse(self.text.get(start as usize..).unwrap_or("")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_and_path_comes_back_as_it_was() {
        let rows = [
            ("user-global", "$DSH_HOME/AGENTS.md"),
            (".\0base", "AGENTS.md"),
            ("a/b\0local", "a/b/CLAUDE.local.md"),
            ("a/é\0RULES.md", "a/é/RULES.md"),
            ("main/RULES.md", "main/RULES.md"),
            ("on-call", "today's note"),
            ("+x/a\0base", "x/a/AGENTS.md"),
            ("a\0RULES.md", "b/RULES.md"),
            ("user-global", ""),
        ];
        for (scope, path) in rows {
            let change = Change {
                action: Action::Set,
                scope: Scope::from(scope),
                path: path.to_owned(),
                digest: Some(Digest::of("x")),
            };
            let entry = Entry::new(0, 0, &change);
            assert_eq!(entry.scope().to_scope().as_str(), scope, "the scope of {path:?}");
            assert_eq!(entry.path(), path, "the path of {scope:?}");
        }
    }

    #[test]
    fn a_row_is_below_a_hundred_bytes() {
        assert!(size_of::<Entry>() <= 72, "{} bytes", size_of::<Entry>());
    }
}
