//! What a listing answers.

use std::ffi::OsString;

use crate::{FileKind, Metadata};

/// The answer to a listing that did not fail (P10).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// The path leads to a directory.
    Entries {
        /// The first entries in byte order of the name, at most as many as were asked for.
        entries: Vec<DirectoryEntry>,
        /// How many more there are, at least: 0 exactly when `entries` has all of them.
        left_out: u64,
        /// Of the directory. Its version changes whenever a name comes or goes, or names something else. It is
        /// `None`, or unsettled, when the directory changed while it was listed, so that a
        /// [`settled_version`](Metadata::settled_version) is always that of these entries (P3, C13).
        metadata: Metadata,
    },
    /// As in a probe (P2).
    Absent,
    /// There, but not a directory.
    NotADirectory(FileKind),
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectoryEntry {
    /// The name alone, any bytes the file system allows. Never `.` or `..`.
    pub name: OsString,
    /// What it names.
    pub kind: EntryKind,
}

/// What an entry of a directory is, links *not* followed: probe the path to learn where a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, dangling or not.
    Link,
    /// A FIFO, socket, device or anything else.
    Other,
}
