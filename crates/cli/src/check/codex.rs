//! Codex: one file a directory, root first, a limit for all of them (docs/check.md has source and date).

use std::path::Path;
use std::sync::Arc;

use standing_orders::fs::{FileKind, FsProvider, PathBatchBuilder, Probe, ReadOutcome};
use standing_orders::inspect::path::chain;

use super::claude::MAX_FILE;
use super::evaluate::{Known, read, reason};
use super::outcome::{Kept, Lost, Outcome};
use super::problem::{Evaluated, Problem};

/// In each directory the first that is there counts.
pub(super) const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// Bytes of all files together.
pub(super) const LIMIT: u64 = 32 << 10;

/// With no root the working directory alone is looked at.
pub(super) async fn evaluate(
    fs: &dyn FsProvider,
    root: Option<&Path>,
    dir: &Path,
    limit: u64,
    known: &mut Known,
) -> Evaluated {
    let dirs = chain(root.unwrap_or(dir), dir);
    let mut batch = PathBatchBuilder::new();
    for dir in &dirs {
        NAMES.iter().for_each(|name| batch.push_join(dir, name));
    }
    let batch = batch.build();
    let mut answers = fs.probe_many(&batch).await.into_iter().zip(batch.iter());
    let mut evaluated = Evaluated {
        outcome: Outcome { limit: Some(limit), ..Outcome::default() },
        alone: root.is_none(),
        ..Evaluated::default()
    };
    let Evaluated { outcome, problems, .. } = &mut evaluated;
    for _ in &dirs {
        let mut winner = None;
        for (answer, path) in answers.by_ref().take(NAMES.len()) {
            match answer {
                Ok(Probe::Present(found)) if found.kind == FileKind::File => winner = winner.or(Some(path)),
                Ok(_) => {}
                Err(error) => problems.push((path.to_path_buf(), Problem::Unreadable(reason(&error)))),
            }
        }
        let Some(path) = winner else { continue };
        match read(fs, path, MAX_FILE).await {
            Ok(ReadOutcome::Content { bytes, .. }) => {
                if bytes.trim_ascii().is_empty() {
                    continue;
                }
                let room = limit.saturating_sub(outcome.used);
                let take = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
                let path = known.path(path);
                if take > 0 {
                    outcome.kept.push(Kept { path: Arc::clone(&path), bytes: take as u64 });
                }
                outcome.used += take as u64;
                if take < bytes.len() {
                    let text = String::from_utf8_lossy(&bytes);
                    let kept = String::from_utf8_lossy(bytes.get(..take).unwrap_or_default());
                    let mut lost = Lost::of(path, &text, kept.len());
                    (lost.from, lost.to) = (bytes.len() as u64, take as u64);
                    outcome.lost.push(lost);
                }
            }
            Ok(ReadOutcome::TooLarge { len, .. }) => {
                let take = limit.saturating_sub(outcome.used).min(len);
                let path = known.path(path);
                if take > 0 {
                    outcome.kept.push(Kept { path: Arc::clone(&path), bytes: take });
                }
                outcome.used += take;
                outcome.lost.push(Lost::unknown(path, len, take));
            }
            Ok(_) => {}
            Err(error) => problems.push((path.to_path_buf(), Problem::Unreadable(reason(&error)))),
        }
    }
    evaluated
}
