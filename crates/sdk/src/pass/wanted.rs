//! What the injectors want (I2, I3, I6).

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, join_all, poll_fn, select};
use standing_orders_session::InjectorId;

use super::commit::Remembered;
use super::{Diagnostics, Pass};
use crate::budget::Budget;
use crate::injector::{
    Body, InjectError, InjectionContext, Injector, Instruction, InstructionId, RulesFolders, Wanted,
};
use crate::panic::panic_message;
use crate::policy::Admission;
use crate::report::Problem;
use crate::shown::in_shown_form;

/// What one injector comes to in this pass.
pub(super) enum Answer<'a> {
    /// Off, or nothing is known of its admission: what is in force stands.
    Stands,
    /// It failed: what is in force stands, and it is told of these touches again.
    Failed,
    /// Denied by policy: not asked, and nothing of it stands.
    Denied(Wants<'a>),
    /// Admitted, and wants these.
    Wants(Wants<'a>, Arc<[Instruction]>),
    /// Admitted, and wants what is due of these.
    Rules(Wants<'a>, &'a RulesFolders),
}

/// On which terms.
pub(super) struct Wants<'a> {
    /// Bytes a block.
    pub(super) budget: usize,
    /// The order of what goes (C10).
    pub(super) order: &'a [InstructionId],
}

/// Asks every injector, at once; one answer each, in order.
pub(super) async fn ask<'a>(pass: &Pass<'a>, diagnostics: &mut Diagnostics) -> Vec<Answer<'a>> {
    let deployment = pass.deployment;
    for id in pass.visible.injectors().filter(|id| !deployment.knows(id)) {
        if pass.visible.scopes(id).any(|entry| entry.state.is_in_force()) {
            diagnostics.problems.push(Problem::Unregistered { injector: id.clone() });
        }
    }
    let asking = (1..).zip(&deployment.injectors);
    let asking = asking.map(|(number, injector)| one(pass, number, injector.as_ref()));
    let mut answers = Vec::with_capacity(deployment.injectors.len());
    for (answer, problems) in join_all(asking).await {
        answers.push(answer);
        diagnostics.problems.extend(problems);
    }
    answers
}

/// What one injector comes to, and what to report of it. Whatever fails: what is in force stands (I6).
async fn one<'a>(pass: &Pass<'a>, number: usize, injector: &'a dyn Injector) -> (Answer<'a>, Vec<Problem>) {
    let mut problems = Vec::new();
    let answer = answer(pass, number, injector, &mut problems).await.unwrap_or_else(|problem| {
        problems.push(problem);
        Answer::Failed
    });
    (answer, problems)
}

async fn answer<'a>(
    pass: &Pass<'a>,
    number: usize,
    injector: &'a dyn Injector,
    problems: &mut Vec<Problem>,
) -> Result<Answer<'a>, Problem> {
    let settings = &pass.deployment.settings;
    let told = catch_unwind(AssertUnwindSafe(|| (injector.max_bytes(), injector.order())));
    let (own, order) = told.map_err(|panic| panicked(injector.id(), &*panic))?;
    let own = own.map_or(settings.max_bytes, Budget::from_bytes);
    let Some(own) = own.limit() else { return Ok(Answer::Stands) };
    let budget = match pass.admissions.injector(number) {
        None => return Ok(Answer::Stands),
        Some(Admission::Deny) => return Ok(Answer::Denied(Wants { budget: own, order })),
        Some(Admission::Allow) => own,
        Some(Admission::AllowWithin(bytes)) => usize::try_from(bytes.get()).unwrap_or(usize::MAX),
    };
    if let Some(rules) = injector.rules() {
        let wants = Wants { budget, order };
        return Ok(match injector.admits(pass.header, pass.mode) {
            true => Answer::Rules(wants, rules),
            false => Answer::Wants(wants, Arc::from([])),
        });
    }
    let nothing = Remembered::default();
    let remembered = pass.memory.injectors.get(number - 1).unwrap_or(&nothing);
    // What it was told when it failed, it has not heard.
    let again = remembered.missed.iter().filter(|path| !pass.touched.contains(path));
    let touched: Vec<PathBuf> = match remembered.missed.is_empty() {
        true => Vec::new(),
        false => again.chain(pass.touched).cloned().collect(),
    };
    let context = InjectionContext {
        header: pass.header,
        mode: pass.mode,
        root: pass.rooted.map(|rooted| rooted.root()),
        fs: pass.fs,
        touched: if remembered.missed.is_empty() { pass.touched } else { &touched },
        injector: injector.id(),
        visible: pass.visible,
        waiting: &remembered.waiting,
    };
    // Around all of it: dropping what ran out of time may panic too.
    let asked = AssertUnwindSafe(within(pass, injector, &context)).catch_unwind().await;
    let wanted = match asked.unwrap_or_else(|panic| Err(panicked(injector.id(), &*panic)))? {
        Wanted::Same => match &remembered.wanted {
            None => return Ok(Answer::Stands),
            Some(wanted) => wanted.clone(),
        },
        Wanted::These(wanted) => keepable(wanted, pass, injector.id(), problems).into(),
    };
    Ok(Answer::Wants(Wants { budget, order }, wanted))
}

/// What can be delivered of it: each id once, each heading on one line. Without a root there is
/// nothing for a relative path to be relative to.
fn keepable(
    mut wanted: Vec<Instruction>,
    pass: &Pass<'_>,
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
    if pass.rooted.is_none() {
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

/// Asks, with panics caught and time bounded (I6).
async fn within(
    pass: &Pass<'_>,
    injector: &dyn Injector,
    context: &InjectionContext<'_>,
) -> Result<Wanted, Problem> {
    let mut asking = pin!(AssertUnwindSafe(async { injector.wanted(context).await }).catch_unwind());
    let limit = pass.deployment.injector_timeout;
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

fn panicked(injector: &InjectorId, panic: &(dyn std::any::Any + Send)) -> Problem {
    let message = format!("panicked: {}", panic_message(panic));
    Problem::InjectorFailed { injector: injector.clone(), message }
}
