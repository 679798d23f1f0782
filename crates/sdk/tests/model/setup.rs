//! What a run chooses, for the engine and for the model.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use standing_orders::plugin::{GatedFiles, SessionHeader};
use standing_orders::{Budget, Engine, Home, NestedDiscovery, SessionSetup, Settings};
use standing_orders_discovery::{CandidateNames, Selection};
use standing_orders_fs::MemoryFs;
use standing_orders_render::Overflow;

/// More than all contents of a run.
pub(super) const UNBINDING: u64 = 65_536;
pub(super) const GATE: &str = "gate";
pub(super) const GATED: [&str; 2] = ["g/R.md", "Q.md"];

/// When the gated files are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    Unregistered,
    Always,
    InMode,
    WhenTouched,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setup {
    pub(super) cwd: &'static str,
    pub(super) home: Option<&'static str>,
    pub(super) budget: u64,
    pub(super) base: Vec<&'static str>,
    pub(super) local: Vec<&'static str>,
    pub(super) all_distinct: bool,
    pub(super) trim: bool,
    pub(super) project_wide: bool,
    pub(super) max_source: u64,
    pub(super) gate: Gate,
    pub(super) subagent: bool,
}

impl Setup {
    pub(super) fn is_binding(&self) -> bool {
        self.budget != UNBINDING
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.base.iter().chain(&self.local).copied()
    }

    /// Every key of C3's identity that a run can change.
    pub(super) fn identity(&self, at: &str) -> String {
        let Self { base, local, all_distinct, trim, budget, max_source, .. } = self;
        format!("{at}|{base:?}|{local:?}|{all_distinct}|{trim}|{budget}|{max_source}")
    }

    pub(super) fn header(&self) -> SessionHeader {
        let main = SessionHeader::main("model", 0).with_cwd(Path::new(self.cwd));
        if !self.subagent {
            return main;
        }
        let mut stored = serde_json::to_value(&main).unwrap();
        stored["origin"] = "subagent".into();
        stored["delegation_depth"] = 1.into();
        SessionHeader::from_value(&stored).unwrap()
    }

    pub(super) fn session(&self, fs: &MemoryFs) -> SessionSetup {
        let mut settings = Settings::new(Budget::from_bytes(self.budget))
            .with_names(CandidateNames::new(&self.base, &self.local).0);
        settings.rules.max_source_bytes = NonZeroU64::new(self.max_source).unwrap();
        settings.rules.selection = if self.all_distinct { Selection::AllDistinct } else { Selection::First };
        settings.overflow = if self.trim { Overflow::Trim } else { Overflow::Drop };
        settings.nested_discovery =
            if self.project_wide { NestedDiscovery::Project } else { NestedDiscovery::Cwd };
        let mut engine = Engine::builder(settings);
        let gated = || GatedFiles::new(GATE, GATED).unwrap();
        engine = match self.gate {
            Gate::Unregistered => engine,
            Gate::Always => engine.gated(gated()),
            Gate::InMode => engine.gated(gated().modes(["plan"])),
            Gate::WhenTouched => engine.gated(gated().when_touched(["a/**"]).unwrap()),
        };
        let session = engine.build().unwrap().session(self.header()).fs(Arc::new(fs.clone()));
        match self.home {
            Some(home) => session.home(Home::new(home, "$DSH_HOME")),
            None => session,
        }
    }
}
