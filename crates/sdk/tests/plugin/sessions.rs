//! What main and subagent sessions see of gated files, over steps, restarts, edits and modes.

use standing_orders::plugin::{GatedFiles, SessionHeader, Sessions};
use standing_orders::testing::{Harness, TestSession};

use super::{builder, harness, in_force};

const WORKERS: &str = "main/WORKERS.md";

fn project() -> Harness {
    let main = GatedFiles::new("main-only", ["main/RULES.md", "main/PORTRAIT.md"]).unwrap();
    let plan = GatedFiles::new("plan", ["main/PLAN.md"]).unwrap().modes(["plan"]);
    let workers = GatedFiles::new("workers", [WORKERS]).unwrap().sessions(Sessions::Subagent);
    let project = harness(builder().gated(main).gated(plan).gated(workers));
    project.write("AGENTS.md", "Everybody.").write("main/RULES.md", "Direct: añá.  \r\n");
    project.write("main/PORTRAIT.md", "Short answers.").write("main/PLAN.md", "Plan first.");
    project.write(WORKERS, "Report back.");
    project
}

async fn eleven_steps(session: &mut TestSession) {
    session.turn("go").await.unwrap();
    session.steps(10).await.unwrap();
}

async fn counts(session: &TestSession, injector: &str) -> Vec<usize> {
    session.injections_per_step(injector).await.unwrap()
}

#[tokio::test]
async fn in_eleven_steps_the_main_session_is_given_each_block_once_and_no_subagent_any() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    main.set_mode("plan");
    eleven_steps(&mut main).await;
    let mut once = vec![0; 11];
    once[0] = 1;
    for injector in ["workspace", "main-only", "plan"] {
        assert_eq!(counts(&main, injector).await, once, "{injector}: once while visible and unchanged");
    }
    assert_eq!(counts(&main, "workers").await, [0; 11], "a main session is no worker");

    for name in ["one", "two", "three"] {
        let mut child = main.child(name).await.unwrap();
        child.set_mode("plan");
        eleven_steps(&mut child).await;
        assert_eq!(counts(&child, "workers").await, once, "{name} is given what is for subagents");
        for injector in ["main-only", "plan"] {
            assert_eq!(counts(&child, injector).await, [0; 11], "{name} is given nothing of {injector}");
        }
        assert!(!child.sees().contains("Direct"), "{name} does not see the main session's rules");
    }
}

#[tokio::test]
async fn restarts_repeat_nothing_however_often() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    for _ in 0..3 {
        main.resume().await.unwrap();
        let entered = main.turn("go on").await.unwrap();
        assert!(entered.is_empty(), "nothing changed, so nothing is due");
    }
    assert_eq!(counts(&main, "main-only").await, [1, 0, 0, 0]);
}

#[tokio::test]
async fn an_edit_between_two_steps_is_one_update_at_the_next_one() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    project.write("main/RULES.md", "Direct, and review.");
    let entered = main.step().await.unwrap();
    assert_eq!(entered.len(), 1, "one message");
    assert_eq!(entered[0].source.changes.len(), 1, "the other file is as it was");
    assert!(entered[0].text().contains("Updated instructions from: main/RULES.md"));
    main.steps(3).await.unwrap();
    assert_eq!(counts(&main, "main-only").await, [1, 1, 0, 0, 0]);

    main.resume().await.unwrap();
    project.write("main/RULES.md", "Changed while nobody ran.");
    let entered = main.turn("on").await.unwrap();
    assert_eq!(entered.len(), 1, "changed offline: exactly that, in the first request");
}

#[tokio::test]
async fn a_mode_that_is_left_withdraws_and_one_that_is_entered_again_gives_again() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    let rows = [
        (Some("plan"), 1, true),
        (Some("plan"), 0, true),
        (None, 1, false),
        (Some("build"), 0, false),
        (Some("plan"), 1, true),
    ];
    main.turn("go").await.unwrap();
    for (number, (mode, messages, seen)) in rows.into_iter().enumerate() {
        main.set_mode(mode);
        main.step().await.unwrap();
        assert_eq!(counts(&main, "plan").await.last(), Some(&messages), "row {number}");
        assert_eq!(!in_force(&main, "plan").is_empty(), seen, "row {number}");
    }
    assert!(main.sees().contains("Instructions removed: main/PLAN.md"), "the model was told");
}

#[tokio::test]
async fn a_compaction_restores_each_block_once() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    main.compact("so far").await.unwrap();
    assert!(!main.sees().contains("Direct"), "the summary is all there is");
    main.step().await.unwrap();
    main.resume().await.unwrap();
    main.steps(2).await.unwrap();
    assert_eq!(counts(&main, "main-only").await, [1, 1, 0, 0]);
    assert!(main.sees().contains("Direct: añá."), "the model has it again");
}

#[tokio::test]
async fn a_rejected_step_loses_nothing() {
    let project = project();
    let mut main = project.main("m").await.unwrap();
    let due = main.rejected_turn("no").await.unwrap();
    assert_eq!(due.len(), 2, "the workspace's and the gated files were due");
    assert_eq!(counts(&main, "main-only").await, [0; 0], "no step entered");
    let entered = main.turn("yes").await.unwrap();
    assert_eq!(entered, due, "the next one carries the same");
}

#[tokio::test]
async fn conditions_are_all_to_hold() {
    let gate = || GatedFiles::new("gate", ["x.md"]).unwrap();
    let main = SessionHeader::main("m", 0);
    let child = SessionHeader::child_of(&main, "c", 0).unwrap();
    let deep = SessionHeader::child_of(&child, "d", 0).unwrap();
    let of = |name: &str| main.clone().with_agent_preset(name);
    let rows = [
        ("main by default", gate(), &main, None, true),
        ("no subagent by default", gate(), &child, None, false),
        ("subagents", gate().sessions(Sessions::Subagent), &child, None, true),
        ("subagents, not main", gate().sessions(Sessions::Subagent), &main, None, false),
        ("depth 1 of 1", gate().sessions(Sessions::Any).max_depth(1), &child, None, true),
        ("depth 2 of 1", gate().sessions(Sessions::Any).max_depth(1), &deep, None, false),
        ("main is depth 0", gate().sessions(Sessions::Any).max_depth(0), &main, None, true),
        ("listed agent", gate().agents(["añá", "b"]), &of("añá"), None, true),
        ("agent not listed", gate().agents(["a", "b"]), &of("c"), None, false),
        ("no agent where some are listed", gate().agents(["a"]), &main, None, false),
        ("excluded agent", gate().agents(["!explore"]), &of("explore"), None, false),
        ("the rest of an exclusion", gate().agents(["!explore"]), &of("plan"), None, true),
        ("no agent and an exclusion", gate().agents(["!explore"]), &main, None, true),
        ("excluded beats listed", gate().agents(["a", "!a"]), &of("a"), None, false),
        ("in the mode", gate().modes(["plan"]), &main, Some("plan"), true),
        ("in another mode", gate().modes(["plan"]), &main, Some("build"), false),
        ("in no mode", gate().modes(["plan"]), &main, None, false),
        ("by agent and not by mode", gate().agents(["a"]).modes(["plan"]), &of("a"), None, false),
    ];
    for (name, gate, header, mode, admitted) in rows {
        assert_eq!(gate.admits(header, mode), admitted, "{name}");
    }
}

#[tokio::test]
async fn when_touched_waits_for_a_path_in_the_root_that_matches() {
    let gate = GatedFiles::new("rust", ["main/RUST.md"]).unwrap().when_touched(["src/*.rs"]).unwrap();
    let project = harness(builder().gated(gate));
    project.write("main/RUST.md", "No unwrap.");
    let rows = [
        ("another folder", "tests/a.rs", false),
        ("`*` stays within a component", "src/deep/a.rs", false),
        ("out of the root", "/elsewhere/src/a.rs", false),
        ("a match, multi-byte", "src/añá.rs", true),
    ];
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    for (name, path, seen) in rows {
        main.touch(path).await.unwrap();
        main.step().await.unwrap();
        assert_eq!(!in_force(&main, "rust").is_empty(), seen, "{name}");
    }
    main.compact("so far").await.unwrap();
    main.steps(2).await.unwrap();
    assert!(in_force(&main, "rust").is_empty(), "after a compaction it takes another touch");
    main.touch("src/b.rs").await.unwrap();
    main.step().await.unwrap();
    assert!(!in_force(&main, "rust").is_empty(), "and that is enough");
}
