use standing_orders::config::{Config, ConfigError, Origin, Sources};
use standing_orders::plugin::{SessionHeader, Sessions};
use standing_orders::{Engine, EngineBuilder};

use super::{FILE, load, variables};

fn gated(entry: &str) -> Result<Config, ConfigError> {
    load(&format!("max_bytes = 1\n[[gated]]\n{entry}"))
}

#[test]
fn an_entry_has_the_keys_of_the_contract_and_their_defaults() {
    let config = gated("id = 'π'\nfiles = ['m/A.md', './b']").unwrap();
    let [entry] = config.gated.as_slice() else { panic!("one entry") };
    assert_eq!(
        (&*entry.id, entry.sessions, entry.max_depth, entry.max_bytes),
        ("π", Sessions::Main, None, None)
    );
    assert!(entry.agents.is_empty() && entry.modes.is_empty() && entry.when_touched.is_empty());

    let whole = gated(
        "id = 'x'\nfiles = ['a']\nsessions = 'subagent'\nmax_depth = 3\nagents = ['!explore', 'ü']\n\
         modes = ['plan']\nwhen_touched = ['src/**/*.rs']\nmax_bytes = 0",
    );
    let whole = whole.unwrap();
    let entry = &whole.gated[0];
    assert_eq!((entry.sessions, entry.max_depth, entry.max_bytes), (Sessions::Subagent, Some(3), Some(0)));
    assert_eq!((entry.agents.len(), entry.modes.len(), entry.when_touched.len()), (2, 1, 1));
}

#[test]
fn an_entry_is_also_read_from_a_variable() {
    let list = "[{ id = 'v', files = ['v.md'], sessions = 'any' }]";
    let environment = variables(&[("STANDING_ORDERS_GATED", list)]);
    let config = Sources::new()
        .text("/a", "max_bytes = 1\n[[gated]]\nid = 'f'\nfiles = ['f']")
        .environment(environment);
    let config = config.load().unwrap();
    assert_eq!(config.gated.len(), 1, "a list is one value");
    assert_eq!(config.gated[0].sessions, Sessions::Any);
}

#[test]
fn a_fault_of_an_entry_names_its_key_and_place() {
    let rows = [
        ("no id", "files = ['a']", "missing key `gated[0].id` (line 2, column 1)"),
        ("no files", "id = 'x'", "missing key `gated[0].files` (line 2, column 1)"),
        (
            "an empty list",
            "id = 'x'\nfiles = []",
            "`gated[0].files` is empty, expected at least one file (line 4, column 9)",
        ),
        (
            "the loader's own id",
            "id = 'workspace'\nfiles = ['a']",
            "`gated[0].id` is \"workspace\", expected an id: not blank, on one line, and not `workspace`, which is the built-in loader's (line 3, column 6)",
        ),
        (
            "a blank id",
            "id = ' '\nfiles = ['a']",
            "`gated[0].id` is \" \", expected an id: not blank, on one line, and not `workspace`, which is the built-in loader's (line 3, column 6)",
        ),
        (
            "a way out",
            "id = 'x'\nfiles = ['é', '../a']",
            "`gated[0].files[1]` is \"../a\", expected a file below the root: relative to it, without `..` (line 4, column 15)",
        ),
        (
            "absolute",
            "id = 'x'\nfiles = ['/a']",
            "`gated[0].files[0]` is \"/a\", expected a file below the root: relative to it, without `..` (line 4, column 10)",
        ),
        (
            "one file twice",
            "id = 'x'\nfiles = ['a', './a']",
            "`gated[0].files` is \"./a\", expected each file once (line 4, column 9)",
        ),
        (
            "no class of sessions",
            "id = 'x'\nfiles = ['a']\nsessions = 'mian'",
            "`gated[0].sessions` is \"mian\", expected \"main\" or \"subagent\" or \"any\", did you mean `main`? (line 5, column 12)",
        ),
        (
            "no depth",
            "id = 'x'\nfiles = ['a']\nmax_depth = -1",
            "`gated[0].max_depth` is -1, expected a depth: 0 is a main session, 1 a subagent of it, and so on (line 5, column 13)",
        ),
        (
            "nobody excluded",
            "id = 'x'\nfiles = ['a']\nagents = ['!']",
            "`gated[0].agents[0]` is \"!\", expected the name of an agent preset, or `!` and a name (line 5, column 11)",
        ),
        (
            "a blank mode",
            "id = 'x'\nfiles = ['a']\nmodes = ['']",
            "`gated[0].modes[0]` is \"\", expected the name of a mode (line 5, column 10)",
        ),
        (
            "no glob",
            "id = 'x'\nfiles = ['a']\nwhen_touched = ['src/[']",
            "`gated[0].when_touched[0]` is \"src/[\", expected a glob relative to the root, such as `src/**/*.rs`: unclosed character class; missing ']' (line 5, column 17)",
        ),
        (
            "a glob that leaves the root",
            "id = 'x'\nfiles = ['a']\nwhen_touched = ['é', '../x/**']",
            "`gated[0].when_touched[1]` is \"../x/**\", expected a glob relative to the root, such as `src/**/*.rs`: it has a component `..`, and nothing out of the project root is matched (line 5, column 22)",
        ),
        (
            "no bytes",
            "id = 'x'\nfiles = ['a']\nmax_bytes = -1",
            "`gated[0].max_bytes` is -1, expected a whole number of bytes, 0 or more (line 5, column 13)",
        ),
        (
            "an id twice",
            "id = 'x'\nfiles = ['a']\n[[gated]]\nid = 'x'\nfiles = ['b']",
            "`gated[1].id` is \"x\", expected an id of its own: gated[0] has this one (line 6, column 6)",
        ),
    ];
    for (name, entry, expected) in rows {
        let error = gated(entry).expect_err(name);
        assert_eq!(error.to_string().replace(&format!("{FILE}, "), ""), expected, "{name}");
        assert!(
            matches!(error.origin(), Some(Origin::File { at: Some(_), .. })),
            "{name}: the place is known"
        );
    }
}

#[test]
fn an_entry_becomes_an_injector() {
    let config = gated("id = 'x'\nfiles = ['a']\nsessions = 'subagent'\nagents = ['!e']").unwrap();
    let files = config.gated_files().unwrap();
    let main = SessionHeader::main("s", 0);
    let child = SessionHeader::child_of(&main, "c", 0).unwrap();
    assert!(!files[0].admits(&main, None), "main sessions are not meant");
    assert!(files[0].admits(&child, None));
    assert!(!files[0].admits(&child.with_agent_preset("e"), None));
}

#[test]
fn a_gated_file_with_a_candidates_name_is_a_trap() {
    let config = gated("id = 'x'\nfiles = ['main/CLAUDE.md', 'main/é.md']").unwrap();
    let traps = config.gated_traps().unwrap();
    assert_eq!(traps.len(), 1);
    assert_eq!(
        (traps[0].candidate.as_str(), traps[0].better.to_str()),
        ("CLAUDE.md", Some("main/CLAUDE.x.md"))
    );
    let (settings, _) = config.settings();
    let builder =
        config.gated_files().unwrap().into_iter().fold(Engine::builder(settings), EngineBuilder::gated);
    assert!(builder.build().is_err(), "the engine refuses it (I5)");

    let allowed = gated("id = 'x'\nfiles = ['main/CLAUDE.md']\nallow_candidate_names = ['./main/CLAUDE.md']");
    assert_eq!(allowed.unwrap().gated_traps().unwrap(), [], "unless it is allowed by name (I5)");

    let other = load(
        "max_bytes = 1\ninstruction_file_candidates = ['é.md']\nlocal_instruction_file_candidates = []\n\
         [[gated]]\nid = 'x'\nfiles = ['main/CLAUDE.md', 'main/é.md']",
    );
    let traps = other.unwrap().gated_traps().unwrap();
    assert_eq!(traps.len(), 1, "by the lists of this configuration");
    assert_eq!(traps[0].candidate, "é.md");
}

#[test]
fn a_trap_is_refused_with_the_place_of_its_file() {
    let toml = "max_bytes = 1\n[[gated]]\nid = 'ok'\nfiles = ['g.md']\n[[gated]]\nid = 'é'\n\
                files = ['é.md', './sub/AGENTS.md']\n";
    let sources = Sources::new().text(FILE, toml);
    let config = sources.load().unwrap();
    let error = sources.refuse_traps(&config).unwrap_err();
    assert_eq!(error.key(), Some("gated[1].files[1]"));
    assert_eq!(
        error.to_string(),
        format!(
            "`gated[1].files[1]` is sub/AGENTS.md, which has the name of the instruction file AGENTS.md: any \
             session that touches its folder would be shown it, call it sub/AGENTS.é.md, or name it in \
             `allow_candidate_names` ({FILE}, line 7, column 18)"
        )
    );
    let list = "[{ id = 'v', files = ['claude.MD'] }]";
    let sources = sources.environment(variables(&[("STANDING_ORDERS_GATED", list)]));
    let error = sources.refuse_traps(&sources.load().unwrap()).unwrap_err();
    assert_eq!(error.origin(), Some(&Origin::Variable("STANDING_ORDERS_GATED".to_owned())));
    let none = Sources::new().text(FILE, "max_bytes = 1");
    assert_eq!(none.refuse_traps(&none.load().unwrap()), Ok(()));
}
