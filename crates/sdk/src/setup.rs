//! One session, before it is open.

use std::path::PathBuf;
use std::sync::Arc;

use standing_orders_discovery::{RootOptions, RootRule, path};
use standing_orders_fs::FsProvider;
use standing_orders_session::{Fact, Fold, SessionHeader, TouchLog};

use crate::context::{Context, Place, StepInput};
use crate::deployment::Deployment;
use crate::error::OpenError;
use crate::message::InstructionMessage;
use crate::observer::Observer;
use crate::report::Report;
use crate::settings::Home;

/// One session of an [`Engine`](crate::Engine): provider, home and root are the session's own.
#[derive(Debug)]
#[must_use = "call `open`, or `compose`"]
pub struct SessionSetup {
    deployment: Arc<Deployment>,
    observer: Option<Arc<dyn Observer>>,
    header: SessionHeader,
    fs: Option<Arc<dyn FsProvider>>,
    home: Whose,
    root: Option<RootRule>,
}

/// Which user-global folder a session has.
#[derive(Debug)]
enum Whose {
    Engines,
    Own(Home),
    None,
}

impl SessionSetup {
    pub(crate) fn new(
        deployment: Arc<Deployment>,
        observer: Option<Arc<dyn Observer>>,
        header: SessionHeader,
    ) -> Self {
        Self { deployment, observer, header, fs: None, home: Whose::Engines, root: None }
    }

    /// Where to look. Without one the session is inert, without message or error (P9).
    pub fn fs(mut self, fs: Arc<dyn FsProvider>) -> Self {
        self.fs = Some(fs);
        self
    }

    /// The folder of the user-global file, in place of the engine's
    /// ([`Settings::home`](crate::Settings::home)), which counts where nothing is said (D6).
    ///
    /// What it is shown as stands in headings: what is not in shown form is brought into it (D11).
    pub fn home(mut self, home: Home) -> Self {
        self.home = Whose::Own(home.in_shown_form());
        self
    }

    /// No user-global file for this session, whatever the engine's home is (D6).
    pub fn without_home(mut self) -> Self {
        self.home = Whose::None;
        self
    }

    /// How this session's root is found. Default: as the engine's settings say (D1).
    pub fn root(mut self, rule: RootRule) -> Self {
        self.root = Some(rule);
        self
    }

    /// Opens the session over its history: the facts so far, in order. No I/O.
    ///
    /// # Errors
    /// The header's working directory is not absolute.
    pub fn open(self, facts: impl IntoIterator<Item = Fact>) -> Result<Context, OpenError> {
        let Self { deployment, observer, header, fs, home, root } = self;
        if let Some(cwd) = header.cwd()
            && path::lexical(cwd).is_err()
        {
            return Err(OpenError::RelativeCwd(cwd.to_path_buf()));
        }
        let (mut fold, mut touches) = (Fold::new(), TouchLog::new());
        for fact in facts {
            if !fold.is_repeated(&fact) {
                touches.apply(&fact);
            }
            fold.follow([fact]);
        }
        let home = match home {
            Whose::Engines => deployment.settings.home.clone(),
            Whose::Own(home) => Some(home),
            Whose::None => None,
        };
        let root = root.map(|rule| RootOptions { rule, ..deployment.settings.root.clone() });
        Ok(Context::new(
            deployment,
            observer,
            header,
            Place { fs, home: home.map(Box::new), root: root.map(Box::new) },
            fold,
            touches,
        ))
    }

    /// The whole current text without any history, for a host that rebuilds its prompt each time
    /// (I9): what a fresh session would be given that has touched these paths. Under the same
    /// policy and budgets. The paths are absolute, or relative to the working directory; none: `&[]`.
    ///
    /// # Errors
    /// The header's working directory is not absolute.
    pub async fn compose(self, touched: &[PathBuf]) -> Result<Composition, OpenError> {
        self.compose_with(touched, StepInput::default()).await
    }

    /// [`compose`](Self::compose) in a mode of the host.
    ///
    /// # Errors
    /// The header's working directory is not absolute.
    pub async fn compose_with(
        self,
        touched: &[PathBuf],
        input: StepInput<'_>,
    ) -> Result<Composition, OpenError> {
        let context = self.open([Fact::Touched(touched.to_vec())])?;
        let mut prepared = context.pre_step(input).await;
        let report = prepared.report().clone();
        Ok(Composition { parts: prepared.take_messages(), report })
    }
}

/// The whole current text, its parts, and what became of each candidate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Composition {
    /// One message an injector that has something: workspace first.
    pub parts: Vec<InstructionMessage>,
    /// Every candidate considered, and its fate.
    pub report: Arc<Report>,
}

impl Composition {
    /// All blocks as one text, a line end between two; empty when there is nothing.
    pub fn text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(InstructionMessage::text).collect();
        parts.join("\n")
    }
}
