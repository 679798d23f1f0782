//! What a deployment chooses.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use standing_orders_discovery::{CandidateNames, RootOptions, RootRule, Rules, Selection};
use standing_orders_render::{Overflow, Wording};
use standing_orders_session::SessionHeader;

use crate::budget::Budget;
use crate::exclude::Exclude;
use crate::policy::PolicyRow;

/// The name of the user-global file, whatever the lists say (D6).
pub(crate) const USER_GLOBAL: &str = "AGENTS.md";

/// From where on a touched path brings the directories on its way (C4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NestedDiscovery {
    /// Below the working directory only.
    #[default]
    Cwd,
    /// Anywhere below the root.
    Project,
}

/// What becomes of lines that import a file (`@docs/style.md`, M1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Imports {
    /// They are text.
    Off,
    /// They are text, and notes say that they are there and not followed (X2).
    #[default]
    Report,
    /// They stay, and what they name follows as a section of its own (M3).
    Expand,
}

/// Everything a deployment chooses for the workspace loader. There is no default for the budget:
/// each deployment names one.
///
/// ```
/// use standing_orders::{Budget, Settings};
///
/// let settings = Settings::new(Budget::from_bytes(65_536));
/// assert_eq!(settings.rules.names.get(0), Some("AGENTS.md"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Bytes a block (R5).
    pub max_bytes: Budget,
    /// What gives way when the budget does not hold everything. Default: whole files, broad ones first.
    pub overflow: Overflow,
    /// Candidate names, selection, and the largest file that is read (D3 to D8).
    pub rules: Rules,
    /// How the root is found, and which directories end the walk (D1).
    pub root: RootOptions,
    /// What a touch reaches. Default: below the working directory.
    pub nested_discovery: NestedDiscovery,
    /// Folders from which no touch loads anything (D14). Default: `**/node_modules`, `**/site-packages`.
    pub exclude: Exclude,
    /// What becomes of lines that import a file (M). Default: they are reported.
    pub imports: Imports,
    /// The folders, absolute, out of which nothing is imported (M2). Default: none named, which is the root
    /// of the project. A file of the user-global folder may import from that folder besides.
    pub import_roots: Vec<PathBuf>,
    /// Whether a linked git worktree without an overlay of its own in a folder has that of the main checkout
    /// there (D15). Default: yes.
    pub worktree_overlays: bool,
    /// Every sentence the model reads (R3).
    pub wording: Wording,
    /// Rows that narrow what sessions see, the first that fits a request deciding (I10). Where the engine
    /// has a [policy](crate::EngineBuilder::policy) too, both are asked and the stricter answer counts.
    /// Default: none.
    pub policy: Vec<PolicyRow>,
    /// Whether every subagent session is told that it is one (S3), also where the host has not registered
    /// the [runtime context](crate::runtime_context): the engine then has one with that entry alone.
    /// Default: no.
    pub delegation_notice: bool,
    /// The folder of the user-global file, for sessions that [name none](crate::SessionSetup::home) (D6).
    /// Default: none.
    pub home: Option<Home>,
}

impl Settings {
    /// Defaults, with this budget.
    pub fn new(max_bytes: Budget) -> Self {
        Self {
            max_bytes,
            overflow: Overflow::default(),
            rules: Rules::default(),
            root: RootOptions::default(),
            nested_discovery: NestedDiscovery::default(),
            exclude: Exclude::default(),
            imports: Imports::default(),
            import_roots: Vec::new(),
            worktree_overlays: true,
            wording: Wording::default(),
            policy: Vec::new(),
            delegation_notice: false,
            home: None,
        }
    }

    /// With these candidate lists; entries that are no plain names are dropped (D3).
    #[must_use]
    pub fn with_names(mut self, names: CandidateNames) -> Self {
        self.rules.names = names;
        self
    }

    /// The identity of a baseline composed under these settings (C3, D13).
    pub(crate) fn identity(
        &self,
        at: &str,
        root: &RootOptions,
        header: &SessionHeader,
        max_bytes: Budget,
    ) -> Value {
        let names = |slot| {
            let of = self.rules.names.iter().filter(|(of, _)| *of == slot);
            of.map(|(_, name)| Value::from(name)).collect::<Vec<_>>()
        };
        let (rule, markers) = match &root.rule {
            RootRule::Fixed(_) => ("fixed", Vec::new()),
            RootRule::Markers(markers) => ("markers", markers.iter().map(|m| m.as_str()).collect()),
        };
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let additional = header.additional_directories().iter();
        let mut identity = json!({
            "at": at,
            "root": rule,
            "markers": markers,
            "ceilings": root.ceilings.iter().map(|ceiling| path(ceiling)).collect::<Vec<_>>(),
            "candidates": names(standing_orders_discovery::Slot::Base),
            "local_candidates": names(standing_orders_discovery::Slot::Local),
            "selection": selection_name(self.rules.selection),
            "overflow": match self.overflow { Overflow::Trim => "trim", _ => "drop" },
            "max_bytes": max_bytes.bytes(),
            "max_source_bytes": self.rules.max_source_bytes.get(),
            "additional_directories": additional.map(|extra| path(&extra.path)).collect::<Vec<_>>(),
        });
        // Where nothing is expanded, the identity is that of histories from before there were imports.
        if self.imports == Imports::Expand
            && let Some(identity) = identity.as_object_mut()
        {
            let roots = self.import_roots.iter().map(|root| Value::from(path(root)));
            identity.insert("imports".to_owned(), "expand".into());
            identity.insert("import_roots".to_owned(), roots.collect());
        }
        identity
    }
}

/// As configuration and identity name it.
pub(crate) const fn selection_name(selection: Selection) -> &'static str {
    match selection {
        Selection::First => "first",
        Selection::AllDistinct => "all_distinct",
    }
}

/// The folder of the user-global file, and how it is shown: no absolute home path reaches the
/// model (D6). The library has none of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Home {
    /// The folder, absolute.
    pub dir: PathBuf,
    /// What stands for it in shown paths, such as `~/.dsh` or `$DSH_HOME`.
    pub shown: String,
}

impl Home {
    /// With what is not in shown form brought into it: it stands in headings (D11).
    pub(crate) fn in_shown_form(self) -> Self {
        let shown = crate::shown::in_shown_form(&self.shown).unwrap_or(self.shown);
        Self { shown, ..self }
    }

    /// This folder, shown as that.
    pub fn new(dir: impl Into<PathBuf>, shown: impl Into<String>) -> Self {
        Self { dir: dir.into(), shown: shown.into() }
    }
}
