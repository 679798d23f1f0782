use std::num::NonZeroU64;
use std::path::Path;

use standing_orders_discovery::{Absence, CandidateNames, Content, Found, Places, Rules, Why, look};

use crate::tree::{Strange, Tree, all_distinct, directories, told};
use standing_orders_fs::KnownVersion;

async fn first(fixture: &str) -> Vec<String> {
    told(&Tree::of(fixture).look(&["/ws"], &Rules::default()).await)
}

#[tokio::test]
async fn the_first_regular_file_of_each_list_fills_its_slot() {
    let rows: [(&str, &str, &[&str]); 14] = [
        ("nothing", "", &[]),
        ("base", "/ws/AGENTS.md = a", &[r#"/ws/AGENTS.md "a""#]),
        ("fallback", "/ws/CLAUDE.md = c", &[r#"/ws/CLAUDE.md "c""#]),
        (
            "both",
            "/ws/AGENTS.md = a\n/ws/CLAUDE.md = c",
            &[r#"/ws/AGENTS.md "a""#, "/ws/CLAUDE.md shadowed by 0"],
        ),
        ("overlay alone", "/ws/CLAUDE.local.md = l", &[r#"/ws/CLAUDE.local.md "l""#]),
        (
            "base and overlay",
            "/ws/CLAUDE.md = c\n/ws/AGENTS.local.md = l\n/ws/CLAUDE.local.md = m",
            &[r#"/ws/CLAUDE.md "c""#, r#"/ws/AGENTS.local.md "l""#, "/ws/CLAUDE.local.md shadowed by 2"],
        ),
        ("multi-byte text", "/ws/AGENTS.md = é規😀", &[r#"/ws/AGENTS.md "é規😀""#]),
        ("a directory gives way", "/ws/AGENTS.md/\n/ws/CLAUDE.md = c", &[r#"/ws/CLAUDE.md "c""#]),
        ("a FIFO gives way", "/ws/AGENTS.md |\n/ws/CLAUDE.md = c", &[r#"/ws/CLAUDE.md "c""#]),
        ("a dangling link gives way", "/ws/AGENTS.md -> x/y\n/ws/CLAUDE.md = c", &[r#"/ws/CLAUDE.md "c""#]),
        (
            "a failed probe is skipped alone",
            "/ws/AGENTS.md = a\n!stat /ws/AGENTS.md\n/ws/CLAUDE.md = c\n/ws/AGENTS.local.md = l",
            &["/ws/AGENTS.md failed", r#"/ws/CLAUDE.md "c""#, r#"/ws/AGENTS.local.md "l""#],
        ),
        (
            "a link cycle is a fault, not absence",
            "/ws/AGENTS.md -> AGENTS.md\n/ws/CLAUDE.md = c",
            &["/ws/AGENTS.md failed", r#"/ws/CLAUDE.md "c""#],
        ),
        (
            "a failed probe below the winner stays a failure",
            "/ws/AGENTS.md = a\n!stat /ws/CLAUDE.md",
            &[r#"/ws/AGENTS.md "a""#, "/ws/CLAUDE.md failed"],
        ),
        (
            "an unreadable winner does not give way",
            "/ws/AGENTS.md = a\n!read /ws/AGENTS.md\n/ws/CLAUDE.md = c",
            &["/ws/AGENTS.md unreadable", "/ws/CLAUDE.md shadowed by 0"],
        ),
    ];
    for (row, fixture, expected) in rows {
        assert_eq!(first(fixture).await, expected, "D4 and D7, {row}");
    }
}

#[tokio::test]
async fn absence_says_what_is_there_instead() {
    let tree = Tree::of("/ws/AGENTS.md/\n/ws/CLAUDE.md |\n/ws/AGENTS.local.md -> gone\n/ws/dir -> AGENTS.md");
    let look = tree.look(&["/ws"], &Rules::default()).await;
    let found: Vec<_> = look.findings().iter().map(|finding| finding.found.clone()).collect();
    let absences = [Absence::Directory, Absence::Other, Absence::Missing, Absence::Missing];
    assert_eq!(found, absences.map(Found::Absent), "D7: anything but a regular file is absent");
    assert_eq!(tree.read_batches(), [0; 0], "nothing that is no file is read");
}

#[tokio::test]
async fn all_distinct_takes_every_present_candidate() {
    let rows: [(&str, &str, &[&str]); 4] = [
        (
            "base list, then local list",
            "/ws/CLAUDE.local.md = d\n/ws/CLAUDE.md = b\n/ws/AGENTS.local.md = c\n/ws/AGENTS.md = a",
            &[
                r#"/ws/AGENTS.md "a""#,
                r#"/ws/CLAUDE.md "b""#,
                r#"/ws/AGENTS.local.md "c""#,
                r#"/ws/CLAUDE.local.md "d""#,
            ],
        ),
        (
            "equal siblings are the caller's to drop",
            "/ws/AGENTS.md = a\n/ws/CLAUDE.md = a",
            &[r#"/ws/AGENTS.md "a""#, r#"/ws/CLAUDE.md "a""#],
        ),
        (
            "an unavailable one does not hide the others",
            "/ws/AGENTS.md = a\n!read /ws/AGENTS.md\n/ws/CLAUDE.md = é",
            &["/ws/AGENTS.md unreadable", r#"/ws/CLAUDE.md "é""#],
        ),
        (
            "nor does a failed one",
            "/ws/AGENTS.md = a\n!stat /ws/AGENTS.md\n/ws/CLAUDE.md = c",
            &["/ws/AGENTS.md failed", r#"/ws/CLAUDE.md "c""#],
        ),
    ];
    for (row, fixture, expected) in rows {
        let look = Tree::of(fixture).look(&["/ws"], &all_distinct()).await;
        assert_eq!(told(&look), expected, "D5, {row}");
    }
}

#[tokio::test]
async fn the_user_global_file_knows_no_lists() {
    let tree = Tree::of("/h/AGENTS.md = g\n/h/AGENTS.local.md = no\n/h/RULES.md = no\n/ws/RULES.md = r");
    let (names, _) = CandidateNames::new(["RULES.md"], ["AGENTS.local.md"]);
    let mut places = Places::with_capacity(2);
    places.push_user_global(Path::new("/h"));
    places.push_directory(Path::new("/ws"));
    let look = look(&tree, &places, &Rules { names, ..Rules::default() }, |_| KnownVersion::Nothing).await;
    assert_eq!(told(&look), [r#"/h/AGENTS.md "g""#, r#"/ws/RULES.md "r""#], "D6: exactly HOME/AGENTS.md");
    assert_eq!(look.findings().len(), 3, "one candidate for the user-global folder, two for a directory");
}

#[tokio::test]
async fn without_names_only_single_files_are_looked_at() {
    let tree = Tree::of("/h/AGENTS.md = g\n/ws/AGENTS.md = no\n/ws/main/規則.md = m");
    let (names, _) = CandidateNames::new([] as [&str; 0], [] as [&str; 0]);
    let mut places = Places::new();
    places.push_user_global(Path::new("/h"));
    places.push_directory(Path::new("/ws"));
    places.push_file(Path::new("/ws/main/規則.md"));
    let look = look(&tree, &places, &Rules { names, ..Rules::default() }, |_| KnownVersion::Nothing).await;
    assert_eq!(told(&look), [r#"/h/AGENTS.md "g""#, r#"/ws/main/規則.md "m""#]);
    let of_place =
        |place| look.of_place(place).map(|(index, finding)| (index, finding.place)).collect::<Vec<_>>();
    assert_eq!(
        [of_place(0), of_place(1), of_place(2), of_place(3)],
        [vec![(0, 0)], vec![], vec![(1, 2)], vec![]]
    );
}

#[tokio::test]
async fn no_place_is_no_question() {
    let tree = Tree::of("");
    let look = tree.look(&[], &Rules::default()).await;
    assert_eq!((look.findings().len(), look.counts().round_trips, tree.probe_batches().len()), (0, 0, 0));
}

#[tokio::test]
async fn the_cap_counts_raw_bytes_and_bounds_by_reported_size_first() {
    let capped = |cap| Rules { max_source_bytes: NonZeroU64::new(cap).unwrap(), ..Rules::default() };
    let size = |len| Strange { sizes: [("/ws/AGENTS.md".into(), len)].into(), ..Strange::default() };
    let text = "規則!"; // 7 bytes
    type Row<'r> = (&'r str, u64, Strange, &'r str, usize);
    let rows: [Row<'_>; 5] = [
        ("at the cap", 7, Strange::default(), r#""規則!""#, 1),
        ("above it", 6, Strange::default(), "too large, 7 of 6", 0),
        ("a reported size is believed", 7, size(Some(1 << 40)), "too large, 1099511627776 of 7", 0),
        ("a stale size does not help", 6, size(Some(3)), "too large, 7 of 6", 1),
        ("nor does a missing one", 6, size(None), "too large, 7 of 6", 1),
    ];
    for (row, cap, strange, expected, reads) in rows {
        let fixture = format!("/ws/AGENTS.md = {text}\n/ws/CLAUDE.md = c");
        let tree = Tree::of(&fixture).strange(strange);
        let look = tree.look(&["/ws"], &capped(cap)).await;
        let expected = [format!("/ws/AGENTS.md {expected}"), "/ws/CLAUDE.md shadowed by 0".to_owned()];
        assert_eq!(told(&look), expected, "D7 and D8: it does not give way, {row}");
        assert_eq!(look.counts().reads, reads, "D8, {row}");
    }
}

#[tokio::test]
async fn the_default_cap_is_one_mebibyte() {
    assert_eq!(Rules::default().max_source_bytes.get(), 1_048_576, "D7");
}

#[tokio::test]
async fn a_file_that_is_not_text_is_unavailable() {
    let tree = Tree::of("/ws/CLAUDE.md = c");
    tree.fs.write("/ws/AGENTS.md", &b"\x7fELF\0"[..]);
    let look = tree.look(&["/ws"], &Rules::default()).await;
    assert_eq!(told(&look), ["/ws/AGENTS.md not text", "/ws/CLAUDE.md shadowed by 0"], "D7");
}

#[tokio::test]
async fn what_is_known_is_not_read() {
    let tree = Tree::of("/ws/AGENTS.md = a\n/ws/CLAUDE.md = c\n/ws/AGENTS.local.md = l\n/ws/s/CLAUDE.md = s");
    let places = directories(&["/ws", "/ws/s"]);
    let known = |index| if index % 4 < 2 { KnownVersion::Any } else { KnownVersion::Nothing };
    let mut seen = look(&tree, &places, &Rules::default(), known).await;
    let told_first = [
        "/ws/AGENTS.md known",
        "/ws/CLAUDE.md shadowed by 0",
        r#"/ws/AGENTS.local.md "l""#,
        "/ws/s/CLAUDE.md known",
    ];
    assert_eq!(told(&seen), told_first);
    assert_eq!(tree.read_batches(), [1], "C13: no read of what is known");

    seen.read_more(&tree, &Rules::default(), &[5, 1, 5, 99, 4]).await;
    assert_eq!(told(&seen)[3], r#"/ws/s/CLAUDE.md "s""#);
    assert_eq!(told(&seen)[0], "/ws/AGENTS.md known", "only what was asked for");
    assert_eq!(tree.read_batches(), [1, 1], "one batch, each once, and nothing that is not known");
    assert_eq!((seen.counts().reads, seen.counts().bytes, seen.counts().round_trips), (2, 2, 3));
}

#[tokio::test]
async fn only_the_version_that_is_known_is_not_read() {
    let tree = Tree::of("/ws/AGENTS.md = a\n/ws/é/AGENTS.md = e");
    let places = directories(&["/ws", "/ws/é"]);
    let first = look(&tree, &places, &Rules::default(), |_| KnownVersion::Nothing).await;
    let versions: Vec<_> = (0..2)
        .map(|place| {
            let (_, finding) = first.of_place(place).next().unwrap();
            finding.metadata().and_then(|metadata| metadata.settled_version()).unwrap()
        })
        .collect();
    tree.fs.write("/ws/é/AGENTS.md", "edited");
    let known = |index: usize| match index % 4 {
        0 => KnownVersion::Exactly(versions[index / 4]),
        _ => KnownVersion::Nothing,
    };
    let seen = look(&tree, &places, &Rules::default(), known).await;
    assert_eq!(told(&seen), ["/ws/AGENTS.md known", r#"/ws/é/AGENTS.md "edited""#], "C13");
}

#[tokio::test]
async fn too_large_goes_before_known() {
    let tree = Tree::of("/ws/AGENTS.md = long");
    let rules = Rules { max_source_bytes: NonZeroU64::MIN, ..Rules::default() };
    let look = look(&tree, &directories(&["/ws"]), &rules, |_| KnownVersion::Any).await;
    let Found::Present { content: Content::Unavailable(why), .. } = &look.findings()[0].found else {
        panic!()
    };
    assert_eq!(*why, Why::TooLarge { len: 4, cap: 1 }, "D8");
}

#[tokio::test]
async fn round_trips_do_not_grow_with_depth() {
    for depth in [3, 30, 300] {
        let dirs: Vec<String> = (0..depth).map(|level| format!("/ws{}", "/d".repeat(level))).collect();
        let tree = Tree::default();
        for dir in &dirs {
            tree.fs.write(format!("{dir}/CLAUDE.md"), dir.clone());
        }
        let dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
        let look = tree.look(&dirs, &Rules::default()).await;
        assert_eq!(tree.probe_batches(), [4 * depth], "D12: all probes together");
        assert_eq!(tree.read_batches(), [depth], "D12: then the reads, of winners only");
        let counts = look.counts();
        assert_eq!((counts.probes, counts.reads, counts.round_trips), (4 * depth, depth, 2), "depth {depth}");
    }
}

#[tokio::test]
async fn findings_stand_place_by_place_and_candidate_by_candidate() {
    let tree = Tree::of("/z/AGENTS.md\n/a/AGENTS.md");
    let look = tree.look(&["/z", "/a"], &Rules::default()).await;
    let order: Vec<_> = look.findings().iter().map(|finding| (finding.place, finding.candidate)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)]);
    assert_eq!(told(&look), [r#"/z/AGENTS.md "/z/AGENTS.md""#, r#"/a/AGENTS.md "/a/AGENTS.md""#]);
}

#[tokio::test]
async fn a_provider_that_answers_too_little_leaves_the_rest_unknown() {
    let tree = Tree::of("/ws/AGENTS.md = a").strange(Strange { answers: Some(0), ..Strange::default() });
    let look = tree.look(&["/ws"], &Rules::default()).await;
    assert!(
        look.findings().iter().all(|finding| matches!(finding.found, Found::Failed(_))),
        "C7: never absent"
    );
}

#[tokio::test]
async fn futures_are_send_and_dropping_one_leaves_no_trace() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let tree = Tree::of("/ws/AGENTS.md = a");
    let (places, rules) = (directories(&["/ws"]), Rules::default());
    let begun = is_send(look(&tree, &places, &rules, |_| KnownVersion::Any));
    drop(begun);
    let mut seen = look(&tree, &places, &rules, |_| KnownVersion::Any).await;
    drop(is_send(seen.read_more(&tree, &rules, &[0])));
    assert_eq!(told(&seen), ["/ws/AGENTS.md known"], "C14");
    seen.read_more(&tree, &rules, &[0]).await;
    assert_eq!(told(&seen), [r#"/ws/AGENTS.md "a""#]);
}
