//! What each candidate is now (D3 to D8, D12).

use std::path::Path;

use standing_orders_fs::{
    FileKind, FsError, FsProvider, KnownVersion, Metadata, PathBatch, PlannedRead, Probe, Probed, ReadPlan,
};

use crate::finding::{Absence, Content, Finding, Found, Why};
use crate::{Places, Rules, Selection, Slot, read};

/// What was asked of the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Paths probed.
    pub probes: usize,
    /// Paths read, successfully or not.
    pub reads: usize,
    /// Bytes of the files read.
    pub bytes: u64,
    /// Batches, one after the other.
    pub round_trips: usize,
}

/// One look at a list of places: a finding for every candidate of every place, in order.
///
/// A flat table: place by place, in each the candidates in list order.
#[derive(Clone, Debug)]
pub struct Look {
    pub(crate) paths: PathBatch,
    pub(crate) findings: Vec<Finding>,
    /// Of the single files that are directories.
    pub(crate) directories: Vec<(usize, Metadata)>,
    pub(crate) counts: Counts,
}

/// What a provider that answers too little is taken to have said about `path`.
pub(crate) fn no_answer(path: &Path) -> FsError {
    FsError::other(path, "the provider gave no answer for this path")
}

/// Looks at every candidate of `places`.
///
/// `known` is asked, by the index that the candidate's finding will have, which content of it the caller
/// already knows (C13). A file that still has that version is not read.
///
/// # Behavior
/// - All probes are one batch, then all reads one (D12), or both together where the provider can.
///   More batches of reads follow only for what the provider put off, and for other paths to a file
///   whose read failed.
/// - A directory, a link to one, a FIFO, a dangling link: absent (D7, P2). A failed probe says nothing
///   of its candidate, which is skipped alone: the next name may win (D7).
/// - [`Selection::First`]: in each slot only the first regular file counts; the others are
///   [`Found::Shadowed`] and not read (D4). It keeps its slot when it turns out unavailable (D7).
/// - [`Selection::AllDistinct`]: every regular file counts (D5).
/// - A file that is too large by its reported size is not opened (D8), known or not.
/// - Two paths to one file ([`Metadata::file`](standing_orders_fs::Metadata::file)) share one read. A fault of reading belongs to the path
///   asked for; the other paths to that file are then read themselves (D9).
/// - Dropping the future cancels and leaves no trace.
///
/// ```
/// # use std::path::Path;
/// use standing_orders_discovery::{Found, Places, Rules, look};
/// use standing_orders_fs::{KnownVersion, MemoryFs};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let fs = MemoryFs::new();
/// fs.write("/ws/AGENTS.md", "one");
/// fs.write("/ws/CLAUDE.md", "two");
/// let mut places = Places::new();
/// places.push_directory(Path::new("/ws"));
///
/// let look = look(&fs, &places, &Rules::default(), |_| KnownVersion::Nothing).await;
/// assert_eq!(look.findings()[0].text().map(|text| text.as_str()), Some("one"));
/// assert!(matches!(look.findings()[1].found, Found::Shadowed { by: 0, .. }));
/// assert_eq!(look.counts().reads, 1, "a shadowed file is not read");
/// # }
/// ```
pub async fn look<F>(fs: &dyn FsProvider, places: &Places<'_>, rules: &Rules, known: F) -> Look
where
    F: Fn(usize) -> KnownVersion,
{
    let paths = places.candidates(&rules.names).build();
    if paths.is_empty() {
        let counts = Counts::default();
        return Look { paths, findings: Vec::new(), directories: Vec::new(), counts };
    }
    let cap = rules.max_source_bytes.get();
    let plan = ReadPlan::new(planned(places, rules, &known), cap);
    let counts = Counts { probes: paths.len(), round_trips: 1, ..Counts::default() };
    let Probed { probes, reads } = fs.probe_and_read(&paths, &plan).await;
    let mut look = Look { findings: Vec::with_capacity(paths.len()), paths, directories: Vec::new(), counts };
    let wanted = look.judge(probes, places, rules, &plan);
    read::read(&mut look, fs, cap, wanted, reads).await;
    look
}

/// A row a candidate: under [`Selection::First`] those of one slot compete.
fn planned(places: &Places<'_>, rules: &Rules, known: &impl Fn(usize) -> KnownVersion) -> Vec<PlannedRead> {
    let mut rows = Vec::with_capacity(places.widths(&rules.names).sum());
    let mut group = 0;
    for width in places.widths(&rules.names) {
        for candidate in 0..width {
            // The names of one slot stand together.
            let slot = |candidate| rules.names.slot(candidate).filter(|_| width > 1);
            let before = candidate.checked_sub(1).map(slot);
            if rules.selection == Selection::AllDistinct || before != Some(slot(candidate)) {
                group += 1;
            }
            rows.push(PlannedRead { group, known: known(rows.len()) });
        }
    }
    rows
}

impl Look {
    /// One finding a candidate, in order.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The path that the finding at `index` is about, as it was looked at.
    pub fn path(&self, index: usize) -> Option<&Path> {
        self.paths.get(index)
    }

    /// What the probe said of a single file ([`Places::push_file`]) that is a directory.
    pub fn directory(&self, index: usize) -> Option<&Metadata> {
        let at = self.directories.binary_search_by_key(&index, |(known, _)| *known).ok()?;
        self.directories.get(at).map(|(_, metadata)| metadata)
    }

    /// The findings of one place, each with its index.
    pub fn of_place(&self, place: usize) -> impl Iterator<Item = (usize, &Finding)> {
        let start = self.findings.partition_point(|finding| finding.place < place);
        let findings = self.findings.iter().enumerate().skip(start);
        findings.take_while(move |(_, finding)| finding.place == place)
    }

    /// What all of it cost, [`read_more`](Self::read_more) included.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Reads those of the findings at `which` whose content is [`Content::Known`], when their text is
    /// needed after all. In one batch, under the same rules as [`look`]; a file that this look has
    /// read already is not read again. Indices of other findings, and of none, are passed over.
    ///
    /// Dropping the future cancels: each finding is then as before, or read.
    pub async fn read_more(&mut self, fs: &dyn FsProvider, rules: &Rules, which: &[usize]) {
        let known = |&index: &usize| {
            let finding = self.findings.get(index);
            finding.is_some_and(|f| matches!(f.found, Found::Present { content: Content::Known, .. }))
        };
        let mut wanted: Vec<_> = which.iter().copied().filter(known).collect();
        wanted.sort_unstable();
        wanted.dedup();
        read::read(self, fs, rules.max_source_bytes.get(), wanted, Vec::new()).await;
    }

    /// Turns probes into findings; what is to be read is left `Known`, and returned.
    fn judge(
        &mut self,
        answers: Vec<Result<Probe, FsError>>,
        places: &Places<'_>,
        rules: &Rules,
        plan: &ReadPlan,
    ) -> Vec<usize> {
        let mut wanted = Vec::new();
        let mut answers = answers.into_iter();
        let (mut picker, cap) = (plan.picker(), rules.max_source_bytes.get());
        for (place, width) in places.widths(&rules.names).enumerate() {
            let (mut base, mut local) = (None, None);
            for candidate in 0..width {
                let index = self.findings.len();
                let leader = match (rules.selection, rules.names.slot(candidate)) {
                    (Selection::AllDistinct, _) => &mut None,
                    (Selection::First, Some(Slot::Local)) => &mut local,
                    (Selection::First, _) => &mut base,
                };
                let missing = || Err(no_answer(self.paths.get(index).unwrap_or(Path::new(""))));
                let found = match (answers.next().unwrap_or_else(missing), *leader) {
                    (Err(error), _) => Found::Failed(error),
                    (Ok(Probe::Absent), _) => Found::Absent(Absence::Missing),
                    (Ok(Probe::Present(metadata)), leads) => match (metadata.kind, leads) {
                        (FileKind::Directory, _) => {
                            if width == 1 {
                                self.directories.push((index, metadata));
                            }
                            Found::Absent(Absence::Directory)
                        }
                        (FileKind::Other, _) => Found::Absent(Absence::Other),
                        (FileKind::File, Some(by)) => Found::Shadowed { by, metadata },
                        (FileKind::File, None) => {
                            *leader = Some(candidate);
                            let content = match metadata.len {
                                Some(len) if len > cap => Content::Unavailable(Why::TooLarge { len, cap }),
                                _ => Content::Known,
                            };
                            if picker.wants(index, &metadata) {
                                wanted.push(index);
                            }
                            Found::Present { metadata, content }
                        }
                    },
                };
                self.findings.push(Finding { place, candidate, found });
            }
        }
        wanted
    }
}
