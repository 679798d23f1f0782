//! One file, one rendering; siblings of one text (D5, D9).

use super::*;

#[test]
fn one_file_has_one_rendering() {
    const BOTH: &[(&str, &str, &str, &str)] =
        &[("set", ROOT, A, "one"), ("set", "a|base", "a/AGENTS.md", "one")];
    check(&[
        Row {
            name: "the first place shows it",
            slots: &[(ROOT, &[(A, "1 one")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Enters SuppressedBy",
            ..FIRST
        }
        .expecting(&["set AGENTS.md"]),
        Row {
            name: "two files with one text are two",
            slots: &[(ROOT, &[(A, "1 one")]), ("a|base", &[(A, "2 one")])],
            outcomes: "Enters Enters",
            ..FIRST
        }
        .expecting(&["set AGENTS.md", "set a/AGENTS.md"]),
        Row {
            name: "the chain comes before what is nested",
            slots: &[("n|base", &[(A, "1 one")]), ("z|base", &[(A, "1 one")])],
            outcomes: "SuppressedBy Enters",
            ..FIRST
        }
        .expecting(&["set z/AGENTS.md"]),
        Row {
            name: "a loaded one goes, the earlier place is in force",
            history: BOTH,
            slots: &[(ROOT, &[(A, "1 one")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Unchanged Leaves",
            ..FIRST
        }
        .expecting(&["remove a/AGENTS.md"]),
        Row {
            name: "a loaded one stays while the earlier place cannot be read",
            history: &[("set", "a|base", "a/AGENTS.md", "one")],
            slots: &[(ROOT, &[(A, "!1")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Unavailable Unchanged",
            ..FIRST
        },
        Row {
            name: "one that is not loaded is held by a place that cannot be read",
            slots: &[(ROOT, &[(A, "!1")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Unavailable SuppressedByUnavailable",
            ..FIRST
        },
        Row {
            name: "a loaded one that cannot be looked at holds its text",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "?")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Frozen SuppressedByUnavailable",
            ..FIRST
        },
        Row {
            name: "when the earlier goes the later takes over",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "-")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Leaves Enters",
            ..FIRST
        }
        .expecting(&["remove AGENTS.md", "set a/AGENTS.md"]),
        Row {
            name: "the earlier is left out, the later stays and is kept current",
            history: &[("omit", ROOT, A, "two"), ("set", "a|base", "a/AGENTS.md", "one")],
            slots: &[(ROOT, &[(A, "1 two")]), ("a|base", &[(A, "1 two")])],
            outcomes: "StillOmitted Enters",
            ..FIRST
        }
        .expecting(&["replace a/AGENTS.md"]),
        Row {
            name: "two loaded ones, and a third place that cannot be read",
            history: &[("set", "a|base", "a/AGENTS.md", "one"), ("set", "b|base", "b/AGENTS.md", "one")],
            slots: &[(ROOT, &[(A, "!1")]), ("a|base", &[(A, "1 one")]), ("b|base", &[(A, "1 one")])],
            outcomes: "Unavailable Unchanged Leaves",
            ..FIRST
        }
        .expecting(&["remove b/AGENTS.md"]),
    ]);
}

#[test]
fn a_directory_of_distinct_siblings() {
    const TWO: &[(&str, &str, &str, &str)] =
        &[("set", ".|AGENTS.md", A, "one"), ("set", ".|CLAUDE.md", C, "two")];
    const SECOND: &[(&str, &str, &str, &str)] = &[("set", ".|CLAUDE.md", C, "one")];
    check(&[
        Row {
            name: "an equal sibling is dropped, trimmed",
            slots: &[(".|AGENTS.md", &[(A, "1 é")]), (".|CLAUDE.md", &[(C, "2 é\u{2003}\n")])],
            outcomes: "Enters SuppressedBy",
            ..DISTINCT
        }
        .expecting(&["set AGENTS.md"]),
        Row {
            name: "equal texts in two directories are two",
            slots: &[(".|AGENTS.md", &[(A, "1 one")]), ("a|AGENTS.md", &[(A, "2 one")])],
            outcomes: "Enters Enters",
            ..DISTINCT
        }
        .expecting(&["set AGENTS.md", "set a/AGENTS.md"]),
        Row {
            name: "a loaded one goes for an equal sibling that enters",
            history: SECOND,
            slots: &[(".|AGENTS.md", &[(A, "1 one")]), (".|CLAUDE.md", &[(C, "2 one")])],
            outcomes: "Enters Leaves",
            ..DISTINCT
        }
        .expecting(&["set AGENTS.md", "remove CLAUDE.md"]),
        Row {
            name: "an unavailable loaded member freezes its directory",
            history: TWO,
            slots: &[
                (".|AGENTS.md", &[(A, "?")]),
                (".|CLAUDE.md", &[(C, "2 changed")]),
                (".|X.md", &[("X.md", "3 new")]),
                ("a|AGENTS.md", &[(A, "4 vier")]),
            ],
            outcomes: "Frozen Frozen Blocked Enters",
            ..DISTINCT
        }
        .expecting(&["set a/AGENTS.md"]),
        Row {
            name: "not even a removal leaves a frozen directory",
            history: TWO,
            slots: &[(".|AGENTS.md", &[(A, "!1")]), (".|CLAUDE.md", &[(C, "-")])],
            outcomes: "Frozen Frozen",
            ..DISTINCT
        },
        Row {
            name: "an unavailable member that is not loaded freezes nothing",
            history: SECOND,
            slots: &[(".|AGENTS.md", &[(A, "?")]), (".|CLAUDE.md", &[(C, "2 zwei")])],
            outcomes: "Unavailable Enters",
            ..DISTINCT
        }
        .expecting(&["replace CLAUDE.md"]),
        Row {
            name: "a loaded one goes for the same file, dropped itself for an equal sibling that is in force",
            history: &[("set", ".|AGENTS.md", A, "one"), ("set", "a|AGENTS.md", "a/AGENTS.md", " one ")],
            slots: &[
                (".|AGENTS.md", &[(A, "1 one")]),
                (".|CLAUDE.md", &[(C, "2  one ")]),
                ("a|AGENTS.md", &[(A, "2  one ")]),
            ],
            outcomes: "Unchanged SuppressedBy Leaves",
            ..DISTINCT
        }
        .expecting(&["remove a/AGENTS.md"]),
        Row {
            name: "one dropped as the same file still suppresses an equal sibling",
            history: &[("set", ".|AGENTS.md", A, "one")],
            slots: &[
                (".|AGENTS.md", &[(A, "1 one")]),
                ("a|AGENTS.md", &[(A, "1 one")]),
                ("a|CLAUDE.md", &[(C, "2 one ")]),
            ],
            outcomes: "Unchanged SuppressedBy SuppressedBy",
            ..DISTINCT
        },
    ]);
}
