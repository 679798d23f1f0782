//! Folders whose instructions are not the project's (D14).

use std::path::Path;

use globset::{GlobSet, GlobSetBuilder};

use crate::globs::folder_glob;

/// The folders from which, and from below which, no touch loads anything (D14): globs relative to the
/// root. Default: `**/node_modules` and `**/site-packages`.
///
/// `*` stays within one component, `**` is any number of folders, `third_party/` is `third_party`,
/// braces and classes are globset's. A path in such a folder still counts as touched, for the folders
/// above it and for what injectors wait for.
///
/// It does not bind what is named otherwise: the chain of a session that starts there, and files that
/// an injector names. It is no part of a baseline's identity. What is in force of a folder that
/// becomes excluded, because the configuration changed, is withdrawn with the next step: as with a part
/// that the policy denies, the deployment says that it does not apply, which is not a file that cannot
/// be looked at.
///
/// ```
/// use standing_orders::{Budget, Exclude, Settings};
///
/// let mut settings = Settings::new(Budget::from_bytes(65_536));
/// settings.exclude = Exclude::new(["**/node_modules", "third_party"])?;
/// assert!(Exclude::new(["/opt"]).is_err(), "it would exclude nothing");
/// # Ok::<(), standing_orders::ExcludeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exclude {
    globs: Vec<Box<str>>,
    set: GlobSet,
}

/// Why a glob excludes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`exclude` has {glob:?}, expected a glob of folders relative to the project root: {reason}")]
#[non_exhaustive]
pub struct ExcludeError {
    /// As it was given.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Exclude {
    pub(crate) const DEFAULT: [&'static str; 2] = ["**/node_modules", "**/site-packages"];

    /// These folders and no others; nothing is excluded where there are none.
    ///
    /// # Errors
    /// A text is no glob, or can match no folder below the root.
    pub fn new<S: AsRef<str>>(globs: impl IntoIterator<Item = S>) -> Result<Self, ExcludeError> {
        let (mut kept, mut set) = (Vec::new(), GlobSetBuilder::new());
        let error = |glob: &str, reason| ExcludeError { glob: glob.to_owned(), reason };
        for glob in globs {
            let glob = glob.as_ref();
            set.add(folder_glob(glob).map_err(|reason| error(glob, reason))?);
            kept.push(Box::from(glob));
        }
        let set = set.build().map_err(|fault| error(&kept.join(", "), fault.to_string()))?;
        Ok(Self { globs: kept, set })
    }

    /// No folder.
    pub fn none() -> Self {
        Self { globs: Vec::new(), set: GlobSet::empty() }
    }

    /// The globs, as they were given.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().map(|glob| &**glob)
    }

    /// Whether nothing is excluded.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// The topmost folder on the way from the root down to `dir`, inclusive, that is excluded. `dir` is
    /// relative to the root and plain; the root itself never is.
    pub fn of<'p>(&self, dir: &'p Path) -> Option<&'p Path> {
        if self.is_empty() {
            return None;
        }
        let named = dir.ancestors().filter(|dir| !dir.as_os_str().is_empty());
        named.filter(|dir| self.is_named(dir)).last()
    }

    /// Whether a glob names this folder itself.
    pub(crate) fn is_named(&self, dir: &Path) -> bool {
        !self.is_empty() && self.set.is_match(dir)
    }
}

impl Default for Exclude {
    fn default() -> Self {
        // These are globs, as a test states.
        Self::new(Self::DEFAULT).unwrap_or_else(|_| Self::none())
    }
}

/// By their globs.
impl PartialEq for Exclude {
    fn eq(&self, other: &Self) -> bool {
        self.globs == other.globs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_excluded_folder_is_told() {
        let exclude = Exclude::new(["**/node_modules", "üb/third*/"]).unwrap();
        for (dir, expected) in [
            ("node_modules", Some("node_modules")),
            ("a/node_modules/b/node_modules/c", Some("a/node_modules")),
            ("üb/third_party/x", Some("üb/third_party")),
            ("üb", None),
            ("a/üb/third_party", None),
            ("my_node_modules", None),
            ("", None),
        ] {
            assert_eq!(exclude.of(Path::new(dir)), expected.map(Path::new), "{dir}");
        }
        assert_eq!(Exclude::none().of(Path::new("node_modules")), None);
    }

    #[test]
    fn the_default_has_both_its_globs() {
        let globs = Exclude::default();
        assert_eq!(globs.globs().collect::<Vec<_>>(), Exclude::DEFAULT);
        assert_eq!(globs.of(Path::new("v/site-packages/x")), Some(Path::new("v/site-packages")));
    }
}
