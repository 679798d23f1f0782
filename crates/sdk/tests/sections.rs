//! S1: named, ordered sections, where the nearest of a name stands.

use proptest::prelude::*;
use standing_orders::plugin::SessionClass;
use standing_orders::sections::{PERSONA_PREFIX, Scope, Section, Sections, order};

const CHILD: SessionClass = SessionClass::Subagent { depth: 1 };
const GRANDCHILD: SessionClass = SessionClass::Subagent { depth: 2 };

fn section(name: &str, order: i32, text: &str) -> Section {
    Section::new(name, order, text)
}

#[test]
fn the_usual_places_are_those_of_the_contract_and_rise() {
    let places = [
        ("identity", order::IDENTITY, -1000),
        ("persona prefix", order::PERSONA_PREFIX, 0),
        ("plan policy", order::PLAN_POLICY, 500),
        ("team policy", order::TEAM_POLICY, 600),
        ("programmatic tools only", order::PROGRAMMATIC_TOOLS_ONLY, 800),
        ("file reference", order::FILE_REFERENCE, 900),
        ("first tool", order::TOOLS_FIRST, 1000),
        ("last tool", order::TOOLS_LAST, 2800),
        ("report", order::REPORT, 2900),
        ("mcp", order::MCP, 3100),
        ("deliverable", order::DELIVERABLE, 9000),
        ("structured output", order::STRUCTURED_OUTPUT, 9900),
        ("harness source", order::HARNESS_SOURCE, 10_000),
        ("web surface", order::WEB_SURFACE, 10_100),
        ("persona suffix", order::PERSONA_SUFFIX, 10_200),
    ];
    for (name, place, contract) in places {
        assert_eq!(place, contract, "{name} stands where S1 has it");
    }
    assert!(places.is_sorted_by_key(|(_, place, _)| *place), "each stands after the one before");
    assert_eq!(PERSONA_PREFIX, "deployment:persona-prefix", "the name that children shadow");
}

#[test]
fn the_text_is_what_stands_in_order() {
    type Given = &'static [(&'static str, i32, &'static str)];
    let rows: [(&str, Given, &str); 6] = [
        ("none", &[], ""),
        ("by number", &[("b", 2, "zwei"), ("a", 1, "eins")], "eins\n\nzwei"),
        ("equal numbers by registration", &[("z", 1, "first"), ("a", 1, "second")], "first\n\nsecond"),
        ("multi-byte", &[("größe", 1, "größer"), ("日本", 0, "日本語")], "日本語\n\ngrößer"),
        ("line ends around go, indents stay", &[("a", 0, "\n\n  a\n b \n\n")], "  a\n b"),
        ("blank ones leave no trace", &[("a", 0, "a"), ("b", 1, " \r\n"), ("c", 2, "c")], "a\n\nc"),
    ];
    for (row, given, expected) in rows {
        let sections = given
            .iter()
            .fold(Sections::new(), |all, (name, order, text)| all.with(section(name, *order, text)));
        assert_eq!(sections.text(), expected, "{row}");
    }
}

#[test]
fn the_nearest_of_a_name_stands_in_the_place_of_what_it_shadows() {
    let deployment = Sections::new()
        .with(section("one", 0, "one"))
        .with(section("two", 0, "two"))
        .with(section("three", 0, "three"));
    let main = deployment.nearer(SessionClass::Main).with(section("two", 0, "two of main"));
    let child = main.nearer(CHILD).with(section("two", 0, "two of child")).with(section("four", 0, "four"));
    assert_eq!(deployment.text(), "one\n\ntwo\n\nthree", "a nearer scope does not reach a farther one");
    assert_eq!(main.text(), "one\n\ntwo of main\n\nthree");
    assert_eq!(child.text(), "one\n\ntwo of child\n\nthree\n\nfour");
    let moved = main.nearer(CHILD).with(section("one", 7, "one, later"));
    assert_eq!(moved.text(), "two of main\n\nthree\n\none, later", "its own number counts");
    let hidden = main.nearer(CHILD).with(section("two", 0, ""));
    assert_eq!(hidden.text(), "one\n\nthree", "a blank one hides what it shadows");
}

#[test]
fn a_section_is_replaced_and_removed_in_the_nearest_scope_only() {
    let deployment = Sections::new().with(section("a", 0, "far"));
    let mut near = deployment.nearer(SessionClass::Main);
    assert_eq!(near.scope(), Scope::Session(SessionClass::Main));
    assert_eq!(near.remove("a"), None, "a farther scope's is not removed from here");
    assert_eq!(near.insert(section("a", 0, "near")), None, "what is shadowed is not replaced");
    assert_eq!(near.insert(section("a", 0, "nearer")), Some(section("a", 0, "near")), "replaced");
    assert_eq!(near.get("a"), Some(&section("a", 0, "nearer")));
    assert_eq!(near.remove("a"), Some(section("a", 0, "nearer")));
    assert_eq!(near.text(), "far", "what it shadowed stands again");
    assert_eq!(near.get("b"), None);
}

#[test]
fn the_listing_says_where_each_comes_from_and_what_it_shadows() {
    let sections = Sections::new()
        .with(section("rules", 5, "rules"))
        .with(section("persona", 0, "deployment's"))
        .nearer(SessionClass::Main)
        .with(section("persona", 0, "main's"))
        .nearer(CHILD)
        .nearer(GRANDCHILD)
        .with(section("persona", 0, "grandchild's"));
    let listing: Vec<String> = sections
        .listing()
        .iter()
        .map(|entry| {
            let shadows: Vec<_> =
                entry.shadows.iter().map(|(scope, s)| format!("{scope}: {}", s.text())).collect();
            format!("{} of {}, before {shadows:?}", entry.section.name(), entry.scope)
        })
        .collect();
    let expected = [
        r#"persona of subagent at depth 2, before ["deployment: deployment's", "main: main's"]"#,
        "rules of deployment, before []",
    ];
    assert_eq!(listing, expected, "in the order of the prompt, shadows from far to near");
}

fn registered() -> impl Strategy<Value = Vec<(u8, i32, &'static str)>> {
    let text = prop::sample::select(vec!["", "a", "größer", "日本\n語"]);
    prop::collection::vec((0_u8..6, -2_i32..3, text), 0..8)
}

fn insert_all(sections: &mut Sections, rows: &[(u8, i32, &str)]) {
    for (name, order, text) in rows {
        sections.insert(Section::new(format!("s{name}"), *order, *text));
    }
}

proptest! {
    #[test]
    fn every_name_stands_once_in_order_and_the_nearest_of_it(far in registered(), near in registered()) {
        let mut sections = Sections::new();
        insert_all(&mut sections, &far);
        let before = sections.clone();
        let mut nearer = sections.nearer(SessionClass::Main);
        prop_assert_eq!(nearer.text(), before.text(), "an empty scope changes nothing");
        insert_all(&mut nearer, &near);
        prop_assert_eq!(&sections, &before, "what is registered near does not reach far");
        let listing = nearer.listing();
        prop_assert!(listing.is_sorted_by_key(|entry| entry.section.order()), "ordered by number");
        for (name, ..) in far.iter().chain(&near) {
            let name = format!("s{name}");
            let standing: Vec<_> = listing.iter().filter(|entry| entry.section.name() == name).collect();
            prop_assert_eq!(standing.len(), 1, "one of each name");
            let is_near = near.iter().any(|(n, ..)| format!("s{n}") == name);
            prop_assert_eq!(standing[0].scope != Scope::Deployment, is_near, "and the nearest");
            prop_assert_eq!(nearer.get(&name), Some(standing[0].section), "`get` is of what is listed");
        }
    }

    #[test]
    fn shadowing_with_the_same_number_moves_nothing(far in registered(), which in 0_u8..6) {
        let mut sections = Sections::new();
        insert_all(&mut sections, &far);
        let name = format!("s{which}");
        let Some(shadowed) = sections.get(&name).cloned() else { return Ok(()) };
        let order = |sections: &Sections| {
            sections.listing().iter().map(|entry| entry.section.name().to_owned()).collect::<Vec<_>>()
        };
        let near = sections.nearer(CHILD).with(Section::new(name, shadowed.order(), "größer"));
        prop_assert_eq!(order(&near), order(&sections), "every other section stays where it was");
    }
}
