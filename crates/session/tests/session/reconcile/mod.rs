//! The rules of change, row by row (C3, C6, C7, C8, C9, D5, D9).

mod complete;
mod same_file;

use standing_orders_session::{
    Action, BaselineRules, CandidateState, Change, Content, Decision, Digest, Fact, FileKey, Fit, Fold,
    InjectorId, InstructionSource, MessageId, Observation, Plan, Rules, Scope, Selection, Slot, Zone, commit,
    reconcile,
};

use serde_json::json;

/// What is there: `-` nothing, `?` a failed probe, `!7` file 7 without content, `7 text` file 7
/// with this text, `~7` file 7 behind another name.
fn state(text: &str) -> CandidateState {
    let file = |number: &str| Some(FileKey(number.parse().unwrap()));
    match text.split_at_checked(1).unwrap() {
        ("-", "") => CandidateState::Absent,
        ("?", "") => CandidateState::Unknown,
        ("!", number) => CandidateState::Present { file: file(number), content: Content::Unavailable },
        ("~", number) => CandidateState::Present { file: file(number), content: Content::Unread },
        _ => {
            let (number, content) = text.split_once(' ').unwrap();
            let trimmed = Some(Digest::of_trimmed(content));
            let content = Content::Text { digest: Digest::of(content), trimmed };
            CandidateState::Present { file: file(number), content }
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
    /// The cwd of now; history was recorded at `/ws`.
    cwd: &'static str,
}

const FIRST: Row = Row {
    name: "",
    selection: Selection::First,
    history: &[],
    baseline: Some("same"),
    slots: &[],
    expected: &[],
    outcomes: "",
    cwd: "/ws",
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
        replaces: None,
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
        message(
            number,
            false,
            vec![Change { action, scope: scope(of), path: (*path).to_owned(), previous: None, digest }],
        )
    });
    Fold::replay([Fact::Entered(baseline.into_iter().chain(later).collect())])
}

/// The slots of a row, each with its scope, zone, directory and candidates.
struct Laid(Vec<(Scope, Zone, usize, Vec<Named>)>);

/// The path and the state of a candidate.
type Named = (String, CandidateState);

impl Laid {
    fn out(row: &Row) -> Self {
        let mut dirs: Vec<&str> = Vec::new();
        let slots = row.slots.iter().map(|(of, names)| {
            let (dir, slot) = of.split_once('|').unwrap_or((of, ""));
            if dirs.last() != Some(&dir) {
                dirs.push(dir);
            }
            let path = |name: &str| match (slot.is_empty(), dir) {
                (true, _) => format!("~/{name}"),
                (false, ".") => name.to_owned(),
                (false, dir) => format!("{dir}/{name}"),
            };
            let candidates = names.iter().map(|(name, what)| (path(name), state(what))).collect();
            let zone = if dir.starts_with('n') { Zone::Nested } else { Zone::Chain };
            (scope(of), zone, dirs.len(), candidates)
        });
        Self(slots.collect())
    }

    /// What `ask` says of these slots.
    fn slots<T>(&self, ask: impl FnOnce(&[Slot<'_>]) -> T) -> T {
        let rows: Vec<Vec<Observation<'_>>> = self
            .0
            .iter()
            .map(|(.., candidates)| {
                candidates.iter().map(|(path, state)| Observation { path, state: *state }).collect()
            })
            .collect();
        let slots: Vec<Slot<'_>> = self
            .0
            .iter()
            .zip(&rows)
            .map(|((scope, zone, directory, _), candidates)| Slot {
                scope,
                zone: *zone,
                directory: *directory,
                candidates,
            })
            .collect();
        ask(&slots)
    }
}

fn plan(row: &Row) -> Plan {
    let visible = fold(row);
    let mut now = digest("same");
    now["selection"] = row.selection.as_str().into();
    let rules = Rules {
        injector: &InjectorId::workspace(),
        selection: row.selection,
        baseline: Some(BaselineRules {
            digest: Fold::identity_digest(&now),
            cwd: Digest::of(row.cwd),
            at: ".",
        }),
    };
    Laid::out(row).slots(|slots| reconcile(&visible, slots, &rules))
}

fn describe(row: &Row, plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(complete) = &plan.complete {
        lines.push(if complete.superseding { "superseding" } else { "baseline" }.to_owned());
        lines.extend(complete.removes.iter().map(|change| format!("- {}", change.path)));
    }
    Laid::out(row).slots(|slots| {
        let (mut listed, mut transitions) = (Vec::new(), Vec::new());
        for (slot, decision) in slots.iter().zip(&plan.decisions) {
            let path = decision.content().map(|(candidate, _)| slot.candidates[candidate].path);
            let line = match (decision, path) {
                (Decision::Set { .. }, Some(path)) if plan.lists(slot) => format!("+ {path}"),
                (Decision::Set { .. }, Some(path)) => format!("set {path}"),
                (Decision::Replace { previous: None, .. }, Some(path)) => format!("replace {path}"),
                (Decision::Replace { previous: Some(previous), .. }, Some(path)) => {
                    format!("replace {previous} by {path}")
                }
                (Decision::Remove { path, .. }, _) => format!("remove {path}"),
                _ => continue,
            };
            if plan.lists(slot) { listed.push(line) } else { transitions.push(line) }
        }
        lines.extend(listed.into_iter().chain(transitions));
    });
    lines
}

fn check(rows: &[Row]) {
    for row in rows {
        let plan = plan(row);
        assert_eq!(describe(row, &plan), row.expected, "{}", row.name);
        let word = |decision: &Decision| match decision {
            Decision::Set { .. } | Decision::Replace { .. } => "Enters".to_owned(),
            Decision::Remove { .. } => "Leaves".to_owned(),
            other => format!("{other:?}").split([' ', '{']).next().unwrap().to_owned(),
        };
        let decisions: Vec<_> = plan.decisions.iter().map(word).collect();
        assert_eq!(decisions.join(" "), row.outcomes, "{}: decisions", row.name);
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

impl Row {
    const fn expecting(self, expected: &'static [&'static str]) -> Self {
        Self { expected, ..self }
    }
}
