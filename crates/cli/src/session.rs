//! From arguments to the session that is meant.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::config::{ConfigWarning, Environment};
use standing_orders::fs::FsProvider;
use standing_orders::inspect::find_root;
use standing_orders::inspect::path::{lexical, shown, touched};
use standing_orders::plugin::{GatedFiles, SessionHeader};
use standing_orders::{Composition, Engine, Home, Settings, StepInput};

use crate::args::{Class, Global, SessionArgs};
use crate::configuration::{self, Configuration};
use crate::disk::{self, Remembered};
use crate::failure::Failure;
use crate::output::say;

/// The session that is meant, and all that was found out on the way to it.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) fs: Arc<dyn FsProvider>,
    pub(crate) configuration: Configuration,
    pub(crate) warnings: Vec<ConfigWarning>,
    pub(crate) settings: Settings,
    pub(crate) gated: Vec<GatedFiles>,
    pub(crate) engine: Engine,
    pub(crate) home: Option<Home>,
    pub(crate) header: SessionHeader,
    pub(crate) start: PathBuf,
    /// Absolute and without `..`.
    pub(crate) touched: Vec<PathBuf>,
    pub(crate) mode: Option<String>,
}

/// What PATH is.
enum Target {
    Directory(PathBuf),
    File { folder: PathBuf, path: PathBuf },
}

impl Subject {
    pub(crate) async fn open(args: &SessionArgs, global: &Global) -> Result<Self, Failure> {
        // Project files are to be confined to their root here, once the provider can (P8).
        let fs: Arc<dyn FsProvider> = Arc::new(Remembered::new(disk::local()));
        let environment = Environment::of_process();
        let target = Target::of(&args.path)?;
        let configuration = Configuration::load(target.folder(), args, global, &environment)?;
        if global.verbose {
            say(format_args!("configuration: {}", configuration.describe()));
        }
        configuration.refuse_traps()?;
        let gated = configuration.config.gated_files().map_err(|error| Failure::Input(error.to_string()))?;
        let engine = configuration.config.engine(&environment);
        let (engine, warnings) = engine.map_err(|error| configuration::fault(error, None))?;
        let engine = engine.build().map_err(Failure::Engine)?;
        let settings = engine.settings().clone();
        let home = configuration.config.home(&environment);
        let home = home.map_err(|error| configuration::fault(error, None))?;
        let (start, file) = match target {
            Target::Directory(start) => (start, None),
            Target::File { folder, path } => {
                (find_root(&*fs, &folder, &settings.root).await.path, Some(path))
            }
        };
        let mut paths: Vec<PathBuf> = file.into_iter().collect();
        for path in &args.touch {
            match touched(&start, path) {
                Ok(Some(path)) => paths.push(path),
                Ok(None) => return Err(Failure::Input("--touch is blank: name a path".to_owned())),
                Err(error) => return Err(Failure::Input(error.to_string())),
            }
        }
        let header = header(args, &start)?;
        Ok(Self {
            fs,
            configuration,
            warnings,
            settings,
            gated,
            engine,
            home,
            header,
            start,
            touched: paths,
            mode: args.mode.clone(),
        })
    }

    /// What a fresh session there is given, once it has touched those paths.
    pub(crate) async fn compose(&self) -> Result<Composition, Failure> {
        let mut setup = self.engine.session(self.header.clone()).fs(Arc::clone(&self.fs));
        if let Some(home) = &self.home {
            setup = setup.home(home.clone());
        }
        let input = StepInput::in_mode(self.mode.as_deref());
        setup.compose_with(&self.touched, input).await.map_err(Failure::Open)
    }

    /// Whatever of the configuration is ignored, one line each.
    pub(crate) fn ignored(&self) -> Vec<String> {
        self.warnings.iter().map(ToString::to_string).collect()
    }

    /// Says on standard error what is ignored.
    pub(crate) fn warn(&self) {
        for ignored in self.ignored() {
            say(format_args!("warning: {ignored}"));
        }
    }
}

impl Target {
    /// Links are followed, as the shell does when it changes there; those of a file's own name are not.
    fn of(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::Path { path: path.to_path_buf(), error };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            let directory = path.canonicalize().map_err(failed)?;
            // Without the right to look into it every file would seem unavailable.
            std::fs::metadata(directory.join(".")).map_err(failed)?;
            return Ok(Self::Directory(directory));
        }
        let absolute = std::path::absolute(path).map_err(failed)?;
        let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(Failure::Input(format!("{}: neither a file nor a directory", shown(path))));
        };
        let folder = parent.canonicalize().map_err(failed)?;
        let path = lexical(&folder.join(name)).map_err(|error| Failure::Input(error.to_string()))?;
        Ok(Self::File { folder, path })
    }

    fn folder(&self) -> &Path {
        match self {
            Self::Directory(folder) | Self::File { folder, .. } => folder,
        }
    }
}

fn header(args: &SessionArgs, start: &Path) -> Result<SessionHeader, Failure> {
    let mut header = match args.class {
        Class::Main => SessionHeader::main("standing-orders", 0),
        Class::Subagent { depth } => {
            let stored = serde_json::json!({
                "format": 1,
                "id": "standing-orders",
                "created_at": 0,
                "origin": "subagent",
                "delegation_depth": depth,
            });
            SessionHeader::from_value(&stored).map_err(|error| Failure::Input(error.to_string()))?
        }
    };
    if let Some(agent) = &args.agent {
        header = header.with_agent_preset(agent);
    }
    Ok(header.with_cwd(start))
}
