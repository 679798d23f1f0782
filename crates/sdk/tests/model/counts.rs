//! What a pre-step costs the provider (C13, D12).

use std::sync::Arc;

use standing_orders::plugin::SessionHeader;
use standing_orders::{Budget, Context, Engine, Settings, StepInput};
use standing_orders_fs::{Counters, MemoryFs};
use standing_orders_session::{Fact, MessageId};

use super::sut::run;

fn project() -> MemoryFs {
    MemoryFs::from_iter([
        ("/ws/.git/", ""),
        ("/ws/AGENTS.md", "root"),
        ("/ws/a/AGENTS.md", "a"),
        ("/ws/a/AGENTS.local.md", "a, here"),
        ("/ws/a/n/é/AGENTS.md", "nested"),
    ])
}

fn session(fs: &MemoryFs) -> Context {
    let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
    let header = SessionHeader::main("counts", 0).with_cwd("/ws/a");
    engine.session(header).fs(Arc::new(fs.clone())).open([]).unwrap()
}

/// One entered step: what it asked of the provider, and the identities of its messages.
fn step(context: &mut Context, fs: &MemoryFs) -> (Counters, Vec<MessageId>) {
    fs.reset_counters();
    let prepared = run(context.pre_step(StepInput::default()));
    let counters = fs.counters();
    let report = prepared.report().counts();
    assert_eq!(report.probes as u64, counters.probes, "the report counts the probes");
    assert_eq!(report.reads as u64, counters.reads, "the report counts the reads");
    let ids = prepared.messages().iter().map(|message| message.source.id.clone()).collect();
    context.entered(prepared).unwrap();
    (counters, ids)
}

/// A session with its chain and a nested file in force, and the identities of its messages.
fn loaded(fs: &MemoryFs) -> (Context, Vec<MessageId>) {
    let mut context = session(fs);
    let (first, mut ids) = step(&mut context, fs);
    assert_eq!(first.round_trips, 3, "the first pre-step: markers, probes, reads");
    context.touches().report("n/é/x.rs");
    ids.extend(step(&mut context, fs).1);
    assert_eq!(ids.len(), 2, "a baseline, and a nested file");
    (context, ids)
}

#[test]
fn an_unchanged_pre_step_reads_nothing_and_probes_in_one_batch() {
    let fs = project();
    let (mut context, _) = loaded(&fs);
    for _ in 0..3 {
        let (counters, ids) = step(&mut context, &fs);
        assert!(ids.is_empty(), "nothing changed, nothing due");
        assert_eq!((counters.batches, counters.reads), (1, 0), "one batch of probes, and no read");
    }
}

#[test]
fn after_one_edit_there_is_one_read() {
    let fs = project();
    let rows = [
        ("/ws/AGENTS.md", "root, edited"),
        ("/ws/a/AGENTS.local.md", "anders"),
        ("/ws/a/n/é/AGENTS.md", "ü"),
    ];
    let (mut context, _) = loaded(&fs);
    for (path, text) in rows {
        fs.write(path, text);
        let (counters, ids) = step(&mut context, &fs);
        assert_eq!(ids.len(), 1, "{path}: the edit is one message");
        assert_eq!((counters.batches, counters.reads), (2, 1), "{path}: one batch of probes, one read");
    }
}

#[test]
fn rewriting_equal_text_is_read_once_and_sent_never() {
    let fs = project();
    let (mut context, _) = loaded(&fs);
    fs.write("/ws/AGENTS.md", "root");
    let (counters, ids) = step(&mut context, &fs);
    assert!(ids.is_empty() && counters.reads == 1, "another version is looked into");
    let (counters, _) = step(&mut context, &fs);
    assert_eq!(counters.reads, 0, "and known from then on");
}

#[test]
fn after_a_compaction_a_probe_and_a_read_suffice() {
    let fs = project();
    let (mut context, ids) = loaded(&fs);
    context.apply([Fact::Shadowed(ids)]);
    let (counters, ids) = step(&mut context, &fs);
    assert_eq!(ids.len(), 1, "the whole baseline returns");
    assert_eq!((counters.batches, counters.round_trips), (2, 2), "probes, then reads of what is due");
    assert_eq!(counters.reads, 3, "each file of the chain once, though its version is known");
}

#[test]
fn a_new_instance_pays_for_its_markers_probes_and_reads() {
    let fs = project();
    let mut context = session(&fs);
    fs.reset_counters();
    let prepared = run(context.pre_step(StepInput::default()));
    let sources = prepared.messages().iter().map(|message| message.source.clone()).collect();
    context.entered(prepared).unwrap();
    let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
    let header = SessionHeader::main("counts", 0).with_cwd("/ws/a");
    let again = engine.session(header).fs(Arc::new(fs.clone())).open([Fact::Entered(sources)]);
    let (counters, ids) = step(&mut again.unwrap(), &fs);
    assert!(ids.is_empty(), "a resume without change has nothing new due");
    assert_eq!(counters.round_trips, 3, "markers, probes, reads");
}
