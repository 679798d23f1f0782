//! Projects to load: on disk and in memory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use standing_orders::plugin::SessionHeader;
use standing_orders::{Budget, Context, Engine, Prepared, Settings, StepInput};
use standing_orders_discovery::CandidateNames;
use standing_orders_fs::{FsProvider, LocalFs, MemoryFs, PathBatch, Probe};
use standing_orders_session::InstructionSource;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::figure::Outcome;

/// How deep the chain is in most rows: root and seven directories.
pub(crate) const DEPTH: usize = 8;

/// An engine with the default names, four of them, and 64 KiB.
pub(crate) fn engine() -> Engine {
    Engine::new(Settings::new(Budget::from_bytes(65_536)))
}

/// The four names.
pub(crate) fn names() -> Vec<String> {
    CandidateNames::default().iter().map(|(_, name)| name.to_owned()).collect()
}

/// About 1.5 KB of instructions, another text in each directory.
pub(crate) fn instructions(level: usize) -> String {
    let rules = "- Keep functions short; prefer early returns, and write <tests> for each branch.\n\
                 - Naïve copies of `config` & friends are refused: see docs/style.md.\n";
    format!("# Level {level}\n\n{}", rules.repeat(10))
}

/// A path below `top` of `depth` directories, the first of which is the root.
pub(crate) fn chain(top: &Path, depth: usize) -> Vec<PathBuf> {
    let mut dirs = vec![top.join("project")];
    for level in 1..depth {
        let parent = dirs.last().map_or(top, PathBuf::as_path);
        dirs.push(parent.join(format!("package{level}")));
    }
    dirs
}

/// A project on disk: `.git` in the root, one `AGENTS.md` a directory.
pub(crate) struct Project {
    /// Removed when dropped.
    _dir: TempDir,
    /// Root first, cwd last.
    pub(crate) dirs: Vec<PathBuf>,
}

impl Project {
    /// Writes it into the temporary directory, and waits until its versions are settled (P3): up
    /// to 20 ms, or 2 s on a file system without fractions of a second.
    pub(crate) fn on_disk(runtime: &Runtime) -> Outcome<Self> {
        let dir = tempfile::Builder::new().prefix("standing-orders-bench").tempdir()?;
        // As the marker walk sees it: without links on the way.
        let dirs = chain(&dir.path().canonicalize()?, DEPTH);
        let root = dirs.first().ok_or("a chain has a root")?;
        fs::create_dir_all(root.join(".git"))?;
        let mut files = Vec::new();
        for (level, dir) in dirs.iter().enumerate() {
            fs::create_dir_all(dir)?;
            let file = dir.join("AGENTS.md");
            fs::write(&file, instructions(level))?;
            files.push(file);
        }
        settle(runtime, &files.iter().collect())?;
        Ok(Self { _dir: dir, dirs })
    }

    pub(crate) fn cwd(&self) -> &Path {
        self.dirs.last().map_or(Path::new("/"), PathBuf::as_path)
    }
}

fn settle(runtime: &Runtime, files: &PathBatch) -> Outcome<()> {
    let fs = LocalFs::new();
    let start = Instant::now();
    loop {
        let probes = runtime.block_on(fs.probe_many(files));
        if probes.iter().all(|probe| matches!(probe, Ok(Probe::Present(metadata)) if metadata.settled)) {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(10) {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "versions in the temporary directory do not settle: is its clock ahead?",
            )
            .into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The same project in memory.
pub(crate) fn in_memory(depth: usize) -> (MemoryFs, PathBuf) {
    let fs = MemoryFs::new();
    let dirs = chain(Path::new("/home/agent/work"), depth);
    for (level, dir) in dirs.iter().enumerate() {
        fs.write(dir.join("AGENTS.md"), instructions(level));
    }
    if let Some(root) = dirs.first() {
        fs.make_dir(root.join(".git"));
    }
    (fs, dirs.into_iter().next_back().unwrap_or_default())
}

/// One thread, and a blocking pool beside it.
pub(crate) fn current_thread() -> io::Result<Runtime> {
    Builder::new_current_thread().build()
}

/// A context in `cwd` over an empty history.
pub(crate) fn open(engine: &Engine, fs: &Arc<dyn FsProvider>, id: &str, cwd: &Path) -> Outcome<Context> {
    let header = SessionHeader::main(id, 0).with_cwd(cwd);
    Ok(engine.session(header).fs(Arc::clone(fs)).open([])?)
}

/// A context that has loaded what is there, and then saw a step without changes.
pub(crate) async fn loaded(mut context: Context, files: usize) -> Outcome<Context> {
    let prepared = context.pre_step(StepInput::default()).await;
    expect_load(&prepared, files)?;
    context.entered(prepared)?;
    let prepared = context.pre_step(StepInput::default()).await;
    expect_unchanged(&prepared)?;
    context.entered(prepared)?;
    Ok(context)
}

/// Holds a first load to what it must have done: one baseline with every file.
pub(crate) fn expect_load(prepared: &Prepared, files: usize) -> Outcome<()> {
    let counts = prepared.report().counts();
    match prepared.messages() {
        [message]
            if message.source.baseline && message.source.changes.len() == files && counts.reads == files =>
        {
            Ok(())
        }
        _ => Err(format!("a first load of {files} files came to something else: {counts:?}").into()),
    }
}

/// Holds a step without changes to what it must not have done.
pub(crate) fn expect_unchanged(prepared: &Prepared) -> Outcome<()> {
    let counts = prepared.report().counts();
    if prepared.is_empty() && counts.reads == 0 && counts.probes > 0 {
        return Ok(());
    }
    Err(format!("a step without changes came to something else: {counts:?}").into())
}

/// The source of a baseline with eight files, as the engine writes it.
pub(crate) fn baseline() -> Outcome<InstructionSource> {
    let (fs, cwd) = in_memory(DEPTH);
    let fs: Arc<dyn FsProvider> = Arc::new(fs);
    let context = open(&engine(), &fs, "s", &cwd)?;
    let prepared = current_thread()?.block_on(context.pre_step(StepInput::default()));
    expect_load(&prepared, DEPTH)?;
    let message = prepared.messages().first().ok_or("a first load has a message")?;
    Ok(message.source.clone())
}
