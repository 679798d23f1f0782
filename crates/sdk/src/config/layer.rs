//! One layer of figment: values, and the origin they share.

use std::ops::Range;

use figment::value::{Dict, Map, Tag, Value};
use figment::{Metadata, Profile, Provider};

use super::document::Entries;
use super::error::{Origin, Position};

/// What one source sets.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) origin: Origin,
    pub(super) values: Dict,
    /// Of a file: its text, and where each key stands.
    pub(super) places: Option<(String, Entries)>,
}

/// Figment's view of the layer with this number: its metadata carries the number and no more, so that
/// an error leads back to the layer.
pub(super) struct Numbered<'l>(pub(super) usize, pub(super) &'l Layer);

impl Provider for Numbered<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.0.to_string())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Profile::Default.collect(self.1.values.clone()))
    }
}

impl Layer {
    /// Where in the layer the value at `path` is set, or with `key` its key.
    pub(super) fn origin_of(&self, path: &[String], key: bool) -> Origin {
        match (&self.origin, &self.places) {
            (Origin::File { path: file, .. }, Some((text, entries))) => {
                let entry = (0..=path.len()).rev().find_map(|depth| entries.get(path.get(..depth)?));
                let span = |entry: &super::document::Entry| -> Range<usize> {
                    if key { entry.key.clone() } else { entry.value.clone() }
                };
                let at = entry.map(|entry| Box::new(Position::of(text, span(entry))));
                Origin::File { path: file.clone(), at }
            }
            (origin, _) => origin.clone(),
        }
    }
}

/// `value` under a key with dots.
pub(super) fn nest(key: &str, value: Value) -> Dict {
    let mut names = key.rsplit('.');
    let mut dict = Dict::from([(names.next().unwrap_or(key).to_owned(), value)]);
    for name in names {
        dict = Dict::from([(name.to_owned(), Value::Dict(Tag::Default, dict))]);
    }
    dict
}
