//! What cannot be built, and what is said of it (I4, I5).

use std::path::Path;

use standing_orders::inspect::CandidateNames;
use standing_orders::plugin::GatedFiles;
use standing_orders::{Budget, Engine, EngineError, Settings};

use super::{Scripted, builder, harness};

fn refused(builder: standing_orders::EngineBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn ids_are_unique_not_blank_and_not_the_built_in_loaders() {
    let of = |id: &str| builder().injector(Scripted::wanting(id, "text"));
    assert_eq!(
        refused(of("workspace")),
        "injector id \"workspace\" belongs to the built-in loader: choose another"
    );
    assert!(matches!(of(" \t").build(), Err(EngineError::BlankId)));
    let twice = of("ñ").injector(Scripted::wanting("ñ", "other"));
    assert_eq!(refused(twice), "two injectors have the id ñ: history could not tell them apart");
    assert!(of("p").retire("p").build().is_err(), "one that is registered cannot be retired beside");
    let gated = || GatedFiles::new("g", ["a.md"]).unwrap();
    assert!(builder().gated(gated()).gated(gated()).build().is_err(), "gated files share the names");
}

#[test]
fn a_gated_file_with_a_candidates_name_is_refused_with_the_reason_and_a_better_name() {
    let rows = [
        ("in a folder", "main-only", "main/AGENTS.md", "AGENTS.md", "main/AGENTS.main-only.md"),
        ("in the root", "main-only", "CLAUDE.md", "CLAUDE.md", "CLAUDE.main-only.md"),
        ("an overlay", "main-only", "a/AGENTS.local.md", "AGENTS.local.md", "a/AGENTS.local.main-only.md"),
        ("in other case", "main-only", "a/Agents.MD", "AGENTS.md", "a/Agents.main-only.MD"),
        ("with an id that makes a candidate", "local", "AGENTS.md", "AGENTS.md", "AGENTS.local-gated.md"),
        ("with an id that is a path", "team/añá", "AGENTS.md", "AGENTS.md", "AGENTS.teamañá.md"),
        ("with an id of no letters", "..", "AGENTS.md", "AGENTS.md", "AGENTS.gated.md"),
    ];
    for (name, id, path, candidate, better) in rows {
        let gated = || GatedFiles::new(id, [path]).unwrap();
        let EngineError::Trap(trap) = builder().gated(gated()).build().unwrap_err() else {
            panic!("{name}: another error")
        };
        assert_eq!((&*trap.candidate, trap.better.as_path()), (candidate, Path::new(better)), "{name}");
        let message = trap.to_string();
        assert!(message.contains(path) && message.contains("any session"), "{name}: {message}");
        assert!(message.contains(better), "{name}: {message}");

        let renamed = GatedFiles::new(id, [better]).unwrap();
        assert!(builder().gated(renamed).build().is_ok(), "{name}: the better name is no trap");
        let allowed = gated().allow_candidate_name(path);
        assert!(builder().gated(allowed).build().is_ok(), "{name}: allowed by name");
        let other = gated().allow_candidate_name("other.md");
        assert!(builder().gated(other).build().is_err(), "{name}: allowing another is not enough");
    }
}

#[test]
fn the_names_are_those_that_the_deployment_looks_for() {
    let names = CandidateNames::new(["RULES.md"], [] as [&str; 0]).0;
    let settings = || Settings::new(Budget::from_bytes(4096)).with_names(names.clone());
    let build = |path: &str| Engine::builder(settings()).gated(GatedFiles::new("g", [path]).unwrap()).build();
    assert!(build("main/AGENTS.md").is_ok(), "nobody looks for it here");
    assert!(build("main/RULES.md").is_err(), "this is a candidate here");
}

#[tokio::test]
async fn what_the_trap_warns_of_is_what_happens() {
    let gated = GatedFiles::new("g", ["main/AGENTS.md"]).unwrap().allow_candidate_name("./main/AGENTS.md");
    let project = harness(builder().gated(gated));
    project.write("main/AGENTS.md", "For the main session.").write("main/x.rs", "");
    let main = project.main("m").await.unwrap();
    let mut child = main.child("c").await.unwrap();
    child.turn("go").await.unwrap();
    assert!(!child.sees().contains("For the main session."), "the gate keeps it");
    child.touch("main/x.rs").await.unwrap();
    child.step().await.unwrap();
    assert!(child.sees().contains("For the main session."), "and a touch of its folder does not");
}

#[test]
fn gated_files_that_mean_nothing_are_errors_that_name_them() {
    let none: [&str; 0] = [];
    let new = |files: &[&str]| GatedFiles::new("ñ", files.iter().copied());
    let rows = [
        ("no files", new(&none).unwrap_err(), "`files` is empty"),
        ("absolute", new(&["/etc/passwd"]).unwrap_err(), "/etc/passwd is not a file path"),
        ("out of the root", new(&["a/../../x"]).unwrap_err(), "a/../../x is not a file path"),
        ("no name", new(&["."]).unwrap_err(), ". is not a file path"),
        ("twice", new(&["a.md", "./a.md"]).unwrap_err(), "a.md is named twice"),
        ("no glob", new(&["a.md"]).unwrap().when_touched(["src/["]).unwrap_err(), "src/["),
    ];
    for (name, error, part) in rows {
        let message = error.to_string();
        assert!(message.contains(part) && message.contains("\"ñ\""), "{name}: {message}");
    }
}

#[cfg(feature = "config")]
#[test]
fn gated_files_of_a_configuration_are_those_in_code() {
    use standing_orders::config::Sources;
    use standing_orders::plugin::SessionHeader;

    let toml = r#"
        max_bytes = 65536
        [[gated]]
        id = "deep"
        files = ["main/RULES.md", "main/PORTRAIT.md"]
        sessions = "subagent"
        max_depth = 1
        agents = ["!explore"]
        modes = ["plan"]
        when_touched = ["src/**"]
        max_bytes = 16384
        [[gated]]
        id = "plain"
        files = ["x.md"]
    "#;
    let config = Sources::new().text("standing-orders.toml", toml).load().unwrap();
    let gated: Vec<_> = config.gated.iter().map(|gated| GatedFiles::try_from(gated).unwrap()).collect();
    let main = SessionHeader::main("m", 0).with_agent_preset("plan");
    let child = SessionHeader::child_of(&main, "c", 0).unwrap();
    let deep = SessionHeader::child_of(&child, "d", 0).unwrap();
    let explore = child.clone().with_agent_preset("explore");
    let rows = [
        ("a subagent in its mode", &child, Some("plan"), true),
        ("out of its mode", &child, None, false),
        ("a main session", &main, Some("plan"), false),
        ("too deep", &deep, Some("plan"), false),
        ("an excluded agent", &explore, Some("plan"), false),
    ];
    for (name, header, mode, admitted) in rows {
        assert_eq!(gated[0].admits(header, mode), admitted, "{name}");
    }
    assert!(gated[1].admits(&main, None), "main sessions by default");
    let (settings, _) = config.settings();
    let engine = gated.into_iter().fold(Engine::builder(settings), standing_orders::EngineBuilder::gated);
    assert!(engine.build().is_ok());
}
