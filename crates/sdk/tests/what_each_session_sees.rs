//! Writes `docs/what-each-session-sees.md` from real sessions, so that the page stays true.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::delegation::{AgentComposition, ChildOptions, ToolFilter, ToolGrant};
use standing_orders::plugin::{GatedFiles, SessionClass, SessionHeader, Sessions};
use standing_orders::runtime_context::{Entry, RuntimeContext};
use standing_orders::sections::{PERSONA_PREFIX, Section, Sections, order};
use standing_orders::{Budget, Composition, Engine, Home, Settings, StepInput};
use standing_orders_fs::MemoryFs;

const UPDATE: &str = "UPDATE_DOCS";

const FILES: [(&str, &str); 6] = [
    ("/home/.dsh/AGENTS.md", "Answer in the language you are asked in: 日本語, größer Deutsch, English.\n"),
    (
        "/ws/AGENTS.md",
        "Run the tests before you push. Unless your context has the entry `subagent:delegation`, say what you plan first.\n",
    ),
    ("/ws/AGENTS.local.md", "The database runs on port 5433 here.\n"),
    ("/ws/api/AGENTS.md", "Every route has a test.\n"),
    ("/ws/main/RULES.md", "Delegate what takes more than ten files.\n"),
    ("/ws/main/HELPERS.md", "Touch only what the task names.\n"),
];

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/what-each-session-sees.md")
}

fn tree() -> MemoryFs {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    for (path, text) in FILES {
        fs.write(path, text);
    }
    fs
}

fn engine() -> Engine {
    let runtime = RuntimeContext::new();
    for session in ["main", "child"] {
        let policy = "Writes stay below the working directory.";
        runtime.values().set(session, Entry::SANDBOX_POLICY, policy).unwrap();
    }
    runtime
        .values()
        .set("main", Entry::APPROVAL_POLICY, "Commands that reach the network are asked for.")
        .unwrap();
    let gated = |id, file, sessions| GatedFiles::new(id, [file]).unwrap().sessions(sessions);
    Engine::builder(Settings::new(Budget::from_bytes(65_536)))
        .injector(runtime)
        .gated(gated("main-only", "main/RULES.md", Sessions::Main))
        .gated(gated("subagents-only", "main/HELPERS.md", Sessions::Subagent))
        .build()
        .unwrap()
}

fn main_session() -> AgentComposition {
    let sections = Sections::new()
        .with(Section::new("identity", order::IDENTITY, "You are an AI agent."))
        .with(Section::new(
            PERSONA_PREFIX,
            order::PERSONA_PREFIX,
            "You work with the person in front of you.",
        ))
        .with(Section::new("tool:bash", order::TOOLS_FIRST, "bash: runs a command."))
        .with(Section::new("report", order::REPORT, "Say what you did and what you left."))
        .nearer(SessionClass::Main)
        .with(Section::new("team", order::TEAM_POLICY, "One agent a file."));
    let header = SessionHeader::main("main", 0).with_cwd("/ws");
    AgentComposition::new(header, sections, ToolGrant::all(["bash", "edit", "read", "subagent"]))
}

/// One session, and everything that stands before its model.
struct Seen {
    agent: AgentComposition,
    composition: Composition,
}

impl Seen {
    async fn of(agent: AgentComposition) -> Self {
        let setup = engine().session(agent.header().clone()).fs(Arc::new(tree()));
        let setup = setup.home(Home::new("/home/.dsh", "~/.dsh"));
        let step = StepInput::in_mode("build");
        let composition = setup.compose_with(&["/ws/api/routes.rs".into()], step).await.unwrap();
        Self { agent, composition }
    }

    /// What, and how it looks, in the order in which the model has it.
    fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        for entry in self.agent.sections().listing() {
            let mut cell = format!("{}<br>*{}", entry.section.text(), entry.scope);
            for (scope, _) in &entry.shadows {
                write!(cell, ", shadows the {scope}'s").unwrap();
            }
            let place = format!("system prompt, {}: `{}`", entry.section.order(), entry.section.name());
            rows.push((place, format!("{cell}*")));
        }
        for part in &self.composition.parts {
            if part.injector().as_str() == RuntimeContext::ID {
                rows.extend(entries(&part.text()));
                continue;
            }
            for change in &part.source.changes {
                let place = format!("message of `{}`: `{}`", part.injector(), change.path);
                rows.push((place, "yes".to_owned()));
            }
        }
        let tools: Vec<_> = self.agent.tools().names().map(|name| format!("`{name}`")).collect();
        rows.push(("tools, which the host enforces".to_owned(), tools.join(", ")));
        rows
    }
}

/// The entries of a snapshot.
fn entries(text: &str) -> Vec<(String, String)> {
    let body = text.split_once("runtime context\n\n").unwrap().1;
    let body = body.strip_suffix("\n</system-reminder>").unwrap();
    let entry = |entry: &str| {
        let (name, text) = entry.split_once("]\n").unwrap();
        let name = name.strip_prefix('[').unwrap();
        (format!("message of `{}`: `[{name}]`", RuntimeContext::ID), text.to_owned())
    };
    body.split("\n\n").map(entry).collect()
}

/// Both lists as one table, each in its order; where both have something of their own in one place,
/// the main session's stands first.
fn table(main: &[(String, String)], child: &[(String, String)]) -> String {
    let mut text = "| what | main session | subagent session |\n| --- | --- | --- |\n".to_owned();
    let of = |rows: &[(String, String)], what: &str| {
        rows.iter().find(|(known, _)| known == what).map_or_else(|| "—".to_owned(), |(_, cell)| cell.clone())
    };
    let mut whats: Vec<&str> = main.iter().map(|(what, _)| what.as_str()).collect();
    for (at, (what, _)) in child.iter().enumerate() {
        if !whats.contains(&what.as_str()) {
            let before = at.checked_sub(1).map(|at| child[at].0.as_str());
            let after = whats.iter().position(|known| Some(*known) == before).map_or(0, |at| at + 1);
            let both = |known: &&str| child.iter().any(|(what, _)| what == known);
            let place = whats[after..].iter().position(both).map_or(whats.len(), |at| after + at);
            whats.insert(place, what);
        }
    }
    for what in whats {
        writeln!(text, "| {what} | {} | {} |", of(main, what), of(child, what)).unwrap();
    }
    text
}

fn verbatim(seen: &Seen) -> String {
    let mut text = format!("System prompt:\n\n~~~text\n{}\n~~~\n", seen.agent.sections().text());
    for part in &seen.composition.parts {
        write!(text, "\nMessage of `{}`, user role:\n\n~~~text\n{}\n~~~\n", part.injector(), part.text())
            .unwrap();
    }
    text
}

fn written(main: &Seen, child: &Seen) -> String {
    let files: String = FILES.iter().map(|(path, text)| format!("{path}: {text}")).collect();
    format!(
        "# What each session sees\n\
         \n\
         Everything that stands before the model of a main session and of a subagent that it started, \
         side by side. Written by the test `what_each_session_sees` from two real sessions over an \
         in-memory tree; to write it again:\n\
         \n\
         ~~~sh\n{UPDATE}=1 cargo test -p standing-orders --all-features what_each_session_sees\n~~~\n\
         \n\
         Both sessions stand in `/ws`, in the host's mode `build`, and have touched `/ws/api/routes.rs`. \
         The host gives each its sandbox policy, and the main one an approval policy. `main/RULES.md` is \
         gated for main sessions, `main/HELPERS.md` for subagents. The subagent has a persona of its own \
         and is denied the tool `subagent`. The files:\n\
         \n\
         ~~~text\n{files}~~~\n\
         \n\
         ## Side by side\n\
         \n\
         {table}\n\
         - Sections stand in the system prompt, everything else in messages below it: who the agent is \
         belongs to the former, rules of the workspace to the latter.\n\
         - A child has every section of its parent; its persona shadows its parent's under the name \
         `{PERSONA_PREFIX}`.\n\
         - The entry `subagent:delegation` is in every subagent session and in no main one, so that an \
         instruction file can name it as a self-check.\n\
         - Workspace files are for both; a gated file is for the sessions that its conditions admit.\n\
         - The child's chain is that of its own working directory. Here it is its parent's.\n\
         \n\
         ## The main session, word for word\n\
         \n\
         {main}\n\
         ## The subagent session, word for word\n\
         \n\
         {child}",
        table = table(&main.rows(), &child.rows()),
        main = verbatim(main),
        child = verbatim(child),
    )
}

#[tokio::test]
async fn the_page_is_what_sessions_see() {
    let main = main_session();
    let options =
        ChildOptions::new().persona("You carry out one task.").tools(ToolFilter::deny(["subagent"]));
    let child = main.child("child", 1, &options).unwrap();
    let (main, child) = (Seen::of(main).await, Seen::of(child).await);
    let written = written(&main, &child);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(page().parent().unwrap()).unwrap();
        std::fs::write(page(), &written).unwrap();
    }
    let kept = std::fs::read_to_string(page()).unwrap_or_default();
    assert_eq!(
        kept, written,
        "docs/what-each-session-sees.md is what sessions see: {UPDATE}=1 writes it again, then read the diff"
    );
}
