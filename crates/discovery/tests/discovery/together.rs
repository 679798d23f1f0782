//! Reads that come with the probes change no finding (D12).

use async_trait::async_trait;
use proptest::prelude::*;
use standing_orders_discovery::{Rules, look};
use standing_orders_fs::{
    FsError, FsProvider, FsProviderExt, KnownVersion, PathBatch, Probe, Probed, ReadOutcome, ReadPlan,
};

use crate::tree::{Strange, Tree, all_distinct, directories, told};

/// Reads every file that is picked with its probe, in one trip.
#[derive(Debug)]
struct Eager {
    tree: Tree,
    /// Answers only this many of them, and puts off another one.
    most: usize,
    /// Reads what nobody wanted too.
    zealous: bool,
}

#[async_trait]
impl FsProvider for Eager {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.tree.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        self.tree.read_many(paths, max_bytes).await
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let probes = self.tree.probe_many(paths).await;
        let (mut picker, mut reads) = (plan.picker(), Vec::new());
        for (index, (path, probe)) in paths.iter().zip(&probes).enumerate() {
            let Ok(Probe::Present(metadata)) = probe else { continue };
            let wanted = picker.wants(index, metadata);
            match reads.len() {
                _ if !wanted && !self.zealous => {}
                count if count < self.most => {
                    reads.push((index, self.tree.read(path, plan.max_bytes()).await))
                }
                count if count == self.most => reads.push((index, Ok(ReadOutcome::Deferred))),
                _ => {}
            }
        }
        Probed { probes, reads }
    }
}

const DIRS: [&str; 3] = ["/ws", "/ws/a", "/ws/é"];
const FILES: [&str; 6] = [
    "/ws/AGENTS.md",
    "/ws/CLAUDE.md",
    "/ws/AGENTS.local.md",
    "/ws/a/AGENTS.md",
    "/ws/a/CLAUDE.md",
    "/ws/é/AGENTS.md",
];

fn fixture() -> impl Strategy<Value = String> {
    let file = prop::sample::select(FILES.to_vec());
    let entry = (file.clone(), file, 0..9_u8).prop_map(|(file, other, kind)| match kind {
        0..=3 => format!("{file} = text of {other}"),
        4 if file != other => format!("{other} = shared\n{file} == {other}"),
        5 if file != other => format!("{file} -> {other}"),
        6 => format!("{file} = {file}\n!read {file}"),
        7 => format!("!stat {file}"),
        _ => format!("{file} = {}", "long ".repeat(20)),
    });
    let unique = |entries: Vec<String>| {
        let mut named = std::collections::HashSet::new();
        let fresh = |entry: &String| {
            let paths = entry.split_whitespace().filter(|word| word.starts_with("/ws"));
            paths
                .map(str::to_owned)
                .collect::<std::collections::HashSet<_>>()
                .into_iter()
                .all(|p| named.insert(p))
        };
        entries.into_iter().filter(fresh).collect::<Vec<_>>().join("\n")
    };
    prop::collection::vec(entry, 0..8).prop_map(unique)
}

proptest! {
    #[test]
    fn a_provider_that_reads_at_once_is_told_the_same(
        fixture in fixture(), distinct: bool, no_identity: bool, zealous: bool, most in 0..5_usize, small: bool,
    ) {
        let mut rules = if distinct { all_distinct() } else { Rules::default() };
        if small {
            rules.max_source_bytes = 50.try_into().unwrap();
        }
        let tree = || Tree::of(&fixture).strange(Strange { no_identity, ..Strange::default() });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (plain, eager) = (tree(), Eager { tree: tree(), most, zealous });
        let places = directories(&DIRS);
        let (one, other) = runtime.block_on(async {
            let one = look(&plain, &places, &rules, |_| KnownVersion::Nothing).await;
            (one, look(&eager, &places, &rules, |_| KnownVersion::Nothing).await)
        });
        prop_assert_eq!(told(&other), told(&one), "{}", fixture);
        prop_assert_eq!(other.counts().bytes >= one.counts().bytes, true, "nothing is missed");
        prop_assert!(
            other.counts().round_trips <= one.counts().round_trips + 1,
            "{} trips, and {} one by one", other.counts().round_trips, one.counts().round_trips
        );
    }
}
