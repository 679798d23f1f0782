//! Laws of rules and imports together, whatever happens to the files.

use std::collections::BTreeSet;

use proptest::prelude::*;
use standing_orders::fs::{Fault, FaultKind};
use standing_orders::plugin::*;
use standing_orders::testing::{Harness, TestSession};
use standing_orders::{Budget, Engine, Imports, Settings};

use crate::imports::turn;

const FILES: [&str; 12] = [
    "AGENTS.md",
    "CLAUDE.md",
    "p/AGENTS.md",
    ".claude/CLAUDE.md",
    ".claude/rules/a.md",
    ".claude/rules/b.md",
    ".claude/rules/sub/c.md",
    "p/.claude/rules/d.md",
    ".cursor/rules/e.mdc",
    "x.md",
    "docs/y.md",
    "p/z.md",
];

const TEXTS: [&str; 14] = [
    "T1",
    "T2",
    "",
    "X3",
    "@CLAUDE.md",
    "@AGENTS.md",
    "W @x.md @docs/y.md @p/z.md",
    "N @z.md @../x.md @../docs/y.md",
    "---\npaths: p/**\n---\nP",
    "---\npaths: *.ts\n---\nS @../../x.md",
    "---\ndescription: D\n---\nD @../../docs/y.md",
    "---\nglobs: *.ts\nalwaysApply: true\n---\nG",
    "---\nnot a head\n---\nU",
    "a\0b",
];

const TOUCHED: [&str; 5] = ["p/a.ts", "b.ts", "docs/y.md", ".claude/rules/a.md", "p/.claude/rules/d.md"];

#[derive(Clone, Debug)]
enum Op {
    Write(usize, usize),
    Remove(usize),
    Touch(usize),
    Fault(usize, bool),
    FaultFolder(usize),
    Heal,
    Compact,
    Resume,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..FILES.len(), 0..TEXTS.len()).prop_map(|(file, text)| Op::Write(file, text)),
        2 => (0..FILES.len()).prop_map(Op::Remove),
        3 => (0..TOUCHED.len()).prop_map(Op::Touch),
        1 => (0..FILES.len(), any::<bool>()).prop_map(|(file, read)| Op::Fault(file, read)),
        1 => (0..3_usize).prop_map(Op::FaultFolder),
        1 => Just(Op::Heal),
        1 => Just(Op::Compact),
        1 => Just(Op::Resume),
    ]
}

fn engine() -> Engine {
    let mut settings = Settings::new(Budget::from_bytes(65_536));
    settings.imports = Imports::Expand;
    Engine::builder(settings).injector(RulesFolders::new("rules").nested(true)).build().unwrap()
}

async fn apply(harness: &Harness, session: &mut TestSession, op: &Op, faults: &mut BTreeSet<String>) {
    let folders = [".claude/rules", ".claude/rules/sub", ".cursor/rules"];
    match op {
        Op::Write(file, text) => {
            harness.write(FILES[*file], TEXTS[*text]);
        }
        Op::Remove(file) => {
            harness.remove(FILES[*file]);
        }
        Op::Touch(path) => session.touch(TOUCHED[*path]).await.unwrap(),
        Op::Fault(file, read) => {
            let fault = if *read { Fault::Read } else { Fault::Stat };
            harness.fs().fault(harness.path(FILES[*file]), fault(FaultKind::PermissionDenied));
            faults.insert(FILES[*file].to_owned());
        }
        Op::FaultFolder(folder) => {
            harness.fs().fault(harness.path(folders[*folder]), Fault::Read(FaultKind::PermissionDenied));
            faults.insert(folders[*folder].to_owned());
        }
        Op::Heal => {
            faults.iter().for_each(|path| harness.fs().fault(harness.path(path), None));
            faults.clear();
        }
        Op::Compact => session.compact("so far").await.unwrap(),
        Op::Resume => session.resume().await.unwrap(),
    }
}

async fn laws(files: Vec<(usize, usize)>, ops: Vec<Op>) -> Result<(), TestCaseError> {
    let harness = Harness::new(engine());
    files.iter().for_each(|(file, text)| {
        harness.write(FILES[*file], TEXTS[*text]);
    });
    let mut session = harness.main("s").await.unwrap();
    turn(&mut session).await;
    let mut faults = BTreeSet::new();
    for op in &ops {
        apply(&harness, &mut session, op, &mut faults).await;
        let first = turn(&mut session).await;
        let in_force = session.context().in_force();
        let mut paths: Vec<&str> = in_force.iter().map(|entry| entry.path.as_str()).collect();
        paths.sort_unstable();
        let all = paths.len();
        paths.dedup();
        prop_assert_eq!(paths.len(), all, "D9, F9: each file once: {:?} after {:?}", first, op);
        let again = turn(&mut session).await;
        prop_assert_eq!(&again, &[""; 0], "C1: nothing changed after {:?}, which gave {:?}", op, first);
        harness.fs().reset_counters();
        turn(&mut session).await;
        let counts = harness.fs().counters();
        if faults.is_empty() {
            prop_assert_eq!((counts.listings, counts.reads), (0, 0), "F2, C13: after {:?}: {:?}", op, counts);
            session.resume().await.unwrap();
            let resumed = turn(&mut session).await;
            prop_assert_eq!(&resumed, &[""; 0], "C12: after {:?}, which gave {:?}", op, first);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_due_is_said_once_over_restarts_too(
        files in proptest::collection::vec((0..FILES.len(), 0..TEXTS.len()), 0..10),
        ops in proptest::collection::vec(op(), 1..10),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(laws(files, ops))?;
    }
}
