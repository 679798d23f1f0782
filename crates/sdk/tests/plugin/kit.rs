//! The testing kit itself (I8).

use standing_orders::plugin::{GatedFiles, SessionClass, SessionHeader};
use standing_orders::testing::{Harness, HarnessError};
use standing_orders::{Budget, Engine, Settings};

use super::{Scripted, builder, harness, in_force};

fn plain() -> Harness {
    // Short sentences, so that a transcript fits a page.
    let mut settings = Settings::new(Budget::from_bytes(4096));
    settings.wording.introduction = "Guidance.".into();
    let gated = GatedFiles::new("main-only", ["main/RULES.md"]).unwrap();
    Harness::new(Engine::builder(settings).gated(gated).build().unwrap())
}

#[tokio::test]
async fn a_transcript_is_a_text_for_snapshots() {
    let project = plain();
    project.write("AGENTS.md", "Añá.\n\n").write("main/RULES.md", "Direct.");
    let mut main = project.main("m").await.unwrap();
    main.turn("hello\nthere").await.unwrap();
    main.says("hi").await.unwrap();
    main.touch("src/a.rs").await.unwrap();
    project.remove("main/RULES.md");
    main.step().await.unwrap();
    main.resume().await.unwrap();
    main.compact("so far").await.unwrap();
    let expected = "\
session m, main
turn
step 1
  user
    | hello
    | there
  workspace, baseline: set AGENTS.md
    | <system-reminder>
    | Guidance.
    |
    | Instructions from: AGENTS.md
    |
    | Añá.
    |
    |
    | </system-reminder>
  main-only: set main/RULES.md
    | <system-reminder>
    | Guidance.
    |
    | Instructions from: main/RULES.md
    |
    | Direct.
    | </system-reminder>
  assistant
    | hi
  read /ws/src/a.rs
step 2
  main-only: remove main/RULES.md
    | <system-reminder>
    | Instructions removed: main/RULES.md
    |
    | The instructions you were given under this name no longer apply.
    | </system-reminder>
step interrupted
  compacted
    | so far
";
    assert_eq!(main.transcript().await.unwrap().to_string(), expected);
    assert_eq!(main.sees(), "so far\n", "and this is what the model sees of it");
}

#[tokio::test]
async fn sessions_share_the_project_and_nothing_else() {
    let project = plain();
    project.write("AGENTS.md", "Everybody.").write("main/RULES.md", "Direct.");
    let mut main = project.main("m").await.unwrap();
    let mut child = main.child("c").await.unwrap();
    assert_eq!(child.header().class(), SessionClass::Subagent { depth: 1 });
    main.turn("go").await.unwrap();
    assert_eq!(child.sees(), "", "its history is its own");
    project.write("AGENTS.md", "Changed.");
    child.turn("look").await.unwrap();
    assert!(child.sees().contains("Changed.") && !main.sees().contains("Changed."));
    let explore = SessionHeader::child_of(main.header(), "e", 0).unwrap().with_agent_preset("explore");
    let deep = project.open(explore).await.unwrap();
    assert_eq!(deep.header().agent_preset(), Some("explore"));
}

#[tokio::test]
async fn a_step_needs_a_turn_and_a_child_a_depth() {
    let project = harness(builder());
    let mut main = project.main("m").await.unwrap();
    assert!(matches!(main.step().await, Err(HarnessError::NoTurn)));
    let mut at = main;
    for depth in 1..=SessionHeader::MAX_DEPTH {
        at = at.child(format!("c{depth}")).await.unwrap();
    }
    assert!(matches!(at.child("too deep").await, Err(HarnessError::Header(_))));
}

#[tokio::test]
async fn a_session_goes_on_under_another_engine() {
    let project = harness(builder());
    project.write("AGENTS.md", "Everybody.");
    let mut main = project.main("m").await.unwrap();
    main.turn("go").await.unwrap();
    let engine = builder().injector(Scripted::wanting("new", "hello")).build().unwrap();
    main.resume_with(engine).await.unwrap();
    main.step().await.unwrap();
    assert_eq!(main.injections_per_step("workspace").await.unwrap(), [1, 0], "what is there stays");
    assert_eq!(in_force(&main, "new"), ["a note"]);
}
