//! Complete messages, and what may be recorded of any (C3, C8, C9).

use super::*;

#[test]
fn which_message_is_complete() {
    const NESTED: &[(&str, &str, &str, &str)] =
        &[("set", ROOT, A, "one"), ("set", "n/é|base", "n/é/AGENTS.md", "n")];
    check(&[
        Row {
            name: "nothing there, nothing said",
            baseline: None,
            slots: &[(ROOT, &[(A, "-")])],
            outcomes: "Absent",
            ..FIRST
        },
        Row {
            name: "nothing can be read, nothing said",
            baseline: None,
            slots: &[(ROOT, &[(A, "!1")])],
            outcomes: "Unavailable",
            ..FIRST
        },
        Row {
            name: "the first",
            baseline: None,
            slots: &[("user-global", &[(A, "9 global")]), (ROOT, &[(A, "1 one")])],
            outcomes: "Enters Enters",
            ..FIRST
        }
        .expecting(&["baseline", "+ ~/AGENTS.md", "+ AGENTS.md"]),
        Row {
            name: "nested files alone make no baseline",
            baseline: None,
            slots: &[(ROOT, &[(A, "-")]), ("n|base", &[(A, "2 n")])],
            outcomes: "Absent Enters",
            ..FIRST
        }
        .expecting(&["set n/AGENTS.md"]),
        Row {
            name: "other rules, the same place: what is nested stays",
            history: NESTED,
            baseline: Some("others"),
            slots: &[(ROOT, &[(A, "1 one")]), ("n/é|base", &[(A, "2 n")])],
            outcomes: "Enters Unchanged",
            ..FIRST
        }
        .expecting(&["superseding", "+ AGENTS.md"]),
        Row {
            name: "another place: what is nested goes",
            history: NESTED,
            baseline: Some("elsewhere"),
            slots: &[(ROOT, &[(A, "1 one")]), ("n/é|base", &[])],
            outcomes: "Enters Absent",
            ..FIRST
        }
        .expecting(&["superseding", "- n/é/AGENTS.md", "+ AGENTS.md"]),
        Row {
            name: "another selection: what is nested goes",
            history: NESTED,
            baseline: Some("reselected"),
            slots: &[(ROOT, &[(A, "1 one")]), ("n/é|base", &[])],
            outcomes: "Enters Absent",
            ..FIRST
        }
        .expecting(&["superseding", "- n/é/AGENTS.md", "+ AGENTS.md"]),
        Row {
            name: "no file left under other rules",
            history: IN_FORCE,
            baseline: Some("others"),
            slots: &[(ROOT, &[(A, "-")])],
            outcomes: "Absent",
            ..FIRST
        }
        .expecting(&["superseding", "- AGENTS.md"]),
        Row {
            name: "a superseding baseline carries what it can read, and nothing it has not is in force",
            history: IN_FORCE,
            baseline: Some("others"),
            slots: &[(ROOT, &[(A, "?")]), ("a|base", &[(A, "2 ä")])],
            outcomes: "Unavailable Enters",
            ..FIRST
        }
        .expecting(&["superseding", "- AGENTS.md", "+ a/AGENTS.md"]),
        Row {
            name: "and takes a lower name it can read",
            history: IN_FORCE,
            baseline: Some("others"),
            slots: &[(ROOT, &[(A, "?"), (C, "2 two")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["superseding", "+ CLAUDE.md"]),
    ]);
}

#[test]
fn only_what_is_represented_is_recorded() {
    let row = Row {
        history: &[("set", "n|base", "n/AGENTS.md", "old"), ("set", "n/z|base", "n/z/AGENTS.md", "z")],
        baseline: Some("others"),
        slots: &[
            (ROOT, &[(A, "1 one")]),
            ("a|base", &[(A, "2 two")]),
            ("n|base", &[(A, "3 new")]),
            ("n/z|base", &[(A, "-")]),
        ],
        ..FIRST
    };
    let plan = plan(&row);
    assert_eq!(
        describe(&plan),
        ["superseding", "+ AGENTS.md", "+ a/AGENTS.md", "replace n/AGENTS.md", "remove n/z/AGENTS.md"]
    );
    let recorded = |items: &[bool], transitions: &[bool]| {
        let changes = commit(&plan, items, transitions);
        changes.iter().map(|change| format!("{:?} {}", change.action, change.path)).collect::<Vec<_>>()
    };
    let all = ["Set AGENTS.md", "Set a/AGENTS.md", "Replace n/AGENTS.md", "Remove n/z/AGENTS.md"];
    assert_eq!(recorded(&[true, true], &[true, true]), all, "all of it");
    let some = ["Omit AGENTS.md", "Set a/AGENTS.md", "Remove n/z/AGENTS.md"];
    assert_eq!(
        recorded(&[false, true], &[false, true]),
        some,
        "left out of a list, and due still as a transition"
    );
    assert_eq!(recorded(&[], &[]), ["Omit AGENTS.md", "Omit a/AGENTS.md"], "no answer is no");
    let omitted = commit(&plan, &[], &[]);
    assert_eq!(omitted[0].digest, Some(Digest::of("one")), "what is left out is recorded at its digest");
}

#[test]
fn what_fits_no_message_is_left_out_if_in_force_and_else_dropped() {
    let due = |row: Row| plan(&row).transitions.into_iter().map(Plan::unfit).collect::<Vec<_>>();
    let replace = due(Row { history: IN_FORCE, slots: &[(ROOT, &[(A, "1 größer")])], ..FIRST });
    let left_out = replace[0].clone().unwrap();
    assert_eq!(
        left_out.op,
        Op::LeftOut { digest: Digest::of("größer"), previous: None },
        "in force: left out"
    );
    assert_eq!(left_out.digest(), None, "no content is due of it");
    assert_eq!(due(Row { slots: &[(ROOT, &[(A, "1 new")])], ..FIRST }), [None], "not in force: dropped");
    let remove = due(Row { history: IN_FORCE, slots: &[(ROOT, &[(A, "-")])], ..FIRST });
    assert!(matches!(remove[0].as_ref().unwrap().op, Op::Remove { .. }), "a removal stays one");
}
