use std::sync::Arc;

use standing_orders_discovery::{Found, Look, Rules, look};
use standing_orders_fs::{Fault, FaultKind, KnownVersion, Metadata};

use crate::tree::{Strange, Tree, all_distinct, directories, told};

fn metadata(look: &Look, index: usize) -> Metadata {
    *look.findings()[index].metadata().unwrap()
}

/// Three directories whose files are one file: a file, a link to it, a hard link.
const ONE_FILE: &str = "/ws/AGENTS.md = é\n/ws/a/AGENTS.md -> ../AGENTS.md\n/ws/b/AGENTS.md == /ws/AGENTS.md";
const DIRS: [&str; 3] = ["/ws", "/ws/a", "/ws/b"];

#[tokio::test]
async fn one_file_is_read_once_and_its_text_is_shared() {
    let tree = Tree::of(ONE_FILE);
    let look = tree.look(&DIRS, &Rules::default()).await;
    let texts: Vec<_> = look.findings().iter().filter_map(|finding| finding.text()).collect();
    assert_eq!(told(&look), [r#"/ws/AGENTS.md "é""#, r#"/ws/a/AGENTS.md "é""#, r#"/ws/b/AGENTS.md "é""#]);
    assert_eq!(tree.read_batches(), [1], "D9: one read of one file");
    assert!(Arc::ptr_eq(&texts[0].shared(), &texts[2].shared()), "one text in memory");
    assert_eq!(metadata(&look, 0).file, metadata(&look, 8).file, "the caller can tell that it is one file");
}

#[tokio::test]
async fn a_fault_of_reading_belongs_to_the_path_asked_for() {
    let rows: [(&str, &str, &[&str], &[usize]); 3] = [
        ("first path", "!read /ws/AGENTS.md", &["unreadable", r#""é""#, r#""é""#], &[1, 2]),
        (
            "second path, whose read is not needed",
            "!read /ws/a/AGENTS.md",
            &[r#""é""#, r#""é""#, r#""é""#],
            &[1],
        ),
        (
            "two of them: still two batches",
            "!read /ws/AGENTS.md\n!read /ws/a/AGENTS.md",
            &["unreadable", "unreadable", r#""é""#],
            &[1, 2],
        ),
    ];
    for (row, faults, expected, batches) in rows {
        let tree = Tree::of(&format!("{ONE_FILE}\n{faults}"));
        let look = tree.look(&DIRS, &Rules::default()).await;
        let said: Vec<_> =
            told(&look).iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
        assert_eq!(said, expected, "{row}");
        assert_eq!(tree.read_batches(), batches, "{row}");
    }
}

fn below_the_first(index: usize) -> KnownVersion {
    if index / 4 > 0 { KnownVersion::Any } else { KnownVersion::Nothing }
}

#[tokio::test]
async fn another_path_is_tried_only_if_it_is_wanted() {
    let tree = Tree::of(&format!("{ONE_FILE}\n!read /ws/AGENTS.md"));
    let look = look(&tree, &directories(&DIRS), &Rules::default(), below_the_first).await;
    assert_eq!(told(&look), ["/ws/AGENTS.md unreadable", "/ws/a/AGENTS.md known", "/ws/b/AGENTS.md known"]);
    assert_eq!(tree.read_batches(), [1]);
}

#[tokio::test]
async fn many_paths_to_one_unreadable_file_take_two_batches() {
    let tree = Tree::of("/ws/AGENTS.md = a\n!read /ws/AGENTS.md");
    let dirs: Vec<String> = (0..500).map(|index| format!("/ws/{index}")).collect();
    for dir in &dirs {
        let path = format!("{dir}/AGENTS.md");
        tree.fs.symlink("../AGENTS.md", &path);
        tree.fs.fault(&path, Fault::Read(FaultKind::PermissionDenied));
    }
    let dirs: Vec<_> = ["/ws"].into_iter().chain(dirs.iter().map(String::as_str)).collect();
    let look = tree.look(&dirs, &Rules::default()).await;
    assert_eq!(tree.read_batches(), [1, 500], "linear however many links there are");
    assert!(told(&look).iter().all(|line| line.ends_with("unreadable")));
}

#[tokio::test]
async fn without_identities_every_path_is_read() {
    let tree = Tree::of(ONE_FILE).strange(Strange { no_identity: true, ..Strange::default() });
    let look = tree.look(&DIRS, &Rules::default()).await;
    assert_eq!(tree.read_batches(), [3], "nothing is guessed from equal sizes or versions");
    assert_eq!(metadata(&look, 0).file, None);
}

#[tokio::test]
async fn a_finding_asked_for_twice_is_read_once() {
    let tree = Tree::of(ONE_FILE).strange(Strange { no_identity: true, ..Strange::default() });
    let mut seen = look(&tree, &directories(&DIRS), &Rules::default(), |_| KnownVersion::Any).await;
    seen.read_more(&tree, &Rules::default(), &[4, 0, 4]).await;
    assert_eq!(tree.read_batches(), [2]);
}

#[tokio::test]
async fn siblings_that_are_one_file_are_read_once_too() {
    let tree = Tree::of("/ws/AGENTS.md = a\n/ws/CLAUDE.md -> AGENTS.md");
    let look = tree.look(&["/ws"], &all_distinct()).await;
    assert_eq!(told(&look), [r#"/ws/AGENTS.md "a""#, r#"/ws/CLAUDE.md "a""#]);
    assert_eq!(tree.read_batches(), [1]);
}

#[tokio::test]
async fn what_was_read_before_is_not_read_again() {
    let tree = Tree::of(ONE_FILE);
    let rules = Rules::default();
    let mut seen = look(&tree, &directories(&DIRS), &rules, below_the_first).await;
    seen.read_more(&tree, &rules, &[4, 8]).await;
    assert_eq!(told(&seen)[2], r#"/ws/b/AGENTS.md "é""#);
    assert_eq!(tree.read_batches(), [1], "the text of the same file is at hand");
    assert_eq!(seen.counts().round_trips, 2);
}

#[tokio::test]
async fn only_what_the_provider_puts_off_is_asked_for_again() {
    let fixture = "/a/AGENTS.md\n/b/AGENTS.md\n/c/AGENTS.md -> /d/AGENTS.md\n/d/AGENTS.md\n/e/AGENTS.md";
    let tree = Tree::of(fixture).strange(Strange { reads_at_once: Some(2), ..Strange::default() });
    let look = tree.look(&["/a", "/b", "/c", "/d", "/e"], &Rules::default()).await;
    assert_eq!(tree.read_batches(), [4, 2], "two a time; one file of two names once");
    assert_eq!(
        told(&look).iter().filter(|line| line.ends_with("AGENTS.md\"")).count(),
        5,
        "{:?}",
        told(&look)
    );
    assert_eq!(look.counts().reads, 4, "what was put off was not read");
}

#[tokio::test]
async fn a_provider_that_puts_everything_off_is_not_asked_for_ever() {
    let tree = Tree::of(ONE_FILE).strange(Strange { reads_at_once: Some(0), ..Strange::default() });
    let look = tree.look(&DIRS, &Rules::default()).await;
    assert!(told(&look).iter().all(|line| line.ends_with("unreadable")), "{:?}", told(&look));
    assert!(tree.read_batches().len() <= 2, "no progress ends it");
}

#[tokio::test]
async fn a_read_without_an_answer_is_unreadable() {
    let tree = Tree::of("/ws/AGENTS.md = a").strange(Strange { answers: Some(0), ..Strange::default() });
    let healthy = Tree::of("/ws/AGENTS.md = a");
    let mut seen = look(&healthy, &directories(&["/ws"]), &Rules::default(), |_| KnownVersion::Any).await;
    seen.read_more(&tree, &Rules::default(), &[0]).await;
    assert_eq!(told(&seen), ["/ws/AGENTS.md unreadable"]);
}

#[tokio::test]
async fn what_changes_between_probe_and_read_is_unavailable_and_does_not_give_way() {
    let tree = || Tree::of("/ws/AGENTS.md = a\n/ws/CLAUDE.md = c");
    let gone = tree().before_reads(|fs| assert!(fs.remove("/ws/AGENTS.md")));
    let directory = tree().before_reads(|fs| fs.make_dir("/ws/AGENTS.md"));
    let fifo = tree().before_reads(|fs| fs.special("/ws/AGENTS.md"));
    let rows = [
        ("gone", gone, "None"),
        ("a directory now", directory, "Some(Directory)"),
        ("a FIFO now", fifo, "Some(Other)"),
    ];
    for (row, tree, kind) in rows {
        let look = tree.look(&["/ws"], &Rules::default()).await;
        let expected =
            [format!("/ws/AGENTS.md changing to {kind}"), "/ws/CLAUDE.md shadowed by 0".to_owned()];
        assert_eq!(told(&look), expected, "{row}");
    }
}

#[tokio::test]
async fn the_version_is_kept_only_if_it_was_the_same_before_and_after() {
    let tree = || Tree::of("/ws/AGENTS.md = a");
    let written = tree().before_reads(|fs| fs.write("/ws/AGENTS.md", "規"));
    let unsettled = tree().strange(Strange { unsettled: true, ..Strange::default() });
    let unversioned = tree().strange(Strange { no_version: true, ..Strange::default() });
    let rows = [
        ("unchanged", tree(), "a", true, true),
        ("written in between", written, "規", false, true),
        ("unsettled when it was probed", unsettled, "a", false, false),
        ("no versions", unversioned, "a", false, true),
    ];
    for (row, tree, text, kept, settled) in rows {
        let look = tree.look(&["/ws"], &Rules::default()).await;
        assert_eq!(
            look.findings()[0].text().map(|text| text.as_str()),
            Some(text),
            "{row}: what was read counts"
        );
        assert_eq!(metadata(&look, 0).version.is_some(), kept, "C13, {row}");
        assert_eq!(metadata(&look, 0).settled, settled, "P3, {row}");
    }
}

#[tokio::test]
async fn a_file_replaced_while_it_is_read_is_not_shared_with_its_old_names() {
    let tree = Tree::of(ONE_FILE).before_reads(|fs| {
        fs.remove("/ws/AGENTS.md");
        fs.write("/ws/AGENTS.md", "new");
    });
    let look = tree.look(&["/ws", "/ws/b"], &Rules::default()).await;
    assert_eq!(
        told(&look),
        [r#"/ws/AGENTS.md "new""#, r#"/ws/b/AGENTS.md "é""#],
        "the other name is the old file"
    );
    assert_ne!(
        metadata(&look, 0).file,
        metadata(&look, 4).file,
        "each has the identity of what was read (P4)"
    );
}

#[tokio::test]
async fn a_known_file_is_told_with_its_probe() {
    let tree = Tree::of("/ws/AGENTS.md = a");
    let seen = look(&tree, &directories(&["/ws"]), &Rules::default(), |_| KnownVersion::Any).await;
    let mut again = look(&tree, &directories(&["/ws"]), &Rules::default(), |_| KnownVersion::Nothing).await;
    assert_eq!(metadata(&seen, 0), metadata(&again, 0), "same version, read or not");
    again.read_more(&tree, &Rules::default(), &[0]).await;
    assert_eq!(tree.read_batches(), [1], "what has a text is not read again");
    assert!(matches!(again.findings()[0].found, Found::Present { .. }));
}
