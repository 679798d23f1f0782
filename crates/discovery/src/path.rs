//! Paths without I/O: made plain, taken apart, ordered, shown.
//!
//! Nothing here follows a link, and nothing asks whether a path exists. Every function is linear in
//! the length of its paths.

use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};

pub use crate::shown::{NotShown, Shown, shown, shown_in, unshown};

/// The path has no fixed start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: not an absolute path", .0.display())]
pub struct NotAbsolute(
    /// The path as it was given.
    pub PathBuf,
);

/// `path` without `.`, `..`, doubled and trailing separators; `..` at the top stays at the top.
///
/// ```
/// use std::path::Path;
/// use standing_orders_discovery::path::lexical;
///
/// assert_eq!(lexical(Path::new("/ws/a/../b/./c/"))?, Path::new("/ws/b/c"));
/// # Ok::<(), standing_orders_discovery::path::NotAbsolute>(())
/// ```
///
/// # Errors
/// `path` is relative: the library has no current directory of its own.
pub fn lexical(path: &Path) -> Result<PathBuf, NotAbsolute> {
    if !path.is_absolute() {
        return Err(NotAbsolute(path.to_path_buf()));
    }
    let mut plain = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    Ok(plain)
}

/// A touched path, trimmed and resolved lexically against `cwd`; `None` when it is blank (C4).
///
/// Trimmed is Unicode white space at both ends of a path that is UTF-8; any other path is taken as it
/// is.
///
/// # Errors
/// `cwd` is relative, and so is the path.
pub fn touched(cwd: &Path, path: &Path) -> Result<Option<PathBuf>, NotAbsolute> {
    let path = path.to_str().map_or(path, |text| Path::new(text.trim()));
    if path.as_os_str().is_empty() { Ok(None) } else { lexical(&cwd.join(path)).map(Some) }
}

/// The chain: `root`, and each directory below it down to `cwd` inclusive (D2).
///
/// Both are plain ([`lexical`]). Where `cwd` is neither `root` nor below it, `cwd` alone.
pub fn chain<'p>(root: &Path, cwd: &'p Path) -> Vec<&'p Path> {
    let below = cwd.strip_prefix(root).map_or(0, |rest| rest.components().count());
    let mut chain: Vec<_> = cwd.ancestors().take(below + 1).collect();
    chain.reverse();
    chain
}

/// The longest path of a directory that a touch reaches, in bytes: with a separator, a name of 255
/// bytes and the end it comes to the 4,096 bytes that Linux takes (`PATH_MAX`).
pub const LONGEST_TOUCHED: usize = 3_839;

/// The directories that a touch of `touched` reaches: each one strictly below `base`, from the top
/// down to the folder of `touched` (C4).
///
/// `base` itself is of the chain and is left out; the path itself is never a directory here, for
/// nothing is known of it. Both are plain ([`lexical`]). Nothing when `touched` is not below `base`.
///
/// Not those whose path is longer than [`LONGEST_TOUCHED`]: no file in them can be asked for by its
/// path. So one path reaches at most half as many directories, however deep it is.
pub fn nested_dirs<'p>(base: &Path, touched: &'p Path) -> impl ExactSizeIterator<Item = &'p Path> + use<'p> {
    let below = touched.strip_prefix(base).map_or(0, |rest| rest.components().count());
    let dirs = touched.ancestors().skip(1).take(below.saturating_sub(1));
    let dirs: Vec<_> = dirs.skip_while(|dir| dir.as_os_str().len() > LONGEST_TOUCHED).collect();
    dirs.into_iter().rev()
}

/// Directories in pre-order: component by component, each in byte order (C10): `a`, `a/b`, `a-b`, `z`.
///
/// Of paths as they are, not as they are shown.
pub fn pre_order(a: &Path, b: &Path) -> Ordering {
    // `Path` compares component by component already, and on Unix a component by its bytes.
    a.cmp(b)
}
