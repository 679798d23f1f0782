//! The problems of imports that users of other products report most often, bad imports, and what they cost.

use std::sync::Arc;

use standing_orders::fs::{Fault, FaultKind, Versions};
use standing_orders::plugin::*;
use standing_orders::testing::TestSession;
use standing_orders::{Fate, ImportFault, Imports, StepInput};

use crate::imports::{changes, fate, project, project_with, settings, turn};

const NOTHING: [&str; 0] = [];

fn troubles(session: &TestSession) -> String {
    session.report().unwrap().troubles().join("\n")
}

#[tokio::test]
async fn packages_decorators_and_mail_addresses_are_taken_for_imports() {
    let text = "npm i @types/node @scope/pkg@1.2\n@param x\n@Injectable()\nme@docs.md you@a/b.md\n\
                thanks @octocat, @org/team\n`@docs/a.md` \"@docs/a.md\"\n```\n@docs/a.md\n```\n<!-- @docs/a.md -->";
    let harness = project(&[("AGENTS.md", text), ("docs/a.md", "A")]);
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md"]);
    assert_eq!(troubles(&session), "", "and nothing is said of them");
    assert!(session.sees().contains(text), "the lines stay as they are");
}

#[tokio::test]
async fn an_import_of_an_ancestors_file_is_not_expanded_in_a_subfolder() {
    let files = [
        ("CLAUDE.md", "@AGENTS.md"),
        ("AGENTS.md", "RULES @docs/a.md"),
        ("docs/a.md", "A"),
        ("p/q/x.rs", ""),
    ];
    let harness = project(&files);
    let mut session = harness.open(SessionHeader::main("s", 0).with_cwd("/ws/p/q")).await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set docs/a.md"]);
    harness.remove("AGENTS.md");
    harness.write("CLAUDE.md", "See @docs/a.md.");
    let turned = turn(&mut session).await;
    assert_eq!(turned, ["replace CLAUDE.md"], "relative to the importing file, not to cwd");
}

#[tokio::test]
async fn what_is_imported_from_outside_is_never_asked_for_and_never_refused() {
    let harness = project(&[("AGENTS.md", "see @~/notes.md\n@../out.md\n@/etc/x.md\n@./a/../../out.md")]);
    for path in ["/out.md", "/etc/x.md"] {
        harness.fs().write(path, "OUT");
    }
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md"]);
    for (line, target) in (1..).zip(["~/notes.md", "../out.md", "/etc/x.md", "./a/../../out.md"]) {
        let fate = fate(&session, &format!("{target} (AGENTS.md, line {line})"));
        assert_eq!(fate, Some(Fate::NotImported(ImportFault::Outside)), "{target}: refused, and said so");
    }
}

#[tokio::test]
async fn there_are_no_imports_at_all() {
    for (imports, expected) in [
        (Imports::Expand, &["set AGENTS.md", "set docs/a.md"][..]),
        (Imports::Report, &["set AGENTS.md"]),
        (Imports::Off, &["set AGENTS.md"]),
    ] {
        let mut settings = settings();
        settings.imports = imports;
        let harness = project_with(settings, &[("AGENTS.md", "W @docs/a.md"), ("docs/a.md", "A")]);
        assert_eq!(turn(&mut harness.main("s").await.unwrap()).await, expected, "{imports:?}");
    }
}

#[tokio::test]
async fn an_import_is_followed_by_one_spelling_only() {
    for line in
        ["@docs/a.md", "@./docs/a.md", "(see) @docs/a.md.", "- @docs/a.md", "> @docs/a.md", "@/ws/docs/a.md"]
    {
        let harness = project(&[("AGENTS.md", &format!("W\n{line}")), ("docs/a.md", "A")]);
        let set = turn(&mut harness.main("s").await.unwrap()).await;
        assert_eq!(set, ["set AGENTS.md", "set docs/a.md"], "{line}");
    }
    let harness = project(&[("AGENTS.md", "[a](docs/a.md)"), ("docs/a.md", "A")]);
    let set = turn(&mut harness.main("s").await.unwrap()).await;
    assert_eq!(set, ["set AGENTS.md"], "a link of Markdown is none");
}

#[tokio::test]
async fn an_import_that_fails_is_dropped_without_a_word() {
    let harness =
        project(&[("AGENTS.md", "W\n@none.md\n@docs.md\n@bytes.md\n@denied.md\n@ok.md"), ("ok.md", "OK")]);
    harness.fs().make_dir("/ws/docs.md");
    harness.fs().write("/ws/bytes.md", &b"a\0b"[..]);
    harness.write("denied.md", "D");
    harness.fs().fault("/ws/denied.md", Fault::Read(FaultKind::PermissionDenied));
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set ok.md"]);
    assert_eq!(fate(&session, "none.md"), Some(Fate::Absent));
    assert_eq!(fate(&session, "docs.md"), Some(Fate::NotAFile));
    assert_eq!(fate(&session, "bytes.md"), Some(Fate::NotText));
    assert!(matches!(fate(&session, "denied.md"), Some(Fate::Unavailable(_))));
}

#[tokio::test]
async fn the_line_of_an_import_is_gone_for_those_who_read_the_text() {
    let harness = project(&[("AGENTS.md", "W\nsee @a.md first"), ("a.md", "A")]);
    let mut session = harness.main("s").await.unwrap();
    turn(&mut session).await;
    assert!(session.sees().contains("see @a.md first"), "M3: the line stays");
}

#[tokio::test]
async fn imported_text_costs_context_before_it_is_needed() {
    let harness = project(&[("AGENTS.md", "W @ts.md @always.md"), ("always.md", "A")]);
    harness.write("ts.md", "---\npaths: **/*.ts\n---\nTS");
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set always.md"], "M3: a head makes it wait");
    session.touch("src/a.ts").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set ts.md"]);
}

#[tokio::test]
async fn a_path_with_a_blank_is_cut_at_the_blank() {
    let harness = project(&[
        ("AGENTS.md", r"W @docs/my\ style\ 規.md x"),
        ("docs/my style 規.md", "STYLE"),
        ("docs/my", "NO"),
    ]);
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set docs/my style 規.md"]);
}

#[tokio::test]
async fn what_is_imported_takes_the_room_of_what_imports_it() {
    let mut settings = settings();
    settings.max_bytes = standing_orders::Budget::from_bytes(1_000);
    let harness =
        project_with(settings, &[("AGENTS.md", "IMPORTANT @big.md"), ("big.md", &"x".repeat(50_000))]);
    let mut session = harness.main("s").await.unwrap();
    let messages = session.turn("go on").await.unwrap();
    let text = messages[0].text();
    assert!(text.len() <= 1_000 && text.contains("IMPORTANT"), "M7: imports give way first: {text}");
    assert!(text.contains("budget 1000 bytes") && text.contains("big.md"), "R6: and it is said: {text}");
    assert_eq!(turn(&mut session).await, NOTHING, "C8: once");
}

// Bad imports.

#[tokio::test]
async fn an_import_by_a_link_out_of_the_root_is_the_providers_to_refuse() {
    let harness = project(&[("AGENTS.md", "W @in.md @loop.md")]);
    harness.fs().write("/secret.md", "FOLLOWED");
    harness.fs().symlink("/secret.md", "/ws/in.md");
    harness.fs().symlink("loop.md", "/ws/loop.md");
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set in.md"], "P8: a provider that follows");
    assert!(troubles(&session).contains("loop.md: unavailable"), "{}", troubles(&session));
}

#[tokio::test]
async fn imports_of_a_file_with_a_hundred_thousand_lines_are_bounded() {
    let lines: String = (0..40_000).map(|n| format!("@d/{n}.md\n")).collect();
    let harness = project(&[("AGENTS.md", &lines)]);
    let mut session = harness.main("s").await.unwrap();
    turn(&mut session).await;
    let counts = session.report().unwrap().counts();
    assert!(counts.probes < 100, "M4: {counts:?}");
}

#[tokio::test]
async fn without_versions_identities_or_settled_stamps_imports_are_as_ever() {
    for versions in [Versions::Off, Versions::Unsettled] {
        let harness =
            project(&[("AGENTS.md", "W @a.md @b.md"), ("a.md", "A @c.md"), ("b.md", "B"), ("c.md", "C")]);
        harness.fs().set_versions(versions);
        harness.fs().set_identities(false);
        let mut session = harness.main("s").await.unwrap();
        assert_eq!(turn(&mut session).await.len(), 4, "{versions:?}");
        assert_eq!(turn(&mut session).await, NOTHING, "{versions:?}");
        harness.write("c.md", "C2");
        assert_eq!(turn(&mut session).await, ["replace c.md"], "{versions:?}");
    }
}

// Costs.

#[tokio::test]
async fn imports_add_two_round_trips_a_level_and_none_later() {
    for depth in 0..=4 {
        let harness = project(&[("AGENTS.md", "W @1.md")]);
        (1..=depth).for_each(|n| {
            let next = if n == depth { String::new() } else { format!("@{}.md", n + 1) };
            harness.write(format!("{n}.md"), format!("{n} {next}"));
        });
        let mut session = harness.main("s").await.unwrap();
        assert_eq!(turn(&mut session).await.len(), 1 + depth);
        let first = session.report().unwrap().counts();
        assert!(first.round_trips <= 3 + 2 * depth.max(1), "{depth}: {first:?}");
        harness.fs().reset_counters();
        assert_eq!(turn(&mut session).await, NOTHING);
        let counts = harness.fs().counters();
        assert_eq!((counts.round_trips, counts.reads, counts.listings), (1, 0, 0), "{depth}: {counts:?}");
        harness.write("AGENTS.md", "W2 @1.md");
        harness.fs().reset_counters();
        assert_eq!(turn(&mut session).await, ["replace AGENTS.md"]);
        let counts = harness.fs().counters();
        assert!(counts.round_trips <= 2, "an edit of the importer reads it alone: {depth}: {counts:?}");
    }
}

#[tokio::test]
async fn what_is_imported_is_not_delivered_before_a_write_either() {
    let harness = project(&[("p/AGENTS.md", "P @x.md"), ("p/x.md", "X")]);
    let header = SessionHeader::main("s", 0).with_cwd("/ws");
    let mut context = harness.engine().session(header).fs(Arc::new(harness.fs().clone())).open([]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    context.entered(prepared).unwrap();
    let due = context.undelivered(&["p/new.rs"], StepInput::default()).await;
    let due: Vec<&str> = due.iter().map(|due| &*due.path).collect();
    assert_eq!(due, ["p/AGENTS.md", "p/x.md"], "C15");
    context.touches().report("p/new.rs");
    let prepared = context.pre_step(StepInput::default()).await;
    assert_eq!(changes(prepared.messages()), ["set p/AGENTS.md", "set p/x.md"]);
}

#[tokio::test]
async fn a_touch_is_kept_for_an_import_that_cannot_be_read() {
    let harness = project(&[("AGENTS.md", "W @ts.md"), ("ts.md", "---\npaths: **/*.ts\n---\nTS")]);
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md"]);
    harness.write("ts.md", "---\npaths: **/*.ts\n---\nTS2");
    harness.fs().fault(harness.path("ts.md"), Fault::Read(FaultKind::PermissionDenied));
    session.touch("a.ts").await.unwrap();
    assert_eq!(turn(&mut session).await, NOTHING);
    harness.fs().fault(harness.path("ts.md"), None);
    assert_eq!(turn(&mut session).await, ["set ts.md"], "C4: its head may say that it is for them");
    assert_eq!(turn(&mut session).await, NOTHING);
}

#[tokio::test]
async fn an_import_that_points_back_at_its_importer_changes_nothing_later() {
    let files = [
        ("CLAUDE.md", "W @x.md @p/z.md"),
        ("x.md", "@CLAUDE.md"),
        ("p/z.md", "@AGENTS.md"),
        ("p/AGENTS.md", "P"),
    ];
    let harness = project(&files);
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set CLAUDE.md", "set p/AGENTS.md"]);
    for _ in 0..3 {
        assert_eq!(turn(&mut session).await, NOTHING);
    }
    assert!(!troubles(&session).contains("deep"), "M5: a cycle ends there: {}", troubles(&session));
}

#[tokio::test]
async fn two_import_roots_with_one_name_are_two() {
    let mut settings = settings();
    settings.import_roots = vec!["/ws".into(), "/a/lib".into(), "/b/lib".into()];
    let harness = project_with(settings, &[("AGENTS.md", "W @/a/lib/x.md @/b/lib/x.md")]);
    harness.fs().write("/a/lib/x.md", "A");
    harness.fs().write("/b/lib/x.md", "B");
    let mut session = harness.main("s").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md", "set …/lib/x.md", "set …/lib~2/x.md"]);
    assert_eq!(turn(&mut session).await, NOTHING);
    harness.fs().write("/b/lib/x.md", "B2");
    assert_eq!(turn(&mut session).await, ["replace …/lib~2/x.md"]);
}

#[tokio::test]
async fn a_file_that_points_at_another_wins_over_the_names_behind_it() {
    let mut settings = settings();
    settings.rules.names =
        standing_orders::CandidateNames::new(["AGENTS.md", "GEMINI.md", "CLAUDE.md"], [""; 0]).0;
    for (target, expected) in [("x.md", "set x.md"), ("CLAUDE.md", "set CLAUDE.md")] {
        let harness =
            project_with(settings.clone(), &[("AGENTS.md", &format!("@{target}")), ("GEMINI.md", "G")]);
        harness.write("CLAUDE.md", "C").write("x.md", "X");
        let mut session = harness.main("s").await.unwrap();
        assert_eq!(turn(&mut session).await, [expected]);
        let points = Some(Fate::PointsAt(target.into()));
        assert_eq!(
            (fate(&session, "AGENTS.md"), fate(&session, target)),
            (points, Some(Fate::Set { bytes: 1 }))
        );
        assert_eq!(turn(&mut session).await, NOTHING);
        harness.write(target, "new");
        assert_eq!(turn(&mut session).await, [expected.replace("set", "replace")]);
        harness.remove(target);
        assert_eq!(turn(&mut session).await, ["replace AGENTS.md"], "then its line is what there is");
    }
}
