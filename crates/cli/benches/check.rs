//! `check` beside `find` over a generated monorepo, in one run:
//! `cargo bench -p standing-orders-cli --bench check`. Fails above 2.5 times the wall time of `find`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 100_000;
const DIRECTORIES: usize = 10_000;
const INSTRUCTION_FILES: usize = 500;
const RUNS: usize = 11;
const LIMIT: f64 = 2.5;

fn generate(root: &Path) {
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "target/\nnode_modules/\n*.local.md\n").unwrap();
    for number in 0..DIRECTORIES {
        let dir = root.join(format!("team{}/pkg{}/src{number}", number % 50, number % 1000));
        std::fs::create_dir_all(&dir).unwrap();
        for file in 0..FILES / DIRECTORIES {
            std::fs::write(dir.join(format!("file{file}.rs")), "").unwrap();
        }
        if number % (DIRECTORIES / INSTRUCTION_FILES) == 0 {
            let text =
                format!("# Package {number}\n{}", "Keep handlers thin, test what you write.\n".repeat(40));
            std::fs::write(dir.join("AGENTS.md"), text).unwrap();
        }
    }
}

/// The least of some runs, as the machine has other things to do.
fn least(mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    run();
    (0..RUNS).map(|_| time(&mut run)).min().unwrap()
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("monorepo");
    generate(&root);
    let quiet = |command: &mut Command| {
        let status =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{command:?} is fine");
    };
    let find = least(|| quiet(Command::new("find").arg(&root)));
    let check = least(|| quiet(Command::new(env!("CARGO_BIN_EXE_standing-orders")).arg("check").arg(&root)));
    let ratio = check.as_secs_f64() / find.as_secs_f64();
    println!(
        "{FILES} files, {INSTRUCTION_FILES} instruction files: check {check:?}, find {find:?}, ratio {ratio:.2}"
    );
    assert!(ratio <= LIMIT, "at most {LIMIT} times the wall time of find");
}
