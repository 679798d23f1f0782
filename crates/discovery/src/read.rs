//! The reads of a look, in as few batches as can be.
//!
//! Private: the order in which paths to one file are tried is a matter of cost alone.

use std::collections::HashMap;
use std::path::Path;

use standing_orders_fs::{FileId, FsError, FsProvider, Metadata, PathBatchBuilder, ReadOutcome};

use crate::SourceText;
use crate::finding::{Content, Found, Why};
use crate::look::{Look, no_answer};

/// What is known of a file to which several paths may lead.
#[derive(Clone, Copy)]
enum Shared {
    /// It is being read, by the path of another finding: wait for it.
    Pending,
    /// This finding holds what was read.
    Read(usize),
    /// The read by the first path failed, or met another file: each path is read itself.
    Apart,
}

/// Reads the findings at `wanted`, which are in order, present, and not read yet; `ready` are reads
/// that came with the probes.
pub(crate) async fn read(
    look: &mut Look,
    fs: &dyn FsProvider,
    cap: u64,
    mut wanted: Vec<usize>,
    ready: Vec<(usize, Result<ReadOutcome, FsError>)>,
) {
    if wanted.is_empty() {
        return;
    }
    let mut files = look.files_read();
    let mut done = Vec::with_capacity(ready.len());
    for (index, answer) in ready {
        // A provider that reads what nobody wanted, or answers twice, is not heard.
        let is_new = wanted.binary_search(&index).is_ok() && done.last().is_none_or(|last| *last < index);
        if !is_new || matches!(answer, Ok(ReadOutcome::Deferred)) {
            continue;
        }
        done.push(index);
        let file = look.file(index);
        let shared = if look.settle(index, answer, cap) { Shared::Read(index) } else { Shared::Apart };
        files.extend(file.map(|file| (file, shared)));
    }
    wanted.retain(|index| done.binary_search(index).is_err());
    while !wanted.is_empty() {
        let mut now = Vec::with_capacity(wanted.len());
        let mut later = Vec::new();
        let mut batch = PathBatchBuilder::new();
        for index in wanted {
            let file = look.file(index);
            match file.and_then(|file| files.get(&file).copied()) {
                Some(Shared::Read(from)) => {
                    look.share(index, from);
                    continue;
                }
                Some(Shared::Pending) => {
                    later.push(index);
                    continue;
                }
                Some(Shared::Apart) => {}
                None => files.extend(file.map(|file| (file, Shared::Pending))),
            }
            batch.push(look.path(index).unwrap_or(Path::new("")));
            now.push(index);
        }
        if now.is_empty() {
            return;
        }
        look.counts.round_trips += 1;
        let mut answers = fs.read_many(&batch.build(), cap).await.into_iter();
        let mut put_off = Vec::new();
        let mut progress = false;
        for index in now {
            let file = look.file(index);
            let answer =
                answers.next().unwrap_or_else(|| Err(no_answer(look.path(index).unwrap_or(Path::new("")))));
            let shared = match answer {
                Ok(ReadOutcome::Deferred) => {
                    put_off.push(index);
                    None
                }
                answer => {
                    progress = true;
                    Some(if look.settle(index, answer, cap) { Shared::Read(index) } else { Shared::Apart })
                }
            };
            match (file, shared) {
                (Some(file), Some(shared)) => {
                    files.insert(file, shared);
                }
                // Put off: the first path to be asked for again reads for the others.
                (Some(file), None) if matches!(files.get(&file), Some(Shared::Pending)) => {
                    files.remove(&file);
                }
                _ => {}
            }
        }
        if !progress {
            for index in put_off.drain(..) {
                let path = look.path(index).unwrap_or(Path::new(""));
                let error = FsError::other(path, "the provider puts this read off without end");
                look.settle(index, Err(error), cap);
                files.extend(look.file(index).map(|file| (file, Shared::Apart)));
            }
        }
        put_off.append(&mut later);
        put_off.sort_unstable();
        wanted = put_off;
    }
}

impl Look {
    /// The files that were read in this look, each with the finding that holds what was read.
    fn files_read(&self) -> HashMap<FileId, Shared> {
        let read = self.findings.iter().enumerate().filter_map(|(index, finding)| match &finding.found {
            Found::Present { metadata, content: Content::Text(_) | Content::Unavailable(Why::NotText) } => {
                metadata.file.map(|file| (file, Shared::Read(index)))
            }
            _ => None,
        });
        read.collect()
    }

    fn file(&self, index: usize) -> Option<FileId> {
        self.findings.get(index).and_then(|finding| finding.metadata()).and_then(|metadata| metadata.file)
    }

    /// Gives the finding at `index` what was read for the one at `from`.
    fn share(&mut self, index: usize, from: usize) {
        let read = match self.findings.get(from).map(|finding| &finding.found) {
            Some(Found::Present { metadata, content }) => (*metadata, content.clone()),
            _ => return,
        };
        self.fill(index, Some(read.0), read.1);
    }

    /// Takes one answer for the finding at `index`; whether it holds for every path to the file that
    /// was probed.
    fn settle(&mut self, index: usize, answer: Result<ReadOutcome, FsError>, cap: u64) -> bool {
        self.counts.reads += 1;
        let (metadata, content) = match answer {
            Ok(ReadOutcome::Content { bytes, metadata }) => {
                let len = bytes.len() as u64;
                self.counts.bytes += len;
                let content = match SourceText::decode(&bytes) {
                    _ if len > cap => Content::Unavailable(Why::TooLarge { len, cap }),
                    Some(text) => Content::Text(text),
                    None => Content::Unavailable(Why::NotText),
                };
                (Some(metadata), content)
            }
            Ok(ReadOutcome::TooLarge { len, metadata }) => {
                (Some(metadata), Content::Unavailable(Why::TooLarge { len, cap }))
            }
            Ok(ReadOutcome::Absent) => (None, Content::Unavailable(Why::Changing(None))),
            Ok(ReadOutcome::NotAFile(kind)) => (None, Content::Unavailable(Why::Changing(Some(kind)))),
            Ok(other) => {
                let path = self.path(index).unwrap_or(Path::new(""));
                let error = FsError::other(path, format!("an answer that is not understood: {other:?}"));
                (None, Content::Unavailable(Why::Unreadable(error)))
            }
            Err(error) => (None, Content::Unavailable(Why::Unreadable(error))),
        };
        let probed = self.file(index);
        self.fill(index, metadata, content);
        metadata.is_some_and(|handle| handle.file.is_none() || handle.file == probed)
    }

    fn fill(&mut self, index: usize, handle: Option<Metadata>, read: Content) {
        if let Some(Found::Present { metadata, content }) =
            self.findings.get_mut(index).map(|finding| &mut finding.found)
        {
            if let Some(handle) = handle {
                *metadata = around(metadata, &handle);
            }
            *content = read;
        }
    }
}

/// The handle's metadata, with its version only if that was settled and the same before and after
/// the read (C13).
fn around(before: &Metadata, after: &Metadata) -> Metadata {
    let same = before.settled_version() == after.settled_version();
    Metadata {
        file: after.file.or(before.file),
        version: after.settled_version().filter(|_| same),
        settled: before.settled && after.settled,
        ..*after
    }
}
