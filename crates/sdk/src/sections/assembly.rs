use std::collections::HashMap;

use standing_orders_session::SessionClass;

use super::{Scope, Section};

/// The sections of one session's system prompt, in scopes from the deployment to the session (S1).
///
/// # Precedence
/// 1. Of sections with one name, the one of the nearest scope stands; it *shadows* the others.
/// 2. Those that stand are ordered by [`Section::order`].
/// 3. With equal orders: by registration, far scopes first. One that shadows counts as registered
///    where the farthest of its name was, so that a change of text moves nothing.
///
/// A section without text (white space alone) stands and leaves no trace in the prompt: this is how
/// a nearer scope hides one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    /// From far to near.
    outer: Vec<Layer>,
    nearest: Layer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Layer {
    scope: Scope,
    sections: Vec<Section>,
}

/// A section that stands, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed<'s> {
    /// The section.
    pub section: &'s Section,
    /// Whose it is.
    pub scope: Scope,
    /// What it shadows, from far to near.
    pub shadows: Vec<(Scope, &'s Section)>,
}

impl Default for Sections {
    fn default() -> Self {
        Self::new()
    }
}

impl Sections {
    /// None yet, in the deployment's scope.
    pub const fn new() -> Self {
        Self { outer: Vec::new(), nearest: Layer::new(Scope::Deployment) }
    }

    /// The same sections, with an empty scope of a session of this class before them. What is
    /// registered from now on on either side does not reach the other.
    #[must_use]
    pub fn nearer(&self, class: SessionClass) -> Self {
        let outer = self.layers().cloned().collect();
        Self { outer, nearest: Layer::new(Scope::Session(class)) }
    }

    /// The nearest scope: where sections are registered.
    pub const fn scope(&self) -> Scope {
        self.nearest.scope
    }

    /// Registers a section in the nearest scope, as [`insert`](Self::insert) does.
    #[must_use]
    pub fn with(mut self, section: Section) -> Self {
        self.insert(section);
        self
    }

    /// Registers a section in the nearest scope. One of the same name there is replaced, keeps its
    /// registration, and is returned; those of farther scopes are shadowed.
    pub fn insert(&mut self, section: Section) -> Option<Section> {
        match self.nearest.sections.iter_mut().find(|known| known.name() == section.name()) {
            Some(known) => Some(std::mem::replace(known, section)),
            None => {
                self.nearest.sections.push(section);
                None
            }
        }
    }

    /// Takes a section out of the nearest scope; what it shadowed stands again. `None`: the nearest
    /// scope has none of this name, whatever farther ones have.
    pub fn remove(&mut self, name: &str) -> Option<Section> {
        let at = self.nearest.sections.iter().position(|known| known.name() == name)?;
        Some(self.nearest.sections.remove(at))
    }

    /// The section of this name that stands.
    pub fn get(&self, name: &str) -> Option<&Section> {
        let near_first = std::iter::once(&self.nearest).chain(self.outer.iter().rev());
        near_first.flat_map(|layer| &layer.sections).find(|section| section.name() == name)
    }

    /// Every section that stands, in the order of the prompt, with where it comes from. Those
    /// without text are listed too.
    pub fn listing(&self) -> Vec<Listed<'_>> {
        let mut listed: Vec<Listed<'_>> = Vec::new();
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        for (layer, section) in self.layers().flat_map(|layer| layer.sections.iter().map(move |s| (layer, s)))
        {
            let at = *by_name.entry(section.name()).or_insert(listed.len());
            match listed.get_mut(at) {
                Some(entry) => {
                    entry.shadows.push((entry.scope, entry.section));
                    (entry.scope, entry.section) = (layer.scope, section);
                }
                None => listed.push(Listed { section, scope: layer.scope, shadows: Vec::new() }),
            }
        }
        listed.sort_by_key(|entry| entry.section.order());
        listed
    }

    /// The system prompt: what stands, in order, a blank line between two. Line ends before and
    /// white space after each text are dropped, the rest is verbatim. The same sections give the
    /// same bytes.
    pub fn text(&self) -> String {
        let listing = self.listing();
        let texts = listing.iter().map(|entry| entry.section.shown()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n\n")
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.outer.iter().chain([&self.nearest])
    }
}

impl Layer {
    const fn new(scope: Scope) -> Self {
        Self { scope, sections: Vec::new() }
    }
}
