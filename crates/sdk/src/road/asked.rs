//! Which injectors are admitted, and what they want (I2, I3, I6).

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, join_all, poll_fn, select};
use standing_orders_discovery::path::{shown, unshown};
use standing_orders_session::{InjectorId, ScopeRef, SessionHeader, Slot, Zone};

use super::layout::{Layout, WorkspaceParts};
use super::{Remembered, Share, Start, Walked};
use crate::engine::Parts;
use crate::plugin::{
    Admission, AdmissionRequest, Body, InjectError, InjectionContext, Injector, Instruction, InstructionId,
    Part, Wanted,
};
use crate::report::{Draft, Problem};
use crate::settings::Budget;

/// The answers of the policy for one mode: asked once per instance and mode (I2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Admissions {
    pub(crate) mode: Option<Box<str>>,
    parts: WorkspaceParts,
    within: Option<NonZeroU64>,
    injectors: Vec<Admission>,
    /// The policy failed: nothing is known, so everything stands as it is.
    unknown: bool,
}

impl Admissions {
    /// Of a policy that could not say: nothing is looked at, and what is in view stays.
    pub(crate) fn unknown() -> Self {
        let parts = WorkspaceParts::default();
        Self { mode: None, parts, within: None, injectors: Vec::new(), unknown: true }
    }

    /// Asks the policy; a panic of its own is contained (C14).
    pub(crate) fn ask(engine: &Parts, header: &SessionHeader, mode: Option<&str>) -> Result<Self, Problem> {
        let asking = AssertUnwindSafe(|| Self::answers(engine, header, mode));
        catch_unwind(asking).map_err(|panic| Problem::PolicyFailed { message: said(&*panic).to_owned() })
    }

    fn answers(engine: &Parts, header: &SessionHeader, mode: Option<&str>) -> Self {
        let ask = |injector: &InjectorId, part, max_bytes| {
            engine.policy.admit(&AdmissionRequest::new(header, injector, part, max_bytes).in_mode(mode))
        };
        let workspace = engine.settings.max_bytes;
        let mut within: Option<NonZeroU64> = None;
        let mut part = |part| {
            let answer = ask(&engine.workspace, part, workspace);
            if let Admission::AllowWithin(bytes) = answer {
                within = Some(within.map_or(bytes, |known| known.min(bytes)));
            }
            answer.is_allowed()
        };
        let parts = WorkspaceParts {
            user_global: part(Part::UserGlobal),
            base: part(Part::Base),
            local: part(Part::Local),
            nested: part(Part::Nested),
        };
        let injectors = engine.injectors.iter().map(|injector| {
            // One that cannot say is reported when it is asked what it wants.
            let own = catch_unwind(AssertUnwindSafe(|| injector.max_bytes())).ok().flatten();
            ask(injector.id(), Part::Gated, own.map_or(workspace, Budget::from_bytes))
        });
        let injectors = injectors.collect();
        Self { mode: mode.map(Box::from), parts, within, injectors, unknown: false }
    }

    /// Whether the policy could not say.
    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// The workspace's budget, where its own is this.
    pub(crate) fn budget(&self, own: Budget) -> Budget {
        match (own, self.within) {
            (Budget::Off, _) | (_, None) => own,
            (Budget::Bytes(_), Some(within)) => Budget::Bytes(within),
        }
    }

    /// The workspace's budget and parts, unless it is off.
    pub(crate) fn workspace(&self, own: Budget) -> Option<(usize, WorkspaceParts)> {
        if self.unknown {
            return None;
        }
        Some((self.budget(own).limit()?, self.parts))
    }

    /// `None`: nothing is known.
    pub(super) fn injector(&self, number: usize) -> Option<Admission> {
        (!self.unknown).then(|| self.injectors.get(number - 1).copied().unwrap_or(Admission::Deny))
    }
}

/// What one injector comes to in this pre-step.
enum Answer<'a> {
    /// Off, or nothing is known of its admission: what is in force stands.
    Stands,
    /// It could not say: what is in force stands, and it is told of these touches again.
    Failed,
    /// Denied by policy: not asked, and nothing of it stands.
    Denied(usize, &'a [InstructionId]),
    /// These, within this many bytes; and the order of what goes.
    Wants(usize, Arc<[Instruction]>, &'a [InstructionId]),
}

/// What every injector wants, by its number less one.
#[derive(Default)]
pub(super) struct Asked<'a> {
    answers: Vec<Answer<'a>>,
}

impl<'a> Asked<'a> {
    pub(super) async fn ask(start: &Start<'a>, report: &mut Draft) -> Self {
        let engine = start.engine;
        for id in start.visible.injectors().filter(|id| !engine.knows(id)) {
            if start.visible.scopes(id).any(|entry| entry.state.is_in_force()) {
                report.problems.push(Problem::Unregistered { injector: id.clone() });
            }
        }
        if engine.injectors.is_empty() {
            return Self::default();
        }
        let asking =
            (1..).zip(&engine.injectors).map(|(number, injector)| one(start, number, injector.as_ref()));
        let mut answers = Vec::with_capacity(engine.injectors.len());
        for (answer, problems) in join_all(asking).await {
            answers.push(answer);
            report.problems.extend(problems);
        }
        Self { answers }
    }

    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }

    /// What each injector wants, with its number.
    pub(super) fn instructions(&self) -> impl Iterator<Item = (usize, &[Instruction])> {
        (1..).zip(&self.answers).filter_map(|(number, answer)| match answer {
            Answer::Wants(_, instructions, _) => Some((number, &**instructions)),
            Answer::Stands | Answer::Failed | Answer::Denied(..) => None,
        })
    }

    /// The shares of the injectors that are not standing still.
    pub(super) fn shares<'l>(&self, start: &Start<'l>, layout: &'l Layout<'_>, shares: &mut Vec<Share<'l>>) {
        let mut wishes = layout.wishes.iter().peekable();
        for ((number, answer), injector) in (1..).zip(&self.answers).zip(&start.engine.injectors) {
            let (Answer::Wants(budget, _, order) | Answer::Denied(budget, order)) = answer else { continue };
            let rank = |id: &str, or: usize| {
                order.iter().position(|known| **known == *id).unwrap_or(order.len() + or)
            };
            let mut slots: Vec<(usize, Slot<'l>)> = Vec::new();
            while let Some(wish) = wishes.next_if(|wish| wish.injector == number) {
                let scope = ScopeRef::parse(&wish.instruction.id);
                let slot = Slot { scope, zone: Zone::Chain, directory: 0, first: wish.candidate, count: 1 };
                slots.push((rank(&wish.instruction.id, slots.len()), slot));
            }
            // What is in force and no longer wanted has a slot without candidates.
            let wanted: HashMap<ScopeRef<'_>, ()> = slots.iter().map(|(_, slot)| (slot.scope, ())).collect();
            let in_force = start.visible.scopes(injector.id()).filter(|entry| entry.state.is_in_force());
            let mut leftovers: Vec<_> = in_force.filter(|entry| !wanted.contains_key(&entry.scope)).collect();
            leftovers.sort_by_key(|entry| entry.order);
            for entry in leftovers {
                let slot = Slot { scope: entry.scope, zone: Zone::Chain, directory: 0, first: 0, count: 0 };
                let rank = rank(entry.scope.to_scope().as_str(), slots.len());
                slots.push((rank, slot));
            }
            slots.sort_by_key(|(rank, _)| *rank);
            let slots: Vec<_> =
                (0_u32..).zip(slots).map(|(directory, (_, slot))| Slot { directory, ..slot }).collect();
            shares.push(Share { number, id: injector.id(), budget: *budget, slots });
        }
    }

    /// What the instance remembers of each injector once the step has entered.
    pub(super) fn remember(&self, start: &Start<'_>, walked: &Walked<'_, '_>) -> Vec<Remembered> {
        let mut rows = walked.rows().peekable();
        let remembered = (1..).zip(&self.answers).map(|(number, answer)| match answer {
            Answer::Stands => start.memory.injectors.get(number - 1).cloned().unwrap_or_default(),
            Answer::Failed => {
                let mut known = start.memory.injectors.get(number - 1).cloned().unwrap_or_default();
                let new = start.touched.iter().filter(|path| !known.missed.contains(path)).cloned();
                known.missed = known.missed.iter().cloned().chain(new.collect::<Vec<_>>()).collect();
                known
            }
            // It was not asked: what it wanted before is what it wants when it is admitted again.
            Answer::Denied(..) => {
                let known = start.memory.injectors.get(number - 1);
                let wanted = known.and_then(|known| known.wanted.clone());
                Remembered { wanted, ..Remembered::default() }
            }
            Answer::Wants(_, instructions, _) => {
                while rows.next_if(|(share, ..)| share.number < number).is_some() {}
                let share = rows.next_if(|(share, ..)| share.number == number);
                let waiting = share.into_iter().flat_map(|(share, plan, delivery)| {
                    let open = Walked::unanswered(start.visible, share, plan, delivery);
                    open.map(|slot| Arc::from(slot.scope.to_scope().as_str())).collect::<Vec<_>>()
                });
                Remembered {
                    wanted: Some(instructions.clone()),
                    waiting: waiting.collect(),
                    missed: Vec::new(),
                }
            }
        });
        remembered.collect()
    }
}

/// What one injector comes to, and what to report of it. Whatever fails: what is in force stands (I6).
async fn one<'a>(start: &Start<'a>, number: usize, injector: &'a dyn Injector) -> (Answer<'a>, Vec<Problem>) {
    let mut problems = Vec::new();
    let answer = answer(start, number, injector, &mut problems).await.unwrap_or_else(|problem| {
        problems.push(problem);
        Answer::Failed
    });
    (answer, problems)
}

async fn answer<'a>(
    start: &Start<'a>,
    number: usize,
    injector: &'a dyn Injector,
    problems: &mut Vec<Problem>,
) -> Result<Answer<'a>, Problem> {
    let settings = &start.engine.settings;
    let told = catch_unwind(AssertUnwindSafe(|| (injector.max_bytes(), injector.order())));
    let (own, order) = told.map_err(|panic| panicked(injector.id(), &*panic))?;
    let own = own.map_or(settings.max_bytes, Budget::from_bytes);
    let Some(own) = own.limit() else { return Ok(Answer::Stands) };
    let budget = match start.admissions.injector(number) {
        None => return Ok(Answer::Stands),
        Some(Admission::Deny) => return Ok(Answer::Denied(own, order)),
        Some(Admission::Allow) => own,
        Some(Admission::AllowWithin(bytes)) => usize::try_from(bytes.get()).unwrap_or(usize::MAX),
    };
    let nothing = Remembered::default();
    let remembered = start.memory.injectors.get(number - 1).unwrap_or(&nothing);
    // What it was told when it failed, it has not heard.
    let again = remembered.missed.iter().filter(|path| !start.touched.contains(path));
    let touched: Vec<PathBuf> = match remembered.missed.is_empty() {
        true => Vec::new(),
        false => again.chain(start.touched).cloned().collect(),
    };
    let context = InjectionContext {
        header: start.header,
        mode: start.mode,
        root: start.rooted.map(|rooted| rooted.root()),
        fs: start.fs,
        touched: if remembered.missed.is_empty() { start.touched } else { &touched },
        injector: injector.id(),
        visible: start.visible,
        waiting: &remembered.waiting,
    };
    // Around all of it: dropping what ran out of time may panic too.
    let asked = AssertUnwindSafe(within(start, injector, &context)).catch_unwind().await;
    let wanted = match asked.unwrap_or_else(|panic| Err(panicked(injector.id(), &*panic)))? {
        Wanted::Same => match &remembered.wanted {
            None => return Ok(Answer::Stands),
            Some(wanted) => wanted.clone(),
        },
        Wanted::These(wanted) => keepable(wanted, start, injector.id(), problems).into(),
    };
    Ok(Answer::Wants(budget, wanted, order))
}

/// What can be delivered of it: each id once, each heading on one line. Without a root there is
/// nothing for a relative path to be relative to.
fn keepable(
    mut wanted: Vec<Instruction>,
    start: &Start<'_>,
    injector: &InjectorId,
    problems: &mut Vec<Problem>,
) -> Vec<Instruction> {
    let mut known = HashSet::with_capacity(wanted.len());
    wanted.retain(|instruction| {
        let first = known.insert(instruction.id.clone());
        if !first {
            let (injector, id) = (injector.clone(), instruction.id.clone());
            problems.push(Problem::DuplicateInstruction { injector, id });
        }
        first
    });
    if start.rooted.is_none() {
        wanted.retain(|instruction| match &instruction.body {
            Body::File(path) if path.is_relative() => {
                tracing::debug!(%injector, path = %path.display(), "no root: relative file not looked at");
                false
            }
            Body::File(_) | Body::Text(_) => true,
        });
    }
    for instruction in &mut wanted {
        if let Some(shown) = in_shown_form(&instruction.shown) {
            instruction.shown = shown.into();
        }
    }
    wanted
}

/// The shown form of a text that is to stand in a heading, where it is not in it already (D11).
pub(crate) fn in_shown_form(text: &str) -> Option<String> {
    let is_shown = unshown(text).is_ok_and(|path| shown(&path).to_string() == text);
    (!is_shown).then(|| shown(Path::new(text)).to_string())
}

/// Asks, with panics and time contained (I6).
async fn within(
    start: &Start<'_>,
    injector: &dyn Injector,
    context: &InjectionContext<'_>,
) -> Result<Wanted, Problem> {
    let mut asking = pin!(AssertUnwindSafe(async { injector.wanted(context).await }).catch_unwind());
    let limit = start.engine.injector_timeout;
    // Most answer at once, and need no timer.
    let answer = match poll_fn(|task| Poll::Ready(asking.as_mut().poll(task))).await {
        Poll::Ready(answer) => answer,
        Poll::Pending => match limit.and_then(|after| Some((after, timer(after)?))) {
            None => asking.await,
            Some((after, timer)) => match select(asking, pin!(timer)).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => {
                    return Err(Problem::InjectorTimedOut { injector: injector.id().clone(), after });
                }
            },
        },
    };
    match answer {
        Ok(Ok(wanted)) => Ok(wanted),
        Ok(Err(error)) => Err(failed(injector.id(), &error)),
        Err(panic) => Err(panicked(injector.id(), &*panic)),
    }
}

/// The limit is on the runtime's clock: without a runtime, or in one that was built without its
/// timer, there is none to keep it. Tokio says the latter by a panic only.
fn timer(after: Duration) -> Option<tokio::time::Sleep> {
    tokio::runtime::Handle::try_current().ok()?;
    catch_unwind(|| tokio::time::sleep(after)).ok()
}

fn failed(injector: &InjectorId, error: &InjectError) -> Problem {
    Problem::InjectorFailed { injector: injector.clone(), message: error.to_string() }
}

fn panicked(injector: &InjectorId, panic: &(dyn Any + Send)) -> Problem {
    let message = format!("panicked: {}", said(panic));
    Problem::InjectorFailed { injector: injector.clone(), message }
}

/// What a panic said.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let said = panic.downcast_ref::<&str>().copied();
    said.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
