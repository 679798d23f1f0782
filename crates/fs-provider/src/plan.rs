//! What to read of a batch that is probed.

use std::sync::Arc;

use crate::{FileKind, FsError, Metadata, Probe, ReadOutcome, Version};

/// Which files of a batch are wanted, as far as it can be said before they are probed: so that a
/// provider can probe and read in one trip (P1).
///
/// ```
/// use standing_orders_fs::{KnownVersion, MemoryFs, FsProvider, PathBatch, PlannedRead, ReadPlan};
/// # use std::path::Path;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "one"), ("/ws/CLAUDE.md", "two")]);
/// let paths: PathBatch = ["/ws/AGENTS.md", "/ws/CLAUDE.md"].iter().map(Path::new).collect();
/// // The two compete: only the first that is there is read.
/// let plan = ReadPlan::new([PlannedRead { group: 0, known: KnownVersion::Nothing }; 2], 1024);
/// let probed = fs.probe_and_read(&paths, &plan).await;
/// assert_eq!(probed.probes.len(), 2);
/// assert!(probed.reads.iter().all(|(index, _)| *index == 0), "here or in a trip of its own");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadPlan {
    rows: Arc<[PlannedRead]>,
    max_bytes: u64,
}

/// What is wanted of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedRead {
    /// Of neighbours with one group only the first regular file is wanted.
    pub group: u32,
    /// The content that is not read again.
    pub known: KnownVersion,
}

/// What is known of a file before it is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownVersion {
    /// Nothing: its content is wanted.
    #[default]
    Nothing,
    /// The content of this version, which was settled when it was taken (P3).
    Exactly(Version),
    /// Whatever it is now: its content is not wanted.
    Any,
}

/// What [`probe_and_read`](crate::FsProvider::probe_and_read) answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// One answer a path, in order, as of [`probe_many`](crate::FsProvider::probe_many).
    pub probes: Vec<Result<Probe, FsError>>,
    /// The reads that were done on the way, by index of the path, in order. The others are for
    /// [`read_many`](crate::FsProvider::read_many).
    pub reads: Vec<(usize, Result<ReadOutcome, FsError>)>,
}

/// Goes along the probes of a batch and says what to read.
#[derive(Debug)]
pub struct Picker<'p> {
    plan: &'p ReadPlan,
    taken: Option<u32>,
}

impl ReadPlan {
    /// One row a path, in the order of the batch; files of at most `max_bytes` bytes.
    pub fn new(rows: impl IntoIterator<Item = PlannedRead>, max_bytes: u64) -> Self {
        Self { rows: rows.into_iter().collect(), max_bytes }
    }

    /// Of which files nothing is read.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// To be asked about the probes of the batch, in order.
    pub fn picker(&self) -> Picker<'_> {
        Picker { plan: self, taken: None }
    }
}

impl Picker<'_> {
    /// Whether the path at `index`, which was just probed, is to be read. A path without a row is not.
    pub fn wants(&mut self, index: usize, metadata: &Metadata) -> bool {
        let Some(row) = self.plan.rows.get(index) else { return false };
        if metadata.kind != FileKind::File || self.taken == Some(row.group) {
            return false;
        }
        self.taken = Some(row.group);
        let known = match row.known {
            KnownVersion::Nothing => false,
            KnownVersion::Exactly(version) => metadata.is_still(Some(version)),
            KnownVersion::Any => true,
        };
        !known && metadata.len.is_none_or(|len| len <= self.plan.max_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_group_the_first_file_is_wanted_if_it_is_not_known_and_not_too_large() {
        let of = |kind, len, version| Metadata {
            kind,
            len: Some(len),
            file: None,
            version: Some(Version::of(&[version])),
            settled: true,
        };
        let exactly = KnownVersion::Exactly(Version::of(&[1]));
        let rows = [
            ("a directory is passed over", 0, KnownVersion::Nothing, of(FileKind::Directory, 1, 1), false),
            ("the first file", 0, KnownVersion::Nothing, of(FileKind::File, 1, 1), true),
            ("the second of the group", 0, KnownVersion::Nothing, of(FileKind::File, 1, 1), false),
            ("known in this version", 1, exactly, of(FileKind::File, 1, 1), false),
            ("known leads its group all the same", 1, KnownVersion::Nothing, of(FileKind::File, 1, 1), false),
            ("known in another", 2, exactly, of(FileKind::File, 1, 2), true),
            ("never wanted", 3, KnownVersion::Any, of(FileKind::File, 1, 1), false),
            ("as large as can be", 4, KnownVersion::Nothing, of(FileKind::File, 8, 1), true),
            ("too large", 5, KnownVersion::Nothing, of(FileKind::File, 9, 1), false),
        ];
        let plan = ReadPlan::new(rows.iter().map(|row| PlannedRead { group: row.1, known: row.2 }), 8);
        let mut picker = plan.picker();
        for (index, (name, _, _, metadata, wanted)) in rows.iter().enumerate() {
            assert_eq!(picker.wants(index, metadata), *wanted, "{name}");
        }
        assert!(!picker.wants(rows.len(), &of(FileKind::File, 1, 1)), "a path without a row");
    }
}
