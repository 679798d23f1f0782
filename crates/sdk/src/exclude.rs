//! Folders whose instructions are not the project's (D14).

use std::path::Path;

use globset::{GlobSet, GlobSetBuilder};
use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::globs::folder_glob;

/// The folders from which, and from below which, no touch loads anything (D14): globs relative to the
/// root. Default: `**/node_modules` and `**/site-packages`.
///
/// `*` stays within one component, `**` is any number of folders, `third_party/` is `third_party`,
/// braces and classes are globset's. A path in such a folder still counts as touched, for the folders
/// above it and for what injectors wait for.
///
/// It does not bind what is named otherwise: the chain of a session that starts there, and files that
/// an injector names. It is no part of a baseline's identity.
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
    const DEFAULT: [&'static str; 2] = ["**/node_modules", "**/site-packages"];

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

    /// Whether a glob names this folder, or one that it is below. It is relative to the root and plain; the
    /// root itself never is excluded.
    pub fn is_excluded(&self, folder: &Path) -> bool {
        let mut on_the_way = folder.ancestors().filter(|dir| !dir.as_os_str().is_empty());
        on_the_way.any(|dir| self.set.is_match(dir))
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

impl Eq for Exclude {}

/// As the list of its globs.
impl Serialize for Exclude {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.globs.serialize(to)
    }
}

/// One by one, so that an error is at the glob it is about.
impl<'de> Deserialize<'de> for Exclude {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let folders: Vec<Folder> = Deserialize::deserialize(from)?;
        Self::new(folders.iter().map(|Folder(glob)| glob)).map_err(de::Error::custom)
    }
}

struct Folder(String);

impl<'de> Deserialize<'de> for Folder {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let glob = String::deserialize(from)?;
        folder_glob(&glob).map_err(|reason| {
            let expected = format!("a glob of folders relative to the root, such as `**/vendor`: {reason}");
            de::Error::invalid_value(Unexpected::Str(&glob), &&*expected)
        })?;
        Ok(Self(glob))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_named_is_excluded_with_all_below_it() {
        let exclude = Exclude::new(["**/node_modules", "üb/third*/", "./gen"]).unwrap();
        for (dir, expected) in [
            ("node_modules", true),
            ("a/node_modules", true),
            ("a/node_modules/b/c", true),
            ("üb/third_party/x", true),
            ("gen/規", true),
            ("üb", false),
            ("a/üb/third_party", false),
            ("a/gen", false),
            ("my_node_modules", false),
            ("node_modules_too/x", false),
            ("", false),
        ] {
            assert_eq!(exclude.is_excluded(Path::new(dir)), expected, "{dir}");
        }
        assert!(!Exclude::none().is_excluded(Path::new("node_modules")), "an empty list excludes nothing");
        assert!(!Exclude::new(["**"]).unwrap().is_excluded(Path::new("")), "the root is never excluded");
    }

    #[test]
    fn a_glob_that_can_match_no_folder_is_refused_with_the_reason() {
        for (glob, reason) in [
            ("", "blank"),
            ("../x", "`..`"),
            ("/abs", "begins with `/`"),
            ("ñ//b", "`//`"),
            ("[", "unclosed"),
        ] {
            let error = Exclude::new(["ok", glob]).expect_err(glob);
            assert!(error.glob == glob && error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn the_default_has_both_its_globs() {
        let globs = Exclude::default();
        assert_eq!(globs.globs().collect::<Vec<_>>(), Exclude::DEFAULT);
        assert!(globs.is_excluded(Path::new("v/site-packages/x")));
    }
}
