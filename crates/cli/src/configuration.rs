//! Which configuration counts, and why (L1).

use std::path::{Path, PathBuf};

use standing_orders::config::{Config, ConfigError, Environment, Sources};
use standing_orders::discovery::path::shown;
use standing_orders::discovery::{RootOptions, find_root};
use standing_orders::fs::FsProvider;

use crate::args::{Global, SessionArgs};
use crate::failure::Failure;
use crate::input;
use crate::output::say;

/// The file that is looked for at the project root.
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
    /// At the project root.
    Found(PathBuf),
    /// None was there.
    None { looked: PathBuf },
}

impl ConfigFile {
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Given(path) | Self::Found(path) => Some(path),
            Self::None { .. } => None,
        }
    }
}

impl Configuration {
    /// What is used, for people.
    pub(crate) fn describe(&self) -> String {
        let mut text = match &self.file {
            ConfigFile::Given(path) => format!("{}, as given", shown(path)),
            ConfigFile::Found(path) => format!("{}", shown(path)),
            ConfigFile::None { looked } => format!("defaults, for there is no {}", shown(looked)),
        };
        if !self.variables.is_empty() {
            text.push_str(&format!("; then {}", self.variables.join(", ")));
        }
        text
    }

    /// Weakest first: defaults; the file of `--config`, else `standing-orders.toml` at the project root
    /// (found from `dir` by the default rule, for the file may change the rule), if there is one, else a
    /// budget of 65,536 bytes; STANDING_ORDERS_* variables; arguments.
    pub(crate) async fn load(
        fs: &dyn FsProvider,
        dir: &Path,
        args: &SessionArgs,
        global: &Global,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let file = match &global.config {
            Some(path) => ConfigFile::Given(path.clone()),
            None => {
                let path = find_root(fs, dir, &RootOptions::default()).await.path.join(NAME);
                // A broken link is a file that cannot be read, and not none.
                match std::fs::symlink_metadata(&path) {
                    Ok(_) => ConfigFile::Found(path),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                        ConfigFile::None { looked: path }
                    }
                    Err(error) => return Err(Failure::Path { path, error }),
                }
            }
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

/// Why the profile has no folder.
pub(crate) fn no_home() -> String {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = std::env::var_os(name).filter(|home| !home.to_string_lossy().trim().is_empty());
    match home {
        None => format!("neither DSH_HOME nor {name} is set"),
        Some(home) => format!("DSH_HOME is not set, and {name} is not absolute: {}", shown(home.as_ref())),
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
