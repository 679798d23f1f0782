//! Rows: what became of each candidate (X1).

use std::sync::Arc;

use standing_orders_discovery::{Absence, Content, Found, Why};
use standing_orders_session::{CandidateState, Decision, Fit, RemovalReason, SessionHeader};

use super::Pass;
use super::cache::Known;
use super::observe::Observed;
use super::record::{CandidateRecord, Share, SlotRecord, Source};
use super::targets::Targets;
use crate::policy::Admission;
use crate::report::{Dir, Fate, Name, PlaceRows, Report, Row, Trigger};

/// The rows of every candidate, in order; then those of what the policy denies as a whole.
pub(super) fn rows(pass: &Pass<'_>, targets: &Targets<'_>, observed: &Observed) -> Vec<PlaceRows> {
    let mut places = Vec::new();
    for share in &targets.shares {
        let injector = u16::try_from(share.number).unwrap_or(u16::MAX);
        let view = View { pass, share, observed, injector };
        let (imports, listed): (Vec<_>, Vec<_>) =
            share.slots.iter().partition(|slot| slot.import.is_some() || !share.is_workspace());
        for directory in listed.chunk_by(|a, b| a.directory == b.directory) {
            view.directory(directory, &mut places);
        }
        imports.into_iter().for_each(|slot| view.instruction(slot, &mut places));
        view.removed_by_list(&mut places);
    }
    let withheld =
        |(dir, trigger, why): &(Dir, Trigger, Fate)| PlaceRows::single(dir.clone(), 0, *trigger, why.clone());
    places.extend(targets.withheld.iter().map(withheld));
    let injectors = (1..=pass.deployment.injectors.len()).filter_map(|number| u16::try_from(number).ok());
    for number in injectors {
        if pass.admissions.injector(usize::from(number)) == Some(Admission::Deny) {
            places.push(PlaceRows::single(Dir::None("".into()), number, Trigger::Wanted, Fate::Denied));
        }
    }
    places
}

/// One share, while its rows are written.
struct View<'v> {
    pass: &'v Pass<'v>,
    share: &'v Share<'v>,
    observed: &'v Observed,
    injector: u16,
}

impl View<'_> {
    /// The rows of one folder of the workspace.
    fn directory(&self, slots: &[&SlotRecord<'_>], places: &mut Vec<PlaceRows>) {
        let Some(first) = slots.first() else { return };
        let names = &self.pass.deployment.settings.rules.names;
        let mut rows = Vec::new();
        let mut gone = Vec::new();
        let probed = slots.iter().any(|slot| !slot.candidates.is_empty());
        let mut listed = 0_u16;
        for slot in slots {
            let listed_ones = slot.candidates.iter().filter(|candidate| !candidate.unlisted);
            for (at, candidate) in listed_ones.enumerate() {
                let name = match slot.scope.is_user_global() {
                    true => Name::UserGlobal,
                    false => Name::Listed(listed),
                };
                listed = listed.saturating_add(1);
                let fate = self.fate(slot, at, candidate);
                if fate != Fate::Absent || name == Name::UserGlobal {
                    rows.push(Row { name, fate, len: self.len(candidate) });
                }
            }
            for (at, candidate) in slot.candidates.iter().enumerate().filter(|(_, other)| other.unlisted) {
                gone.push(self.single(slot, at, candidate));
            }
            gone.extend(self.removed(slot));
        }
        let dir = match (first.scope.split(), self.pass.home) {
            (Some((dir, _)), _) => match self.pass.rooted {
                Some(rooted) => Dir::of(rooted, dir),
                None => Dir::Nested(dir.into()),
            },
            (None, home) => Dir::UserGlobal(home.map_or("", |home| &home.shown).into()),
        };
        if probed {
            let probed = usize::from(listed) == names.len() && !matches!(dir, Dir::UserGlobal(_));
            let (injector, trigger, rows) = (self.injector, first.trigger, rows.into());
            places.push(PlaceRows { dir, injector, trigger, probed, rows, imported_by: None });
        }
        places.append(&mut gone);
    }

    /// The row of one instruction of an injector.
    fn instruction(&self, slot: &SlotRecord<'_>, places: &mut Vec<PlaceRows>) {
        let candidates = slot.candidates.iter().enumerate();
        places.extend(candidates.map(|(at, candidate)| self.single(slot, at, candidate)));
        places.extend(self.removed(slot));
    }

    /// A row that stands for itself.
    fn single(&self, slot: &SlotRecord<'_>, at: usize, candidate: &CandidateRecord<'_>) -> PlaceRows {
        let fate = self.fate(slot, at, candidate);
        let rows = Box::new([Row { name: Name::Whole, fate, len: self.len(candidate) }]);
        let dir = Dir::None(candidate.shown.as_str().into());
        let imported_by = slot.import.as_deref().filter(|import| import.line > 0);
        let imported_by = imported_by.map(|import| Box::new((Arc::clone(&import.importer), import.line)));
        let (injector, trigger) = (self.injector, slot.trigger);
        PlaceRows { dir, injector, trigger, probed: false, rows, imported_by }
    }

    /// A row for a removal that no candidate stands for.
    fn removed(&self, slot: &SlotRecord<'_>) -> Option<PlaceRows> {
        let Decision::Remove { path, .. } = &slot.decision else { return None };
        let is_there = slot.candidates.iter().any(|candidate| candidate.shown == *path);
        let fate = self.due(slot, None)?;
        let dir = Dir::None(path.as_str().into());
        (!is_there).then(|| PlaceRows::single(dir, self.injector, Trigger::Visible, fate))
    }

    /// What a complete message's list removes, where no candidate stands for it; else its row says so.
    fn removed_by_list(&self, places: &mut Vec<PlaceRows>) {
        let at = self.pass.rooted.map_or("", |rooted| rooted.at());
        let names = &self.pass.deployment.settings.rules.names;
        for change in self.share.complete.iter().flat_map(|complete| &complete.removes) {
            let own = |place: &&mut PlaceRows| place.injector == self.injector;
            let known = places.iter_mut().filter(own).find_map(|place| {
                let (name, fate, _) =
                    place.all(names.len()).find(|(name, ..)| place.path(at, *name, names) == change.path)?;
                Some((place, name, fate))
            });
            let row = Row { name: Name::Whole, fate: Fate::Removed, len: None };
            match known {
                Some((place, name, Fate::Absent)) => {
                    let others = place.rows.iter().filter(|row| row.name != name).cloned();
                    place.rows = others.chain([Row { name, ..row }]).collect();
                }
                // Something took its place there, or it is there under rules that no longer list it.
                Some(_) => {}
                None => {
                    let dir = Dir::None(change.path.as_str().into());
                    places.push(PlaceRows::single(dir, self.injector, Trigger::Visible, Fate::Removed));
                }
            }
        }
    }

    fn len(&self, candidate: &CandidateRecord<'_>) -> Option<u64> {
        let Source::File(finding) = candidate.source else { return None };
        self.observed.finding(finding)?.metadata()?.len
    }

    fn fate(&self, slot: &SlotRecord<'_>, at: usize, candidate: &CandidateRecord<'_>) -> Fate {
        if let Some(dormant) = slot.dormant.as_deref().filter(|_| !slot.decision.is_due()) {
            return dormant.clone();
        }
        let found = match candidate.points_at {
            Some(sibling) if candidate.state == CandidateState::Absent => {
                let is_sibling = |other: &&CandidateRecord<'_>| matches!(other.source, Source::File(finding) if finding == sibling);
                let path = slot.candidates.iter().find(is_sibling).map_or("", |other| &other.shown);
                Fate::PointsAt(path.into())
            }
            _ => self.found(slot, candidate),
        };
        let by_content = slot.decision.content().is_some_and(|(due, _)| due == at);
        let by_path = matches!(&slot.decision, Decision::Remove { path, .. } if *path == candidate.shown);
        if let Some(due) = self.due(slot, Some(candidate)).filter(|_| by_content || by_path) {
            return due;
        }
        if found != Fate::Unchanged || slot.winner() != Some(at) {
            return found;
        }
        match &slot.decision {
            Decision::Frozen => Fate::Frozen,
            Decision::Blocked => Fate::Blocked,
            Decision::Gated => Fate::Gated,
            Decision::StillOmitted => Fate::StillOmitted,
            Decision::SuppressedByUnavailable => Fate::SuppressedByUnavailable,
            Decision::SuppressedBy { slot, one_file } => self.suppressed_by(*slot, *one_file),
            _ => found,
        }
    }

    /// What the observation alone says.
    fn found(&self, slot: &SlotRecord<'_>, candidate: &CandidateRecord<'_>) -> Fate {
        let Source::File(finding) = candidate.source else { return Fate::Unchanged };
        match self.observed.finding(finding).map(|finding| &finding.found) {
            None | Some(Found::Absent(Absence::Missing)) => Fate::Absent,
            Some(Found::Absent(Absence::Directory | Absence::Other)) => Fate::NotAFile,
            Some(Found::Failed(error)) => Fate::Unavailable(Arc::new(error.clone())),
            Some(Found::Present { .. } | Found::Shadowed { .. }) if slot.denied => Fate::Denied,
            Some(Found::Shadowed { .. }) => Fate::ShadowedBy(self.winner(slot).into()),
            Some(Found::Present { content: Content::Unavailable(why), .. }) => match why {
                Why::Unreadable(error) => Fate::Unavailable(Arc::new(error.clone())),
                Why::TooLarge { len, cap } => Fate::TooLarge { len: *len, cap: *cap },
                Why::NotText => Fate::NotText,
                _ => Fate::Changing,
            },
            Some(Found::Present { content: Content::Known | Content::Text(_), .. }) => {
                match candidate.known {
                    Some(Known::NotText) => Fate::NotText,
                    _ => Fate::Unchanged,
                }
            }
        }
    }

    /// What became of what is due.
    fn due(&self, slot: &SlotRecord<'_>, candidate: Option<&CandidateRecord<'_>>) -> Option<Fate> {
        let bytes = || {
            let text = candidate.and_then(|candidate| self.observed.text(candidate));
            text.map_or(0, |text| text.len() as u64)
        };
        if !slot.decision.is_due() {
            return None;
        }
        Some(match (slot.fit.unwrap_or(Fit::Waits), &slot.decision) {
            (Fit::Cut { from, to }, _) => Fate::Truncated { from: from as u64, to: to as u64 },
            (Fit::Omitted, _) => Fate::Omitted,
            (Fit::Waits, _) => Fate::Waits,
            (Fit::LeftOut, _) => Fate::LeftOut,
            (Fit::Dropped, _) => Fate::Unfit,
            (Fit::Whole, Decision::Replace { .. }) => Fate::Replaced { bytes: bytes() },
            (Fit::Whole, Decision::Remove { reason: RemovalReason::Gated, .. }) => Fate::Gated,
            (Fit::Whole, Decision::Remove { reason: RemovalReason::Gone, .. }) => Fate::Removed,
            (
                Fit::Whole,
                Decision::Remove { reason: RemovalReason::SuppressedBy { slot, one_file, .. }, .. },
            ) => self.suppressed_by(*slot, *one_file),
            (Fit::Whole, _) => Fate::Set { bytes: bytes() },
        })
    }

    /// The slot `by` shows the text.
    fn suppressed_by(&self, by: usize, one_file: bool) -> Fate {
        let path = self.share.slots.get(by).map_or("", |slot| self.winner(slot)).into();
        if one_file { Fate::SameFileAs(path) } else { Fate::DuplicateOf(path) }
    }

    fn winner<'s>(&self, slot: &'s SlotRecord<'_>) -> &'s str {
        let winner = slot.winner().and_then(|winner| slot.candidates.get(winner));
        winner.map_or("", |candidate| &candidate.shown)
    }
}

/// Traces what was decided, scope by scope (X1).
pub(crate) fn trace(report: &Report, header: &SessionHeader) {
    if !tracing::enabled!(target: "standing_orders", tracing::Level::DEBUG) {
        return;
    }
    let session = header.id();
    for problem in report.problems() {
        tracing::debug!(target: "standing_orders", session, "{problem}");
    }
    for entry in report.entries() {
        let (injector, path, trigger, fate) = (entry.injector, entry.path, entry.trigger, entry.fate);
        tracing::debug!(target: "standing_orders", session, %injector, path, %trigger, "{fate}");
    }
    let counts = report.counts();
    tracing::debug!(
        target: "standing_orders",
        session,
        probes = counts.probes,
        reads = counts.reads,
        bytes = counts.bytes,
        round_trips = counts.round_trips,
        "pass"
    );
}
