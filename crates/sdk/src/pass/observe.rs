//! Observe: what each candidate is now. The one place where discovery's terms become those of the
//! rules of change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::{
    Absence, Content as Found, Finding, Found as Seen, Look, Places, Selection, Why, imports, look,
    only_import,
};
use standing_orders_fs::{FileId, KnownVersion, Metadata};
use standing_orders_session::{CandidateState, Content, Digest, FileKey};

use super::cache::{Cache, CacheBuilder, Import, Known, More};
use super::guard::{Guard, KeptFiles};
use super::record::{CandidateRecord, Head, Share, SlotRecord, Source};
use super::targets::Targets;
use super::{Diagnostics, Pass};
use crate::settings::Imports;

/// What was found, and the files that the workspace does not show to this session.
pub(super) struct Observed {
    /// One after the other; their findings are numbered through.
    pub(super) looks: Vec<Look>,
    kept: KeptFiles,
    /// The files met, across all shares.
    files: HashMap<Identity, FileKey>,
    /// Texts that were made in this pass.
    made: Vec<String>,
}

/// The file, as far as can be told: without identities two places with one path still are one
/// file (P4).
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    File(FileId),
    Path(PathBuf),
}

/// One batch of probes, one of reads, or both in one trip.
pub(super) async fn observe(
    pass: &Pass<'_>,
    targets: &mut Targets<'_>,
    guard: &Guard,
    diagnostics: &mut Diagnostics,
) -> Observed {
    let look = look_at(pass, targets, 0).await;
    let kept = guard.found(&look, &pass.memory.guards, diagnostics);
    let mut observed = Observed { looks: vec![look], kept, files: HashMap::new(), made: Vec::new() };
    observed.fill(pass, &mut targets.shares, Some(&pass.memory.cache));
    observed
}

/// Looks at the places that were laid out since the last look, whose first finding gets this number.
async fn look_at(pass: &Pass<'_>, targets: &mut Targets<'_>, first: usize) -> Look {
    let cache = &pass.memory.cache;
    let mut known = vec![KnownVersion::Any; targets.probed.saturating_sub(first)];
    let mut knows = |finding: usize, version| {
        if let Some(known) = finding.checked_sub(first).and_then(|at| known.get_mut(at)) {
            *known = version;
        }
    };
    for share in &targets.shares {
        for candidate in share.slots.iter().flat_map(|slot| &slot.candidates) {
            if let Source::File(finding) = candidate.source {
                knows(finding, cache.version(share.number, &candidate.shown));
            }
        }
    }
    for (finding, share, shown) in std::mem::take(&mut targets.remembered) {
        knows(finding, cache.version(share, shown));
    }
    // Guarded files stand behind all others, and are probed only.
    let known = |finding: usize| known.get(finding).copied().unwrap_or(KnownVersion::Any);
    let look = look(pass.fs, &targets.places, &pass.deployment.settings.rules, known).await;
    targets.places = Places::new();
    targets.probed = first + look.findings().len();
    look
}

impl Observed {
    /// Looks at what was laid out since.
    pub(super) async fn more(&mut self, pass: &Pass<'_>, targets: &mut Targets<'_>) {
        if !targets.places.is_empty() {
            let first = self.looks.iter().map(|look| look.findings().len()).sum();
            let look = look_at(pass, targets, first).await;
            self.looks.push(look);
        }
        self.fill(pass, &mut targets.shares, Some(&pass.memory.cache));
    }

    /// The look that has the finding, and its number there.
    fn place_of(&self, finding: usize) -> Option<(&Look, usize)> {
        let mut number = finding;
        for look in &self.looks {
            match number.checked_sub(look.findings().len()) {
                Some(rest) => number = rest,
                None => return Some((look, number)),
            }
        }
        None
    }

    pub(super) fn finding(&self, finding: usize) -> Option<&Finding> {
        let (look, number) = self.place_of(finding)?;
        look.findings().get(number)
    }

    /// Whether nothing is there, surely.
    pub(super) fn is_absent(&self, finding: usize) -> bool {
        let found = self.finding(finding).map(|finding| &finding.found);
        matches!(found, Some(Seen::Absent(Absence::Missing)))
    }

    /// Of a path that is a directory.
    pub(super) fn directory(&self, finding: usize) -> Option<&Metadata> {
        let (look, number) = self.place_of(finding)?;
        look.directory(number)
    }

    /// A candidate with a text that was made in this pass.
    pub(super) fn made<'a>(&mut self, shown: &str, text: String) -> CandidateRecord<'a> {
        let digest = Digest::of_normalised(&text);
        self.made.push(text);
        let candidate = CandidateRecord::new(shown.to_owned(), Source::Made(self.made.len() - 1));
        let content = Content::Text { digest, trimmed: None };
        CandidateRecord {
            known: Some(Known::Text { digest, more: None }),
            state: CandidateState::Present { file: None, content },
            ..candidate
        }
    }

    /// The path that was looked at.
    pub(super) fn path(&self, finding: usize) -> Option<&Path> {
        let (look, number) = self.place_of(finding)?;
        look.path(number)
    }

    /// Reads what is due as text and was known by its version; whether anything was read.
    pub(super) async fn read_due(&mut self, pass: &Pass<'_>, shares: &mut [Share<'_>]) -> bool {
        let due = shares.iter().flat_map(|share| &share.slots).filter_map(|slot| slot.due_candidate());
        let missing: Vec<usize> = due
            .filter_map(|candidate| match candidate.source {
                Source::File(finding) if self.text(candidate).is_none() => Some(finding),
                Source::File(_) | Source::Text(_) | Source::Made(_) => None,
            })
            .collect();
        if missing.is_empty() {
            return false;
        }
        let mut first = 0;
        for look in &mut self.looks {
            let own: Vec<usize> = missing.iter().filter_map(|finding| finding.checked_sub(first)).collect();
            first += look.findings().len();
            look.read_more(pass.fs, &pass.deployment.settings.rules, &own).await;
        }
        for candidate in
            shares.iter_mut().flat_map(|share| &mut share.slots).flat_map(|slot| &mut slot.candidates)
        {
            if matches!(candidate.source, Source::File(finding) if missing.contains(&finding)) {
                candidate.known = None;
            }
        }
        self.fill(pass, shares, None);
        true
    }

    /// Writes the state of every candidate into its record. What is not read is known from `cache`, or
    /// from before.
    fn fill(&mut self, pass: &Pass<'_>, shares: &mut [Share<'_>], cache: Option<&Cache>) {
        let selection = pass.deployment.settings.rules.selection;
        let expands = pass.deployment.settings.imports == Imports::Expand;
        let compares = pass.deployment.has_rules();
        let mut files = std::mem::take(&mut self.files);
        for share in shares {
            let (number, workspace) = (share.number, share.is_workspace());
            let distinct = selection == Selection::AllDistinct;
            let rules = share.rules;
            let trims = workspace && (distinct || compares) || rules.is_some();
            for candidate in share.slots.iter_mut().flat_map(|slot| &mut slot.candidates) {
                let finding = match candidate.source {
                    Source::Text(text) => {
                        let digest = Digest::of_normalised(text);
                        candidate.known = Some(Known::Text { digest, more: None });
                        let content = Content::Text { digest, trimmed: None };
                        candidate.state = CandidateState::Present { file: None, content };
                        continue;
                    }
                    Source::Made(_) => continue,
                    Source::File(finding) => finding,
                };
                let Some(found) = self.finding(finding) else { continue };
                if let (Some(cache), Seen::Present { metadata, content: Found::Known }) =
                    (cache, &found.found)
                {
                    candidate.known = cache.get(number, &candidate.shown, metadata);
                }
                if let Some(text) = found.text() {
                    let text = text.as_str();
                    let rule = candidate.head.and_then(|head| head.read(text));
                    let text = rule.as_ref().map_or(text, |rule| rule.body(text));
                    let digest = if workspace { Digest::of(text) } else { Digest::of_normalised(text) };
                    let same =
                        matches!(candidate.known, Some(Known::Text { digest: known, .. }) if known == digest);
                    if !same {
                        let trimmed = trims.then(|| Digest::of_trimmed(text));
                        let imports = candidate.head.map_or(workspace, Head::imports) && expands;
                        let imports = if imports { imports_of(text) } else { Box::default() };
                        let more = More { trimmed, imports, rule };
                        let more = (more != More::default()).then(|| Arc::new(more));
                        candidate.known = Some(Known::Text { digest, more });
                    }
                }
                candidate.state = self.state(finding, found, candidate, workspace, &mut files);
                if !distinct
                    && workspace
                    && let CandidateState::Present { content: Content::Text { trimmed, .. }, .. } =
                        &mut candidate.state
                {
                    // It is known for rules to be compared with, and no sibling is.
                    *trimmed = None;
                }
            }
            share.slots.iter_mut().for_each(follow_pointer);
        }
        self.files = files;
    }

    fn state(
        &self,
        number: usize,
        finding: &Finding,
        candidate: &CandidateRecord<'_>,
        workspace: bool,
        files: &mut HashMap<Identity, FileKey>,
    ) -> CandidateState {
        let content = match &finding.found {
            Seen::Absent(Absence::Missing | Absence::Directory | Absence::Other) => {
                return CandidateState::Absent;
            }
            Seen::Failed(_) => return CandidateState::Unknown,
            Seen::Shadowed { .. } => Content::Unread,
            Seen::Present { content: Found::Unavailable(_), .. } => Content::Unavailable,
            Seen::Present { content: Found::Known | Found::Text(_), .. } => match &candidate.known {
                None | Some(Known::NotText) => Content::Unavailable,
                Some(Known::Text { digest, more }) => {
                    let trimmed = more.as_ref().and_then(|more| more.trimmed);
                    Content::Text { digest: *digest, trimmed }
                }
            },
        };
        let id = finding.metadata().and_then(|metadata| metadata.file);
        let path = self.path(number);
        let kept = workspace && self.kept.has(id, path);
        let by_path = || path.map(|path| Identity::Path(path.components().collect()));
        let next = FileKey(u32::try_from(files.len()).unwrap_or(u32::MAX));
        let file = id.map(Identity::File).or_else(by_path).map(|id| *files.entry(id).or_insert(next));
        let content = if kept { Content::Gated } else { content };
        CandidateState::Present { file, content }
    }

    /// The text of a candidate, if it is at hand.
    pub(super) fn text<'t>(&'t self, candidate: &CandidateRecord<'t>) -> Option<&'t str> {
        match candidate.source {
            Source::File(finding) => {
                let text = self.finding(finding)?.text()?.as_str();
                let rule = candidate.known.as_ref().and_then(Known::more).and_then(|more| more.rule.as_ref());
                Some(rule.map_or(text, |rule| rule.body(text)))
            }
            Source::Text(text) => Some(text),
            Source::Made(text) => self.made.get(text).map(String::as_str),
        }
    }

    /// The candidates that were read with other bytes than they have (D10, X2).
    pub(super) fn replaced_bytes<'s>(
        &'s self,
        shares: &'s [Share<'_>],
    ) -> impl Iterator<Item = &'s CandidateRecord<'s>> {
        let candidates = shares.iter().flat_map(|share| &share.slots).flat_map(|slot| &slot.candidates);
        candidates.filter(|candidate| match candidate.source {
            Source::File(finding) => {
                let text = self.finding(finding).and_then(Finding::text);
                text.is_some_and(|text| text.replaced().is_some())
            }
            Source::Text(_) | Source::Made(_) => false,
        })
    }

    /// What is known of each content, for the next pass (C13).
    pub(super) fn to_cache(&self, shares: &[Share<'_>]) -> Cache {
        let mut cache = CacheBuilder::default();
        for share in shares {
            for candidate in share.slots.iter().flat_map(|slot| &slot.candidates) {
                let Source::File(finding) = candidate.source else { continue };
                let Some(Seen::Present { metadata, content }) =
                    self.finding(finding).map(|finding| &finding.found)
                else {
                    continue;
                };
                let known = match content {
                    Found::Unavailable(Why::NotText) => Some(Known::NotText),
                    Found::Unavailable(_) => None,
                    Found::Known | Found::Text(_) => candidate.known.clone(),
                };
                if let Some(known) = known {
                    cache.push(share.number, &candidate.shown, metadata, known);
                }
            }
        }
        cache.finish()
    }

    /// The identities of guarded files, for when they cannot be probed.
    pub(super) fn guards(&self) -> super::guard::KnownGuards {
        self.kept.remember.clone()
    }
}

/// What a text imports, if anything.
fn imports_of(text: &str) -> Box<[Import]> {
    let all = imports(text);
    let is_all = all.len() == 1 && only_import(text).is_some();
    all.into_iter().map(|import| Import { line: import.line, target: import.target.into(), is_all }).collect()
}

/// A file that says no more than to read a sibling counts only where that is absent (M5).
fn follow_pointer(slot: &mut SlotRecord<'_>) {
    let is_there = |finding: usize| {
        let sibling =
            slot.candidates.iter().find(|other| matches!(other.source, Source::File(of) if of == finding));
        sibling.is_some_and(|sibling| sibling.state != CandidateState::Absent)
    };
    // All of them first: a sibling that points on is there too.
    let follows = |candidate: &CandidateRecord<'_>| candidate.points_at.filter(|finding| is_there(*finding));
    let followed: Vec<Option<usize>> = slot.candidates.iter().map(follows).collect();
    let Some(first) = followed.iter().position(Option::is_some) else { return };
    let is_last = |candidate: &CandidateRecord<'_>, points: Option<usize>| {
        points.is_none() && matches!(candidate.source, Source::File(of) if followed.contains(&Some(of)))
    };
    // The last one stands in the place of the first, before the names behind that.
    for (candidate, points) in slot.candidates.iter_mut().zip(&followed).skip(first) {
        if !is_last(candidate, *points) {
            candidate.state = CandidateState::Absent;
        }
    }
}

/// The selection as the rules of change name it.
pub(super) fn selection(settings: &crate::settings::Settings) -> standing_orders_session::Selection {
    match settings.rules.selection {
        Selection::First => standing_orders_session::Selection::First,
        Selection::AllDistinct => standing_orders_session::Selection::AllDistinct,
    }
}
