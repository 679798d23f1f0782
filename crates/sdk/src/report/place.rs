//! The rows of one place.

use std::sync::Arc;

use standing_orders_discovery::CandidateNames;

use super::{Fate, Trigger};
use crate::rooted::{Rooted, folder_of_chain};

/// The candidates of one folder, or one candidate of an injector.
#[derive(Clone, Debug)]
pub(crate) struct PlaceRows {
    pub(crate) dir: Dir,
    /// 0 is the workspace, the others by registration.
    pub(crate) injector: u16,
    pub(crate) trigger: Trigger,
    /// Every name of the lists was probed: those without a row are absent.
    pub(crate) probed: bool,
    /// By name.
    pub(crate) rows: Box<[Row]>,
    /// Of an import: the file that names it, as shown, and the line there.
    pub(crate) imported_by: Option<Box<(Arc<str>, usize)>>,
}

/// Where candidates lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dir {
    /// The folder of the user-global file, as shown.
    UserGlobal(Box<str>),
    /// Of the chain, by its depth below the root.
    Chain(u16),
    /// Any other folder of the project, in shown form.
    Nested(Box<str>),
    /// Of an additional directory, in shown form.
    Additional(Box<str>),
    /// No folder: the path of the row is all of it.
    None(Box<str>),
}

/// One candidate.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: Name,
    pub(crate) fate: Fate,
    pub(crate) len: Option<u64>,
}

/// The rest of a row's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// A candidate of the lists, by its place there.
    Listed(u16),
    /// The user-global file.
    UserGlobal,
    /// The place is all of it.
    Whole,
}

impl Dir {
    /// The folder of these scopes.
    pub(crate) fn of(rooted: &Rooted, scope_dir: &str) -> Self {
        let (area, shown) = rooted.area_of(scope_dir);
        if area.is_additional() {
            return Self::Additional(area.shown_dir(shown).into());
        }
        match rooted.depth_in_chain(shown).and_then(|depth| u16::try_from(depth).ok()) {
            Some(depth) => Self::Chain(depth),
            None => Self::Nested(shown.into()),
        }
    }

    /// In shown form; `at` is cwd relative to the root. Empty for no folder.
    pub(crate) fn shown<'d>(&'d self, at: &'d str) -> &'d str {
        match self {
            Self::UserGlobal(shown) | Self::Nested(shown) | Self::Additional(shown) => shown,
            Self::Chain(depth) => folder_of_chain(at, usize::from(*depth)),
            Self::None(_) => "",
        }
    }
}

impl PlaceRows {
    /// One row that stands for itself.
    pub(crate) fn single(dir: Dir, injector: u16, trigger: Trigger, fate: Fate) -> Self {
        let name = if matches!(dir, Dir::UserGlobal(_)) { Name::UserGlobal } else { Name::Whole };
        let rows = Box::new([Row { name, fate, len: None }]);
        Self { dir, injector, trigger, probed: false, rows, imported_by: None }
    }

    /// As shown to the model (D11).
    pub(crate) fn path(&self, at: &str, name: Name, names: &CandidateNames) -> String {
        let name = match (&self.dir, name) {
            (Dir::None(path), _) => return path.to_string(),
            (_, Name::Whole) => "",
            (_, Name::UserGlobal) => crate::settings::USER_GLOBAL,
            (_, Name::Listed(number)) => names.get(usize::from(number)).unwrap_or(""),
        };
        match self.dir.shown(at) {
            dir if name.is_empty() => dir.to_owned(),
            "" | "." => name.to_owned(),
            dir => format!("{dir}/{name}"),
        }
    }

    /// Every candidate, absent ones included: the first `listed` names of the lists, then the others.
    pub(crate) fn all(&self, listed: usize) -> impl Iterator<Item = (Name, Fate, Option<u64>)> {
        let listed = if self.probed { listed } else { 0 };
        let names = (0..listed).filter_map(|number| u16::try_from(number).ok()).map(Name::Listed);
        let absent = names.filter(|name| self.rows.iter().all(|row| row.name != *name));
        let absent = absent.map(|name| (name, Fate::Absent, None));
        let mut all: Vec<_> =
            self.rows.iter().map(|row| (row.name, row.fate.clone(), row.len)).chain(absent).collect();
        all.sort_by_key(|(name, ..)| *name);
        all.into_iter()
    }
}
