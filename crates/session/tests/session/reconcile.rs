//! The rules of change, row by row (C3, C6, C7, C8, C9, D5, D9).

use standing_orders_session::{
    Action, BaselineRules, Candidate, Change, Content, Digest, Fact, FileKey, Fold, InjectorId,
    InstructionSource, MessageId, Op, PathRef, Plan, Rules, Scope, ScopeRef, Seen, Selection, Slot, Zone,
    commit, reconcile,
};

use serde_json::json;

/// What is there: `-` nothing, `?` a failed probe, `!7` file 7 without content, `7 text` file 7
/// with this text, `~7` file 7 behind another name.
fn seen(text: &str) -> Seen {
    let file = |number: &str| Some(FileKey(number.parse().unwrap()));
    match text.split_at_checked(1).unwrap() {
        ("-", "") => Seen::Absent,
        ("?", "") => Seen::Unknown,
        ("!", number) => Seen::Present { file: file(number), content: Content::Unavailable },
        ("~", number) => Seen::Present { file: file(number), content: Content::Unread },
        _ => {
            let (number, content) = text.split_once(' ').unwrap();
            let trimmed = Some(Digest::of_trimmed(content));
            let content = Content::Text { digest: Digest::of(content), trimmed };
            Seen::Present { file: file(number), content }
        }
    }
}

/// A row of a table. A slot is `DIR|SLOT`, followed by `NAME=SEEN` of each candidate; a directory
/// that begins with `n` is nested.
struct Row {
    name: &'static str,
    selection: Selection,
    /// `set`, `omit` or `remove`, the scope, the path, the text: each was a message of its own.
    history: &'static [(&'static str, &'static str, &'static str, &'static str)],
    /// Which rules the visible baseline has, if one is visible; `same` are those of now.
    baseline: Option<&'static str>,
    slots: &'static [(&'static str, &'static [(&'static str, &'static str)])],
    expected: &'static [&'static str],
    outcomes: &'static str,
}

const FIRST: Row = Row {
    name: "",
    selection: Selection::First,
    history: &[],
    baseline: Some("same"),
    slots: &[],
    expected: &[],
    outcomes: "",
};

const DISTINCT: Row = Row { selection: Selection::AllDistinct, ..FIRST };

fn scope(text: &str) -> Scope {
    match text.split_once('|') {
        Some((dir, slot)) => Scope::of(dir, slot),
        None => Scope::from(text),
    }
}

fn digest(rules: &str) -> serde_json::Value {
    json!({ "rules": rules, "selection": if rules == "reselected" { "other" } else { "first" } })
}

fn fold(row: &Row) -> Fold {
    let message = |number: usize, baseline: bool, changes: Vec<Change>| InstructionSource {
        id: MessageId::from(format!("m{number}")),
        injector: InjectorId::workspace(),
        baseline,
        baseline_identity: row.baseline.filter(|_| baseline).map(|rules| {
            let mut identity = digest(rules);
            if rules != "reselected" {
                identity["selection"] = row.selection.as_str().into();
            }
            identity
        }),
        cwd: Digest::of("/ws"),
        at: if row.baseline == Some("elsewhere") { "other".to_owned() } else { ".".to_owned() },
        changes,
    };
    let baseline = row.baseline.map(|_| message(0, true, Vec::new()));
    let later = (1..).zip(row.history).map(|(number, (action, of, path, text))| {
        let action = match *action {
            "set" => Action::Set,
            "omit" => Action::Omit,
            _ => Action::Remove,
        };
        let digest = (action != Action::Remove).then(|| Digest::of(text));
        message(number, false, vec![Change { action, scope: scope(of), path: (*path).to_owned(), digest }])
    });
    Fold::replay([Fact::Entered(baseline.into_iter().chain(later).collect())])
}

fn plan(row: &Row) -> Plan {
    let visible = fold(row);
    let mut candidates = Vec::new();
    let mut slots: Vec<Slot<'_>> = Vec::new();
    let mut dirs: Vec<&str> = Vec::new();
    for (of, names) in row.slots {
        let (dir, slot) = of.split_once('|').unwrap_or((of, ""));
        if dirs.last() != Some(&dir) {
            dirs.push(dir);
        }
        let first = candidates.len() as u32;
        for (name, what) in *names {
            let path = PathRef { dir: if slot.is_empty() { "~" } else { dir }, name };
            candidates.push(Candidate { path, seen: seen(what) });
        }
        let scope = if slot.is_empty() { ScopeRef::UserGlobal } else { ScopeRef::Slot { dir, slot } };
        let zone = if dir.starts_with('n') { Zone::Nested } else { Zone::Chain };
        slots.push(Slot { scope, zone, directory: dirs.len() as u32, first, count: names.len() as u32 });
    }
    let mut now = digest("same");
    now["selection"] = row.selection.as_str().into();
    let rules = Rules {
        injector: &InjectorId::workspace(),
        selection: row.selection,
        baseline: Some(BaselineRules { digest: Fold::identity_digest(&now), at: "." }),
    };
    reconcile(&visible, &slots, &candidates, &rules)
}

fn describe(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(complete) = &plan.complete {
        lines.push(if complete.superseding { "superseding" } else { "baseline" }.to_owned());
        lines.extend(complete.removes.iter().map(|change| format!("- {}", change.path)));
    }
    lines.extend(plan.items.iter().map(|item| format!("+ {}", item.path)));
    lines.extend(plan.transitions.iter().map(|item| match &item.op {
        Op::Set { .. } => format!("set {}", item.path),
        Op::Replace { previous: None, .. } => format!("replace {}", item.path),
        Op::Replace { previous: Some(previous), .. } => format!("replace {previous} by {}", item.path),
        Op::Remove { .. } => format!("remove {}", item.path),
        Op::LeftOut { .. } => format!("left out {}", item.path),
    }));
    lines
}

fn check(rows: &[Row]) {
    for row in rows {
        let plan = plan(row);
        assert_eq!(describe(&plan), row.expected, "{}", row.name);
        let outcomes: Vec<_> = plan
            .outcomes
            .iter()
            .map(|outcome| format!("{outcome:?}").split([' ', '{']).next().unwrap().to_owned())
            .collect();
        assert_eq!(outcomes.join(" "), row.outcomes, "{}: outcomes", row.name);
    }
}

const ROOT: &str = ".|base";
const A: &str = "AGENTS.md";
const C: &str = "CLAUDE.md";
const IN_FORCE: &[(&str, &str, &str, &str)] = &[("set", ROOT, A, "one")];
const LOWER: &[(&str, &str, &str, &str)] = &[("set", ROOT, C, "two")];
const LEFT_OUT: &[(&str, &str, &str, &str)] = &[("omit", ROOT, A, "one")];

#[test]
fn present_changed_and_gone() {
    check(&[
        Row {
            name: "unchanged",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "Unchanged",
            ..FIRST
        },
        Row { name: "new", slots: &[(ROOT, &[(A, "1 é")])], outcomes: "Enters", ..FIRST }
            .expecting(&["set AGENTS.md"]),
        Row {
            name: "changed",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "1 größer")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["replace AGENTS.md"]),
        Row {
            name: "gone",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "-"), (C, "-")])],
            outcomes: "Leaves",
            ..FIRST
        }
        .expecting(&["remove AGENTS.md"]),
        Row {
            name: "back after removal",
            history: &[("set", ROOT, A, "one"), ("remove", ROOT, A, "")],
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["set AGENTS.md"]),
        Row {
            name: "no candidate left by the rules",
            history: IN_FORCE,
            slots: &[(ROOT, &[])],
            outcomes: "Leaves",
            ..FIRST
        }
        .expecting(&["remove AGENTS.md"]),
        Row {
            name: "a higher name appears",
            history: LOWER,
            slots: &[(ROOT, &[(A, "1 one"), (C, "~2")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["replace CLAUDE.md by AGENTS.md"]),
        Row {
            name: "another name with the same text is a change all the same",
            history: LOWER,
            slots: &[(ROOT, &[(A, "1 two"), (C, "-")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["replace CLAUDE.md by AGENTS.md"]),
    ]);
}

#[test]
fn unavailable_is_never_absence() {
    check(&[
        Row {
            name: "not loaded, failed probe",
            slots: &[(ROOT, &[(A, "?")])],
            outcomes: "Unavailable",
            ..FIRST
        },
        Row {
            name: "not loaded, no content",
            slots: &[(ROOT, &[(A, "!1"), (C, "~2")])],
            outcomes: "Unavailable",
            ..FIRST
        },
        Row {
            name: "not loaded, the next name may win",
            slots: &[(ROOT, &[(A, "?"), (C, "2 ü")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["set CLAUDE.md"]),
        Row {
            name: "loaded, failed probe",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "?")])],
            outcomes: "Frozen",
            ..FIRST
        },
        Row {
            name: "loaded, no content",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "!1")])],
            outcomes: "Frozen",
            ..FIRST
        },
        Row {
            name: "loaded, failed probe, a lower name is there",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "?"), (C, "2 two")])],
            outcomes: "Frozen",
            ..FIRST
        },
        Row {
            name: "loaded and gone, another name unknown",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "-"), (C, "?")])],
            outcomes: "Frozen",
            ..FIRST
        },
        Row {
            name: "the lower name is loaded and changed, a higher one unknown",
            history: LOWER,
            slots: &[(ROOT, &[(A, "?"), (C, "2 drei")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["replace CLAUDE.md"]),
        Row {
            name: "a new leader without content freezes the slot",
            history: LOWER,
            slots: &[(ROOT, &[(A, "!1"), (C, "~2")])],
            outcomes: "Frozen",
            ..FIRST
        },
        Row {
            name: "left out counts as loaded",
            history: LEFT_OUT,
            slots: &[(ROOT, &[(A, "?"), (C, "2 two")])],
            outcomes: "Frozen",
            ..FIRST
        },
    ]);
}

#[test]
fn what_is_left_out_is_due_again_only_when_its_digest_changes() {
    check(&[
        Row {
            name: "unchanged",
            history: LEFT_OUT,
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "StillOmitted",
            ..FIRST
        },
        Row {
            name: "changed",
            history: LEFT_OUT,
            slots: &[(ROOT, &[(A, "1 ö")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["set AGENTS.md"]),
        Row {
            name: "its absence is not recorded",
            history: LEFT_OUT,
            slots: &[(ROOT, &[(A, "-")])],
            outcomes: "Absent",
            ..FIRST
        },
        Row {
            name: "a complete message ends it",
            history: LEFT_OUT,
            baseline: Some("others"),
            slots: &[(ROOT, &[(A, "1 one")])],
            outcomes: "Enters",
            ..FIRST
        }
        .expecting(&["superseding", "+ AGENTS.md"]),
    ]);
}

#[test]
fn one_file_has_one_rendering() {
    const BOTH: &[(&str, &str, &str, &str)] =
        &[("set", ROOT, A, "one"), ("set", "a|base", "a/AGENTS.md", "one")];
    check(&[
        Row {
            name: "the first place shows it",
            slots: &[(ROOT, &[(A, "1 one")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Enters ShownBy",
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
            outcomes: "ShownBy Enters",
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
            outcomes: "Unavailable Held",
            ..FIRST
        },
        Row {
            name: "a loaded one that cannot be looked at holds its text",
            history: IN_FORCE,
            slots: &[(ROOT, &[(A, "?")]), ("a|base", &[(A, "1 one")])],
            outcomes: "Frozen Held",
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
            outcomes: "Enters ShownBy",
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
            outcomes: "Unchanged ShownBy Leaves",
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
            outcomes: "Unchanged ShownBy ShownBy",
            ..DISTINCT
        },
    ]);
}

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

impl Row {
    const fn expecting(self, expected: &'static [&'static str]) -> Self {
        Self { expected, ..self }
    }
}
