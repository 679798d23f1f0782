//! Which version of a file had which content: no text (C13).

use std::hash::{DefaultHasher, Hash, Hasher};

use standing_orders_fs::{Metadata, Version};
use standing_orders_session::Digest;

/// Per candidate that was looked at, the last version whose content is known.
///
/// Only settled versions are kept, and only those that were the same before and after the read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cache {
    /// By key.
    rows: Vec<Cached>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cached {
    key: u64,
    version: Version,
    pub(crate) content: Known,
}

/// What a version is known to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    Text { digest: Digest, trimmed: Option<Digest> },
    NotText,
}

/// Which candidate, for which injector. Two candidates with one key would still have to share a
/// version to be taken for each other.
pub(crate) fn key(injector: usize, dir: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (injector, dir, name).hash(&mut hasher);
    hasher.finish()
}

impl Cache {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows) }
    }

    /// What is known of the candidate in this very version.
    pub(crate) fn get(&self, key: u64, metadata: &Metadata) -> Option<Known> {
        let at = self.rows.binary_search_by_key(&key, |row| row.key).ok()?;
        self.rows.get(at).filter(|row| metadata.is_still(Some(row.version))).map(|row| row.content)
    }

    /// Remembers, if the version can be trusted.
    pub(crate) fn push(&mut self, key: u64, metadata: &Metadata, content: Known) {
        if let (true, Some(version)) = (metadata.settled, metadata.version) {
            self.rows.push(Cached { key, version, content });
        }
    }

    /// To be called after the last `push`.
    pub(crate) fn finish(mut self) -> Self {
        self.rows.sort_unstable_by_key(|row| row.key);
        self.rows.dedup_by_key(|row| row.key);
        self.rows.shrink_to_fit();
        self
    }
}
