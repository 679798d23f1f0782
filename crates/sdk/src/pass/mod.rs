//! A pass: one pre-step's work, for every injector.
//!
//! [`targets`] (which scopes, and where) → [`observe`] (what each candidate is) → decide (the rules of
//! change, in `session`) → [`compose`] (what fits) → [`commit`] (the messages, and what entering makes
//! true). One record a scope goes through all of it ([`record`]); [`rows`] reports it. Nothing is changed
//! on the way.

mod cache;
mod commit;
mod compose;
mod guard;
mod imports;
mod observe;
mod provider;
mod record;
mod rows;
mod rules;
mod targets;
mod wanted;

use std::path::PathBuf;

use serde_json::Value;
use standing_orders_discovery::RootOptions;
use standing_orders_discovery::path::LONGEST_TOUCHED;
use standing_orders_fs::FsProvider;
use standing_orders_session::{BaselineRules, Digest, Fold, Rules, SessionHeader, reconcile};

use crate::budget::Budget;
use crate::deployment::Deployment;
use crate::message::InstructionMessage;
use crate::policy::Admissions;
use crate::report::{Diagnostics, PlaceRows, Problem};
use crate::rooted::Rooted;
use crate::settings::{Home, Settings};

pub(crate) use commit::{Memory, PendingCommit};
pub(crate) use provider::Guarded;
pub(crate) use rows::trace;

use guard::Guard;
use record::Share;
use rules::Folders;
use targets::Targets;
use wanted::Answer;

/// Everything a pass starts from. Borrowed: nothing of it changes.
pub(crate) struct Pass<'a> {
    pub(crate) deployment: &'a Deployment,
    pub(crate) header: &'a SessionHeader,
    pub(crate) fs: &'a dyn FsProvider,
    pub(crate) home: Option<&'a Home>,
    pub(crate) rooted: Option<&'a Rooted>,
    /// Of a baseline composed now.
    pub(crate) identity: Identity<'a>,
    pub(crate) visible: &'a Fold,
    pub(crate) admissions: &'a Admissions,
    pub(crate) mode: Option<&'a str>,
    /// The rules that the host asks for, by their paths.
    pub(crate) requested: &'a [&'a str],
    /// Resolved, oldest first.
    pub(crate) touched: &'a [PathBuf],
    pub(crate) memory: &'a Memory,
    /// This is the instance's first pre-step over a history with something in view.
    pub(crate) resuming: bool,
}

/// What a pass comes to.
pub(crate) struct Passed {
    pub(crate) messages: Vec<InstructionMessage>,
    pub(crate) memory: Memory,
    /// What is due with content and waits for room.
    pub(crate) waiting: Vec<commit::Waiting>,
    pub(crate) rows: Vec<PlaceRows>,
}

/// The rules under which a baseline is composed (C3).
#[derive(Clone, Copy)]
pub(crate) struct Identity<'a> {
    /// How the root is found.
    pub(crate) root: &'a RootOptions,
    /// As admitted.
    pub(crate) max_bytes: Budget,
    /// In full, where it was just worked out.
    full: Option<&'a Value>,
    /// Of all of it.
    pub(crate) digest: Digest,
}

impl<'a> Identity<'a> {
    pub(crate) fn of(
        settings: &Settings,
        header: &SessionHeader,
        rooted: Option<&Rooted>,
        root: &'a RootOptions,
        max_bytes: Budget,
        full: Option<&'a Value>,
    ) -> Self {
        // Nearly always: it is known since the root is.
        let own = max_bytes == settings.max_bytes;
        let full = full.filter(|_| own);
        let digest = match rooted {
            None => Digest::of(""),
            Some(rooted) if own => rooted.identity,
            Some(rooted) => Fold::identity_digest(&settings.identity(rooted.at(), root, header, max_bytes)),
        };
        Self { root, max_bytes, full, digest }
    }
}

/// Runs a pass. `diagnostics` comes with what was found before.
pub(crate) async fn run(pass: &Pass<'_>, diagnostics: &mut Diagnostics) -> Passed {
    let settings = &pass.deployment.settings;
    let answers = wanted::ask(pass, diagnostics).await;
    let mut targets = Targets::default();
    let workspace = pass.admissions.workspace(settings.max_bytes).zip(pass.rooted);
    if let Some(((budget, parts), rooted)) = workspace {
        targets.workspace(pass, rooted, budget, parts);
        let lengths = pass.touched.iter().map(|path| path.as_os_str().len());
        let too_long = lengths.filter(|bytes| *bytes > LONGEST_TOUCHED);
        diagnostics.problems.extend(too_long.map(|bytes| Problem::TouchTooLong { bytes }));
    }
    let mut folders = Vec::new();
    for (number, answer) in (1..).zip(&answers) {
        match answer {
            Answer::Rules(wants, rules) => {
                folders.extend(Folders::lay_out(pass, number, wants.budget, rules, &mut targets));
            }
            Answer::Wants(wants, instructions) => targets.injector(pass, number, wants, instructions),
            Answer::Denied(wants) => targets.injector(pass, number, wants, &[]),
            Answer::Stands | Answer::Failed => {}
        }
    }
    let guard = match workspace {
        Some(_) => Guard::lay_out(pass, &mut targets.places),
        None => Guard::default(),
    };
    let mut observed = observe::observe(pass, &mut targets, &guard, diagnostics).await;
    let mut more = false;
    for folders in &mut folders {
        more |= folders.list(pass, &mut targets, &observed, diagnostics).await;
    }
    if more {
        observed.more(pass, &mut targets).await;
    }
    while imports::expand(pass, 0, &mut targets, &observed) {
        observed.more(pass, &mut targets).await;
    }
    imports::leftovers(pass, &mut targets);
    if !folders.is_empty() {
        // Rules are not to repeat what the workspace shows.
        targets.shares.iter_mut().filter(|share| share.is_workspace()).for_each(|share| decide(pass, share));
        for folders in &folders {
            folders.resolve(pass, &mut targets, &mut observed, diagnostics);
            while imports::expand(pass, folders.number(), &mut targets, &observed) {
                observed.more(pass, &mut targets).await;
            }
            folders.leftovers(pass, &mut targets);
            let own = |share: &&mut Share<'_>| share.number == folders.number();
            targets.shares.iter_mut().filter(own).for_each(|share| decide(pass, share));
        }
    }
    loop {
        targets.shares.iter_mut().for_each(|share| decide(pass, share));
        // What is known by its version but due as text takes one more batch.
        if !observed.read_due(pass, &mut targets.shares).await {
            break;
        }
    }
    targets.shares.iter_mut().for_each(|share| compose::compose(share, &observed, settings, pass.rooted));
    observed.looks.iter().for_each(|look| diagnostics.count(look.counts()));
    let replaced = observed.replaced_bytes(&targets.shares);
    let replaced = replaced.map(|candidate| Problem::ReplacedBytes { path: candidate.shown.clone() });
    diagnostics.problems.extend(replaced);
    let rows = rows::rows(pass, &targets, &observed);
    let memory = commit::remember(pass, &targets.shares, &observed, &answers, &folders);
    let waiting = commit::waiting(&targets.shares);
    let messages = commit::messages(pass, targets.shares);
    Passed { messages, memory, waiting, rows }
}

/// Decide: the rules of change are `session`'s.
fn decide(pass: &Pass<'_>, share: &mut Share<'_>) {
    let baseline = pass.rooted.filter(|_| share.is_workspace());
    let rules = Rules {
        injector: share.injector,
        selection: match share.is_workspace() {
            true => observe::selection(&pass.deployment.settings),
            false => Default::default(),
        },
        baseline: baseline.map(|rooted| BaselineRules {
            digest: pass.identity.digest,
            cwd: rooted.cwd_digest,
            at: rooted.at(),
        }),
    };
    let plan = share.with_slots(|slots| reconcile(pass.visible, slots, &rules));
    share.decide(plan);
}
