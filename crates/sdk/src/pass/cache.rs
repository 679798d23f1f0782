//! Which version of a file had which content: no text (C13).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use standing_orders_fs::{KnownVersion, Metadata, Version};
use standing_orders_session::Digest;

use crate::rules::Rule;

/// Per candidate that was observed, the last version whose content is known.
///
/// Only settled versions are kept, and only those that were the same before and after the read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cache {
    /// By key.
    rows: Box<[Row]>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    /// Of injector and shown path. Two candidates with one key would still have to share a version to
    /// be taken for each other.
    key: u64,
    version: Version,
    known: Known,
}

fn key(injector: usize, path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (injector, path).hash(&mut hasher);
    hasher.finish()
}

/// What a version is known to hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Known {
    Text {
        digest: Digest,
        /// What most texts have none of.
        more: Option<Arc<More>>,
    },
    NotText,
}

/// What is known of a text besides its digest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct More {
    /// Where it is compared without the white space around it (D5, F9).
    pub(crate) trimmed: Option<Digest>,
    /// What it imports, where imports are followed (M1).
    pub(crate) imports: Box<[Import]>,
    /// Of a rule: what its head says.
    pub(crate) rule: Option<Rule>,
}

impl Known {
    pub(crate) fn more(&self) -> Option<&Arc<More>> {
        match self {
            Self::Text { more, .. } => more.as_ref(),
            Self::NotText => None,
        }
    }
}

/// A line of a text that imports a file (M1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// From 1.
    pub(crate) line: usize,
    /// The path, without `@`.
    pub(crate) target: Box<str>,
    /// The text says nothing else.
    pub(crate) is_all: bool,
}

/// A cache in the making.
#[derive(Default)]
pub(crate) struct CacheBuilder(Vec<Row>);

impl Cache {
    fn row(&self, injector: usize, path: &str) -> Option<&Row> {
        let at = self.rows.binary_search_by_key(&key(injector, path), |row| row.key);
        self.rows.get(at.ok()?)
    }

    /// The version of the candidate of which something is known.
    pub(crate) fn version(&self, injector: usize, path: &str) -> KnownVersion {
        self.row(injector, path).map_or(KnownVersion::Nothing, |row| KnownVersion::Exactly(row.version))
    }

    /// What is known of the candidate in this very version.
    pub(crate) fn get(&self, injector: usize, path: &str, metadata: &Metadata) -> Option<Known> {
        let row = self.row(injector, path).filter(|row| metadata.is_still(Some(row.version)))?;
        Some(row.known.clone())
    }
}

impl CacheBuilder {
    /// Remembers, if the version can be trusted.
    pub(crate) fn push(&mut self, injector: usize, path: &str, metadata: &Metadata, known: Known) {
        if let Some(version) = metadata.settled_version() {
            self.0.push(Row { key: key(injector, path), version, known });
        }
    }

    pub(crate) fn finish(self) -> Cache {
        let Self(mut rows) = self;
        rows.sort_unstable_by_key(|row| row.key);
        rows.dedup_by_key(|row| row.key);
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
        let more = Arc::new(More { trimmed: Some(trimmed), ..More::default() });
        let rows = [
            ("text", Known::Text { digest: text, more: None }),
            ("with its trimmed form", Known::Text { digest: text, more: Some(more) }),
            ("not text", Known::NotText),
        ];
        for (name, known) in rows {
            let path = "é/AGENTS.md";
            let mut cache = CacheBuilder::default();
            cache.push(1, path, &seen(9, true), Known::NotText);
            cache.push(0, path, &seen(1, true), known.clone());
            let cache = cache.finish();
            assert_eq!(cache.get(0, path, &seen(1, true)), Some(known.clone()), "{name}: the same version");
            assert_eq!(cache.get(0, path, &seen(2, true)), None, "{name}: another version");
            assert_eq!(cache.get(0, path, &seen(1, false)), None, "{name}: not settled now");
            assert_eq!(cache.get(1, path, &seen(1, true)), None, "{name}: another candidate");
            let mut unsettled = CacheBuilder::default();
            unsettled.push(0, path, &seen(1, false), known);
            assert_eq!(unsettled.finish(), Cache::default(), "{name}: not settled then");
        }
    }
}
