//! A complete small agent loop over its own list of chat messages, and what each session sees.
#![allow(clippy::print_stdout)] // An example shows itself.

mod agent;
mod chat;
mod model;

use std::error::Error;
use std::fs;

use agent::Agent;
use model::Reply;
use standing_orders::plugin::{GatedFiles, SessionHeader};
use standing_orders::{Budget, Engine, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    fs::create_dir_all(root.join(".git"))?;
    fs::create_dir_all(root.join("main"))?;
    fs::create_dir_all(root.join("api"))?;
    fs::write(root.join("AGENTS.md"), "Run the tests before you push.\n")?;
    fs::write(root.join("api/AGENTS.md"), "Every handler has a timeout.\n")?;
    fs::write(root.join("api/users.rs"), "fn users() {}\n")?;
    fs::write(root.join("main/RULES.md"), "You direct; workers do the work.  \n")?;
    fs::write(root.join("main/PLAN.md"), "Write the plan down first.\n")?;

    // The workspace's files are for every session; these two are for main sessions, one of them
    // while the host is in plan mode.
    let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536)))
        .gated(GatedFiles::new("main-only", ["main/RULES.md"])?)
        .gated(GatedFiles::new("planning", ["main/PLAN.md"])?.modes(["plan"]))
        .build()?;
    let header = SessionHeader::main("main", 0).with_cwd(&root);
    let mut main = Agent::open(&engine, header, Vec::new())?;
    main.mode = Some("plan");

    println!("Eleven steps, two subagents");
    main.script.add([
        Reply::Read("api/users.rs"),
        Reply::Read("api/users.rs"),
        Reply::Delegate(
            "find the slow query",
            vec![Reply::Read("api/users.rs"), Reply::Say("It is in users.")],
        ),
        Reply::Read("AGENTS.md"),
        Reply::Write("api/users.rs", "fn users() { /* fast */ }\n"),
        Reply::Delegate(
            "write a test",
            vec![Reply::Write("api/test.rs", "#[test]\n"), Reply::Say("Written.")],
        ),
        Reply::Read("api/test.rs"),
        Reply::Read("api/users.rs"),
        Reply::Write("notes.txt", "faster\n"),
        Reply::Read("notes.txt"),
        Reply::Say("The query is fast now."),
    ]);
    main.turn("make it fast").await?;
    main.show(0);
    for child in &main.children {
        child.show(0);
        assert_eq!(child.sees("main-only") + child.sees("planning"), 0, "none of it reaches a subagent");
    }
    assert_eq!((main.sees("main-only"), main.sees("planning")), (1, 1), "each block once in eleven steps");

    println!("\nA restart");
    let at = main.transcript.len();
    let mut main = main.restart(&root.join("transcript.json"))?;
    main.turn("go on").await?;
    main.show(at);
    assert_eq!((main.sees("main-only"), main.sees("planning")), (1, 1), "still once");

    println!("\nA restart right after a tool has touched a folder for the first time");
    fs::create_dir_all(root.join("web"))?;
    fs::write(root.join("web/AGENTS.md"), "No inline styles.\n")?;
    fs::write(root.join("web/page.html"), "<p>\n")?;
    let at = main.transcript.len();
    main.script.add([Reply::Read("web/page.html")]);
    main.step().await?;
    let mut main = main.restart(&root.join("transcript.json"))?;
    main.turn("go on").await?;
    main.show(at);
    let web = |message: &chat::Message| message.text.contains("No inline styles.");
    assert_eq!(main.transcript.iter().filter(|message| web(message)).count(), 1, "the touch was not lost");

    println!("\nThe gated file is edited between two steps");
    let at = main.transcript.len();
    main.script.add([Reply::Write("main/RULES.md", "You direct, and review.\n"), Reply::Read("notes.txt")]);
    main.turn("change your rules").await?;
    main.show(at);
    assert_eq!(main.sees("main-only"), 2, "one update, with the step after the edit");

    println!("\nThe host leaves plan mode");
    let at = main.transcript.len();
    main.mode = None;
    main.turn("now build it").await?;
    main.show(at);
    assert_eq!(main.sees("planning"), 2, "set once, withdrawn once");

    println!("\nA compaction");
    main.compact("Summary: the query is fast.");
    main.turn("what are your rules?").await?;
    main.show(0);
    assert_eq!((main.sees("workspace"), main.sees("main-only"), main.sees("planning")), (1, 1, 0));
    Ok(())
}
