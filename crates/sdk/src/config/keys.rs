//! The keys there are, for what serde cannot say: how a variable's text is read, and which key is near.

use crate::nearest::nearest;

/// How the text of an environment variable becomes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number; blank: not set.
    Number,
    /// `true` or `false`; blank: not set.
    Flag,
    /// One of a few words, a profile or a folder; blank: not set.
    Word,
    /// As it stands, blank ones too.
    Sentence,
    /// A list in TOML; any other text is its only entry, and a blank one is the empty list.
    List,
}

impl Kind {
    /// Whether a blank text is as good as none.
    pub(super) const fn ignores_blank(self) -> bool {
        matches!(self, Self::Number | Self::Flag | Self::Word)
    }
}

/// Every key that can be set on its own.
pub(super) const KEYS: &[(&str, Kind)] = &[
    ("max_bytes", Kind::Number),
    ("max_source_bytes", Kind::Number),
    ("overflow", Kind::Word),
    ("selection", Kind::Word),
    ("nested_discovery", Kind::Word),
    ("home", Kind::Word),
    ("project_root_markers", Kind::List),
    ("ceiling_directories", Kind::List),
    ("instruction_file_candidates", Kind::List),
    ("local_instruction_file_candidates", Kind::List),
    ("exclude", Kind::List),
    ("delegation_notice", Kind::Flag),
    ("gated", Kind::List),
    ("policy", Kind::List),
    ("wording.introduction", Kind::Sentence),
    ("wording.compact_introduction", Kind::Sentence),
    ("wording.replaces_earlier", Kind::Sentence),
    ("wording.replaces_chain", Kind::Sentence),
    ("wording.none_active", Kind::Sentence),
    ("wording.applies_to", Kind::Sentence),
    ("wording.applies_everywhere", Kind::Sentence),
    ("wording.changed", Kind::Sentence),
    ("wording.switched", Kind::Sentence),
    ("wording.removed", Kind::Sentence),
    ("wording.left_out", Kind::Sentence),
    ("wording.frame", Kind::Word),
];

/// How the value of a key is read; `None` for a key there is not.
pub(super) fn kind(key: &str) -> Option<Kind> {
    KEYS.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind)
}

/// The key nearest to an unknown one: among its `siblings`, else one of the same name in another table.
pub(super) fn nearest_key(name: &str, siblings: &[&'static str]) -> Option<String> {
    if let Some(sibling) = nearest(name, siblings.iter().copied()) {
        return Some(sibling.to_owned());
    }
    let leaf = |key: &&'static str| key.rsplit_once('.').map_or(*key, |(_, leaf)| leaf) == name;
    KEYS.iter().map(|(key, _)| *key).find(leaf).map(str::to_owned)
}
