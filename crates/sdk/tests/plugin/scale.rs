//! Many injectors: counts, not time.

use standing_orders::plugin::Instruction;

use super::{Does, Scripted, builder, harness};

const FILES: usize = 3;

/// So many injectors with three files each.
fn many(count: usize) -> standing_orders::testing::Harness {
    let files = |id: usize| (0..FILES).map(move |file| Instruction::file(format!("notes/{id}-{file}.md")));
    let injectors = (0..count).map(|id| Scripted::new(&format!("i{id}"), Does::Want(files(id).collect())));
    let project = harness(injectors.fold(builder(), |builder, injector| builder.injector(injector)));
    for (id, file) in (0..count).flat_map(|id| (0..FILES).map(move |file| (id, file))) {
        project.write(format!("notes/{id}-{file}.md"), format!("note {file} of {id}"));
    }
    project.write("AGENTS.md", "Everybody.");
    project
}

#[tokio::test]
async fn all_files_of_two_hundred_injectors_go_out_in_one_probe_batch_with_the_chains() {
    let project = many(200);
    let mut main = project.main("m").await.unwrap();
    project.fs().reset_counters();
    let entered = main.turn("go").await.unwrap();
    let first = project.fs().reset_counters();
    assert_eq!(entered.len(), 201, "every injector and the workspace");
    assert_eq!(first.round_trips, 3, "markers, probes, reads");
    assert_eq!(first.batches, 3, "and each of them is one batch");
    assert_eq!(first.reads, 600 + 1, "each file is read once");

    main.step().await.unwrap();
    let unchanged = project.fs().reset_counters();
    assert_eq!((unchanged.batches, unchanged.reads), (1, 0), "unchanged: one batch, and nothing is read");

    project.write("notes/7-1.md", "ñew");
    let entered = main.step().await.unwrap();
    let changed = project.fs().reset_counters();
    assert_eq!(entered.len(), 1, "one injector says one thing");
    assert_eq!((changed.batches, changed.reads), (2, 1), "one more batch, for the one file");
}

#[tokio::test]
async fn an_unchanged_steps_probes_grow_with_the_files_and_by_nothing_else() {
    let mut probes = Vec::new();
    for count in [0, 50, 100, 200] {
        let project = many(count);
        let mut main = project.main("m").await.unwrap();
        main.turn("go").await.unwrap();
        project.fs().reset_counters();
        main.step().await.unwrap();
        let counters = project.fs().reset_counters();
        assert_eq!((counters.batches, counters.reads), (1, 0), "{count} injectors");
        probes.push(counters.probes - u64::try_from(count * FILES).unwrap());
    }
    assert!(probes.iter().all(|rest| *rest == probes[0]), "what is left is the chain's: {probes:?}");
}

#[tokio::test]
async fn a_restart_of_many_reads_each_once_and_says_nothing() {
    let project = many(200);
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    main.resume().await.unwrap();
    project.fs().reset_counters();
    assert!(main.step().await.unwrap().is_empty(), "nothing changed");
    assert_eq!(project.fs().reset_counters().reads, 601, "an empty cache is filled");
    main.step().await.unwrap();
    assert_eq!(project.fs().reset_counters().reads, 0, "and used");
}
