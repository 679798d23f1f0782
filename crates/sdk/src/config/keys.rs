//! The keys there are, for what serde cannot say: how a variable's text is read, and which key is near.

use std::sync::LazyLock;

use serde_json::Value;

use super::model::Config;
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

/// Every key that can be set on its own, by the schema of the model: `max_bytes`, `wording.removed`.
static KEYS: LazyLock<Vec<(String, Kind)>> = LazyLock::new(|| {
    let schema = schemars::schema_for!(Config).to_value();
    let mut keys = Vec::new();
    for (name, value) in properties(&schema) {
        match value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|table| schema.pointer(table.strip_prefix('#')?))
        {
            Some(table) => {
                keys.extend(
                    properties(table).map(|(leaf, value)| (format!("{name}.{leaf}"), sentence(value))),
                );
            }
            None => keys.push((name.clone(), kind_of(value))),
        }
    }
    keys
});

fn properties(table: &Value) -> impl Iterator<Item = (&String, &Value)> {
    table.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn kind_of(value: &Value) -> Kind {
    match value.get("type").and_then(Value::as_str) {
        Some("integer") => Kind::Number,
        Some("boolean") => Kind::Flag,
        Some("array") => Kind::List,
        _ => Kind::Word,
    }
}

/// Of a table of sentences: free text but where the schema has a pattern.
fn sentence(value: &Value) -> Kind {
    if value.get("pattern").is_some() { Kind::Word } else { Kind::Sentence }
}

/// How the value of a key is read; `None` for a key there is not.
pub(super) fn kind(key: &str) -> Option<Kind> {
    KEYS.iter().find(|(known, _)| known == key).map(|(_, kind)| *kind)
}

/// The key nearest to an unknown one: among its `siblings`, else one of the same name in another table.
pub(super) fn nearest_key(name: &str, siblings: &[&'static str]) -> Option<String> {
    if let Some(sibling) = nearest(name, siblings.iter().copied()) {
        return Some(sibling.to_owned());
    }
    let leaf = |key: &str| key.rsplit_once('.').map_or(key, |(_, leaf)| leaf) == name;
    KEYS.iter().map(|(key, _)| key).find(|key| leaf(key)).cloned()
}
