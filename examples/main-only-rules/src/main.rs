//! Rules for main sessions only: what `project/standing-orders.toml` says, and who sees what.
#![allow(clippy::print_stdout)] // An example shows itself.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use standing_orders::Engine;
use standing_orders::config::Sources;
use standing_orders::fs::LocalFs;
use standing_orders::inspect::RootRule;
use standing_orders::plugin::{GatedFiles, SessionHeader};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("project");
    let config = Sources::new().file(project.join("standing-orders.toml"))?.load()?;
    let (settings, warnings) = config.settings();
    assert!(warnings.is_empty(), "every entry of the file counts");
    let mut engine = Engine::builder(settings);
    for gated in &config.gated {
        engine = engine.gated(GatedFiles::try_from(gated)?);
    }
    let engine = engine.build()?;

    let main = SessionHeader::main("main", 0).with_cwd(&project);
    let subagent = SessionHeader::child_of(&main, "subagent", 0)?;
    let explore = main.clone().with_agent_preset("explore");
    let mut seen = Vec::new();
    for (who, header) in [("main", main), ("subagent", subagent), ("main, agent explore", explore)] {
        // This folder is the project, not the repository it is in.
        let session =
            engine.session(header).fs(Arc::new(LocalFs::new())).root(RootRule::Fixed(project.clone()));
        let text = session.compose(&[]).await?.text();
        println!("== {who}\n{text}\n");
        seen.push(["RULES.md", "PORTRAIT.md", "WORKERS.md"].map(|file| text.contains(file)));
    }
    assert_eq!(seen, [[true, true, false], [false, false, true], [false, false, false]]);
    Ok(())
}
