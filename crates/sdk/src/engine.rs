//! What all sessions of a deployment share.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use standing_orders_session::{InjectorId, SessionHeader};

use crate::deployment::Deployment;
use crate::error::EngineError;
use crate::injector::{GatedFiles, Injector, Retired};
use crate::nearest::nearest;
use crate::observer::Observer;
use crate::policy::{AllowAll, PolicyTable, SessionPolicy};
use crate::runtime_context::RuntimeContext;
use crate::settings::Settings;
use crate::setup::SessionSetup;

/// Settings, injectors and policy of a deployment. Cheap to clone; knows no session.
///
/// ```
/// use standing_orders::plugin::SessionHeader;
/// use standing_orders::{Budget, Engine, Settings};
/// use standing_orders::fs::MemoryFs;
/// use std::sync::{Arc, Mutex, PoisonError};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let fs = MemoryFs::new();
/// fs.make_dir("/ws/.git");
/// fs.write("/ws/AGENTS.md", "Run the tests before you push.");
///
/// let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
/// let header = SessionHeader::main("s1", 0).with_cwd("/ws");
/// let composition = engine.session(header).fs(Arc::new(fs)).compose(&[]).await?;
/// assert!(composition.text().contains("Instructions from: AGENTS.md\n\nRun the tests"));
/// # Ok::<(), standing_orders::OpenError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    deployment: Arc<Deployment>,
    observer: Option<Arc<dyn Observer>>,
}

/// Builds an [`Engine`].
#[must_use = "call `build`"]
pub struct EngineBuilder {
    settings: Settings,
    injectors: Vec<Arc<dyn Injector>>,
    policy: Arc<dyn SessionPolicy>,
    observer: Option<Arc<dyn Observer>>,
    injector_timeout: Option<Duration>,
}

impl Engine {
    /// The workspace loader alone, for every session.
    pub fn new(settings: Settings) -> Self {
        Self::builder(settings).assemble()
    }

    /// With more to set.
    pub fn builder(settings: Settings) -> EngineBuilder {
        EngineBuilder {
            settings,
            injectors: Vec::new(),
            policy: Arc::new(AllowAll),
            observer: None,
            injector_timeout: Some(Duration::from_secs(10)),
        }
    }

    /// Sets up one session: give it a file system, then open it, or compose its text without a
    /// history.
    pub fn session(&self, header: SessionHeader) -> SessionSetup {
        SessionSetup::new(self.deployment.clone(), self.observer.clone(), header)
    }

    /// What the deployment chose.
    pub fn settings(&self) -> &Settings {
        &self.deployment.settings
    }
}

impl EngineBuilder {
    /// Registers an injector. Messages stand in the order of registration, after the workspace's (C2).
    pub fn injector(mut self, injector: impl Injector + 'static) -> Self {
        self.injectors.push(Arc::new(injector));
        self
    }

    /// Registers gated files.
    pub fn gated(self, files: GatedFiles) -> Self {
        self.injector(files)
    }

    /// Registers an injector that is shared.
    pub fn shared_injector(mut self, injector: Arc<dyn Injector>) -> Self {
        self.injectors.push(injector);
        self
    }

    /// Withdraws whatever is in force of an injector that is no longer registered (I2).
    pub fn retire(self, id: impl Into<InjectorId>) -> Self {
        self.injector(Retired { id: id.into() })
    }

    /// Who may see what. Default: the workspace for all, every other injector as it asks.
    pub fn policy(mut self, policy: impl SessionPolicy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Is told what happens (I7).
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// How long an injector may take to say what it wants (I6), by the clock of the tokio runtime
    /// the pre-step is polled in; without one, or in one without its timer (`enable_time`), there is
    /// no limit. Default: 10 s; `None`: no limit.
    pub fn injector_timeout(mut self, limit: Option<Duration>) -> Self {
        self.injector_timeout = limit;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// An injector id is blank, `workspace`, or taken twice, a gated file is a trap (I5), or a row of
    /// [`Settings::policy`] names an injector there is not (I10).
    pub fn build(self) -> Result<Engine, EngineError> {
        let mut seen = HashMap::new();
        for injector in &self.injectors {
            let id = injector.id();
            if id.as_str().trim().is_empty() {
                return Err(EngineError::BlankId);
            }
            if id.is_workspace() {
                return Err(EngineError::ReservedId);
            }
            if let Some(trap) = injector.traps(&self.settings.rules.names).into_iter().next() {
                return Err(trap.into());
            }
            if seen.insert(id.clone(), ()).is_some() {
                return Err(EngineError::DuplicateId { id: id.clone() });
            }
        }
        for (row, named) in self.settings.policy.iter().enumerate() {
            let Some(named) = named.named() else { continue };
            let known = || seen.keys().map(InjectorId::as_str).chain(OURS);
            if !known().any(|id| id == named) {
                let nearest = nearest(named, known()).map(str::to_owned);
                return Err(EngineError::UnknownInjector { row, injector: named.to_owned(), nearest });
            }
        }
        Ok(self.assemble())
    }

    fn assemble(self) -> Engine {
        let Self { mut settings, mut injectors, mut policy, observer, injector_timeout } = self;
        let has_runtime = injectors.iter().any(|injector| injector.id().as_str() == RuntimeContext::ID);
        if settings.delegation_notice && !has_runtime {
            injectors.push(Arc::new(RuntimeContext::delegation_notice()));
        }
        if !settings.policy.is_empty() {
            policy = Arc::new(PolicyTable::new(settings.policy.iter().cloned()).over_shared(policy));
        }
        if let Some(home) = settings.home.take() {
            settings.home = Some(home.in_shown_form());
        }
        let deployment = Deployment::new(settings, injectors, policy, injector_timeout);
        Engine { deployment: Arc::new(deployment), observer }
    }
}

/// Ids that a row of a policy can name in any deployment, registered or not.
const OURS: [&str; 2] = [InjectorId::WORKSPACE, RuntimeContext::ID];

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, injectors, policy, observer, injector_timeout } = self;
        // Injectors by their ids: they need not be able to show themselves.
        let ids: Vec<_> = injectors.iter().map(|injector| injector.id()).collect();
        f.debug_struct("EngineBuilder")
            .field("settings", settings)
            .field("injectors", &ids)
            .field("policy", policy)
            .field("observer", observer)
            .field("injector_timeout", injector_timeout)
            .finish()
    }
}
