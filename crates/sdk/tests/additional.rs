//! Additional directories (D13): each with its own root and chain, after the project's.

use standing_orders::fs::{Fault, FaultKind};
use standing_orders::plugin::*;
use standing_orders::testing::{Harness, TestSession};
use standing_orders::{
    Action, AdditionalDirectory, Budget, DirectoryLoad, Engine, Fact, Fate, Imports, InstructionMessage,
    Problem, Settings,
};

fn settings() -> Settings {
    Settings::new(Budget::from_bytes(65_536))
}

fn project(files: &[(&str, &str)]) -> Harness {
    project_with(settings(), files)
}

/// `/ws` is the project, `/lib` and `/other` are others, `/loose` has no root marker.
fn project_with(settings: Settings, files: &[(&str, &str)]) -> Harness {
    let harness = Harness::new(Engine::new(settings));
    for marker in ["/lib/.git", "/other/.git"] {
        harness.fs().make_dir(marker);
    }
    for (path, text) in files {
        harness.write(path, *text);
    }
    harness
}

fn header(directories: &[(&str, DirectoryLoad)]) -> SessionHeader {
    let directories =
        directories.iter().map(|(path, load)| AdditionalDirectory { path: path.into(), load: *load });
    SessionHeader::main("s", 0).with_cwd("/ws").with_additional_directories(directories)
}

async fn open(harness: &Harness, directories: &[(&str, DirectoryLoad)]) -> TestSession {
    harness.open(header(directories)).await.unwrap()
}

fn changes(messages: &[InstructionMessage]) -> Vec<String> {
    let changes = messages.iter().flat_map(|message| &message.source.changes);
    let named = changes.map(|change| {
        let action = match change.action {
            Action::Set => "set",
            Action::Replace => "replace",
            Action::Remove => "remove",
            Action::Omit => "omit",
        };
        format!("{action} {} {}", change.path, change.scope.as_str().replace('\0', "|"))
    });
    named.collect()
}

async fn turn(session: &mut TestSession) -> Vec<String> {
    changes(&session.turn("go on").await.unwrap())
}

use DirectoryLoad::{Eager, OnTouch};

#[tokio::test]
async fn an_eager_one_is_in_the_baseline_after_the_project_with_its_own_chain() {
    let harness = project(&[
        ("AGENTS.md", "ws"),
        ("/lib/AGENTS.md", "lib"),
        ("/lib/a/b/AGENTS.md", "b é"),
        ("/lib/a/b/AGENTS.local.md", "mine"),
        ("/loose/CLAUDE.md", "loose"),
    ]);
    let mut session = open(&harness, &[("/loose", Eager), ("/lib/a/b", Eager)]).await;
    assert_eq!(
        turn(&mut session).await,
        [
            "set AGENTS.md .|base",
            "set loose/CLAUDE.md +loose/.|base",
            "set lib/AGENTS.md +lib/.|base",
            "set lib/a/b/AGENTS.md +lib/a/b|base",
            "set lib/a/b/AGENTS.local.md +lib/a/b|local",
        ]
    );
    assert_eq!(turn(&mut session).await, [""; 0]);
    session.resume().await.unwrap();
    assert_eq!(turn(&mut session).await, [""; 0], "over a restart too");
    harness.write("/lib/AGENTS.md", "lib 2").remove("/loose/CLAUDE.md");
    assert_eq!(
        turn(&mut session).await,
        ["remove loose/CLAUDE.md +loose/.|base", "replace lib/AGENTS.md +lib/.|base"]
    );
    session.compact("so far").await.unwrap();
    let after = turn(&mut session).await;
    assert_eq!(after.len(), 4, "a compaction brings all of it back: {after:?}");
}

#[tokio::test]
async fn one_on_touch_comes_with_the_first_touch_of_it_and_stays() {
    let harness = project(&[("AGENTS.md", "ws"), ("/lib/AGENTS.md", "lib"), ("/lib/a/AGENTS.md", "a")]);
    let mut session = open(&harness, &[("/lib", OnTouch)]).await;
    assert_eq!(turn(&mut session).await, ["set AGENTS.md .|base"]);
    session.touch("/other/x").await.unwrap();
    assert_eq!(turn(&mut session).await, [""; 0], "not by a touch of another");
    session.touch("/lib/a/x.rs").await.unwrap();
    let messages = session.turn("on").await.unwrap();
    assert_eq!(changes(&messages), ["set lib/AGENTS.md +lib/.|base", "set lib/a/AGENTS.md +lib/a|base"]);
    let text = messages[0].text();
    assert!(text.contains("Additional instructions from: lib/a/AGENTS.md"), "{text}");
    assert!(text.contains("under `lib/a`") && text.contains("under `lib`") && !text.contains('+'), "{text}");
    harness.write("/lib/AGENTS.md", "lib 2");
    session.resume().await.unwrap();
    assert_eq!(turn(&mut session).await, ["replace lib/AGENTS.md +lib/.|base"]);
    session.compact("so far").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set AGENTS.md .|base"], "after a compaction by touch again");
    session.touch("/lib/y").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set lib/AGENTS.md +lib/.|base"]);
}

#[tokio::test]
async fn folders_in_it_are_touched_as_those_of_the_project() {
    let harness = project(&[("/lib/a/b/AGENTS.md", "b"), ("/lib/node_modules/x/AGENTS.md", "x")]);
    let mut session = open(&harness, &[("/lib", Eager)]).await;
    assert_eq!(turn(&mut session).await, [""; 0]);
    session.touch("/lib/a/b/c.rs").await.unwrap();
    session.touch("/lib/node_modules/x/c.js").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set lib/a/b/AGENTS.md +lib/a/b|base"]);
    let report = session.report().unwrap();
    let excluded = report.entries().find(|entry| entry.fate == Fate::Excluded).unwrap();
    assert_eq!(excluded.path, "lib/node_modules");
}

#[tokio::test]
async fn names_are_unique_and_one_file_is_shown_once() {
    let harness = project(&[
        ("AGENTS.md", "ws"),
        ("b/AGENTS.md", "b"),
        ("/x/lib/AGENTS.md", "x"),
        ("/lib/AGENTS.md", "lib"),
    ]);
    harness.fs().make_dir("/x/lib/.git");
    let mut session = open(&harness, &[("/lib", Eager), ("/x/lib", Eager), ("/ws/b", Eager)]).await;
    assert_eq!(
        turn(&mut session).await,
        [
            "set AGENTS.md .|base",
            "set lib/AGENTS.md +lib/.|base",
            "set lib~2/AGENTS.md +lib~2/.|base",
            "set ws/b/AGENTS.md +ws/b|base",
        ],
        "the root of the third is the project's, and shown there"
    );
}

#[tokio::test]
async fn another_list_of_them_is_another_baseline() {
    let harness = project(&[("AGENTS.md", "ws"), ("/lib/AGENTS.md", "lib"), ("/other/AGENTS.md", "other")]);
    let engine = harness.engine();
    let setup = |directories: &[(&str, DirectoryLoad)]| {
        engine.session(header(directories)).fs(std::sync::Arc::new(harness.fs().clone()))
    };
    let touched = Fact::Touched(vec!["/other/x".into()]);
    let context = setup(&[("/lib", Eager), ("/other", OnTouch)]).open([touched.clone()]).unwrap();
    let sources = context.pre_step(Default::default()).await.sources();
    assert_eq!(sources[0].changes.len(), 3);
    let context = setup(&[]).open([touched, Fact::Entered(sources)]).unwrap();
    let prepared = context.pre_step(Default::default()).await;
    let changes = changes(prepared.messages());
    assert!(changes.contains(&"set AGENTS.md .|base".to_owned()), "{changes:?}");
    assert!(changes.contains(&"remove lib/AGENTS.md +lib/.|base".to_owned()), "{changes:?}");
    assert!(changes.contains(&"remove other/AGENTS.md +other/.|base".to_owned()), "{changes:?}");
}

#[tokio::test]
async fn unavailable_is_not_gone_there_either() {
    let harness = project(&[("/lib/AGENTS.md", "lib"), ("/lib/a/AGENTS.md", "a")]);
    let mut session = open(&harness, &[("/lib/a", Eager)]).await;
    turn(&mut session).await;
    for path in ["/lib/AGENTS.md", "/lib/a/AGENTS.md", "/lib/.git"] {
        harness.fs().fault(path, Fault::Stat(FaultKind::PermissionDenied));
        assert_eq!(turn(&mut session).await, [""; 0], "{path}");
        harness.fs().fault(path, None);
    }
    assert_eq!(turn(&mut session).await, [""; 0]);
}

#[tokio::test]
async fn the_policy_has_a_part_for_them_and_relative_ones_are_reported() {
    let mut settings = settings();
    settings.policy.push(PolicyRow::deny().parts([Part::Additional]).unwrap());
    let harness = project_with(settings, &[("AGENTS.md", "ws"), ("/lib/AGENTS.md", "lib")]);
    let mut session = open(&harness, &[("/lib", Eager), ("up", Eager)]).await;
    assert_eq!(turn(&mut session).await, ["set AGENTS.md .|base"]);
    let report = session.report().unwrap();
    let denied = report.entries().find(|entry| entry.path.starts_with("lib")).unwrap();
    assert_eq!((denied.fate, denied.additional), (Fate::Denied, true));
    let relative =
        |problem: &Problem| matches!(problem, Problem::AdditionalDirectory(path) if path.ends_with("up"));
    assert!(report.problems().iter().any(relative), "{:?}", report.problems());
}

#[tokio::test]
async fn they_import_from_their_own_root_and_the_project_from_them() {
    let mut settings = settings();
    settings.imports = Imports::Expand;
    let harness = project_with(
        settings,
        &[
            ("AGENTS.md", "ws @/lib/docs/x.md"),
            ("/lib/AGENTS.md", "lib @docs/y.md @../out.md"),
            ("/lib/docs/x.md", "x"),
            ("/lib/docs/y.md", "y"),
            ("/out.md", "out"),
        ],
    );
    let mut session = open(&harness, &[("/lib", Eager)]).await;
    assert_eq!(
        turn(&mut session).await,
        [
            "set AGENTS.md .|base",
            "set lib/docs/x.md .|import:lib/docs/x.md",
            "set lib/AGENTS.md +lib/.|base",
            "set lib/docs/y.md +lib/.|import:lib/docs/y.md",
        ]
    );
    assert_eq!(turn(&mut session).await, [""; 0]);
    harness.remove("/lib/AGENTS.md");
    assert_eq!(
        turn(&mut session).await,
        ["remove lib/AGENTS.md +lib/.|base", "remove lib/docs/y.md +lib/.|import:lib/docs/y.md"]
    );
}

#[tokio::test]
async fn roots_are_found_in_one_trip_and_an_unchanged_step_is_one() {
    let harness = project(&[("AGENTS.md", "ws"), ("/lib/AGENTS.md", "lib"), ("/other/AGENTS.md", "o")]);
    let mut session = open(&harness, &[("/lib", Eager), ("/other", Eager), ("/loose", Eager)]).await;
    turn(&mut session).await;
    let counts = session.report().unwrap().counts();
    assert!(counts.round_trips <= 4, "{counts:?}");
    turn(&mut session).await;
    let counts = session.report().unwrap().counts();
    assert_eq!((counts.round_trips, counts.reads), (1, 0), "{counts:?}");
}

#[tokio::test]
async fn a_folder_of_the_project_may_begin_with_a_plus() {
    let harness = project(&[("+lib/AGENTS.md", "plus")]);
    let mut session = open(&harness, &[]).await;
    session.touch("+lib/x").await.unwrap();
    assert_eq!(turn(&mut session).await, ["set +lib/AGENTS.md +lib|base"]);
    assert_eq!(turn(&mut session).await, [""; 0]);
    harness.write("+lib/AGENTS.md", "plus 2");
    assert_eq!(turn(&mut session).await, ["replace +lib/AGENTS.md +lib|base"]);
}
