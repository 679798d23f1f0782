//! Which version of a file had which content: no text (C13).

use std::hash::{DefaultHasher, Hash, Hasher};

use standing_orders_fs::{KnownVersion, Metadata, Version};
use standing_orders_session::Digest;

/// Per candidate that was looked at, the last version whose content is known.
///
/// Only settled versions are kept, and only those that were the same before and after the read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cache {
    /// By key and fact: an idle session is mostly this and its history.
    rows: Box<[Cached]>,
}

#[derive(Clone, Debug, PartialEq)]
struct Cached {
    key: Key,
    version: Version,
    fact: Fact,
    /// Of nothing where the fact has none.
    digest: Digest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Text,
    /// Beside a text, where siblings are compared without the white space around them (D5).
    Trimmed,
    NotText,
}

/// What a version is known to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    Text { digest: Digest, trimmed: Option<Digest> },
    NotText,
}

/// Which candidate, for which injector. Two candidates with one key would still have to share a
/// version to be taken for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u8; 6]);

impl Key {
    pub(crate) fn of(injector: usize, dir: &str, name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (injector, dir, name).hash(&mut hasher);
        let [a, b, c, d, e, f, ..] = hasher.finish().to_le_bytes();
        Self([a, b, c, d, e, f])
    }
}

/// A cache in the making.
pub(crate) struct CacheBuilder(Vec<Cached>);

impl Cache {
    pub(crate) fn with_capacity(candidates: usize) -> CacheBuilder {
        CacheBuilder(Vec::with_capacity(candidates))
    }

    /// Of which version of the candidate something is known.
    pub(crate) fn version(&self, key: Key) -> KnownVersion {
        let first = self.rows.partition_point(|row| row.key < key);
        match self.rows.get(first).filter(|row| row.key == key) {
            Some(row) => KnownVersion::Exactly(row.version),
            None => KnownVersion::Nothing,
        }
    }

    /// What is known of the candidate in this very version.
    pub(crate) fn get(&self, key: Key, metadata: &Metadata) -> Option<Known> {
        let first = self.rows.partition_point(|row| row.key < key);
        let rows = self.rows.iter().skip(first).take_while(|row| row.key == key);
        let mut rows = rows.filter(|row| metadata.is_still(Some(row.version))).peekable();
        let Cached { fact, digest, .. } = rows.next()?;
        match fact {
            Fact::NotText => Some(Known::NotText),
            Fact::Text => {
                let trimmed = rows.next().filter(|row| row.fact == Fact::Trimmed).map(|row| row.digest);
                Some(Known::Text { digest: *digest, trimmed })
            }
            Fact::Trimmed => None,
        }
    }
}

impl CacheBuilder {
    /// Remembers, if the version can be trusted.
    pub(crate) fn push(&mut self, key: Key, metadata: &Metadata, content: Known) {
        let (true, Some(version)) = (metadata.settled, metadata.version) else { return };
        let mut push = |fact, digest| self.0.push(Cached { key, version, fact, digest });
        match content {
            Known::NotText => push(Fact::NotText, Digest::of("")),
            Known::Text { digest, trimmed } => {
                push(Fact::Text, digest);
                if let Some(trimmed) = trimmed {
                    push(Fact::Trimmed, trimmed);
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Cache {
        let Self(mut rows) = self;
        rows.sort_unstable_by_key(|row| (row.key, row.fact));
        rows.dedup_by_key(|row| (row.key, row.fact));
        Cache { rows: rows.into() }
    }
}

#[cfg(test)]
mod tests {
    use standing_orders_fs::FileKind;

    use super::*;

    fn seen(version: u8, settled: bool) -> Metadata {
        let version = Some(Version::of(&[version]));
        Metadata { kind: FileKind::File, len: None, file: None, version, settled }
    }

    #[test]
    fn only_the_settled_version_that_was_remembered_is_known() {
        let [text, trimmed] = ["a ", "a"].map(Digest::of);
        let rows = [
            ("text", Known::Text { digest: text, trimmed: None }),
            ("with its trimmed form", Known::Text { digest: text, trimmed: Some(trimmed) }),
            ("not text", Known::NotText),
        ];
        for (name, known) in rows {
            let (key, other) = (Key::of(0, "é", "AGENTS.md"), Key::of(1, "é", "AGENTS.md"));
            let mut cache = Cache::with_capacity(2);
            cache.push(other, &seen(9, true), Known::NotText);
            cache.push(key, &seen(1, true), known);
            let cache = cache.finish();
            assert_eq!(cache.get(key, &seen(1, true)), Some(known), "{name}: the same version");
            assert_eq!(cache.get(key, &seen(2, true)), None, "{name}: another version");
            assert_eq!(cache.get(key, &seen(1, false)), None, "{name}: not settled now");
            assert_eq!(cache.get(other, &seen(1, true)), None, "{name}: another candidate");
            let mut unsettled = Cache::with_capacity(1);
            unsettled.push(key, &seen(1, false), known);
            assert_eq!(unsettled.finish(), Cache::default(), "{name}: not settled then");
        }
        assert!(size_of::<Cached>() <= 47, "{} bytes", size_of::<Cached>());
    }
}
