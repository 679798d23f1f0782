//! What a probe and a read answer.

use std::hash::Hasher;

use bytes::Bytes;

/// What a path leads to, links followed (P2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file: the only kind whose content is ever read.
    File,
    /// A directory.
    Directory,
    /// A FIFO, socket, device or anything else.
    Other,
}

/// Equal for two paths to one file (P4). Locally: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId([u8; 16]);

impl FileId {
    /// From two numbers that name the file together, such as device and inode.
    pub const fn new(volume: u64, file: u64) -> Self {
        let [a, b, c, d, e, f, g, h] = volume.to_le_bytes();
        let [i, j, k, l, m, n, o, p] = file.to_le_bytes();
        Self([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }
}

/// Changes whenever the content may have changed (P3). Opaque, inline, compared for equality only.
///
/// As far as the source can tell: see [`LocalFs`](crate::LocalFs) for edits through a shared memory map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version([u8; 20]);

impl Version {
    /// From bytes that differ whenever the content may: an entity tag, a generation, packed stamps.
    ///
    /// Up to 20 bytes are kept as they are, shorter ones filled up with zeros, so a source should
    /// keep to one length; more than 20 are condensed to 128 bits and their length.
    pub fn of(bytes: &[u8]) -> Self {
        let mut version = [0; 20];
        if let Some(head) = version.get_mut(..bytes.len()) {
            head.copy_from_slice(bytes);
            return Self(version);
        }
        // In memory only and never compared across processes: the standard hasher is enough.
        let mut first = std::hash::DefaultHasher::new();
        first.write(bytes);
        let mut second = std::hash::DefaultHasher::new();
        second.write_u8(0x5a);
        second.write(bytes);
        let parts = [first.finish().to_le_bytes(), second.finish().to_le_bytes()];
        for (to, from) in version.iter_mut().zip(parts.iter().flatten()) {
            *to = *from;
        }
        for (to, from) in version.iter_mut().skip(16).zip((bytes.len() as u64).to_le_bytes()) {
            *to = from;
        }
        Self(version)
    }
}

/// What a probe learned of a path that is there (P2). All inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is, links followed.
    pub kind: FileKind,
    /// Size in bytes, if known without reading.
    pub len: Option<u64>,
    /// Which file it is, if the provider can tell (P4).
    pub file: Option<FileId>,
    /// Its version, if the provider has one (P3). Without one, content digests decide.
    pub version: Option<Version>,
    /// Whether the version may be trusted yet: `false` while the last change is so recent that
    /// a further one could leave the same stamps (P3).
    pub settled: bool,
}

impl Metadata {
    /// The version if it may be remembered: there is one, and it is settled (P3, C13).
    ///
    /// One that was unsettled when it was taken must not be kept: a further change may have left
    /// the same stamps, and a later probe would find it settled and equal.
    pub fn settled_version(&self) -> Option<Version> {
        self.version.filter(|_| self.settled)
    }

    /// Of what was read after the look that found this, `len` bytes of it, and before the one that found `after`.
    ///
    /// Settled means settled before: between an unsettled look and the end of the reading a change may have left
    /// no trace (C13).
    pub(crate) fn of_reading(self, after: Option<Self>, len: Option<u64>) -> Self {
        let same = after.is_some_and(|after| after.version == self.version);
        if same && (self.len.is_none() || self.len == len) {
            return self;
        }
        Self { len, version: None, settled: false, ..self }
    }

    /// Whether the content is surely the one of `version`: settled, and equal (P3).
    ///
    /// `version` must have been settled when it was taken ([`Metadata::settled_version`]).
    pub fn is_still(&self, version: Option<Version>) -> bool {
        self.settled && self.version.is_some() && self.version == version
    }
}

/// The answer to a probe that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Something is there.
    Present(Metadata),
    /// No such entry, a parent that is not a directory, or a dangling link (P2).
    Absent,
}

/// The answer to a read that did not fail (P6).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadOutcome {
    /// The whole content of a regular file, with the metadata of the handle it was read from.
    Content {
        /// All bytes.
        bytes: Bytes,
        /// Of the opened handle, taken after reading; its version is `None`, or unsettled, when
        /// the file changed while it was read.
        metadata: Metadata,
    },
    /// Gone since the probe.
    Absent,
    /// There, but not a regular file; nothing was read.
    NotAFile(FileKind),
    /// Larger than the cap; nothing is kept. `len` is the reported size, or the count at which reading stopped.
    TooLarge {
        /// Bytes, at least.
        len: u64,
        /// Of the opened handle.
        metadata: Metadata,
    },
    /// Not read because the batch already held as many bytes as the provider allows in flight:
    /// ask for this path again.
    Deferred,
}

#[cfg(test)]
mod tests {
    use super::*;

    // The moment between the two looks at a handle cannot be hit from outside.
    #[test]
    fn the_version_is_kept_only_when_it_was_the_same_before_and_after_the_read() {
        let look = |version: &[u8], len, settled| Metadata {
            kind: FileKind::File,
            len: Some(len),
            file: Some(FileId::new(1, 2)),
            version: Some(Version::of(version)),
            settled,
        };
        let one = look(b"1", 4, true);
        let rows = [
            ("nothing changed", one, one, 4, one.version),
            ("other stamps after", one, look(b"2", 4, true), 4, None),
            ("other size after", one, look(b"2", 5, true), 4, None),
            ("fewer bytes than reported", one, one, 3, None),
            ("unsettled before, settled after", look(b"1", 4, false), one, 4, None),
        ];
        for (row, before, after, len, kept) in rows {
            let found = before.of_reading(Some(after), Some(len));
            assert_eq!(found.settled_version(), kept, "{row}: {found:?}");
            assert_eq!(found.file, before.file, "{row}: the file is known all the same");
            assert_eq!(found.len, Some(len), "{row}: so is its size");
        }
        assert_eq!(one.of_reading(None, one.len).settled_version(), None, "gone after");
        let folder = Metadata { kind: FileKind::Directory, len: None, ..one };
        assert_eq!(folder.of_reading(Some(folder), None), folder, "a listing has no size");
    }
}
