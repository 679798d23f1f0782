//! What became of each candidate (X1).

use standing_orders_discovery::{Absence, Content, Found, Look, Slot, Why};
use standing_orders_session::{Op, Outcome, Plan, PlannedItem, RemovalReason, Slot as ScopeSlot};

use super::cache::Known;
use super::message::{Delivery, ItemFate};
use super::seen::Contents;
use super::{Share, Start, Walked};
use crate::plugin::{Admission, Body};
use crate::report::{Code, Detail, Looked, Name, Report, Row};

/// Fills in a row a candidate, in order, and one for each removal that no candidate stands for.
pub(super) fn fill(
    report: &mut Report,
    start: &Start<'_>,
    look: &Look,
    contents: &Contents,
    walked: &Walked<'_, '_>,
) {
    report.injectors = std::iter::once(start.engine.workspace.clone())
        .chain(start.engine.injectors.iter().map(|injector| injector.id().clone()))
        .collect();
    let before = report.counts;
    let counts = look.counts();
    report.counts.probes = before.probes + counts.probes;
    report.counts.reads = before.reads + counts.reads;
    report.counts.bytes = before.bytes + counts.bytes;
    report.counts.round_trips = before.round_trips + counts.round_trips;
    report.text.clone_from(&walked.layout.text);
    rows(report, look, walked);
    known_not_text(report, look, contents);
    for (share, plan, delivery) in walked.rows() {
        outcomes(report, share, plan);
        if let Some(delivery) = delivery {
            items(report, look, walked, share, plan, delivery);
        }
    }
    denied(report, start, walked);
    if tracing::enabled!(target: "standing_orders", tracing::Level::DEBUG) {
        trace(report, start);
    }
}

fn rows(report: &mut Report, look: &Look, walked: &Walked<'_, '_>) {
    let layout = walked.layout;
    report.rows.reserve_exact(look.findings().len() + layout.wishes.len());
    report.places.reserve_exact(layout.dirs.len() + layout.wishes.len());
    let mut findings = look.findings().iter();
    let width = report.names.len();
    for dir in layout.dirs.iter().filter(|dir| dir.first.is_some()) {
        let first = dir.first.unwrap_or(0);
        for finding in findings.by_ref().take(if dir.user_global { 1 } else { width }) {
            let name = match dir.user_global {
                true => Name::USER_GLOBAL,
                false => Name::candidate(finding.candidate),
            };
            let slot = report.names.slot(finding.candidate).unwrap_or(Slot::Base);
            let fate = match finding.found {
                Found::Present { .. } | Found::Shadowed { .. } if !layout.allows(dir, slot) => Code::Denied,
                _ => found(report, &finding.found, first),
            };
            report.push(dir.shown, name, 0, dir.looked, fate);
        }
    }
    let (files, texts): (Vec<_>, Vec<_>) =
        layout.wishes.iter().partition(|wish| matches!(wish.instruction.body, Body::File(_)));
    for wish in files.iter().chain(&texts) {
        let fate = match wish.instruction.body {
            Body::Text(_) => Code::Unchanged,
            Body::File(_) => findings.next().map_or(Code::Absent, |finding| found(report, &finding.found, 0)),
        };
        let at = push_text(report, &wish.instruction.shown);
        report.push(at, Name::WHOLE, wish.injector, Looked::Wanted, fate);
    }
}

/// What was not read again because its version is known not to be text.
fn known_not_text(report: &mut Report, look: &Look, contents: &Contents) {
    for (number, finding) in look.findings().iter().enumerate() {
        let known = matches!(finding.found, Found::Present { content: Content::Known, .. });
        if known && contents.get(number) == Some(Known::NotText) {
            let code = report.detail(Detail::Unavailable(Why::NotText));
            if let Some(row) = report.rows.get_mut(number).filter(|row| row.fate == Code::Unchanged) {
                row.fate = code;
            }
        }
    }
}

/// A row for each place that the policy keeps from being looked at, and for each injector.
fn denied(report: &mut Report, start: &Start<'_>, walked: &Walked<'_, '_>) {
    for dir in walked.layout.dirs.iter().filter(|dir| dir.first.is_none()) {
        let nothing = [Slot::Base, Slot::Local].iter().all(|slot| !walked.layout.allows(dir, *slot));
        if nothing {
            let name = if dir.user_global { Name::USER_GLOBAL } else { Name::WHOLE };
            report.push(dir.shown, name, 0, dir.looked, Code::Denied);
        }
    }
    let injectors = 1..=start.engine.injectors.len();
    for number in injectors.filter(|number| start.admissions.injector(*number) == Some(Admission::Deny)) {
        report.push((0, 0), Name::WHOLE, number, Looked::Wanted, Code::Denied);
    }
}

fn push_text(report: &mut Report, text: &str) -> (u32, u32) {
    let start = u32::try_from(report.text.len()).unwrap_or(u32::MAX);
    report.text.push_str(text);
    (start, u32::try_from(report.text.len()).unwrap_or(u32::MAX))
}

fn found(report: &mut Report, found: &Found, first: u32) -> Code {
    match found {
        Found::Absent(Absence::Missing) => Code::Absent,
        Found::Absent(Absence::Directory | Absence::Other) => Code::NotAFile,
        Found::Failed(error) => report.detail(Detail::Failed(error.clone())),
        Found::Shadowed { by, .. } => Code::ShadowedBy(first + u32::try_from(*by).unwrap_or(0)),
        Found::Present { content: Content::Unavailable(why), .. } => {
            report.detail(Detail::Unavailable(why.clone()))
        }
        Found::Present { content: Content::Known | Content::Text(_), .. } => Code::Unchanged,
    }
}

/// The winner of each slot, by what the rules of change made of it.
fn outcomes(report: &mut Report, share: &Share<'_>, plan: &Plan) {
    for (slot, outcome) in share.slots.iter().zip(&plan.outcomes) {
        let code = match outcome {
            Outcome::Absent
            | Outcome::Unavailable
            | Outcome::Unchanged
            | Outcome::Enters
            | Outcome::Leaves => {
                continue;
            }
            Outcome::Frozen => Code::Frozen,
            Outcome::Blocked => Code::Blocked,
            Outcome::StillOmitted => Code::StillOmitted,
            Outcome::Held => Code::Held,
            Outcome::ShownBy { slot, one_file } => shown_by(report, share, *slot, *one_file),
        };
        // A row that says why nothing could be concluded tells more than that nothing could be.
        if let Some(row) = winner(report, slot).and_then(|row| report.rows.get_mut(row as usize))
            && row.fate == Code::Unchanged
        {
            row.fate = code;
        }
    }
}

/// That the slot `by` shows the text.
fn shown_by(report: &Report, share: &Share<'_>, by: u32, one_file: bool) -> Code {
    let row = share.slots.get(by as usize).and_then(|slot| winner(report, slot)).unwrap_or(u32::MAX);
    if one_file { Code::SameFileAs(row) } else { Code::DuplicateOf(row) }
}

/// The row of a slot's winner: the first that is neither absent nor shadowed.
fn winner(report: &Report, slot: &ScopeSlot<'_>) -> Option<u32> {
    let is_winner = |row: &u32| {
        let row = report.rows.get(*row as usize);
        row.is_some_and(|row| {
            !matches!(row.fate, Code::Absent | Code::NotAFile | Code::ShadowedBy(_)) && !failed(report, row)
        })
    };
    (slot.first..slot.first + slot.count).find(is_winner)
}

fn failed(report: &Report, row: &Row) -> bool {
    let Code::Detail(at) = row.fate else { return false };
    matches!(report.details.get(at as usize), Some(Detail::Failed(_)))
}

fn items(
    report: &mut Report,
    look: &Look,
    walked: &Walked<'_, '_>,
    share: &Share<'_>,
    plan: &Plan,
    delivery: &Delivery,
) {
    let listed = plan.items.iter().zip(&delivery.items);
    let later = plan.transitions.iter().zip(&delivery.transitions);
    for (item, fate) in listed.chain(later) {
        let bytes = item.candidate.and_then(|candidate| super::seen::text(walked.layout, look, candidate));
        let bytes = bytes.map_or(0, |text| text.len() as u64);
        let code = match (fate, &item.op) {
            (ItemFate::Whole, Op::Set { .. }) => report.detail(Detail::Set(bytes)),
            (ItemFate::Whole, Op::Replace { .. } | Op::LeftOut { .. }) => {
                report.detail(Detail::Replaced(bytes))
            }
            (ItemFate::Whole, Op::Remove { reason: RemovalReason::Gone }) => Code::Removed,
            (ItemFate::Whole, Op::Remove { reason: RemovalReason::ShownBy { slot, one_file, .. } }) => {
                shown_by(report, share, *slot, *one_file)
            }
            (ItemFate::Cut { from, to }, _) => report.detail(Detail::Truncated(*from as u64, *to as u64)),
            (ItemFate::Omitted, _) => Code::Omitted,
            (ItemFate::Waits, _) => Code::Waits,
            (ItemFate::LeftOut, _) => Code::LeftOut,
            (ItemFate::Unfit, _) => Code::Unfit,
        };
        mark(report, share, item, code);
    }
    let removes = plan.complete.iter().flat_map(|complete| &complete.removes);
    for change in removes {
        let named =
            |row: &Row| usize::from(row.injector) == share.number && report.is_named(row, &change.path);
        match report.rows.iter().position(named) {
            // Something took its place there, or it is there under rules that no longer list it.
            Some(row) => {
                if let Some(row) = report.rows.get_mut(row).filter(|row| row.fate == Code::Absent) {
                    row.fate = Code::Removed;
                }
            }
            None => extra(report, share, &change.path, Code::Removed),
        }
    }
}

fn mark(report: &mut Report, share: &Share<'_>, item: &PlannedItem, code: Code) {
    let by_path = || {
        let slot = share.slots.get(item.slot as usize)?;
        (slot.first..slot.first + slot.count)
            .find(|row| report.rows.get(*row as usize).is_some_and(|row| report.is_named(row, &item.path)))
    };
    match item.candidate.or_else(by_path).and_then(|row| usize::try_from(row).ok()) {
        Some(row) if row < report.rows.len() => {
            if let Some(row) = report.rows.get_mut(row) {
                row.fate = code;
            }
        }
        _ => extra(report, share, &item.path, code),
    }
}

/// A row for what is in view and has no candidate any more.
fn extra(report: &mut Report, share: &Share<'_>, path: &str, fate: Code) {
    let at = push_text(report, path);
    report.push(at, Name::WHOLE, share.number, Looked::Visible, fate);
}

fn trace(report: &Report, start: &Start<'_>) {
    let session = start.header.id();
    for problem in report.problems() {
        tracing::debug!(target: "standing_orders", session, "{problem}");
    }
    for entry in report.entries() {
        let (injector, path, looked, fate) = (entry.injector, entry.path, entry.looked, entry.fate);
        tracing::debug!(target: "standing_orders", session, %injector, path, %looked, "{fate}");
    }
    let counts = report.counts();
    tracing::debug!(
        target: "standing_orders",
        session,
        probes = counts.probes,
        reads = counts.reads,
        bytes = counts.bytes,
        round_trips = counts.round_trips,
        "looked"
    );
}
