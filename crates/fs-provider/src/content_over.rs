//! Metadata from one provider, content from another.

use async_trait::async_trait;

use crate::sugar::unanswered;
use crate::{
    FileKind, FsError, FsProvider, Listing, Metadata, PathBatch, PathBatchBuilder, Probe, Probed,
    ReadOutcome, ReadPlan,
};

/// Probes and lists one provider and reads the content from another (P5): a fast index over a slow store,
/// or the disk's links and versions under an editor's view of the text.
///
/// `metadata` decides what is there, of which kind, how large, and which version it is; `content`
/// gives the bytes, and is asked only for what `metadata` calls a regular file within the cap.
///
/// # Trust in the version (C13)
/// A read probes before and after it. The version is kept only when it was settled before, is the
/// same after, and the size `metadata` reports is that of the bytes; else the bytes are answered
/// with the version `None`, unsettled, and content digests decide. It is assumed that `content`
/// is not behind `metadata`: one that may answer with text from before a change which `metadata`
/// shows already needs a metadata provider without versions.
///
/// # Behavior
/// - Absent, not a file, or a fault for the probe before: that is the answer.
/// - The probe after fails: the bytes are answered, without a version.
/// - A read is up to three round trips, one after the other.
///
/// ```
/// use standing_orders_fs::{ContentOver, FsProviderExt, MemoryFs, ReadOutcome};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), standing_orders_fs::FsError> {
/// let disk = MemoryFs::from_iter([("/ws/AGENTS.md", "saved text")]);
/// let buffers = MemoryFs::from_iter([("/ws/AGENTS.md", "text in the editor")]);
/// let fs = ContentOver::new(disk, buffers);
/// let ReadOutcome::Content { bytes, metadata } = fs.read("/ws/AGENTS.md", 1024).await? else {
///     panic!("the file is there");
/// };
/// assert_eq!(bytes, "text in the editor");
/// assert_eq!(metadata.version, None, "this is not the text of the version on disk");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ContentOver<M, C> {
    metadata: M,
    content: C,
}

impl<M, C> ContentOver<M, C> {
    /// Metadata of `metadata`, bytes of `content`.
    pub const fn new(metadata: M, content: C) -> Self {
        Self { metadata, content }
    }
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl<M: FsProvider, C: FsProvider> FsProvider for ContentOver<M, C> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.metadata.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let mut probes = self.metadata.probe_many(paths).await.into_iter();
        // One entry a path: the answer, or the metadata of a file whose bytes are still to come.
        let first: Vec<Result<Metadata, Answer>> = paths
            .iter()
            .map(|path| match probes.next().unwrap_or_else(|| Err(unanswered(path))) {
                Ok(Probe::Present(found)) => readable(found, max_bytes).map_err(Ok),
                Ok(Probe::Absent) => Err(Ok(ReadOutcome::Absent)),
                Err(fault) => Err(Err(fault)),
            })
            .collect();

        let mut wanted = PathBatchBuilder::new();
        for (path, before) in paths.iter().zip(&first) {
            if before.is_ok() {
                wanted.push(path);
            }
        }
        let wanted = wanted.build();
        if wanted.is_empty() {
            return first.into_iter().filter_map(Result::err).collect();
        }
        let mut contents = self.content.read_many(&wanted, max_bytes).await.into_iter();
        let mut after = self.metadata.probe_many(&wanted).await.into_iter();

        let answer = |(path, before)| {
            let before: Metadata = match before {
                Ok(found) => found,
                Err(answer) => return answer,
            };
            let after = match after.next() {
                Some(Ok(Probe::Present(after))) => Some(after),
                _ => None,
            };
            match contents.next().unwrap_or_else(|| Err(unanswered(path)))? {
                ReadOutcome::Content { bytes, .. } => {
                    let metadata = before.of_reading(after, Some(bytes.len() as u64));
                    Ok(ReadOutcome::Content { bytes, metadata })
                }
                ReadOutcome::TooLarge { len, .. } => {
                    Ok(ReadOutcome::TooLarge { len, metadata: before.of_reading(after, Some(len)) })
                }
                other => Ok(other),
            }
        };
        paths.iter().zip(first).map(answer).collect()
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        self.metadata.list_many(paths, limit).await
    }

    /// In two trips: the content is elsewhere.
    async fn probe_and_read(&self, paths: &PathBatch, _: &ReadPlan) -> Probed {
        Probed { probes: self.probe_many(paths).await, reads: Vec::new() }
    }
}

type Answer = Result<ReadOutcome, FsError>;

fn readable(found: Metadata, max_bytes: u64) -> Result<Metadata, ReadOutcome> {
    match (found.kind, found.len) {
        (FileKind::File, Some(len)) if len > max_bytes => Err(ReadOutcome::TooLarge { len, metadata: found }),
        (FileKind::File, _) => Ok(found),
        (kind, _) => Err(ReadOutcome::NotAFile(kind)),
    }
}
