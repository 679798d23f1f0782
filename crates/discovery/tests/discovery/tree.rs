//! A tree from one readable string, over the memory provider: it keeps what it is asked, and answers
//! as a strange provider would where a test says so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use async_trait::async_trait;
use standing_orders_discovery::{Content, Found, Look, Places, Rules, Selection, Why, look};
use standing_orders_fs::{
    Fault, FaultKind, FsError, FsProvider, KnownVersion, MemoryFs, Metadata, PathBatch, Probe, ReadOutcome,
};

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) fs: MemoryFs,
    /// Each batch of probes, and of reads.
    pub(crate) probes: Mutex<Vec<Vec<PathBuf>>>,
    pub(crate) reads: Mutex<Vec<Vec<PathBuf>>>,
    pub(crate) strange: Strange,
    before_reads: Mutex<Option<BeforeReads>>,
}

struct BeforeReads(Box<dyn FnOnce(&MemoryFs) + Send>);

impl std::fmt::Debug for BeforeReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BeforeReads")
    }
}

/// How the answers differ from the memory provider's.
#[derive(Debug, Default)]
pub(crate) struct Strange {
    /// Reads that one batch answers; the others are put off.
    pub(crate) reads_at_once: Option<usize>,
    /// The size that probes report for a path; `None` for none.
    pub(crate) sizes: HashMap<PathBuf, Option<u64>>,
    /// No identities.
    pub(crate) no_identity: bool,
    /// No versions.
    pub(crate) no_version: bool,
    /// Probes are unsettled.
    pub(crate) unsettled: bool,
    /// The batch gets only this many answers.
    pub(crate) answers: Option<usize>,
}

impl Tree {
    /// One entry a line: `PATH/` a directory, `PATH -> TARGET` a link, `PATH == FILE` a hard link,
    /// `PATH |` a FIFO, `PATH = TEXT` a file, `PATH` alone a file that holds its own path. After
    /// `!stat` or `!read`, the path fails.
    pub(crate) fn of(fixture: &str) -> Self {
        let tree = Self::default();
        let fs = &tree.fs;
        for line in fixture.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(path) = line.strip_prefix("!stat ") {
                fs.fault(path, Fault::Stat(FaultKind::PermissionDenied));
            } else if let Some(path) = line.strip_prefix("!read ") {
                fs.fault(path, Fault::Read(FaultKind::PermissionDenied));
            } else if let Some((path, target)) = line.split_once(" -> ") {
                fs.symlink(target, path);
            } else if let Some((path, file)) = line.split_once(" == ") {
                fs.hard_link(file, path).unwrap();
            } else if let Some((path, text)) = line.split_once(" = ") {
                fs.write(path, text.to_owned());
            } else if let Some(path) = line.strip_suffix(" |") {
                fs.special(path);
            } else if let Some(path) = line.strip_suffix('/') {
                fs.make_dir(path);
            } else {
                fs.write(line, line.to_owned());
            }
        }
        tree
    }

    pub(crate) fn strange(mut self, strange: Strange) -> Self {
        self.strange = strange;
        self
    }

    /// Does `edit` after the probes and before the first reads.
    pub(crate) fn before_reads(self, edit: impl FnOnce(&MemoryFs) + Send + 'static) -> Self {
        *self.before_reads.lock().unwrap() = Some(BeforeReads(Box::new(edit)));
        self
    }

    /// How many paths each batch of reads had.
    pub(crate) fn read_batches(&self) -> Vec<usize> {
        self.reads.lock().unwrap().iter().map(Vec::len).collect()
    }

    /// How many paths each batch of probes had.
    pub(crate) fn probe_batches(&self) -> Vec<usize> {
        self.probes.lock().unwrap().iter().map(Vec::len).collect()
    }

    /// A look at directories with nothing known.
    pub(crate) async fn look(&self, dirs: &[&str], rules: &Rules) -> Look {
        look(self, &directories(dirs), rules, |_| KnownVersion::Nothing).await
    }

    fn disguise(&self, metadata: Metadata) -> Metadata {
        let Strange { no_identity, no_version, .. } = self.strange;
        Metadata {
            file: metadata.file.filter(|_| !no_identity),
            version: metadata.version.filter(|_| !no_version),
            ..metadata
        }
    }
}

pub(crate) fn directories<'p>(dirs: &[&'p str]) -> Places<'p> {
    let mut places = Places::new();
    dirs.iter().for_each(|dir| places.push_directory(Path::new(*dir)));
    places
}

pub(crate) fn all_distinct() -> Rules {
    Rules { selection: Selection::AllDistinct, ..Rules::default() }
}

/// One line a finding: the path and what was found, `absent` ones left out.
pub(crate) fn told(look: &Look) -> Vec<String> {
    let tell = |(index, found): (usize, &Found)| {
        let said = match found {
            Found::Absent(_) => return None,
            Found::Failed(_) => "failed".to_owned(),
            Found::Shadowed { by, .. } => format!("shadowed by {by}"),
            Found::Present { content: Content::Known, .. } => "known".to_owned(),
            Found::Present { content: Content::Text(text), .. } => format!("{:?}", text.as_str()),
            Found::Present { content: Content::Unavailable(why), .. } => match why {
                Why::Unreadable(_) => "unreadable".to_owned(),
                Why::TooLarge { len, cap } => format!("too large, {len} of {cap}"),
                Why::NotText => "not text".to_owned(),
                Why::Changing(kind) => format!("changing to {kind:?}"),
                other => format!("{other:?}"),
            },
        };
        Some(format!("{} {said}", look.path(index).unwrap().display()))
    };
    look.findings().iter().map(|finding| &finding.found).enumerate().filter_map(tell).collect()
}

#[async_trait]
impl FsProvider for Tree {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.probes.lock().unwrap().push(paths.iter().map(Path::to_path_buf).collect());
        let answers = self.fs.probe_many(paths).await;
        let disguised = answers.into_iter().zip(paths.iter()).map(|(answer, path)| match answer {
            Ok(Probe::Present(metadata)) => {
                let len = self.strange.sizes.get(path).copied().unwrap_or(metadata.len);
                let settled = metadata.settled && !self.strange.unsettled;
                Ok(Probe::Present(Metadata { len, settled, ..self.disguise(metadata) }))
            }
            answer => answer,
        });
        disguised.take(self.strange.answers.unwrap_or(usize::MAX)).collect()
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        if let Some(BeforeReads(edit)) = self.before_reads.lock().unwrap().take() {
            edit(&self.fs);
        }
        self.reads.lock().unwrap().push(paths.iter().map(Path::to_path_buf).collect());
        let at_once = self.strange.reads_at_once.unwrap_or(usize::MAX);
        let now: PathBatch = paths.iter().take(at_once).collect();
        let mut answers = self.fs.read_many(&now, max_bytes).await;
        for answer in &mut answers {
            if let Ok(ReadOutcome::Content { metadata, .. } | ReadOutcome::TooLarge { metadata, .. }) = answer
            {
                *metadata = self.disguise(*metadata);
            }
        }
        answers.resize(paths.len(), Ok(ReadOutcome::Deferred));
        answers.truncate(self.strange.answers.unwrap_or(usize::MAX));
        answers
    }
}
