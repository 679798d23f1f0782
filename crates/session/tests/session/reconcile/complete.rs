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
        describe(&row, &plan),
        ["superseding", "+ AGENTS.md", "+ a/AGENTS.md", "replace n/AGENTS.md", "remove n/z/AGENTS.md"]
    );
    let committed = |fits: &[Option<Fit>]| Laid::out(&row).slots(|slots| commit(&plan, slots, fits));
    let recorded = |fits: &[Option<Fit>]| {
        committed(fits)
            .iter()
            .map(|change| format!("{:?} {}", change.action, change.path))
            .collect::<Vec<_>>()
    };
    let whole = Some(Fit::Whole);
    let cut = Some(Fit::Cut { from: 3, to: 1 });
    let all = ["Set AGENTS.md", "Set a/AGENTS.md", "Replace n/AGENTS.md", "Remove n/z/AGENTS.md"];
    assert_eq!(recorded(&[whole, cut, whole, whole]), all, "all of it, cut or whole");
    let some = ["Omit AGENTS.md", "Set a/AGENTS.md", "Remove n/z/AGENTS.md"];
    assert_eq!(
        recorded(&[Some(Fit::Omitted), whole, Some(Fit::Waits), whole]),
        some,
        "left out of a list, and due still as a transition"
    );
    let left_out = ["Omit AGENTS.md", "Omit a/AGENTS.md", "Omit n/AGENTS.md"];
    assert_eq!(recorded(&[None, None, Some(Fit::LeftOut), None]), left_out, "in force, and fits no message");
    assert_eq!(recorded(&[]), ["Omit AGENTS.md", "Omit a/AGENTS.md"], "no answer is no");
    assert_eq!(
        committed(&[])[0].digest,
        Some(Digest::of("one")),
        "what is left out is recorded at its digest"
    );
}

#[test]
fn another_project_is_not_taken_for_this_one() {
    const MOVED: Row = Row { history: IN_FORCE, cwd: "/elsewhere", ..FIRST };
    check(&[
        Row {
            name: "a moved checkout keeps its baseline",
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "Unchanged",
            ..MOVED
        },
        Row {
            name: "and its changes are transitions",
            slots: &[(ROOT, &[(A, "1 größer")])],
            outcomes: "Enters",
            ..MOVED
        }
        .expecting(&["replace AGENTS.md"]),
        Row {
            name: "what cannot be probed may be another file",
            slots: &[(ROOT, &[(A, "?")])],
            outcomes: "Unavailable",
            ..MOVED
        }
        .expecting(&["superseding", "- AGENTS.md"]),
        Row {
            name: "what cannot be read too, and the rest is complete",
            slots: &[(ROOT, &[(A, "!1")]), ("a|base", &[(A, "2 ä")])],
            outcomes: "Unavailable Enters",
            ..MOVED
        }
        .expecting(&["superseding", "- AGENTS.md", "+ a/AGENTS.md"]),
        Row {
            name: "what is not in force does not count",
            slots: &[(ROOT, &[(A, "1 one")]), ("a|base", &[(A, "?")])],
            outcomes: "Unchanged Unavailable",
            ..MOVED
        },
    ]);
}

#[test]
fn a_transition_that_a_compaction_kept_is_replaced() {
    const KEPT: Row = Row { baseline: None, ..FIRST };
    check(&[
        Row {
            name: "it is still there",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "Enters",
            ..KEPT
        }
        .expecting(&["superseding", "+ AGENTS.md"]),
        Row {
            name: "another name wins",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "-"), (C, "2 two")])],
            outcomes: "Enters",
            ..KEPT
        }
        .expecting(&["superseding", "+ CLAUDE.md"]),
        Row {
            name: "nothing is left to load: a transition",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "-")])],
            outcomes: "Leaves",
            ..KEPT
        }
        .expecting(&["remove AGENTS.md"]),
        Row {
            name: "what is nested is not of the chain",
            history: &[("set", "n|base", "n/AGENTS.md", "n")],
            slots: &[(ROOT, &[(A, "1 one")]), ("n|base", &[(A, "2 n")])],
            outcomes: "Enters Unchanged",
            ..KEPT
        }
        .expecting(&["baseline", "+ AGENTS.md"]),
    ]);
}
