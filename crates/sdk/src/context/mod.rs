//! One open session.

mod questions;

pub use questions::{InForce, Undelivered};

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;
use standing_orders_discovery::RootOptions;
use standing_orders_fs::FsProvider;
use standing_orders_session::{Fact, Fold, SessionClass, SessionHeader, TouchLog};

use crate::deployment::Deployment;
use crate::error::EnterError;
use crate::message::InstructionMessage;
use crate::observer::{Observer, notify};
use crate::pass::{Guarded, Identity, Memory, Pass, PendingCommit, trace};
use crate::policy::Admissions;
use crate::prepared::Prepared;
use crate::report::{Diagnostics, Problem, Report};
use crate::rooted::Rooted;
use crate::settings::Home;
use crate::touches::Touches;

/// Where a session lives.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) fs: Option<Arc<dyn FsProvider>>,
    pub(crate) home: Option<Box<Home>>,
    pub(crate) root: Option<Box<RootOptions>>,
}

/// What a pre-step is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepInput<'a> {
    /// The host's current mode: what policies and gated files select by (I2, I4).
    pub mode: Option<&'a str>,
    /// Rules that the host asks for in this step, by their shown paths: manual and described ones (F7).
    /// Once the step has entered they are in force; a step that does not has to be asked again.
    pub requested: &'a [&'a str],
}

impl<'a> StepInput<'a> {
    /// In this mode.
    pub fn in_mode(mode: impl Into<Option<&'a str>>) -> Self {
        Self { mode: mode.into(), requested: &[] }
    }
}

/// One open session: four calls embed it in a loop.
///
/// 1. [`open`](crate::SessionSetup::open) over the history's facts. No I/O.
/// 2. [`pre_step`](Self::pre_step): what is due with a step that goes ahead now. Nothing has
///    happened yet; drop the answer and nothing did.
/// 3. Append its messages with the step, then [`entered`](Self::entered).
/// 4. [`touches`](Self::touches): where tools report paths, from any task.
///
/// And [`apply`](Self::apply), for what else happens to the history: a compaction, another writer.
///
/// # When messages are taken back
/// A host that rewinds, or lets its user edit an earlier prompt and go on from there, opens the
/// context again from the facts that are left (H3): no fact takes an `Entered` or a touch back, and
/// a touch that was answered by a step that no longer exists would stay answered. Opening does no
/// I/O.
///
/// All state is the history's (H1); what is kept beside it only saves work, and a new instance
/// does without.
#[derive(Debug)]
pub struct Context {
    deployment: Arc<Deployment>,
    observer: Option<Arc<dyn Observer>>,
    header: SessionHeader,
    place: Place,
    visible: Fold,
    touches: Touches,
    rooted: OnceLock<Arc<Rooted>>,
    admissions: Mutex<Option<Arc<Admissions>>>,
    memory: Memory,
    last_report: Option<Arc<Report>>,
    instance: u64,
    /// How many providers there were before this one.
    provider: u32,
    /// How many steps have entered in this instance.
    steps: u32,
    resuming: bool,
}

/// Tells contexts of one process apart, so that a step is not entered in another's.
static INSTANCES: AtomicU64 = AtomicU64::new(0);

impl Context {
    pub(crate) fn new(
        deployment: Arc<Deployment>,
        observer: Option<Arc<dyn Observer>>,
        header: SessionHeader,
        place: Place,
        visible: Fold,
        touches: TouchLog,
    ) -> Self {
        let resuming = visible.visible_messages().next().is_some();
        // Touches out of the history may be relative.
        let resolver = Touches::new(header.shared_cwd(), TouchLog::new());
        let touches = touches.resolved(|path| resolver.resolve(path));
        let touches = Touches::new(header.shared_cwd(), touches);
        Self {
            deployment,
            observer,
            header,
            place,
            visible,
            touches,
            rooted: OnceLock::new(),
            admissions: Mutex::new(None),
            memory: Memory::default(),
            last_report: None,
            instance: INSTANCES.fetch_add(1, Ordering::Relaxed),
            provider: 0,
            steps: 0,
            resuming,
        }
    }

    /// The session's header.
    pub fn header(&self) -> &SessionHeader {
        &self.header
    }

    /// The session's class (I1).
    pub fn class(&self) -> SessionClass {
        self.header.class()
    }

    /// The root of the project, once a pre-step has fixed it (D1).
    pub fn root(&self) -> Option<&Path> {
        self.rooted.get().map(|rooted| rooted.root())
    }

    /// Where tools report what they touch.
    pub fn touches(&self) -> Touches {
        self.touches.clone()
    }

    /// Supplies or replaces the provider; it counts from the next pre-step, with empty caches (P9).
    pub fn set_fs(&mut self, fs: Option<Arc<dyn FsProvider>>) {
        self.place.fs = fs;
        self.provider += 1;
        self.memory = Memory { cache: Default::default(), ..std::mem::take(&mut self.memory) };
    }

    /// Works out what a step that goes ahead now carries (C1).
    ///
    /// # Behavior
    /// - Never fails the step: faults are in the report (C14).
    /// - Changes nothing, but that the first one fixes the root (D1). Dropping the future at any
    ///   await, or the answer, leaves everything as it was; the next call works it out again.
    /// - The first takes three round trips of the provider: markers, probes, reads; two where the
    ///   provider reads with its probes, as the local one does. One without
    ///   changes takes one, and reads nothing. There are more where the provider defers reads, where
    ///   a file could not be read, and where a text is due that was known by its version.
    /// - Without a provider: nothing, silently (P9).
    pub async fn pre_step(&self, input: StepInput<'_>) -> Prepared {
        let mark = self.touches.log().mark();
        let touched: Vec<PathBuf> = self.touches.log().waiting().map(Path::to_path_buf).collect();
        let (prepared, found) = self.prepare(input, &touched, mark).await;
        if let Some(found) = found {
            // Another pre-step of this instance may have been quicker: the first one counts.
            let _ = self.rooted.set(found);
        }
        notify(self.observer.as_deref(), |observer| observer.prepared(self.header.id(), &prepared));
        prepared
    }

    /// What is due, and the root if it is not fixed yet.
    async fn prepare(
        &self,
        input: StepInput<'_>,
        touched: &[PathBuf],
        mark: u64,
    ) -> (Prepared, Option<Arc<Rooted>>) {
        let mut diagnostics = Diagnostics::default();
        let deployment = &self.deployment;
        let pending = |memory| PendingCommit {
            memory,
            revision: self.visible.revision(),
            mark,
            instance: self.instance,
            provider: self.provider,
            steps: self.steps,
            ..PendingCommit::default()
        };
        let Some(fs) = self.place.fs.as_deref() else {
            let report = Arc::new(Report::new(deployment, None, Vec::new(), diagnostics));
            // Nothing was observed, so no touch is answered.
            let pending = PendingCommit { mark: 0, ..pending(self.memory.clone()) };
            return (Prepared { messages: Vec::new(), report, pending }, None);
        };
        let fs = &Guarded(fs);
        let extra = self.header.additional_directories().iter().filter(|extra| !extra.path.is_absolute());
        diagnostics.problems.extend(extra.map(|extra| Problem::AdditionalDirectory(extra.path.clone())));
        let root = self.place.root.as_deref().unwrap_or(&deployment.settings.root);
        let (found, identity) = self.find_root(fs, root, &mut diagnostics).await.unzip();
        let rooted = self.rooted.get().or(found.as_ref());
        let admissions = self.admissions(input.mode, &mut diagnostics);
        let at = rooted.map(|rooted| &**rooted);
        let settings = &deployment.settings;
        let budget = admissions.budget(settings.max_bytes);
        let pass = Pass {
            deployment,
            header: &self.header,
            fs,
            home: self.place.home.as_deref(),
            rooted: at,
            identity: Identity::of(settings, &self.header, at, root, budget, identity.as_ref()),
            visible: &self.visible,
            admissions: &admissions,
            mode: input.mode,
            requested: input.requested,
            touched,
            memory: &self.memory,
            resuming: self.resuming,
        };
        let passed = crate::pass::run(&pass, &mut diagnostics).await;
        let report = Report::new(deployment, rooted, passed.rows, diagnostics);
        trace(&report, &self.header);
        let mark = if admissions.is_unknown() { 0 } else { mark };
        let rooted = rooted.cloned();
        let pending = PendingCommit { waiting: passed.waiting, mark, rooted, ..pending(passed.memory) };
        (Prepared { messages: passed.messages, report: Arc::new(report), pending }, found)
    }

    /// Finds the root, unless it is fixed, with the identity of a baseline there.
    async fn find_root(
        &self,
        fs: &dyn FsProvider,
        options: &RootOptions,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Arc<Rooted>, Value)> {
        if self.rooted.get().is_some() {
            return None;
        }
        let settings = &self.deployment.settings;
        let (rooted, identity, found, counts) =
            Rooted::find(fs, &self.header, settings, options, &self.visible).await?;
        diagnostics.found = Some(Box::new(found));
        diagnostics.count(counts);
        Some((Arc::new(rooted), identity))
    }

    fn admissions(&self, mode: Option<&str>, diagnostics: &mut Diagnostics) -> Arc<Admissions> {
        let mut admissions = self.admissions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = admissions.as_ref().filter(|known| known.mode.as_deref() == mode) {
            return known.clone();
        }
        match self.deployment.admissions(&self.header, mode) {
            Ok(answers) => admissions.insert(answers).clone(),
            Err(message) => {
                let problem = Problem::PolicyFailed { message };
                diagnostics.problems.push(problem);
                Arc::new(Admissions::unknown())
            }
        }
    }

    /// The step that was prepared has entered: its messages are in the host's history.
    ///
    /// # Errors
    /// [`EnterError::Stale`] when facts about instructions arrived, or another step entered, since it
    /// was prepared. Nothing
    /// has changed then; it gives back the sources, for messages that were appended already.
    pub fn entered(&mut self, prepared: Prepared) -> Result<(), EnterError> {
        self.may_enter(&prepared)?;
        self.enter(prepared);
        Ok(())
    }

    /// Enters what [`may_enter`](Self::may_enter), and gives its messages back.
    pub(crate) fn enter(&mut self, prepared: Prepared) -> Vec<InstructionMessage> {
        notify(self.observer.as_deref(), |observer| observer.entered(self.header.id(), &prepared));
        let sources = prepared.sources();
        let Prepared { report, pending, messages } = prepared;
        if let Some(rooted) = pending.rooted {
            // As in `pre_step`; it is another call's where this came from `due`.
            let _ = self.rooted.set(rooted);
        }
        self.visible.follow([Fact::Entered(sources)]);
        self.touches.log().answer(pending.mark);
        self.memory = pending.memory;
        if pending.provider != self.provider {
            self.memory.cache = Default::default();
        }
        self.last_report = Some(report);
        self.resuming = false;
        self.steps = self.steps.wrapping_add(1);
        messages
    }

    /// Whether [`entered`](Self::entered) would take it.
    pub(crate) fn may_enter(&self, prepared: &Prepared) -> Result<(), EnterError> {
        if prepared.pending.instance != self.instance {
            return Err(EnterError::Foreign);
        }
        let elsewhere = match (self.rooted.get(), &prepared.pending.rooted) {
            (Some(fixed), Some(rooted)) => fixed.root() != rooted.root(),
            (None, _) | (_, None) => false,
        };
        let older = prepared.pending.steps != self.steps;
        if prepared.pending.revision != self.visible.revision() || older || elsewhere {
            return Err(EnterError::Stale { sources: prepared.sources() });
        }
        Ok(())
    }

    /// What else happened to the history: a compaction, steps that another writer entered. Not
    /// what [`entered`](Self::entered) was told, and not the touches of [`touches`](Self::touches).
    pub fn apply(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.follow(facts, |touches, fact| touches.follow(fact));
    }

    /// As [`apply`](Self::apply), of what this instance appended itself: its touches are its own (C5).
    #[cfg(feature = "history")]
    pub(crate) fn apply_own(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.follow(facts, |touches, fact| match fact {
            Fact::Touched(paths) => paths.iter().for_each(|path| touches.report(path)),
            fact => touches.follow(fact),
        });
    }

    fn follow(&mut self, facts: impl IntoIterator<Item = Fact>, touch: impl Fn(&Touches, &Fact)) {
        for fact in facts {
            notify(self.observer.as_deref(), |observer| observer.fact(self.header.id(), &fact));
            if !self.visible.is_repeated(&fact) {
                touch(&self.touches, &fact);
            }
            self.visible.follow([fact]);
        }
    }
}
