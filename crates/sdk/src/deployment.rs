//! What all sessions of an engine share: a leaf that engine, setup and pass look down to.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use standing_orders_session::InjectorId;

use crate::panic::panic_message;
use crate::plugin::{Injector, Observer, SessionPolicy};
use crate::policy::Admissions;
use crate::settings::Settings;

#[derive(Debug)]
pub(crate) struct Deployment {
    pub(crate) settings: Settings,
    pub(crate) workspace: InjectorId,
    pub(crate) injectors: Vec<Arc<dyn Injector>>,
    by_id: HashMap<InjectorId, usize>,
    pub(crate) policy: Arc<dyn SessionPolicy>,
    observer: Option<Arc<dyn Observer>>,
    pub(crate) injector_timeout: Option<Duration>,
    /// The last answers of the policy: kept once, however many sessions were given them.
    admissions: Mutex<Option<Arc<Admissions>>>,
}

impl Deployment {
    pub(crate) fn new(
        settings: Settings,
        injectors: Vec<Arc<dyn Injector>>,
        policy: Arc<dyn SessionPolicy>,
        observer: Option<Arc<dyn Observer>>,
        injector_timeout: Option<Duration>,
    ) -> Self {
        let by_id = injectors.iter().map(|injector| injector.id().clone()).zip(1..).collect();
        let workspace = InjectorId::workspace();
        let admissions = Mutex::default();
        Self { settings, workspace, injectors, by_id, policy, observer, injector_timeout, admissions }
    }

    /// The injector with this number; 0 is the workspace.
    pub(crate) fn injector(&self, number: usize) -> Option<&InjectorId> {
        match number.checked_sub(1) {
            None => Some(&self.workspace),
            Some(at) => self.injectors.get(at).map(|injector| injector.id()),
        }
    }

    /// Whether the injector is the workspace, or registered.
    pub(crate) fn knows(&self, id: &InjectorId) -> bool {
        id.is_workspace() || self.by_id.contains_key(id)
    }

    /// Notifies the observer. It cannot change anything, not by a panic either (I7).
    pub(crate) fn observe(&self, notify: impl FnOnce(&dyn Observer)) {
        let Some(observer) = self.observer.as_deref() else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| notify(observer))) {
            let message = panic_message(&*panic);
            tracing::warn!(target: "standing_orders", ?observer, "the observer panicked: {message}");
        }
    }

    /// These answers, or the same ones that another session was given.
    pub(crate) fn share(&self, admissions: Admissions) -> Arc<Admissions> {
        let mut last = self.admissions.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| ***last == admissions) {
            Some(last) => last.clone(),
            None => last.insert(Arc::new(admissions)).clone(),
        }
    }
}
