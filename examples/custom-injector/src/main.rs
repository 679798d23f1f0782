//! An injector of one's own at work: see `on_call.rs`.
#![allow(clippy::print_stdout)] // An example shows itself.

mod on_call;

use std::error::Error;
use std::sync::Arc;

use on_call::OnCall;
use standing_orders::fs::MemoryFs;
use standing_orders::plugin::SessionHeader;
use standing_orders::{Budget, Context, Engine, Settings, StepInput};

/// A step that goes ahead: prints what comes with it.
async fn step(context: &mut Context, mode: &str) -> Result<(), Box<dyn Error>> {
    let prepared = context.pre_step(StepInput::in_mode(mode)).await;
    println!("{}, {mode}:", context.class());
    for message in prepared.messages() {
        println!("{}", message.text());
    }
    if prepared.is_empty() {
        println!("(nothing new)");
    }
    println!();
    context.entered(prepared)?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let fs = Arc::new(MemoryFs::from_iter([
        ("/ws/.git/", ""),
        ("/ws/AGENTS.md", "Run the tests before you push."),
        ("/ws/ops/on-call.txt", "Ana has the pager until six. Page her before you restart anything."),
    ]));
    let engine =
        Engine::builder(Settings::new(Budget::from_bytes(65_536))).injector(OnCall::new()).build()?;

    let header = SessionHeader::main("main", 0).with_cwd("/ws");
    let child = SessionHeader::child_of(&header, "child", 0)?;
    let mut main = engine.session(header).fs(fs.clone()).open([])?;
    let mut child = engine.session(child).fs(fs.clone()).open([])?;

    step(&mut main, "normal").await?; // the workspace's file
    step(&mut main, "incident").await?; // and now the note
    step(&mut main, "incident").await?; // which does not come again
    fs.write("/ws/ops/on-call.txt", "Bo has the pager.");
    step(&mut main, "incident").await?; // an update
    step(&mut child, "incident").await?; // a subagent is not given it
    step(&mut main, "normal").await // withdrawn
}

#[cfg(test)]
mod tests {
    use standing_orders::testing::Harness;

    use super::*;

    #[tokio::test]
    async fn the_note_comes_once_to_the_main_session_and_goes_with_the_mode() -> Result<(), Box<dyn Error>> {
        let settings = Settings::new(Budget::from_bytes(65_536));
        let harness = Harness::new(Engine::builder(settings).injector(OnCall::new()).build()?);
        harness.write("ops/on-call.txt", "Añá has the pager.");
        let mut main = harness.main("m").await?;
        let mut child = main.child("c").await?;
        for session in [&mut main, &mut child] {
            session.set_mode("incident");
            session.turn("the site is down").await?;
            session.steps(2).await?;
        }
        main.set_mode("normal");
        main.step().await?;
        assert_eq!(main.injections_per_step("on-call").await?, [1, 0, 0, 1], "given once, withdrawn once");
        assert_eq!(child.injections_per_step("on-call").await?, [0, 0, 0], "no subagent is given it");
        assert!(main.context().in_force().is_empty(), "the mode was left");
        Ok(())
    }
}
