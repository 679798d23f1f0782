//! A process of its own, from start to exit.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use crate::figure::{Measured, Outcome, Scale};
use crate::fixture::{self, DEPTH, Project};
use crate::measure::alternate;
use crate::plain::Plain;

/// The argument by which this program starts itself as the plain side.
const PLAIN: &str = "--plain-process";
const BINARY: &str = "standing-orders";
const BUILD: &str = "build it with `cargo build --release -p standing-orders-cli`";

/// As the plain side: the system calls for the chain from ROOT to CWD, and then TEXT.
/// `None` when the arguments ask for something else.
pub(crate) fn plain_process(arguments: &[OsString]) -> Outcome<Option<ExitCode>> {
    let [first, root, cwd, text] = arguments else { return Ok(None) };
    if first != PLAIN {
        return Ok(None);
    }
    let (root, cwd) = (Path::new(root), Path::new(cwd));
    let mut dirs: Vec<PathBuf> =
        cwd.ancestors().take_while(|dir| dir.starts_with(root)).map(PathBuf::from).collect();
    dirs.reverse();
    Plain::new(&dirs, &fixture::names()).first_load()?;
    io::stdout().write_all(text.as_encoded_bytes())?;
    Ok(Some(ExitCode::SUCCESS))
}

/// `standing-orders explain --json` against the plain side.
pub(crate) fn own_process(scale: &Scale) -> Outcome<Measured> {
    let itself = env::current_exe()?;
    let binary = match find(&itself)? {
        Ok(binary) => binary,
        Err(why) => return Ok(Measured::missing(why)),
    };
    let runtime = fixture::current_thread()?;
    let project = Project::on_disk(&runtime)?;
    let home = tempfile::tempdir()?;
    // Copies of both: how a file lies in memory depends on how it was written, and a linker writes in
    // small pieces, of which more have to be mapped.
    let copies = tempfile::tempdir()?;
    let copy = |program: &Path, name: &str| -> io::Result<PathBuf> {
        let to = copies.path().join(name);
        fs::copy(program, &to).map(|_| to)
    };
    let (itself, binary) = (copy(&itself, "plain")?, copy(&binary, BINARY)?);
    let (root, cwd) = (project.dirs.first().ok_or("a chain has a root")?, project.cwd());
    let explain = || start(&binary, &["explain".as_ref(), "--json".as_ref(), ".".as_ref()], cwd, home.path());
    let said = explain()?;
    let Some(text) = explanation(&said.output) else {
        let complaint = String::from_utf8_lossy(&said.output.stderr);
        let complaint = complaint.lines().next().unwrap_or("nothing on standard error");
        return Ok(Measured::missing(format!(
            "`{BINARY} explain --json` does not explain the project ({}): {complaint}",
            said.output.status
        )));
    };
    let plain_arguments = [PLAIN.as_ref(), root.as_os_str(), cwd.as_os_str(), text.as_ref()];
    let plain = || start(&itself, &plain_arguments, cwd, home.path());
    if plain()?.output.stdout != said.output.stdout {
        return Err("the plain process does not print the same bytes".into());
    }
    let rounds =
        alternate(scale.rounds, scale.of(60, 20), || Ok(explain()?.elapsed), || Ok(plain()?.elapsed))?;
    let note = format!(
        "depth {DEPTH}, four names, {DEPTH} files, {} bytes of output: {}",
        text.len(),
        rounds.sides()
    );
    Ok(rounds.measured(note))
}

/// One process, from before it is started until its output is closed and it has ended.
struct Run {
    output: Output,
    elapsed: Duration,
}

fn start(program: &Path, arguments: &[&OsStr], cwd: &Path, home: &Path) -> Outcome<Run> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(cwd).env_clear().env("HOME", home);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let output = command.output()?;
    let elapsed = start.elapsed();
    Ok(Run { output, elapsed })
}

/// The text, if it is one JSON object that speaks of the deepest file.
fn explanation(output: &Output) -> Option<String> {
    let text = String::from_utf8(output.stdout.clone()).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let deepest = format!("package{}/AGENTS.md", DEPTH - 1);
    (value.is_object() && text.contains(&deepest)).then_some(text)
}

/// The command line beside this program, built first when this program was started by cargo; or
/// why there is none.
fn find(itself: &Path) -> Outcome<Result<PathBuf, String>> {
    let folder = itself.parent().ok_or("this program has no folder")?;
    let binary = folder.join(format!("{BINARY}{}", env::consts::EXE_SUFFIX));
    if folder.file_name() != Some(OsStr::new("release")) {
        return Ok(Err(format!("this is not a release build, and so is no `{BINARY}` beside it")));
    }
    if let Some(cargo) = env::var_os("CARGO") {
        let target = folder.parent().ok_or("a release folder is in a target folder")?;
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
        let mut build = Command::new(cargo);
        build.args(["build", "--release", "--quiet", "-p", "standing-orders-cli", "--manifest-path"]);
        build.arg(manifest).arg("--target-dir").arg(target).stdin(Stdio::null());
        if !build.status()?.success() {
            return Ok(Err(format!("the command line does not build; {BUILD} to see why")));
        }
    }
    Ok(if binary.is_file() { Ok(binary) } else { Err(format!("no `{BINARY}` beside this program; {BUILD}")) })
}
