//! The one road from a pre-step to its messages, for every injector (DESIGN: the flow).
//!
//! layout (what to look at) → look (discovery) → seen (what it is) → reconcile (what changed) →
//! message (what fits) → report. Nothing is changed on the way; what follows from entering is
//! handed back in [`After`].

mod asked;
mod cache;
mod contained;
mod guard;
mod layout;
mod message;
mod reported;
mod rooted;
mod seen;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use standing_orders_discovery::{Look, RootOptions, look};
use standing_orders_fs::{FsProvider, KnownVersion};
use standing_orders_session::{
    BaselineRules, Candidate, Digest, Fold, InjectorId, InstructionSource, MessageId, Outcome, Plan, Rules,
    Scope, SessionHeader, Slot, Zone, reconcile,
};

use crate::engine::Parts;
use crate::plugin::{Instruction, InstructionId};
use crate::prepared::InstructionMessage;
use crate::report::Draft;
use crate::settings::{Budget, Home};
use asked::Asked;
pub(crate) use asked::{Admissions, in_shown_form, said};
pub(crate) use cache::Cache;
pub(crate) use contained::Contained;
use guard::{Guard, KnownGuards};
use layout::{Layout, Workspace};
use message::{Delivery, ItemFate, Terms, deliver};
pub(crate) use reported::trace;
pub(crate) use rooted::Rooted;
use seen::{Contents, Keys, Owners};

/// Everything a pre-step starts from. Borrowed: nothing of it changes.
pub(crate) struct Start<'a> {
    pub(crate) engine: &'a Parts,
    pub(crate) header: &'a SessionHeader,
    pub(crate) fs: &'a dyn FsProvider,
    pub(crate) home: Option<&'a Home>,
    pub(crate) rooted: Option<&'a Rooted>,
    /// Of a baseline composed now.
    pub(crate) identity: Identity<'a>,
    pub(crate) visible: &'a Fold,
    pub(crate) admissions: &'a Admissions,
    pub(crate) mode: Option<&'a str>,
    /// Resolved, oldest first.
    pub(crate) touched: &'a [PathBuf],
    pub(crate) memory: &'a Memory,
    /// This is the instance's first pre-step over a history with something in view.
    pub(crate) resuming: bool,
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
        engine: &Parts,
        header: &SessionHeader,
        rooted: Option<&Rooted>,
        root: &'a RootOptions,
        max_bytes: Budget,
        full: Option<&'a Value>,
    ) -> Self {
        // Nearly always: it is known since the root is.
        let own = max_bytes == engine.settings.max_bytes;
        let full = full.filter(|_| own);
        let digest = match rooted {
            None => Digest::of(""),
            Some(rooted) if own => rooted.identity,
            Some(rooted) => {
                Fold::identity_digest(&engine.settings.identity(rooted.at(), root, header, max_bytes))
            }
        };
        Self { root, max_bytes, full, digest }
    }
}

/// What an instance remembers beside the history; lost at a restart without harm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    pub(crate) cache: Cache,
    /// Nested directories that could not be answered at their touch (C4).
    pub(crate) pending: Vec<PathBuf>,
    /// By injector, from 1 on; empty without injectors.
    pub(crate) injectors: Vec<Remembered>,
    /// The identities of gated files that are not for this session (I5).
    pub(crate) guards: KnownGuards,
}

/// What an instance remembers of one injector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remembered {
    /// What it wanted at the last entered step.
    pub(crate) wanted: Option<Arc<[Instruction]>>,
    /// What could not be answered yet.
    pub(crate) waiting: Vec<InstructionId>,
    /// The touches of steps in which it could not say what it wants.
    pub(crate) missed: Vec<PathBuf>,
}

/// What follows from entering.
#[derive(Debug, Default)]
pub(crate) struct After {
    /// Set when the messages were taken out.
    pub(crate) sources: Vec<InstructionSource>,
    pub(crate) memory: Memory,
    pub(crate) revision: u64,
    pub(crate) mark: u64,
    pub(crate) instance: u64,
    /// Counts the providers of an instance.
    pub(crate) provider: u32,
    /// Counts the steps that have entered.
    pub(crate) steps: u32,
    /// Where it was worked out.
    pub(crate) rooted: Option<Arc<Rooted>>,
    /// What is due with content and waits for room.
    pub(crate) waiting: Vec<Waiting>,
}

/// Due with content, and without room in this message (C8).
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) injector: InjectorId,
    pub(crate) scope: Scope,
    pub(crate) path: String,
}

/// One injector's share of the look.
struct Share<'l> {
    number: usize,
    id: &'l InjectorId,
    budget: usize,
    slots: Vec<Slot<'l>>,
}

/// What was laid out, planned and delivered.
struct Walked<'w, 'l> {
    layout: &'w Layout<'l>,
    shares: &'w [Share<'w>],
    plans: &'w [Plan],
    deliveries: &'w [Option<Delivery>],
}

/// Walks the road. `report` comes with what was found before.
pub(crate) async fn walk(start: &Start<'_>, report: &mut Draft) -> (Vec<InstructionMessage>, After) {
    let settings = &start.engine.settings;
    let asked = Asked::ask(start, report).await;
    let mut layout = Layout::default();
    let workspace = start.admissions.workspace(settings.max_bytes).zip(start.rooted);
    if let Some(((_, parts), rooted)) = workspace {
        layout.workspace(&Workspace {
            settings,
            rooted,
            identity: start.identity.digest,
            home: start.home,
            visible: start.visible,
            id: &start.engine.workspace,
            parts,
            touched: start.touched,
            pending: &start.memory.pending,
            resuming: start.resuming,
        });
    }
    let root = start.rooted.map(|rooted| rooted.root());
    for (number, instructions) in asked.instructions() {
        layout.wishes(number, instructions, root);
    }
    let end = layout.finish();
    let guard = match workspace {
        Some(_) => Guard::lay_out(start, &mut layout.places),
        None => Guard::default(),
    };
    let owners = Owners::of(&layout, end);

    let cache = &start.memory.cache;
    let keys = Keys::of(&layout, &owners, settings);
    let known = |place, candidate| match guard.has_place(place) {
        true => KnownVersion::Any,
        false => cache.version(keys.at(place, candidate)),
    };
    let mut look = look(start.fs, &layout.places, &settings.rules, known).await;
    let (kept, guards) = guard.found(&look, &start.memory.guards, report);
    let mut contents = Contents::from_cache(&look, &keys, cache);
    contents.digest(&look, &owners, settings.rules.selection);

    let mut shares = Vec::with_capacity(1 + asked.len());
    if let Some(((budget, _), _)) = workspace {
        let slots = layout.slots(settings);
        shares.push(Share { number: 0, id: &start.engine.workspace, budget, slots });
    }
    asked.shares(start, &layout, &mut shares);
    let plans = loop {
        let candidates = seen::candidates(&layout, &look, &contents, &kept, settings);
        let plans = plans(start, &shares, &candidates);
        let missing = missing(&plans, &layout, &look);
        if missing.is_empty() {
            break plans;
        }
        // What is known by its version but due as text: one more batch.
        look.read_more(start.fs, &settings.rules, &missing).await;
        contents.digest(&look, &owners, settings.rules.selection);
        contents.forget_unread(&look, &missing);
    };
    let deliveries: Vec<Option<Delivery>> = shares
        .iter()
        .zip(&plans)
        .map(|(share, plan)| {
            if plan.is_empty() {
                return None;
            }
            let terms = Terms {
                budget: share.budget,
                overflow: settings.overflow,
                wording: &settings.wording,
                workspace: share.number == 0,
            };
            Some(deliver(plan, |candidate| seen::text(&layout, &look, candidate).unwrap_or(""), terms))
        })
        .collect();

    reported::fill(
        report,
        start,
        &look,
        &contents,
        &Walked { layout: &layout, shares: &shares, plans: &plans, deliveries: &deliveries },
    );
    let walked = Walked { layout: &layout, shares: &shares, plans: &plans, deliveries: &deliveries };
    let waiting = walked.waiting();
    let memory = Memory {
        cache: contents.to_cache(&look, &keys),
        pending: match start.admissions.is_unknown() {
            true => start.memory.pending.clone(),
            false => walked.pending(start.visible),
        },
        injectors: asked.remember(start, &walked),
        guards,
    };
    let messages = messages(start, &shares, deliveries);
    let after = After { memory, waiting, ..After::default() };
    (messages, after)
}

impl Walked<'_, '_> {
    /// Each share with its plan and delivery.
    fn rows(&self) -> impl Iterator<Item = (&Share<'_>, &Plan, Option<&Delivery>)> {
        let rows = self.shares.iter().zip(self.plans).zip(self.deliveries);
        rows.map(|((share, plan), delivery)| (share, plan, delivery.as_ref()))
    }

    /// The slots of a share that could not be answered: unavailable, held back, or without room (C4).
    fn unanswered<'r>(
        visible: &'r Fold,
        share: &'r Share<'_>,
        plan: &'r Plan,
        delivery: Option<&'r Delivery>,
    ) -> impl Iterator<Item = &'r Slot<'r>> {
        let waits = move |number: u32| {
            let fates = delivery.map_or(&[][..], |delivery| &delivery.transitions);
            plan.transitions
                .iter()
                .zip(fates)
                .any(|(item, fate)| item.slot == number && *fate == ItemFate::Waits)
        };
        share.slots.iter().zip(&plan.outcomes).zip(0_u32..).filter_map(move |((slot, outcome), number)| {
            let open = match outcome {
                Outcome::Unavailable | Outcome::Held | Outcome::Blocked => true,
                // What is in force is looked at anyway; what was left out is not.
                Outcome::Frozen => {
                    visible.scope(share.id, slot.scope).is_none_or(|entry| !entry.state.is_in_force())
                }
                Outcome::Enters => waits(number),
                _ => false,
            };
            open.then_some(slot)
        })
    }

    /// What is due with content and waits for room.
    fn waiting(&self) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        for (share, plan, delivery) in self.rows() {
            let fates = delivery.map_or(&[][..], |delivery| &delivery.transitions);
            for (item, fate) in plan.transitions.iter().zip(fates) {
                if *fate == ItemFate::Waits && item.digest().is_some() {
                    let (injector, scope, path) = (share.id.clone(), item.scope.clone(), item.path.clone());
                    waiting.push(Waiting { injector, scope, path });
                }
            }
        }
        waiting
    }

    /// The nested directories to look at again (C4).
    fn pending(&self, visible: &Fold) -> Vec<PathBuf> {
        let mut pending = Vec::new();
        for (share, plan, delivery) in self.rows().filter(|(share, ..)| share.number == 0) {
            let open = Self::unanswered(visible, share, plan, delivery);
            for slot in open.filter(|slot| slot.zone == Zone::Nested) {
                pending.extend(self.layout.path_of(slot.directory).map(PathBuf::from));
            }
        }
        pending.dedup();
        pending
    }
}

fn plans(start: &Start<'_>, shares: &[Share<'_>], candidates: &[Candidate<'_>]) -> Vec<Plan> {
    let plan = |share: &Share<'_>| {
        let baseline = start.rooted.filter(|_| share.number == 0);
        let rules = Rules {
            injector: share.id,
            selection: if share.number == 0 {
                seen::selection(&start.engine.settings)
            } else {
                Default::default()
            },
            baseline: baseline.map(|rooted| BaselineRules {
                digest: start.identity.digest,
                cwd: rooted.cwd_digest,
                at: rooted.at(),
            }),
        };
        reconcile(start.visible, &share.slots, candidates, &rules)
    };
    shares.iter().map(plan).collect()
}

/// The candidates whose text is due and not at hand.
fn missing(plans: &[Plan], layout: &Layout<'_>, look: &Look) -> Vec<usize> {
    let items = plans.iter().flat_map(|plan| plan.items.iter().chain(&plan.transitions));
    let due = items.filter_map(|item| item.candidate);
    let missing = due.filter(|candidate| seen::text(layout, look, *candidate).is_none());
    missing.map(|candidate| candidate as usize).collect()
}

fn messages(
    start: &Start<'_>,
    shares: &[Share<'_>],
    deliveries: Vec<Option<Delivery>>,
) -> Vec<InstructionMessage> {
    let mut messages = Vec::new();
    let mut last = start.visible.last_message().cloned();
    let mut count = start.visible.messages_so_far();
    for (share, delivery) in shares.iter().zip(deliveries) {
        let Some(Delivery { blocks, changes, baseline, .. }) = delivery else { continue };
        // A message with nothing to record is not sent (C9), nor one of which no byte has room.
        if changes.is_empty() && !baseline || blocks.iter().all(String::is_empty) {
            continue;
        }
        let (cwd, at) = start.rooted.map_or_else(
            || (Digest::of(""), ".".to_owned()),
            |rooted| (rooted.cwd_digest, rooted.at().to_owned()),
        );
        let id = message_id(start, last.as_ref(), count, share.id, &changes);
        let identity = start.rooted.filter(|_| baseline);
        let identity = identity.map(|rooted| {
            let Identity { root, max_bytes, full, .. } = start.identity;
            full.cloned()
                .unwrap_or_else(|| start.engine.settings.identity(rooted.at(), root, start.header, max_bytes))
        });
        let source = InstructionSource {
            id: id.clone(),
            injector: share.id.clone(),
            baseline,
            baseline_identity: identity,
            cwd,
            at,
            changes,
        };
        (last, count) = (Some(id), count + 1);
        messages.push(InstructionMessage { source, blocks });
    }
    messages
}

/// Unique in what is known of a history and the same for the same inputs: a digest over what came
/// before it, the rules, and what it did.
fn message_id(
    start: &Start<'_>,
    last: Option<&MessageId>,
    count: u32,
    injector: &InjectorId,
    changes: &[standing_orders_session::Change],
) -> MessageId {
    let mut bytes = Vec::with_capacity(256);
    for part in [start.header.id(), last.map_or("", |last| last.as_str()), injector.as_str()] {
        bytes.extend_from_slice(part.as_bytes());
        bytes.push(0);
    }
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(start.identity.digest.as_bytes());
    for change in changes {
        bytes.push(change.action as u8);
        bytes.extend_from_slice(change.scope.as_str().as_bytes());
        bytes.push(0);
        bytes.extend(change.digest.iter().flat_map(Digest::as_bytes));
    }
    let digest = Digest::of_bytes(&bytes).to_string();
    MessageId::from(digest.get(..20).unwrap_or(&digest))
}
