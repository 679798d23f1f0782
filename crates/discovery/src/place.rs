//! Where to look.

use std::borrow::Cow;
use std::path::Path;

use standing_orders_fs::PathBatchBuilder;

use crate::CandidateNames;

/// The only name looked for in the user-global folder (D6).
const USER_GLOBAL: &str = "AGENTS.md";

/// The places to look at, in order; a place is named by its index.
///
/// Paths are absolute, and looked at as they are given. Borrowed ones are not copied.
///
/// The caller's order is the order of the answers: user-global, then directories in
/// [`pre_order`](crate::path::pre_order) (C10).
#[derive(Clone, Debug, Default)]
pub struct Places<'p> {
    places: Vec<Place<'p>>,
}

#[derive(Clone, Debug)]
enum Place<'p> {
    Directory(Cow<'p, Path>),
    UserGlobal(Cow<'p, Path>),
    File(Cow<'p, Path>),
}

impl<'p> Places<'p> {
    /// No place.
    pub fn new() -> Self {
        Self::default()
    }

    /// No place yet, and room for `places`.
    pub fn with_capacity(places: usize) -> Self {
        Self { places: Vec::with_capacity(places) }
    }

    /// A directory: every name of [`Rules::names`](crate::Rules::names) is a candidate (D3).
    pub fn push_directory(&mut self, dir: impl Into<Cow<'p, Path>>) {
        self.places.push(Place::Directory(dir.into()));
    }

    /// The user-global folder: exactly `AGENTS.md` in it, whatever the lists say, and no overlay (D6).
    pub fn push_user_global(&mut self, home: impl Into<Cow<'p, Path>>) {
        self.places.push(Place::UserGlobal(home.into()));
    }

    /// One file, the only candidate of its place: a gated one, for instance (I3, I4).
    pub fn push_file(&mut self, file: impl Into<Cow<'p, Path>>) {
        self.places.push(Place::File(file.into()));
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many candidates each place has, in order.
    pub(crate) fn widths(&self, names: &CandidateNames) -> impl Iterator<Item = usize> {
        self.places.iter().map(|place| match place {
            Place::Directory(_) => names.len(),
            Place::UserGlobal(_) | Place::File(_) => 1,
        })
    }

    /// Adds the paths of all candidates, in order.
    pub(crate) fn candidates(&self, names: &CandidateNames) -> PathBatchBuilder {
        let listed: usize = names.iter().map(|(_, name)| name.len() + 1).sum();
        let bytes = self.places.iter().map(|place| match place {
            Place::Directory(dir) => dir.as_os_str().len() * names.len() + listed,
            Place::UserGlobal(home) => home.as_os_str().len() + 1 + USER_GLOBAL.len(),
            Place::File(file) => file.as_os_str().len(),
        });
        let mut batch = PathBatchBuilder::with_capacity(self.widths(names).sum(), bytes.sum());
        for place in &self.places {
            match place {
                Place::Directory(dir) => names.iter().for_each(|(_, name)| batch.push_join(dir, name)),
                Place::UserGlobal(home) => batch.push_join(home, USER_GLOBAL),
                Place::File(file) => batch.push(file),
            }
        }
        batch
    }
}
