//! The policy as a table (I2).

use std::num::NonZeroU64;

use proptest::prelude::*;
use serde_json::json;
use standing_orders::Budget;
use standing_orders::plugin::{
    Admission, AdmissionRequest, InjectorId, Instruction, Part, PolicyError, PolicyRow, PolicyTable,
    SessionHeader, SessionPolicy, Sessions,
};

use super::{Does, Scripted, builder, harness, in_force};

fn bytes(bytes: u64) -> NonZeroU64 {
    NonZeroU64::new(bytes).unwrap()
}

fn main_session() -> SessionHeader {
    SessionHeader::main("m", 0).with_agent_preset("plan")
}

fn child() -> SessionHeader {
    SessionHeader::child_of(&main_session(), "c", 0).unwrap()
}

/// What the policy says of an injector that asks for 65,536 bytes, in no mode.
fn ask(policy: &impl SessionPolicy, header: &SessionHeader, injector: &str) -> Admission {
    let injector = InjectorId::from(injector);
    let part = if injector.is_workspace() { Part::Base } else { Part::Gated };
    policy.admit(&AdmissionRequest::new(header, &injector, part, Budget::from_bytes(65_536)))
}

#[test]
fn the_first_row_that_fits_answers() {
    let table = PolicyTable::new([
        PolicyRow::allow().injector("on-call").unwrap().sessions(Sessions::Main),
        PolicyRow::deny().injector("on-*").unwrap(),
        PolicyRow::allow_within(bytes(4096)).sessions(Sessions::Subagent),
    ]);
    let (main, child) = (main_session(), child());
    let rows = [
        ("a row above keeps a denial away", &main, "on-call", Admission::Allow),
        ("the denial, for the rest of its pattern", &main, "on-añá", Admission::Deny),
        ("the denial, where the row above does not fit", &child, "on-call", Admission::Deny),
        ("a budget", &child, "other", Admission::AllowWithin(bytes(4096))),
        ("a budget for the workspace too", &child, "workspace", Admission::AllowWithin(bytes(4096))),
        ("no row", &main, "other", Admission::Allow),
    ];
    for (name, header, injector, answer) in rows {
        assert_eq!(ask(&table, header, injector), answer, "{name}");
    }
}

#[test]
fn a_row_fits_when_all_that_is_said_of_it_holds() {
    let (main, child) = (main_session(), child());
    let deep = SessionHeader::child_of(&child, "d", 0).unwrap();
    let id = InjectorId::from("ñandú");
    let request = |header| AdmissionRequest::new(header, &id, Part::Gated, Budget::from_bytes(1));
    let deny = PolicyRow::deny;
    let rows = [
        ("everything", deny(), request(&deep), true),
        ("the id", deny().injector("ñandú").unwrap(), request(&main), true),
        ("a glob", deny().injector("ñ*ú").unwrap(), request(&main), true),
        ("`*` runs over `/`", deny().injector("*").unwrap(), request(&main), true),
        ("another id", deny().injector("nandu").unwrap(), request(&main), false),
        ("the part", deny().part(Part::Gated).unwrap(), request(&main), true),
        ("another part", deny().part(Part::Nested).unwrap(), request(&main), false),
        ("subagents", deny().sessions(Sessions::Subagent), request(&main), false),
        ("within the depth", deny().max_depth(1), request(&child), true),
        ("below the depth", deny().max_depth(1), request(&deep), false),
        ("an excluded agent", deny().agents(["!plan"]), request(&main), false),
        ("a mode", deny().modes(["build"]), request(&main).in_mode("build"), true),
        ("another mode", deny().modes(["build"]), request(&main).in_mode("plan"), false),
        ("no mode", deny().modes(["build"]), request(&main), false),
    ];
    for (name, row, request, fits) in rows {
        assert_eq!(row.fits(&request), fits, "{name}");
    }
}

#[test]
fn a_table_from_configuration_is_the_table_in_code() {
    let table: PolicyTable = serde_json::from_value(json!([
        { "admit": "deny", "injector": "on-*", "parts": ["gated"], "sessions": "subagent", "max_depth": 2,
          "agents": ["!ñ"], "modes": ["plan"] },
        { "admit": 4096, "injector": "workspace", "parts": ["user_global", "nested"] },
        { "admit": "allow" },
    ]))
    .unwrap();
    let deny = PolicyRow::deny().injector("on-*").unwrap().part(Part::Gated).unwrap();
    let rows = [
        deny.sessions(Sessions::Subagent).max_depth(2).agents(["!ñ"]).modes(["plan"]),
        PolicyRow::allow_within(bytes(4096))
            .injector("workspace")
            .unwrap()
            .parts([Part::UserGlobal, Part::Nested])
            .unwrap(),
        PolicyRow::allow(),
    ];
    assert_eq!(table.rows(), rows);
    let written = serde_json::to_value(table.rows()).unwrap();
    let read: Vec<PolicyRow> = serde_json::from_value(written).unwrap();
    assert_eq!(read, rows, "and what is written is read again");
}

#[test]
fn a_row_that_means_nothing_is_an_error_that_names_the_key() {
    let rows = [
        ("no answer", json!({ "injector": "a" }), "admit"),
        ("no part", json!({ "admit": "deny", "parts": [] }), "never fit"),
        ("another answer", json!({ "admit": "maybe" }), "`allow`"),
        ("an unknown key", json!({ "admit": "deny", "injectors": "a" }), "injectors"),
        ("no bytes", json!({ "admit": 0 }), "1 or more"),
        ("a key of before", json!({ "admit": "allow", "max_bytes": 1 }), "`max_bytes`"),
        ("a blank pattern", json!({ "admit": "deny", "injector": " " }), "`injector`"),
        ("no glob", json!({ "admit": "deny", "injector": "ñ[" }), "ñ["),
        ("an unknown part", json!({ "admit": "deny", "parts": ["all"] }), "all"),
        ("a part it has not", json!({ "admit": "deny", "injector": "on-*", "parts": ["base"] }), "never fit"),
        (
            "nor the workspace",
            json!({ "admit": "deny", "injector": "workspace", "parts": ["base", "gated"] }),
            "never fit",
        ),
    ];
    for (name, row, part) in rows {
        let error = serde_json::from_value::<PolicyRow>(row).unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
    }
    let part = PolicyRow::deny().part(Part::Local).unwrap().injector("on-*");
    assert!(matches!(part, Err(PolicyError::NoSuchPart { .. })), "in whichever order it is said");
}

#[tokio::test]
async fn a_table_narrows_somebody_elses_injector() {
    let row = PolicyRow::deny().injector("on-call").unwrap().sessions(Sessions::Subagent);
    let plugin = Scripted::wanting("on-call", "Añá has the pager.");
    let project = harness(builder().policy(PolicyTable::new([row])).injector(plugin));
    let mut main = project.main("m").await.unwrap();
    let mut child = main.child("c").await.unwrap();
    main.turn("go").await.unwrap();
    child.turn("go").await.unwrap();
    assert_eq!(in_force(&main, "on-call"), ["a note"]);
    assert!(in_force(&child, "on-call").is_empty(), "whatever the injector asks for");
}

#[tokio::test]
async fn a_budget_of_the_table_bounds_a_message_and_never_widens_one() {
    let text = "rule ñ ".repeat(200);
    let rows = [("smaller", 300, 300), ("larger", 1 << 30, 700)];
    for (name, row, bound) in rows {
        let own = Sized(Scripted::wanting("p", &text));
        let table = PolicyTable::new([PolicyRow::allow_within(bytes(row))]);
        let mut main = harness(builder().policy(table).injector(own)).main("m").await.unwrap();
        let entered = main.turn("go").await.unwrap();
        let block = entered[0].blocks[0].len();
        assert!(block <= bound, "{name}: {block} bytes of {bound}");
        assert!(entered[0].text().contains("rule"), "{name}: some of it is there");
        assert!(entered[0].text().contains("truncated a note"), "{name}: and the loss is told");
    }

    /// Asks for 700 bytes.
    #[derive(Debug)]
    struct Sized(Scripted);
    #[async_trait::async_trait]
    impl standing_orders::plugin::Injector for Sized {
        fn id(&self) -> &InjectorId {
            self.0.id()
        }
        async fn wanted(
            &self,
            context: &standing_orders::plugin::InjectionContext<'_>,
        ) -> Result<standing_orders::plugin::Wanted, standing_orders::plugin::InjectError> {
            self.0.wanted(context).await
        }
        fn max_bytes(&self) -> Option<u64> {
            Some(700)
        }
    }
}

#[tokio::test]
async fn parts_of_the_workspace_are_narrowed_apart() {
    let project = |part: Part| {
        let table = PolicyTable::new([PolicyRow::deny().part(part).unwrap()]);
        let gated = Scripted::new("p", Does::Want(vec![Instruction::text("n", "gated", "x")]));
        let project = harness(builder().policy(table).injector(gated));
        project.write("AGENTS.md", "base").write("AGENTS.local.md", "local").write("api/AGENTS.md", "nested");
        project.with_home(standing_orders::Home::new("/home/.dsh", "~/.dsh"))
    };
    let all = ["AGENTS.local.md", "AGENTS.md", "api/AGENTS.md", "gated", "~/.dsh/AGENTS.md"];
    let rows = [
        (Part::Base, "AGENTS.md"),
        (Part::Local, "AGENTS.local.md"),
        (Part::Nested, "api/AGENTS.md"),
        (Part::Gated, "gated"),
        (Part::UserGlobal, "~/.dsh/AGENTS.md"),
    ];
    for (part, denied) in rows {
        let project = project(part);
        project.write("/home/.dsh/AGENTS.md", "mine");
        let mut main = project.main("m").await.unwrap();
        main.turn("go").await.unwrap();
        main.touch("api/añá.rs").await.unwrap();
        main.step().await.unwrap();
        let seen: Vec<_> = main.context().in_force().into_iter().map(|scope| scope.path).collect();
        let expected: Vec<_> = all.into_iter().filter(|path| *path != denied).collect();
        assert_eq!(seen, expected, "{part}");
    }
}

#[test]
fn over_another_policy_the_stricter_answer_counts() {
    let deny = || PolicyTable::new([PolicyRow::deny()]);
    let within = |n| PolicyTable::new([PolicyRow::allow_within(bytes(n))]);
    let rows = [
        ("a denial below", within(10).over(deny()), Admission::Deny),
        ("a denial above", deny().over(within(10)), Admission::Deny),
        ("the smaller below", within(10).over(within(5)), Admission::AllowWithin(bytes(5))),
        ("the smaller above", within(5).over(within(10)), Admission::AllowWithin(bytes(5))),
        ("one below", PolicyTable::default().over(within(10)), Admission::AllowWithin(bytes(10))),
        ("one above", within(10).over(PolicyTable::default()), Admission::AllowWithin(bytes(10))),
        ("none", PolicyTable::default().over(PolicyTable::default()), Admission::Allow),
    ];
    for (name, table, answer) in rows {
        assert_eq!(ask(&table, &main_session(), "p"), answer, "{name}");
    }
}

fn row() -> impl Strategy<Value = PolicyRow> {
    let answer = prop_oneof![
        Just(PolicyRow::allow()),
        Just(PolicyRow::deny()),
        (1..100_000_u64).prop_map(|n| PolicyRow::allow_within(bytes(n))),
    ];
    let sessions = prop_oneof![Just(Sessions::Main), Just(Sessions::Subagent), Just(Sessions::Any)];
    (answer, sessions, "[añ*]{1,3}", 0..3_u32).prop_map(|(row, sessions, pattern, depth)| {
        row.sessions(sessions).max_depth(depth).injector(pattern).unwrap()
    })
}

proptest! {
    #[test]
    fn no_table_gives_more_than_is_asked_for(
        rows in proptest::collection::vec(row(), 0..6),
        asked in 0..100_000_u64,
        injector in "[añ]{1,2}",
        main in any::<bool>(),
    ) {
        let header = if main { main_session() } else { child() };
        let injector = InjectorId::from(injector);
        let request = AdmissionRequest::new(&header, &injector, Part::Gated, Budget::from_bytes(asked));
        if let Admission::AllowWithin(bytes) = PolicyTable::new(rows).admit(&request) {
            prop_assert!(bytes.get() < asked, "a budget that is given is smaller than the one asked for");
        }
    }
}
