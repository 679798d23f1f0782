//! The main checkout of a linked git worktree (D15).

use std::path::{Component, Path, PathBuf};

use standing_orders_fs::{FsError, FsProvider, FsProviderExt, ReadOutcome};

use crate::path::lexical;

/// The most bytes of a `.git` file that is read.
pub(crate) const MAX_POINTER_BYTES: u64 = 4_096;

/// The main checkout of the worktree whose `.git` is this file; `None` where it points elsewhere, as that of a
/// submodule, or is larger than 4 KiB. One batch of reads.
///
/// # Errors
/// It could not be read: whether there is a main checkout is not known.
pub async fn main_checkout(fs: &dyn FsProvider, git_file: &Path) -> Result<Option<PathBuf>, FsError> {
    let bytes = match fs.read(git_file, MAX_POINTER_BYTES).await? {
        ReadOutcome::Content { bytes, .. } => bytes,
        _ => return Ok(None),
    };
    Ok(git_file.parent().and_then(|folder| points_at(folder, std::str::from_utf8(&bytes).ok()?)))
}

/// `…` of `gitdir: …/.git/worktrees/NAME`, relative to `folder` where it is.
fn points_at(folder: &Path, pointer: &str) -> Option<PathBuf> {
    let target = pointer.strip_prefix("gitdir:")?.trim();
    let target = lexical(&folder.join(target)).ok()?;
    let mut parts = target.components().rev();
    let is = |part: Option<Component<'_>>, name: &str| part.is_some_and(|part| part.as_os_str() == name);
    parts.next()?;
    let is_worktree = is(parts.next(), "worktrees") && is(parts.next(), ".git");
    let main = target.ancestors().nth(3)?;
    (is_worktree && main != folder).then(|| main.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_points_at_its_main_checkout_and_nothing_else_does() {
        for (row, pointer, main) in [
            ("absolute", "gitdir: /main/.git/worktrees/w\n", Some("/main")),
            ("relative", "gitdir: ../é/.git/worktrees/w", Some("/é")),
            ("no line end, blanks", "gitdir:/main/.git/worktrees/w  ", Some("/main")),
            ("a submodule", "gitdir: ../.git/modules/w\n", None),
            ("a bare repository", "gitdir: /repo.git/worktrees/w\n", None),
            ("itself", "gitdir: .git/worktrees/w\n", None),
            ("no name", "gitdir: /main/.git/worktrees\n", None),
            ("another key", "gitdirs: /main/.git/worktrees/w\n", None),
            ("nothing", "", None),
        ] {
            assert_eq!(points_at(Path::new("/w"), pointer), main.map(PathBuf::from), "{row}");
        }
    }
}
