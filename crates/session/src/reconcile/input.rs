//! What the caller observed.

use crate::{Digest, InjectorId, Scope};

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

/// One scope that was observed.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// The scope.
    pub scope: &'a Scope,
    /// Chain or nested.
    pub zone: Zone,
    /// The same number for the slots of one directory.
    pub directory: usize,
    /// Its candidates in list order. In `all_distinct` at most one.
    pub candidates: &'a [Observation<'a>],
}

/// One candidate, and what it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// As shown to the model.
    pub path: &'a str,
    /// What it is.
    pub state: CandidateState,
}

/// What a candidate is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateState {
    /// Confirmed: no regular file there.
    Absent,
    /// The probe failed.
    Unknown,
    /// A regular file.
    Present {
        /// The file, if the provider has identities.
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

/// The injector, and the rules it is planned under.
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
