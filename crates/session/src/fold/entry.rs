//! The entries of the messages, in few bytes.

use super::texts::{Span, Texts};
use crate::{Action, Change, Digest, PathRef, ScopeRef};

/// A change as the fold keeps it. A scope repeats most of its path, so only the path is kept where
/// the scope follows from it: eight of these are the bulk of an idle session.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) serial: u32,
    /// Its place among the scopes of its injector.
    pub(super) row: u32,
    /// The entry of the same scope before it.
    pub(super) earlier: u32,
    /// The folder of the path, or all of it, as `key` says.
    head: Span,
    /// The name in that folder; in the form [`Key::Apart`] the scope.
    tail: Span,
    pub(super) digest: Option<Digest>,
    pub(super) injector: u16,
    pub(super) action: Action,
    /// Whether its message is visible.
    pub(super) live: bool,
    key: Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    UserGlobal,
    /// The path's folder, slot `base`.
    Base,
    /// The path's folder, slot `local`.
    Local,
    /// The path's folder, and its name as the slot.
    Name,
    /// The path itself, in one piece.
    Path,
    /// None of these: the path in one piece, then the scope.
    Apart,
}

/// The entries in the order of entering, and their texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    pub(super) list: Vec<Entry>,
    pub(super) texts: Texts,
}

/// Folder and name, where the two make the path again.
fn parts(path: &str) -> Option<PathRef<'_>> {
    let (dir, name) = path.rsplit_once('/').unwrap_or((".", path));
    let parts = PathRef { dir, name };
    (parts == *path).then_some(parts)
}

fn key_of(scope: ScopeRef<'_>, path: &str) -> Key {
    match (scope, parts(path)) {
        (ScopeRef::UserGlobal, Some(_)) => Key::UserGlobal,
        (ScopeRef::Slot { dir: of, slot: "base" }, Some(PathRef { dir, .. })) if of == dir => Key::Base,
        (ScopeRef::Slot { dir: of, slot: "local" }, Some(PathRef { dir, .. })) if of == dir => Key::Local,
        (ScopeRef::Slot { dir: of, slot }, Some(PathRef { dir, name })) if of == dir && slot == name => {
            Key::Name
        }
        (ScopeRef::Id(id), _) if id == path => Key::Path,
        _ => Key::Apart,
    }
}

impl Entries {
    /// The entry that stands for a change, yet to be given its place. `earlier` is the entry of the
    /// same scope before it, and `at` where its message was recorded: the texts are likely there.
    pub(super) fn entry(
        &mut self,
        serial: u32,
        injector: u16,
        change: &Change,
        earlier: Option<u32>,
        at: Span,
    ) -> Entry {
        let Change { action, scope, path, digest } = change;
        let key = key_of(ScopeRef::parse(scope.as_str()), path);
        let (head, tail) = match (key, parts(path)) {
            (Key::Path, _) => (path.as_str(), ""),
            (Key::Apart, _) | (_, None) => (path.as_str(), scope.as_str()),
            (_, Some(PathRef { dir, name })) => (dir, name),
        };
        let (head, tail) = self.keep([head, tail], earlier, at);
        let (row, earlier) = (super::NONE, super::NONE);
        Entry {
            serial,
            row,
            earlier,
            head,
            tail,
            digest: *digest,
            injector,
            action: *action,
            live: true,
            key,
        }
    }

    fn keep(&mut self, [head, tail]: [&str; 2], earlier: Option<u32>, at: Span) -> (Span, Span) {
        let earlier = earlier.and_then(|earlier| self.list.get(earlier as usize));
        let near = earlier.into_iter().chain(self.list.iter().rev().take(4));
        let spans = [at].into_iter().chain(near.flat_map(|entry| [entry.head, entry.tail]));
        let head = self.texts.keep(head, spans.clone());
        let tail = self.texts.keep(tail, spans.chain([head]));
        (head, tail)
    }

    /// Takes over an entry of other entries.
    pub(super) fn adopt(&mut self, entry: &Entry, of: &Texts, at: Span) -> Entry {
        let (head, tail) = self.keep([of.get(entry.head), of.get(entry.tail)], None, at);
        Entry { head, tail, ..entry.clone() }
    }

    pub(super) fn path(&self, entry: &Entry) -> PathRef<'_> {
        let head = self.texts.get(entry.head);
        match entry.key {
            Key::Path | Key::Apart => PathRef::whole(head),
            _ => PathRef { dir: head, name: self.texts.get(entry.tail) },
        }
    }

    pub(super) fn scope(&self, entry: &Entry) -> ScopeRef<'_> {
        let (head, tail) = (self.texts.get(entry.head), self.texts.get(entry.tail));
        match entry.key {
            Key::UserGlobal => ScopeRef::UserGlobal,
            Key::Base => ScopeRef::Slot { dir: head, slot: "base" },
            Key::Local => ScopeRef::Slot { dir: head, slot: "local" },
            Key::Name => ScopeRef::Slot { dir: head, slot: tail },
            Key::Path => ScopeRef::Id(head),
            Key::Apart => ScopeRef::parse(tail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;

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
            (".\0base", "./AGENTS.md"),
            ("\0base", "/AGENTS.md"),
            ("a\0", "a/"),
            ("", ""),
        ];
        let mut entries = Entries::default();
        for (number, (scope, path)) in (0_u32..).zip(rows) {
            let change = Change {
                action: Action::Set,
                scope: Scope::from(scope),
                path: path.to_owned(),
                digest: Some(Digest::of("x")),
            };
            let entry = entries.entry(0, 0, &change, number.checked_sub(1), Span::default());
            entries.list.push(entry);
        }
        let mut other = Entries::default();
        for (entry, (scope, path)) in entries.list.iter().zip(rows) {
            assert_eq!(entries.scope(entry).to_scope().as_str(), scope, "the scope of {path:?}");
            assert_eq!(entries.path(entry).to_string(), path, "the path of {scope:?}");
            let adopted = other.adopt(entry, &entries.texts, Span::default());
            assert_eq!(other.scope(&adopted).to_scope().as_str(), scope, "the adopted scope of {path:?}");
            assert_eq!(other.path(&adopted).to_string(), path, "the adopted path of {scope:?}");
            other.list.push(adopted);
        }
    }

    #[test]
    fn the_paths_of_a_chain_cost_little_more_than_the_deepest_one() {
        let mut entries = Entries::default();
        let at = entries.texts.keep("a/é/c", []);
        for dir in [".", "a", "a/é", "a/é/c"] {
            let path = PathRef { dir, name: "AGENTS.md" }.to_string();
            let change = Change { action: Action::Set, scope: Scope::of(dir, "base"), path, digest: None };
            let entry = entries.entry(0, 0, &change, None, at);
            entries.list.push(entry);
        }
        assert_eq!(entries.texts.len(), "a/é/c".len() + ".".len() + "AGENTS.md".len(), "each text once");
    }

    #[test]
    fn a_row_is_below_sixty_bytes() {
        assert!(size_of::<Entry>() <= 56, "{} bytes", size_of::<Entry>());
    }
}
