//! S3: from a session to those that it starts.

use proptest::prelude::*;
use standing_orders::delegation::{
    AgentComposition, ChildOptions, DelegationError, HeaderError, SUBAGENT_DELEGATION, ToolFault, ToolFilter,
    ToolGrant,
};
use standing_orders::plugin::{SessionClass, SessionHeader};
use standing_orders::sections::{PERSONA_PREFIX, Scope, Section, Sections, order};

const TOOLS: [&str; 6] = ["bash", "edit", "read", "subagent", "write", "suche_größer"];

fn main_session() -> AgentComposition {
    let sections = Sections::new()
        .with(Section::new("identity", order::IDENTITY, "You are an AI agent."))
        .with(Section::new(PERSONA_PREFIX, order::PERSONA_PREFIX, "Du bist die Größte."))
        .with(Section::new("report", order::REPORT, "Say what you did."));
    let header = SessionHeader::main("main", 0).with_cwd("/ws").with_agent_preset("coder");
    AgentComposition::new(header, sections, ToolGrant::all(TOOLS))
}

fn names(tools: &ToolGrant) -> Vec<&str> {
    tools.names().collect()
}

#[test]
fn a_childs_persona_replaces_its_parents_and_every_other_section_stays() {
    let main = main_session();
    let child = main.child("child", 1, &ChildOptions::new().persona("You carry out one task.")).unwrap();
    assert_eq!(
        child.sections().text(),
        "You are an AI agent.\n\nYou carry out one task.\n\nSay what you did.",
        "one persona, in the place of the other"
    );
    assert!(main.sections().text().contains("Du bist die Größte."), "the parent keeps its own");
    let others = |sections: &Sections| {
        let listing = sections.listing();
        let others = listing.iter().filter(|entry| entry.section.name() != PERSONA_PREFIX);
        others.map(|entry| (entry.section.clone(), entry.scope)).collect::<Vec<_>>()
    };
    assert_eq!(others(child.sections()), others(main.sections()), "every other section stays");
    let listing = child.sections().listing();
    let persona = listing.iter().find(|entry| entry.section.name() == PERSONA_PREFIX).unwrap();
    assert_eq!(persona.scope, Scope::Session(SessionClass::Subagent { depth: 1 }), "it is the child's");
    assert_eq!(persona.shadows.len(), 1, "and shadows its parent's");

    let grandchild = child.child("grandchild", 2, &ChildOptions::new()).unwrap();
    assert_eq!(grandchild.sections().text(), child.sections().text(), "inherited unless told otherwise");
    let none = main.child("none", 1, &ChildOptions::new().persona("")).unwrap();
    assert_eq!(none.sections().text(), "You are an AI agent.\n\nSay what you did.", "a blank one: none");
    let moved = Sections::new()
        .with(Section::new(PERSONA_PREFIX, 7, "persona"))
        .with(Section::new("first", 5, "first"))
        .with(Section::new("last", 9, "last"));
    let moved = AgentComposition::new(SessionHeader::main("m", 0), moved, ToolGrant::all(TOOLS));
    let child = moved.child("c", 1, &ChildOptions::new().persona("other")).unwrap();
    assert_eq!(child.sections().text(), "first\n\nother\n\nlast", "where the deployment has its persona");
}

#[test]
fn a_childs_header_is_its_parents_one_deeper() {
    let main = main_session();
    let child = main.child("child", 7, &ChildOptions::new()).unwrap();
    assert_eq!(child.header().class(), SessionClass::Subagent { depth: 1 });
    assert_eq!(child.header().parent_session(), Some("main"));
    assert_eq!(child.header().created_at(), 7);
    assert_eq!(child.header().cwd(), main.header().cwd(), "inherited (I1)");
    assert_eq!(child.header().agent_preset(), Some("coder"), "inherited (I1)");
    let options = ChildOptions::new().cwd("/ws/größer").agent_preset("explore");
    let other = child.child("other", 8, &options).unwrap();
    assert_eq!(other.header().class(), SessionClass::Subagent { depth: 2 });
    assert_eq!(other.header().cwd(), Some("/ws/größer".as_ref()), "told otherwise");
    assert_eq!(other.header().agent_preset(), Some("explore"), "told otherwise");
    let again = child.child("other", 8, &options).unwrap();
    assert_eq!(again, other, "the same arguments give the same child, as a resume needs");
}

#[test]
fn a_child_beyond_the_limit_is_refused_with_its_depth() {
    for (row, limit, deepest) in [("default", None, 3), ("two", Some(Some(2)), 2), ("none", Some(Some(0)), 0)]
    {
        let mut session = main_session();
        if let Some(limit) = limit {
            session = session.with_max_depth(limit);
        }
        for depth in 1..=deepest {
            session = session.child(format!("d{depth}"), 1, &ChildOptions::new()).unwrap();
        }
        let refused = session.child("too deep", 1, &ChildOptions::new()).unwrap_err();
        let depth = deepest + 1;
        let expected = HeaderError::TooDeep { depth, max_depth: deepest };
        assert_eq!(refused, DelegationError::Header(expected), "{row}: children take the limit over");
        let named = format!("a subagent at depth {depth} is refused: the deepest allowed is {deepest}");
        assert_eq!(refused.to_string(), named, "{row}: the depth is named");
    }
    let unlimited = main_session().with_max_depth(None);
    let tenth = (1..=10).fold(unlimited, |session, depth| {
        session.child(format!("d{depth}"), 1, &ChildOptions::new()).unwrap()
    });
    assert_eq!(tenth.header().class().depth(), 10, "without a limit there is none");
}

#[test]
fn a_filter_takes_away_by_name() {
    let rows: [(&str, ToolFilter, &[&str]); 6] = [
        ("none", ToolFilter::none(), &["bash", "edit", "read", "subagent", "suche_größer", "write"]),
        ("allow", ToolFilter::allow(["read", "bash"]), &["bash", "read"]),
        ("allow none", ToolFilter::allow([""; 0]), &[]),
        ("deny", ToolFilter::deny(["bash", "subagent", "suche_größer"]), &["edit", "read", "write"]),
        ("deny beats allow", ToolFilter::allow(["read", "bash"]).but(["bash"]), &["read"]),
        ("twice is once", ToolFilter::allow(["suche_größer", "suche_größer"]), &["suche_größer"]),
    ];
    for (row, filter, expected) in rows {
        let child = main_session().child("child", 1, &ChildOptions::new().tools(filter)).unwrap();
        assert_eq!(names(child.tools()), expected, "{row}");
        assert!(TOOLS.iter().all(|tool| child.tools().admits(tool) == expected.contains(tool)), "{row}");
    }
    assert!(!main_session().tools().admits("teleport"), "what the host does not have is not admitted");
}

#[test]
fn a_misspelt_tool_is_refused_and_the_near_name_suggested() {
    let unknown = |name: &str, nearest: Option<&str>| ToolFault::Unknown {
        name: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    };
    let rows = [
        ("swapped letters", "raed", Some("read")),
        ("letter case", "Bash", Some("bash")),
        ("all capitals", "SUBAGENT", Some("subagent")),
        ("one missing", "wite", Some("write")),
        ("multi-byte", "suche_grösser", Some("suche_größer")),
        ("nothing near", "teleport", None),
        ("a path is no name", "/ws/secret.md", None),
        ("empty", "", None),
    ];
    for (row, name, nearest) in rows {
        for filter in [ToolFilter::allow([name]), ToolFilter::deny([name])] {
            let refused = main_session().child("child", 1, &ChildOptions::new().tools(filter)).unwrap_err();
            let DelegationError::Tools(refused) = refused else { panic!("{row}: another error: {refused}") };
            assert_eq!(refused.faults(), [unknown(name, nearest)], "{row}: never ignored");
        }
    }
    let filter = ToolFilter::allow(["raed", "bash"]).but(["wirte"]);
    let refused = main_session().tools().narrow(&filter).unwrap_err().to_string();
    let expected = "the tool filter is refused: there is no tool \"raed\": did you mean \"read\"?; \
                    there is no tool \"wirte\": did you mean \"write\"?";
    assert_eq!(refused, expected, "every wrong name is named");
}

#[test]
fn a_child_never_has_a_tool_that_its_parent_lacks() {
    let parent =
        main_session().child("parent", 1, &ChildOptions::new().tools(ToolFilter::deny(["bash"]))).unwrap();
    let inherits = parent.child("inherits", 2, &ChildOptions::new()).unwrap();
    assert!(!inherits.tools().admits("bash"), "what is denied stays denied further down");
    let wider = ChildOptions::new().tools(ToolFilter::allow(["bash", "read"]));
    let refused = parent.child("wider", 2, &wider).unwrap_err();
    let DelegationError::Tools(refused) = refused else { panic!("another error: {refused}") };
    assert_eq!(refused.faults(), [ToolFault::NotGranted { name: "bash".into() }], "refused, not dropped");
    let denied = ChildOptions::new().tools(ToolFilter::deny(["bash"]));
    assert!(parent.child("again", 2, &denied).is_ok(), "denying what is denied is no error");
    let misspelt = parent.tools().narrow(&ToolFilter::allow(["bsah"])).unwrap_err();
    let expected = ToolFault::Unknown { name: "bsah".into(), nearest: None };
    assert_eq!(misspelt.faults(), [expected], "a suggestion is something that could be allowed");
}

#[test]
fn the_self_check_is_worded_for_good() {
    let first = SUBAGENT_DELEGATION.split_inclusive(". ").next();
    let expected =
        "You are a subagent: another agent session gave you this task, and your reply goes back to it. ";
    assert_eq!(first, Some(expected), "instruction files quote the first sentence: a change breaks them");
    assert_eq!(SUBAGENT_DELEGATION.trim(), SUBAGENT_DELEGATION, "no white space around");
    assert!(!SUBAGENT_DELEGATION.contains(['\n', '\t']) && !SUBAGENT_DELEGATION.contains("  "), "one line");
}

fn filter() -> impl Strategy<Value = ToolFilter> {
    let some = || prop::sample::subsequence(TOOLS.to_vec(), 0..=TOOLS.len());
    (prop::option::of(some()), some()).prop_map(|(allow, deny)| match allow {
        None => ToolFilter::deny(deny),
        Some(allow) => ToolFilter::allow(allow).but(deny),
    })
}

proptest! {
    #[test]
    fn no_chain_of_filters_widens(filters in prop::collection::vec(filter(), 1..6)) {
        let mut tools = ToolGrant::all(TOOLS);
        for filter in filters {
            let Ok(narrower) = tools.narrow(&filter) else { continue };
            prop_assert!(narrower.names().all(|name| tools.admits(name)), "a child within its parent");
            prop_assert_eq!(narrower.narrow(&ToolFilter::none()), Ok(narrower.clone()), "nothing changes nothing");
            tools = narrower;
        }
    }
}
