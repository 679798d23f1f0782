use standing_orders::config::{Config, ConfigError, Origin, Sources};
use standing_orders::plugin::{
    Admission, AdmissionRequest, InjectorId, Part, PolicyRow, PolicyTable, SessionHeader, SessionPolicy,
    Sessions,
};
use standing_orders::{Budget, Engine};

use super::{FILE, load, variables};

fn policy(rows: &str) -> Result<Config, ConfigError> {
    load(&format!("max_bytes = 1000\n[[policy]]\n{rows}"))
}

fn ask(table: &PolicyTable, header: &SessionHeader, part: Part) -> Admission {
    let injector = if part == Part::Gated { "ñandú".into() } else { InjectorId::workspace() };
    table.admit(&AdmissionRequest::new(header, &injector, part, Budget::from_bytes(1000)))
}

#[test]
fn rows_of_a_file_are_the_rows_in_code() {
    let rows = [
        ("admit = 'deny'", PolicyRow::deny()),
        ("admit = 'allow'", PolicyRow::allow()),
        ("admit = 500", PolicyRow::allow_within(500.try_into().unwrap())),
        ("admit = 500.0", PolicyRow::allow_within(500.try_into().unwrap())),
        ("admit = 'deny'\ninjector = 'ñ*'", PolicyRow::deny().injector("ñ*").unwrap()),
        (
            "admit = 'deny'\nparts = ['user_global', 'nested']",
            PolicyRow::deny().parts([Part::UserGlobal, Part::Nested]).unwrap(),
        ),
        (
            "admit = 'deny'\nsessions = 'subagent'\nmax_depth = 2\nagents = ['!plan', 'ü']\nmodes = ['build']",
            PolicyRow::deny()
                .sessions(Sessions::Subagent)
                .max_depth(2)
                .agents(["!plan", "ü"])
                .modes(["build"]),
        ),
    ];
    for (toml, row) in rows {
        let config = policy(toml).unwrap_or_else(|error| panic!("{toml}: {error}"));
        assert_eq!(config.settings().0.policy, [row], "{toml}");
        let written = serde_json::to_value(&config).unwrap();
        assert_eq!(serde_json::from_value::<Config>(written).unwrap(), config, "{toml}: written and read");
    }
}

#[test]
fn the_first_row_that_fits_decides_and_none_widens() {
    let config = policy(
        "admit = 400\nsessions = 'subagent'\nparts = ['base']\n[[policy]]\nadmit = 'deny'\n\
         sessions = 'subagent'\n[[policy]]\nadmit = 4000",
    );
    let table = PolicyTable::new(config.unwrap().settings().0.policy);
    let main = SessionHeader::main("m", 0);
    let child = SessionHeader::child_of(&main, "c", 0).unwrap();
    assert_eq!(ask(&table, &child, Part::Base), Admission::AllowWithin(400.try_into().unwrap()));
    assert_eq!(ask(&table, &child, Part::Local), Admission::Deny);
    assert_eq!(ask(&table, &child, Part::Gated), Admission::Deny);
    assert_eq!(ask(&table, &main, Part::Base), Admission::Allow, "more than it asks for is no change");
}

#[test]
fn a_fault_of_a_row_names_its_key_its_place_and_what_is_near() {
    let rows = [
        ("no answer", "parts = ['base']", "missing key `policy[0].admit` (line 2, column 1)"),
        (
            "an answer nearly",
            "admit = 'allow'\n[[policy]]\nadmit = 'denny'",
            "`policy[1].admit` is \"denny\", expected \"allow\", \"deny\", or a whole number of bytes, 1 or more, \
             did you mean `deny`? (line 5, column 9)",
        ),
        (
            "no bytes",
            "admit = 0",
            "`policy[0].admit` is 0, expected \"allow\", \"deny\", or a whole number of bytes, 1 or more (line 3, column 9)",
        ),
        (
            "less than no bytes",
            "admit = -1",
            "`policy[0].admit` is -1, expected \"allow\", \"deny\", or a whole number of bytes, 1 or more (line 3, column 9)",
        ),
        (
            "part of a byte",
            "admit = 1.5",
            "`policy[0].admit` is 1.5, expected \"allow\", \"deny\", or a whole number of bytes, 1 or more (line 3, column 9)",
        ),
        (
            "another type",
            "admit = true",
            "`policy[0].admit` is true, expected \"allow\", \"deny\", or a whole number of bytes, 1 or more (line 3, column 9)",
        ),
        (
            "an unknown key",
            "admit = 'deny'\nagent = ['é']",
            "unknown key `policy[0].agent`, did you mean `policy[0].agents`? (line 4, column 1)",
        ),
        (
            "a part nearly",
            "admit = 'deny'\nparts = ['base', 'user-global']",
            "`policy[0].parts[1]` is \"user-global\", expected \"user_global\" or \"base\" or \"local\" or \"nested\" or \
             \"additional\" or \"gated\", did you mean `user_global`? (line 4, column 18)",
        ),
        (
            "no part",
            "admit = 'deny'\nparts = []",
            "`policy[0].parts` is empty, expected at least one part, or no such key for all of them (line 4, column 9)",
        ),
        (
            "a part it has not",
            "admit = 'deny'\ninjector = 'ñ-*'\nparts = ['gated', 'base']",
            "`policy[0].parts[1]` is \"base\", expected a part that \"ñ-*\" has (line 5, column 19)",
        ),
        (
            "nor the workspace",
            "admit = 'deny'\ninjector = 'workspace'\nparts = ['gated']",
            "`policy[0].parts[0]` is \"gated\", expected a part that \"workspace\" has (line 5, column 10)",
        ),
        (
            "a blank id",
            "admit = 'deny'\ninjector = ' '",
            "`policy[0].injector` is \" \", expected the id of an injector, or a glob over ids: blank, `*` stands \
             for all (line 4, column 12)",
        ),
        (
            "no glob",
            "admit = 'deny'\ninjector = 'ñ['",
            "`policy[0].injector` is \"ñ[\", expected the id of an injector, or a glob over ids: unclosed character \
             class; missing ']' (line 4, column 12)",
        ),
        (
            "no class of sessions",
            "admit = 'deny'\nsessions = 'subagents'",
            "`policy[0].sessions` is \"subagents\", expected \"main\" or \"subagent\" or \"any\", did you mean \
             `subagent`? (line 4, column 12)",
        ),
        (
            "no depth",
            "admit = 'deny'\nmax_depth = -1",
            "`policy[0].max_depth` is -1, expected a depth: 0 is a main session, 1 a subagent of it, and so on \
             (line 4, column 13)",
        ),
        (
            "a blank mode",
            "admit = 'deny'\nmodes = ['']",
            "`policy[0].modes[0]` is \"\", expected the name of a mode (line 4, column 10)",
        ),
    ];
    for (name, row, expected) in rows {
        let error = policy(row).expect_err(name);
        assert_eq!(error.to_string().replace(&format!("{FILE}, "), ""), expected, "{name}");
        assert!(
            matches!(error.origin(), Some(Origin::File { at: Some(_), .. })),
            "{name}: the place is known"
        );
    }
}

#[test]
fn rows_of_a_variable_stand_alone_and_their_faults_name_it() {
    let name = "STANDING_ORDERS_POLICY";
    let with = |list: &str| {
        let file = "max_bytes = 1\n[[policy]]\nadmit = 'allow'";
        Sources::new().text(FILE, file).environment(variables(&[(name, list)])).load()
    };
    assert_eq!(with("[{ admit = 7 }]").unwrap().policy.len(), 1, "a list is one value");
    assert_eq!(with("").unwrap().policy, [], "and a blank one is the empty list");
    for row in ["admit = 'no'", "admit = 'deny', injector = 'x', parts = ['base']"] {
        let error = with(&format!("[{{ {row} }}]")).expect_err(row);
        assert_eq!(error.origin(), Some(&Origin::Variable(name.to_owned())), "{row}");
    }
}

#[tokio::test]
async fn a_denied_part_does_not_enter() {
    let fs = standing_orders::fs::MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/AGENTS.md", "base");
    fs.write("/ws/AGENTS.local.md", "local");
    let fs = std::sync::Arc::new(fs);
    let config = policy("admit = 'deny'\nparts = ['local']").unwrap();
    let engine = Engine::builder(config.settings().0).build().unwrap();
    let session = engine.session(SessionHeader::main("s", 0).with_cwd("/ws")).fs(fs);
    let text = session.compose(&[]).await.unwrap().text();
    assert!(text.contains("base") && !text.contains("local"), "{text}");
}
