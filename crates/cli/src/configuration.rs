//! Which configuration counts, and why (L1).

use std::path::{Path, PathBuf};

use standing_orders::config::{Config, ConfigError, Environment, Sources};
use standing_orders::inspect::path::shown;

use crate::args::{Global, SessionArgs};
use crate::failure::Failure;
use crate::input;
use crate::output::say;

/// The file that is looked for, upward from where the session starts.
const NAME: &str = "standing-orders.toml";

/// The budget when nothing else is said.
const MAX_BYTES: u64 = 65_536;

/// The configuration, and where it is from.
#[derive(Debug)]
pub(crate) struct Configuration {
    pub(crate) config: Config,
    pub(crate) file: ConfigFile,
    /// The names of the environment variables that set something.
    pub(crate) variables: Vec<String>,
    sources: Sources,
}

/// Which file counts.
#[derive(Clone, Debug)]
pub(crate) enum ConfigFile {
    /// As `--config` says.
    Given(PathBuf),
    /// The nearest one, upward from the folder `from`.
    Found { path: PathBuf, from: PathBuf },
    /// None was there, up to the folder `last`.
    None { from: PathBuf, last: PathBuf },
}

impl ConfigFile {
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Given(path) | Self::Found { path, .. } => Some(path),
            Self::None { .. } => None,
        }
    }

    /// The nearest one upward from `dir`, to the user's home or to the top (L1).
    fn nearest(dir: &Path) -> Result<Self, Failure> {
        let home = user_home().and_then(|home| home.canonicalize().ok());
        let mut last = dir;
        for folder in dir.ancestors() {
            let path = folder.join(NAME);
            // A broken link is a file that cannot be read, and not none.
            match std::fs::symlink_metadata(&path) {
                Ok(_) => return Ok(Self::Found { path, from: dir.to_path_buf() }),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Failure::Path { path, error }),
            }
            last = folder;
            if home.as_deref() == Some(folder) {
                break;
            }
        }
        Ok(Self::None { from: dir.to_path_buf(), last: last.to_path_buf() })
    }

    /// Where it was found, if that is neither `root` nor below it: then another project's, or the user's.
    pub(crate) fn above(&self, root: &Path) -> Option<&Path> {
        match self {
            Self::Found { path, .. } if !path.starts_with(root) => Some(path),
            _ => None,
        }
    }
}

impl Configuration {
    /// What is used, for people.
    pub(crate) fn describe(&self) -> String {
        let mut text = match &self.file {
            ConfigFile::Given(path) => format!("{}, as given", shown(path)),
            ConfigFile::Found { path, from } if path.parent() == Some(from) => shown(path).to_string(),
            ConfigFile::Found { path, from } => {
                format!("{}, the nearest one upward from {}", shown(path), shown(from))
            }
            ConfigFile::None { from, last } if from == last => {
                format!("defaults, for there is no {}", shown(&from.join(NAME)))
            }
            ConfigFile::None { from, last } => {
                format!("defaults, for there is no {NAME} from {} up to {}", shown(from), shown(last))
            }
        };
        if !self.variables.is_empty() {
            text.push_str(&format!("; then {}", self.variables.join(", ")));
        }
        text
    }

    /// Weakest first: defaults; the file of `--config`, else the nearest `standing-orders.toml` upward from
    /// `dir`, if there is one, else a budget of 65,536 bytes; STANDING_ORDERS_* variables; arguments.
    pub(crate) fn load(
        dir: &Path,
        args: &SessionArgs,
        global: &Global,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let file = match &global.config {
            Some(path) => ConfigFile::Given(path.clone()),
            None => ConfigFile::nearest(dir)?,
        };
        let sources = Sources::new().environment(environment.clone());
        let mut sources = match file.path() {
            // A deployment that has a file names its budget.
            Some(path) => {
                let refused = |error| Failure::Path { path: path.to_path_buf(), error };
                input::refuse_other_kinds(path).map_err(refused)?;
                sources.file(path).map_err(|error| fault(error, None))?
            }
            None => sources.fallback("max_bytes", MAX_BYTES),
        };
        for (key, value, name) in explicit(args, global)? {
            sources = sources.set(key, value, name);
        }
        match sources.load() {
            Ok(config) => {
                let variables = environment.names().map(str::to_owned).collect();
                Ok(Self { config, file, variables, sources })
            }
            Err(error) => Err(fault(error, file.path().and_then(|path| sources.text_of(path)))),
        }
    }

    /// Refuses gated files that any session would be shown (I5).
    pub(crate) fn refuse_traps(&self) -> Result<(), Failure> {
        let text = || self.file.path().and_then(|path| self.sources.text_of(path));
        self.sources.refuse_traps(&self.config).map_err(|error| fault(error, text()))
    }
}

/// The variable that names the user's home.
const USER_HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

fn user_home() -> Option<PathBuf> {
    let home = std::env::var_os(USER_HOME).filter(|home| !home.to_string_lossy().trim().is_empty());
    home.map(PathBuf::from)
}

/// Why the profile has no folder.
pub(crate) fn no_home() -> String {
    let name = USER_HOME;
    match user_home() {
        None => format!("neither DSH_HOME nor {name} is set"),
        Some(home) => format!("DSH_HOME is not set, and {name} is not absolute: {}", shown(&home)),
    }
}

/// Says that a folder of `--home` is not there, and what may be meant.
fn note_missing(home: &str, absolute: &str) {
    let meant = Sources::new().fallback("max_bytes", 0).set("home", home, "--home").load();
    let meant = meant.err().and_then(|error| error.nearest().map(|near| format!(", did you mean `{near}`?")));
    let meant = meant.unwrap_or_default();
    say(format_args!("note: --home: there is no folder {}{meant}", shown(absolute.as_ref())));
}

/// A fault of configuration, with the text of the file it may lie in.
pub(crate) fn fault(error: ConfigError, text: Option<&str>) -> Failure {
    Failure::Config { error: Box::new(error), text: text.map(str::to_owned) }
}

fn explicit(
    args: &SessionArgs,
    global: &Global,
) -> Result<Vec<(&'static str, serde_json::Value, &'static str)>, Failure> {
    let mut values = Vec::new();
    let mut set = |key, value: Option<serde_json::Value>, name| {
        values.extend(value.map(|value| (key, value, name)));
    };
    set("max_bytes", args.max_bytes.map(Into::into), "--max-bytes");
    set("selection", args.selection.as_deref().map(Into::into), "--selection");
    set("overflow", args.overflow.as_deref().map(Into::into), "--overflow");
    if let Some(home) = &args.home {
        let home = home.to_str().ok_or_else(|| {
            let home = shown(home);
            Failure::Input(format!("--home {home} is not UTF-8: name it by the variable DSH_HOME instead"))
        })?;
        // A folder is relative to the current directory, as any path on a command line.
        let taken = matches!(home, "none" | "dsh") || home.starts_with('~') || home.is_empty();
        let absolute = match taken {
            true => home.to_owned(),
            false => {
                let absolute = std::path::absolute(home);
                let absolute = absolute.map_err(|error| Failure::Path { path: home.into(), error })?;
                let absolute = absolute.to_string_lossy().into_owned();
                if !global.quiet && !Path::new(&absolute).is_dir() {
                    note_missing(home, &absolute);
                }
                absolute
            }
        };
        set("home", Some(absolute.into()), "--home");
    }
    Ok(values)
}
