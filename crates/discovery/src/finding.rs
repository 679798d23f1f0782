//! The answers of a look.

use standing_orders_fs::{FileKind, FsError, Metadata};

use crate::SourceText;

/// What one candidate is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The place, by its index in [`Places`](crate::Places).
    pub place: usize,
    /// The candidate, by its index in [`CandidateNames`](crate::CandidateNames); 0 for the user-global
    /// file and for a single file.
    pub candidate: usize,
    /// What was found.
    pub found: Found,
}

/// What a candidate turned out to be. Only [`Found::Absent`] says that no instructions are there (C7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Surely no regular file (D7).
    Absent(Absence),
    /// The probe failed: nothing is known.
    Failed(FsError),
    /// A regular file below the winner of its slot: not read (D4).
    Shadowed {
        /// The winner, by its index in the names.
        by: usize,
        /// What the probe said.
        metadata: Metadata,
    },
    /// A regular file that counts: in `First` the winner of its slot.
    Present {
        /// What the probe said; once the file was read, what its open handle said. The version is kept
        /// only if it was settled and the same before and after the read, so that it may be stored
        /// and compared later (C13, P3); otherwise it is `None`. `settled` is `false` if it was not
        /// settled at either time.
        metadata: Metadata,
        /// What is in it.
        content: Content,
    },
}

/// Why a candidate is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absence {
    /// No such entry, a parent that is not a directory, or a dangling link (P2).
    Missing,
    /// A directory, or a link to one.
    Directory,
    /// A FIFO, socket, device or anything else that is never read.
    Other,
}

/// What is in a file that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Not read, since the caller knows this version.
    Known,
    /// Read and decoded.
    Text(SourceText),
    /// There, but its content cannot be had now. It does not give way to the next name (D7).
    Unavailable(Why),
}

/// Why content is unavailable (D7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The read failed.
    Unreadable(FsError),
    /// Larger than the cap, by its reported size (then it was not opened) or while it was read (D8).
    TooLarge {
        /// Its size in bytes, at least.
        len: u64,
        /// [`Rules::max_source_bytes`](crate::Rules::max_source_bytes).
        cap: u64,
    },
    /// NUL in the first 8 KiB (D10).
    NotText,
    /// It was a regular file when it was probed, and when it was read it was gone (`None`) or of this
    /// kind. The next look will say what it is.
    Changing(Option<FileKind>),
}

impl Finding {
    /// The metadata of a regular file, shadowed or not.
    pub fn metadata(&self) -> Option<&Metadata> {
        match &self.found {
            Found::Present { metadata, .. } | Found::Shadowed { metadata, .. } => Some(metadata),
            Found::Absent(_) | Found::Failed(_) => None,
        }
    }

    /// The content, if the file was read.
    pub fn text(&self) -> Option<&SourceText> {
        match &self.found {
            Found::Present { content: Content::Text(text), .. } => Some(text),
            Found::Present { .. } | Found::Absent(_) | Found::Failed(_) | Found::Shadowed { .. } => None,
        }
    }
}
