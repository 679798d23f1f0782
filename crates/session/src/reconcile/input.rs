//! What the caller saw.

use crate::{Digest, InjectorId, PathRef, ScopeRef};

/// Equal for two paths to one file, within one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub u32);

/// Who wins in a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The first present candidate of a list fills its slot (D4).
    #[default]
    First,
    /// Every present candidate has a slot of its own; equal siblings are dropped (D5).
    AllDistinct,
}

impl Selection {
    /// As configuration and identity name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::AllDistinct => "all_distinct",
        }
    }
}

/// Where a slot belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// What a complete message carries: the user-global file, root to cwd, an injector's list.
    Chain,
    /// Below or beside the chain: found by touch.
    Nested,
}

/// One scope that was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Which.
    pub scope: ScopeRef<'a>,
    /// Chain or nested.
    pub zone: Zone,
    /// The same number for the slots of one directory.
    pub directory: u32,
    /// Its candidates: this many, from `first` on. In `all_distinct` at most one.
    pub first: u32,
    /// How many candidates.
    pub count: u32,
}

impl Slot<'_> {
    pub(super) fn candidates<'c, 'p>(
        &self,
        all: &'c [Candidate<'p>],
    ) -> impl DoubleEndedIterator<Item = (u32, &'c Candidate<'p>)> + Clone {
        let from = self.first as usize;
        let own = all.get(from..from + self.count as usize).unwrap_or(&[]);
        (self.first..self.first + self.count).zip(own)
    }
}

/// One candidate of a slot, in list order.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// As shown to the model.
    pub path: PathRef<'a>,
    /// What it is now.
    pub seen: Seen,
}

/// What a candidate is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Confirmed: no regular file there.
    Absent,
    /// The probe failed.
    Unknown,
    /// A regular file.
    Present {
        /// Which one, if the provider can tell.
        file: Option<FileKey>,
        /// Its content.
        content: Content,
    },
}

/// The content of a present candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Not asked for: an earlier name holds the slot.
    Unread,
    /// Unreadable, too large, not text (D7).
    Unavailable,
    /// Its file is kept from this session (I5): not loaded, withdrawn if it is, and it does not
    /// give way to the next name.
    Gated,
    /// Text with this digest.
    Text {
        /// Of the decoded content.
        digest: Digest,
        /// Of the content without the white space around it; needed in `all_distinct` (D5).
        trimmed: Option<Digest>,
    },
}

/// Whose plan, under which rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The injector.
    pub injector: &'a InjectorId,
    /// Who wins in a directory.
    pub selection: Selection,
    /// For the workspace injector; the others have no baseline.
    pub baseline: Option<BaselineRules<'a>>,
}

/// Under which rules a baseline would be composed now (C3).
#[derive(Clone, Copy, Debug)]
pub struct BaselineRules<'a> {
    /// [`Fold::identity_digest`](crate::Fold::identity_digest) of its identity.
    pub digest: Digest,
    /// SHA-1 of the absolute cwd (H4).
    pub cwd: Digest,
    /// cwd relative to the root, in shown form.
    pub at: &'a str,
}
