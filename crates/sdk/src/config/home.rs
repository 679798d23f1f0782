//! The folder of the user-global file: profiles, and what `~` stands for (D6).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use standing_orders_discovery::path::{lexical, shown};

use super::environment::Environment;
use super::error::{ConfigError, Origin, one_line};
use crate::Home;

/// Where a product keeps its user-global file.
struct Profile {
    name: &'static str,
    /// The variable that names the folder.
    variable: &'static str,
    /// The folder below the user's home that counts when the variable does not.
    folder: &'static str,
}

const DSH: Profile = Profile { name: "dsh", variable: "DSH_HOME", folder: ".dsh" };

/// The profiles there are.
const PROFILES: &[Profile] = &[DSH];

/// The profile that counts when nothing else is said.
pub(super) const DEFAULT: &str = DSH.name;

const NONE: &str = "none";

/// What is read of the environment.
pub(super) const VARIABLES: &[&str] = &[DSH.variable, USER_HOME];

const USER_HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

pub(super) const EXPECTED: &str = "a profile (\"dsh\"), \"none\", or a folder: absolute, or below `~`";

/// The words that can stand in place of a folder.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name).chain([NONE])
}

pub(super) fn is_valid(home: &str) -> bool {
    words().any(|word| word == home) || below_tilde(Path::new(home)).is_some() || is_plain(Path::new(home))
}

fn is_plain(folder: &Path) -> bool {
    folder.is_absolute() && !folder.as_os_str().as_encoded_bytes().contains(&0)
}

/// The rest of a path that begins with `~`.
fn below_tilde(path: &Path) -> Option<&str> {
    let rest = path.to_str()?.strip_prefix('~')?;
    let below = rest.strip_prefix(['/', '\\']);
    if rest.is_empty() { Some("") } else { below.filter(|below| !below.contains('\0')) }
}

/// `path` with the user's home for a leading `~`; `None` when that is needed and not known.
pub(super) fn expand(path: &Path, environment: &Environment) -> Option<PathBuf> {
    let Some(below) = below_tilde(path) else { return Some(path.to_path_buf()) };
    let home = user_home(environment)?;
    // An absolute rest would replace the home: `~//etc` is a folder below it.
    let below = below.trim_start_matches(['/', '\\']);
    Some(if below.is_empty() { home } else { home.join(below) })
}

fn user_home(environment: &Environment) -> Option<PathBuf> {
    environment.get(USER_HOME).map(PathBuf::from).filter(|home| home.is_absolute())
}

/// What `home` stands for.
pub(super) fn resolve(home: &str, environment: &Environment) -> Result<Option<Home>, ConfigError> {
    if home == NONE {
        return Ok(None);
    }
    if let Some(profile) = PROFILES.iter().find(|profile| profile.name == home) {
        return profile.resolve(environment);
    }
    let fault = || fault(home.as_ref(), "home", Origin::Explicit("configuration".to_owned()));
    let dir = folder(Path::new(home), environment).ok_or_else(fault)?;
    let shown = PROFILES
        .iter()
        .find_map(|profile| profile.shown_default(&dir, environment))
        .unwrap_or_else(|| shown_folder(&dir, environment));
    Ok(Some(Home::new(dir, shown)))
}

/// A folder that is no profile's, without the path of anybody's home (D6).
fn shown_folder(dir: &Path, environment: &Environment) -> String {
    let user = user_home(environment).and_then(|home| lexical(&home).ok());
    if let Some(below) = user.as_deref().and_then(|home| dir.strip_prefix(home).ok()) {
        return match below.as_os_str().is_empty() {
            true => "~".to_owned(),
            false => format!("~/{}", shown(below)),
        };
    }
    match dir.file_name() {
        Some(name) => format!("\u{2026}/{}", shown(Path::new(name))),
        None => "\u{2026}".to_owned(),
    }
}

/// The folder that a text names, if it can be known.
fn folder(path: &Path, environment: &Environment) -> Option<PathBuf> {
    lexical(&expand(path, environment).filter(|path| is_plain(path))?).ok()
}

fn fault(found: &OsStr, key: &str, origin: Origin) -> ConfigError {
    let found = found.to_string_lossy();
    let expected = match found.starts_with('~') {
        true => format!("a folder that can be known: `~` needs {USER_HOME} to be set, to an absolute path"),
        false => "a folder: absolute, or below `~`".to_owned(),
    };
    let found = format!("\"{}\"", one_line(&found));
    ConfigError::InvalidValue {
        key: key.to_owned(),
        origin,
        expected: expected.into(),
        found: found.into(),
        nearest: None,
    }
}

impl Profile {
    fn resolve(&self, environment: &Environment) -> Result<Option<Home>, ConfigError> {
        let Some(value) = environment.get(self.variable) else {
            return Ok(self.default_folder(environment).map(|dir| self.at(dir, environment)));
        };
        let origin = || Origin::Variable(self.variable.to_owned());
        let dir = folder(Path::new(value), environment);
        let dir = dir.ok_or_else(|| fault(value, self.variable, origin()))?;
        Ok(Some(self.at(dir, environment)))
    }

    fn default_folder(&self, environment: &Environment) -> Option<PathBuf> {
        lexical(&user_home(environment)?.join(self.folder)).ok()
    }

    /// The folder that the variable named. No absolute path is shown (D6).
    fn at(&self, dir: PathBuf, environment: &Environment) -> Home {
        let shown = self.shown_default(&dir, environment).unwrap_or_else(|| format!("${}", self.variable));
        Home::new(dir, shown)
    }

    /// What stands for the default folder, if it is this one.
    fn shown_default(&self, dir: &Path, environment: &Environment) -> Option<String> {
        let is_default = self.default_folder(environment).is_some_and(|default| default == dir);
        is_default.then(|| format!("~/{}", self.folder))
    }
}
