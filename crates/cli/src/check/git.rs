//! Git, called as a program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::gather::one_line;
use crate::failure::Failure;

/// What a commit has at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) is_link: bool,
    pub(super) blob: String,
}

/// The files of a commit below a directory, by absolute path. Nested repositories are none.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    /// As git abbreviates it.
    pub(super) commit: String,
    pub(super) entries: BTreeMap<PathBuf, Entry>,
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).stdin(Stdio::null());
    git
}

fn missing(error: io::Error) -> Failure {
    Failure::Input(match error.kind() {
        io::ErrorKind::NotFound => "--since needs the program git, and there is none".to_owned(),
        _ => format!("--since: git cannot be run: {error}"),
    })
}

fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let output = command.output().map_err(missing)?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(failed(&output)),
    }
}

/// With all that git says, of which the last line can be what helps.
fn failed(output: &Output) -> Failure {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> =
        said.lines().map(|line| one_line(&line.trim_end().replace('\t', "    "))).collect();
    let said = match lines.is_empty() {
        true => format!("it says nothing ({})", output.status),
        false => lines.join("\n"),
    };
    Failure::Input(format!("--since: git failed: {said}"))
}

/// The name of the commit in full.
fn resolve(root: &Path, name: &str) -> Result<String, Failure> {
    let mut resolve = git(root);
    // Quiet, it says nothing of a name that stands for no commit, and whatever else is wrong.
    resolve.args(["rev-parse", "--quiet", "--verify", "--end-of-options"]).arg(format!("{name}^{{commit}}"));
    let output = resolve.output().map_err(missing)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    if !output.stderr.is_empty() {
        return Err(failed(&output));
    }
    Err(Failure::Input(format!(
        "--since: `{}` is no commit here: name a branch, a tag or a commit that `git log` knows; in CI fetch \
         it first (actions/checkout: fetch-depth: 0)",
        one_line(name)
    )))
}

impl Tree {
    /// What `name` (a branch, a tag, a commit) has below `root`.
    pub(super) fn of(root: &Path, name: &str) -> Result<Self, Failure> {
        let commit = resolve(root, name)?;
        let mut list = git(root);
        list.args(["ls-tree", "-r", "-z", &commit]);
        let listed = output(&mut list)?;
        let mut entries = BTreeMap::new();
        for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
            let (head, path) = line.split_at_checked(tab).unwrap_or((line, b""));
            let head = String::from_utf8_lossy(head);
            let mut words = head.split(' ');
            let (Some(mode), Some("blob"), Some(blob)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let path = root.join(os(path.get(1..).unwrap_or_default()));
            entries.insert(path, Entry { is_link: mode == "120000", blob: blob.to_owned() });
        }
        let commit = commit.get(..12).unwrap_or(&commit).to_owned();
        Ok(Self { root: root.to_path_buf(), commit, entries })
    }

    /// The contents of these files, in order.
    pub(super) fn read(&self, paths: &[PathBuf]) -> Result<Vec<(PathBuf, Entry, Vec<u8>)>, Failure> {
        let wanted: Vec<_> =
            paths.iter().filter_map(|path| Some((path.clone(), self.entries.get(path)?.clone()))).collect();
        let mut child = git(&self.root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(missing)?;
        let failed = |error: io::Error| Failure::Input(format!("--since: git cat-file failed: {error}"));
        let (Some(mut input), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Input("--since: git cat-file cannot be talked to".to_owned()));
        };
        let mut answers = BufReader::new(answers);
        let mut read = Vec::with_capacity(wanted.len());
        for (path, entry) in wanted {
            // One question at a time: neither side waits for the other with a full pipe.
            writeln!(input, "{}", entry.blob).and_then(|()| input.flush()).map_err(failed)?;
            let mut head = String::new();
            answers.read_line(&mut head).map_err(failed)?;
            let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
            let Some(size) = size else {
                return Err(Failure::Input(format!(
                    "--since: git cat-file said {}",
                    one_line(head.trim_end())
                )));
            };
            let mut bytes = vec![0; size];
            answers.read_exact(&mut bytes).map_err(failed)?;
            answers.read_exact(&mut [0]).map_err(failed)?;
            read.push((path, entry, bytes));
        }
        drop(input);
        child.wait().map_err(failed)?;
        Ok(read)
    }
}

#[cfg(unix)]
pub(super) fn os(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
pub(super) fn os(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
