//! A generated repository, and the command run in it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snapbox::cmd::Command;

/// The repository `/…/r`, marked by `.git`, and the user's home `/…/home` beside it, in a folder that
/// goes with the value.
pub(crate) struct Repo {
    _dir: tempfile::TempDir,
    pub(crate) top: PathBuf,
}

impl Repo {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // As a session sees it: the path of the machine's temporary folder may lead through links.
        let top = dir.path().canonicalize().unwrap();
        let repo = Self { _dir: dir, top };
        repo.mkdir("r/.git");
        repo.mkdir("home");
        repo
    }

    /// With these files, named from the folder that holds repository and home.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self::new();
        for (path, text) in files {
            repo.write(path, text);
        }
        repo
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.top.join(path)
    }

    pub(crate) fn mkdir(&self, path: &str) {
        std::fs::create_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// The command in `r`, in an environment of its own. A hang is a failure.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        self.run_in("r", args)
    }

    pub(crate) fn run_in<S: AsRef<std::ffi::OsStr>>(
        &self,
        dir: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let assert = snapbox::Assert::new()
            .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
            .redact_with(self.redactions());
        Command::new(snapbox::cmd::cargo_bin!("standing-orders"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("LANG", "C.UTF-8")
            // So that no line breaks where the path of the temporary folder says.
            .env("COLUMNS", "400")
            .current_dir(self.path(dir))
            .timeout(Duration::from_secs(60))
            .args(args)
            .with_assert(assert)
    }

    fn redactions(&self) -> snapbox::Redactions {
        let mut redactions = snapbox::Redactions::new();
        redactions.insert("[TOP]", self.top.clone()).unwrap();
        redactions
    }

    /// What is on standard output, the command being fine.
    pub(crate) fn stdout<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let output = self.run(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "the command is fine: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }
}
