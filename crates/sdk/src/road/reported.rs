//! What became of each candidate (X1).

use standing_orders_discovery::{Absence, CandidateNames, Content, Found, Look, Slot, Why};
use standing_orders_session::{
    Op, Outcome, Plan, PlannedItem, RemovalReason, SessionHeader, Slot as ScopeSlot,
};

use super::cache::Known;
use super::message::{Delivery, ItemFate};
use super::seen::Contents;
use super::{Share, Start, Walked};
use crate::plugin::{Admission, Body};
use crate::report::{Code, Detail, Draft, Looked, Name, Problem, Report, Row};

/// Fills in a row a candidate, in order, and one for each removal that no candidate stands for.
pub(super) fn fill(
    report: &mut Draft,
    start: &Start<'_>,
    look: &Look,
    contents: &Contents,
    walked: &Walked<'_, '_>,
) {
    let before = report.counts;
    let counts = look.counts();
    report.counts.probes = before.probes + counts.probes;
    report.counts.reads = before.reads + counts.reads;
    report.counts.bytes = before.bytes + counts.bytes;
    report.counts.round_trips = before.round_trips + counts.round_trips;
    let names = &start.engine.settings.rules.names;
    let mut report = Filling { draft: report, names };
    report.draft.rows.text.clone_from(&walked.layout.text);
    rows(&mut report, look, walked);
    replaced_bytes(&mut report, look);
    known_not_text(&mut report, look, contents);
    for (share, plan, delivery) in walked.rows() {
        outcomes(&mut report, share, plan);
        if let Some(delivery) = delivery {
            items(&mut report, look, walked, share, plan, delivery);
        }
    }
    denied(&mut report, start, walked);
}

/// A draft, and the names that its rows speak of.
struct Filling<'r> {
    draft: &'r mut Draft,
    names: &'r CandidateNames,
}

impl Filling<'_> {
    fn row(&self, row: u32) -> Option<&Row> {
        self.draft.rows.list.get(row as usize)
    }

    fn set(&mut self, row: u32, fate: Code) {
        if let Some(row) = self.draft.rows.list.get_mut(row as usize) {
            row.fate = fate;
        }
    }

    /// Only where the fate so far is `known`.
    fn set_if(&mut self, row: u32, known: Code, fate: Code) {
        if self.row(row).is_some_and(|row| row.fate == known) {
            self.set(row, fate);
        }
    }

    fn is_named(&self, row: &Row, path: &str) -> bool {
        self.draft.rows.path(row, self.names) == *path
    }
}

fn rows(report: &mut Filling<'_>, look: &Look, walked: &Walked<'_, '_>) {
    let (layout, names) = (walked.layout, report.names);
    report.draft.rows.list.reserve_exact(look.findings().len() + layout.wishes.len());
    let mut findings = look.findings().iter();
    let width = names.len();
    for dir in layout.dirs.iter().filter(|dir| dir.first.is_some()) {
        let first = dir.first.unwrap_or(0);
        for finding in findings.by_ref().take(if dir.user_global { 1 } else { width }) {
            let name = match dir.user_global {
                true => Name::USER_GLOBAL,
                false => Name::candidate(finding.candidate),
            };
            let slot = names.slot(finding.candidate).unwrap_or(Slot::Base);
            let fate = match finding.found {
                Found::Present { .. } | Found::Shadowed { .. } if !layout.allows(dir, slot) => Code::Denied,
                _ => found(report, &finding.found, first),
            };
            report.draft.push(dir.shown, name, 0, dir.looked, fate);
        }
    }
    let (files, texts): (Vec<_>, Vec<_>) =
        layout.wishes.iter().partition(|wish| matches!(wish.instruction.body, Body::File(_)));
    for wish in files.iter().chain(&texts) {
        let fate = match wish.instruction.body {
            Body::Text(_) => Code::Unchanged,
            Body::File(_) => findings.next().map_or(Code::Absent, |finding| found(report, &finding.found, 0)),
        };
        let at = report.draft.rows.place(&wish.instruction.shown);
        report.draft.push(at, Name::WHOLE, wish.injector, Looked::Wanted, fate);
    }
}

/// What was read with other bytes than it has (D10, X2).
fn replaced_bytes(report: &mut Filling<'_>, look: &Look) {
    for (number, finding) in look.findings().iter().enumerate() {
        let replaced = finding.text().is_some_and(|text| text.replaced().is_some());
        if let (true, Some(row)) = (replaced, report.draft.rows.list.get(number)) {
            let path = report.draft.rows.path(row, report.names).to_string();
            report.draft.problems.push(Problem::ReplacedBytes { path });
        }
    }
}

/// What was not read again because its version is known not to be text.
fn known_not_text(report: &mut Filling<'_>, look: &Look, contents: &Contents) {
    for (number, finding) in look.findings().iter().enumerate() {
        let known = matches!(finding.found, Found::Present { content: Content::Known, .. });
        if known && contents.get(number) == Some(Known::NotText) {
            let code = report.draft.detail(Detail::Unavailable(Why::NotText));
            report.set_if(u32::try_from(number).unwrap_or(u32::MAX), Code::Unchanged, code);
        }
    }
}

/// A row for each place that the policy keeps from being looked at, and for each injector.
fn denied(report: &mut Filling<'_>, start: &Start<'_>, walked: &Walked<'_, '_>) {
    for dir in walked.layout.dirs.iter().filter(|dir| dir.first.is_none()) {
        if dir.excluded {
            report.draft.push(dir.shown, Name::WHOLE, 0, dir.looked, Code::Excluded);
            continue;
        }
        let nothing = [Slot::Base, Slot::Local].iter().all(|slot| !walked.layout.allows(dir, *slot));
        if nothing {
            let name = if dir.user_global { Name::USER_GLOBAL } else { Name::WHOLE };
            report.draft.push(dir.shown, name, 0, dir.looked, Code::Denied);
        }
    }
    let injectors = 1..=start.engine.injectors.len();
    for number in injectors.filter(|number| start.admissions.injector(*number) == Some(Admission::Deny)) {
        report.draft.push((0, 0), Name::WHOLE, number, Looked::Wanted, Code::Denied);
    }
}

fn found(report: &mut Filling<'_>, found: &Found, first: u32) -> Code {
    match found {
        Found::Absent(Absence::Missing) => Code::Absent,
        Found::Absent(Absence::Directory | Absence::Other) => Code::NotAFile,
        Found::Failed(error) => report.draft.detail(Detail::Failed(error.clone())),
        Found::Shadowed { by, .. } => Code::ShadowedBy(first + u32::try_from(*by).unwrap_or(0)),
        Found::Present { content: Content::Unavailable(why), .. } => {
            report.draft.detail(Detail::Unavailable(why.clone()))
        }
        Found::Present { content: Content::Known | Content::Text(_), .. } => Code::Unchanged,
    }
}

/// The winner of each slot, by what the rules of change made of it.
fn outcomes(report: &mut Filling<'_>, share: &Share<'_>, plan: &Plan) {
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
        if let Some(row) = winner(report, slot) {
            report.set_if(row, Code::Unchanged, code);
        }
    }
}

/// That the slot `by` shows the text.
fn shown_by(report: &Filling<'_>, share: &Share<'_>, by: u32, one_file: bool) -> Code {
    let row = share.slots.get(by as usize).and_then(|slot| winner(report, slot)).unwrap_or(u32::MAX);
    if one_file { Code::SameFileAs(row) } else { Code::DuplicateOf(row) }
}

/// The row of a slot's winner: the first that is neither absent nor shadowed.
fn winner(report: &Filling<'_>, slot: &ScopeSlot<'_>) -> Option<u32> {
    let is_winner = |row: &u32| {
        report.row(*row).is_some_and(|row| {
            !matches!(row.fate, Code::Absent | Code::NotAFile | Code::ShadowedBy(_)) && !failed(report, row)
        })
    };
    (slot.first..slot.first + slot.count).find(is_winner)
}

fn failed(report: &Filling<'_>, row: &Row) -> bool {
    let Code::Detail(at) = row.fate else { return false };
    matches!(report.draft.details.get(at as usize), Some(Detail::Failed(_)))
}

fn items(
    report: &mut Filling<'_>,
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
            (ItemFate::Whole, Op::Set { .. }) => report.draft.detail(Detail::Set(bytes)),
            (ItemFate::Whole, Op::Replace { .. } | Op::LeftOut { .. }) => {
                report.draft.detail(Detail::Replaced(bytes))
            }
            (ItemFate::Whole, Op::Remove { reason: RemovalReason::Gone }) => Code::Removed,
            (ItemFate::Whole, Op::Remove { reason: RemovalReason::ShownBy { slot, one_file, .. } }) => {
                shown_by(report, share, *slot, *one_file)
            }
            (ItemFate::Cut { from, to }, _) => {
                report.draft.detail(Detail::Truncated(*from as u64, *to as u64))
            }
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
        match report.draft.rows.list.iter().position(named) {
            // Something took its place there, or it is there under rules that no longer list it.
            Some(row) => report.set_if(u32::try_from(row).unwrap_or(u32::MAX), Code::Absent, Code::Removed),
            None => extra(report, share, &change.path, Code::Removed),
        }
    }
}

fn mark(report: &mut Filling<'_>, share: &Share<'_>, item: &PlannedItem, code: Code) {
    let by_path = || {
        let slot = share.slots.get(item.slot as usize)?;
        (slot.first..slot.first + slot.count)
            .find(|row| report.row(*row).is_some_and(|row| report.is_named(row, &item.path)))
    };
    match item.candidate.or_else(by_path).filter(|row| report.row(*row).is_some()) {
        Some(row) => report.set(row, code),
        None => extra(report, share, &item.path, code),
    }
}

/// A row for what is in view and has no candidate any more.
fn extra(report: &mut Filling<'_>, share: &Share<'_>, path: &str, fate: Code) {
    let at = report.draft.rows.place(path);
    report.draft.push(at, Name::WHOLE, share.number, Looked::Visible, fate);
}

/// Tells what was decided, scope by scope (X1).
pub(crate) fn trace(report: &Report, header: &SessionHeader) {
    if !tracing::enabled!(target: "standing_orders", tracing::Level::DEBUG) {
        return;
    }
    let session = header.id();
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
