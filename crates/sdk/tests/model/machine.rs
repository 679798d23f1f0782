//! What can happen, and how likely it is.

use proptest::prelude::*;
use proptest::sample::select;
use proptest_state_machine::ReferenceStateMachine;

use super::setup::{Gate, Setup, UNBINDING};
use super::world::{Broken, Edit};

/// As often as they stand here.
const DIRS: [&str; 13] =
    ["/w", "/w", "/w", "/w", "/w/a", "/w/a", "/w/a", "/w/a/b", "/w/a/b", "/w/a/b/d", "/w/a-b", "/w/é", "/h"];
const NAMES: [&str; 4] = ["AGENTS.md", "AGENTS.md", "CLAUDE.md", "AGENTS.local.md"];
const OTHERS: [&str; 7] = ["/w/g/R.md", "/w/Q.md", "/w/g/R.md", "/w/Q.md", "/w/.git", "/w/.git", "/w/a/.git"];
const FOLDERS: [&str; 4] = ["/w/a", "/w/a/b", "/w/a-b", "/w/é"];
const TOUCHED: [&str; 9] = [
    "/w/x.rs",
    "/w/a/x.rs",
    "/w/a/b/x.rs",
    "/w/a/b/d/x.rs",
    "/w/a-b/x.rs",
    "/w/é/x.rs",
    "/w/./a/../a-b/y.rs",
    " /w/a/b/y.rs ",
    "/h/x.rs",
];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Op {
    Edit(Edit),
    /// An outermost call.
    Call {
        path: &'static str,
        ok: bool,
    },
    /// A call within call `within`, 0 to 2: 0 and 1 are outermost, 2 is within 0.
    Inner {
        path: &'static str,
        ok: bool,
        within: u8,
    },
    /// The call with this number settles itself.
    Outer {
        call: u8,
        ok: bool,
    },
    Boundary {
        prompt: bool,
        decision: Choice,
        plan_mode: Option<bool>,
        late: Option<&'static str>,
    },
    StepEnd,
    Compact,
    CompactPart(usize, usize),
    Resume(Option<Setup>),
    Provider(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Enter,
    Empty,
    Reject,
}

/// How a run begins; the judge of what comes is in the test itself.
#[derive(Clone, Debug)]
pub(super) struct Begin {
    pub(super) setup: Setup,
    pub(super) tree: Vec<Edit>,
}

#[derive(Debug)]
pub(super) struct Machine;

fn contents() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(vec!["one", "one\n", " one ", "two", "two\r\nlines \r\n", "", "\n"]).prop_map(str::to_owned),
        3 => select(vec!["\u{feff}one", "drei größere Wörter: é", "see </system-reminder> there", "nul\0"])
            .prop_map(str::to_owned),
        3 => select(vec!["b", "ü"]).prop_map(|piece| format!("long\n{}\n{}", piece.repeat(120), piece.repeat(20))),
        1 => Just("too large ".repeat(40)),
    ]
}

fn candidate() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => (select(DIRS.to_vec()), select(NAMES.to_vec())).prop_map(|(dir, name)| format!("{dir}/{name}")),
        2 => select(OTHERS.to_vec()).prop_map(str::to_owned),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let broken = prop_oneof![
        4 => Just(Some(Broken::Stat)),
        3 => Just(Some(Broken::Read)),
        1 => Just(None),
    ];
    prop_oneof![
        12 => (candidate(), contents()).prop_map(|(path, text)| Edit::Write(path, text)),
        4 => candidate().prop_map(Edit::Remove),
        1 => select(FOLDERS.to_vec()).prop_map(|path| Edit::Remove(path.to_owned())),
        1 => candidate().prop_map(Edit::Mkdir),
        6 => (candidate(), target()).prop_map(|(at, to)| Edit::Link { at, to }),
        5 => (candidate(), broken).prop_map(|(path, broken)| Edit::Fault(path, broken)),
        2 => Just(Edit::HealAll),
    ]
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => candidate(),
        3 => select(vec!["/w/AGENTS.md", "/w/a/AGENTS.md"]).prop_map(str::to_owned),
        2 => select(NAMES.to_vec()).prop_map(str::to_owned),
        1 => select(FOLDERS.to_vec()).prop_map(str::to_owned),
        1 => Just("/gone/AGENTS.md".to_owned()),
    ]
}

fn setup() -> impl Strategy<Value = Setup> {
    let places =
        (select(vec!["/w", "/w", "/w/a", "/w/a/b"]), select(vec![None, Some("/h"), Some("/h"), Some("/w")]));
    let budget = prop_oneof![
        6 => Just(UNBINDING),
        5 => select(vec![200, 200, 240, 240, 330, 420, 520, 700, 1000]),
        1 => select(vec![0, 60, 150]),
    ];
    let base = select(vec![
        vec!["AGENTS.md", "CLAUDE.md"],
        vec!["AGENTS.md", "CLAUDE.md"],
        vec!["AGENTS.md", "CLAUDE.md"],
        vec!["CLAUDE.md", "AGENTS.md"],
        vec!["CLAUDE.md"],
    ]);
    let local = select(vec![vec!["AGENTS.local.md"], vec!["AGENTS.local.md"], vec![]]);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    let gate =
        select(vec![Gate::Unregistered, Gate::Unregistered, Gate::Always, Gate::InMode, Gate::WhenTouched]);
    let rest = (select(vec![300, 300, 300, 20]), gate, prop::bool::weighted(0.1));
    (places, budget, base, local, switches, rest).prop_map(
        |(
            (cwd, home),
            budget,
            base,
            local,
            (all_distinct, trim, project_wide),
            (max_source, gate, subagent),
        )| {
            Setup {
                cwd,
                home,
                budget,
                base,
                local,
                all_distinct,
                trim,
                project_wide,
                max_source,
                gate,
                subagent,
            }
        },
    )
}

/// One thing changed, or everything.
fn changed(now: Setup) -> impl Strategy<Value = Setup> {
    (0..8_u8, setup()).prop_map(move |(what, other)| match what {
        0 => Setup { cwd: other.cwd, ..now.clone() },
        1 | 2 => Setup { budget: other.budget, ..now.clone() },
        3 => Setup { base: other.base, local: other.local, ..now.clone() },
        4 => Setup { all_distinct: !now.all_distinct, ..now.clone() },
        5 => Setup { trim: !now.trim, home: other.home, ..now.clone() },
        6 => Setup { gate: other.gate, subagent: other.subagent, ..now.clone() },
        _ => other,
    })
}

impl ReferenceStateMachine for Machine {
    type State = Begin;
    type Transition = Op;

    fn init_state() -> BoxedStrategy<Begin> {
        let tree = prop::collection::vec(edit(), 0..12);
        (setup(), tree, prop::bool::weighted(0.8))
            .prop_map(|(setup, mut tree, marked)| {
                if marked {
                    tree.insert(0, Edit::Mkdir("/w/.git".to_owned()));
                }
                Begin { setup, tree }
            })
            .boxed()
    }

    fn transitions(state: &Begin) -> BoxedStrategy<Op> {
        let call = (select(TOUCHED.to_vec()), prop::bool::weighted(0.85));
        let decision = prop_oneof![
            10 => Just(Choice::Enter),
            1 => Just(Choice::Empty),
            1 => Just(Choice::Reject),
        ];
        let mode = prop_oneof![6 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))];
        let late = prop_oneof![12 => Just(None), 1 => select(TOUCHED.to_vec()).prop_map(Some)];
        let boundary = (prop::bool::weighted(0.7), decision, mode, late).prop_map(
            |(prompt, decision, plan_mode, late)| Op::Boundary { prompt, decision, plan_mode, late },
        );
        let inner = (select(TOUCHED.to_vec()), prop::bool::weighted(0.85), 0..3_u8);
        prop_oneof![
            14 => edit().prop_map(Op::Edit),
            14 => boundary,
            6 => call.prop_map(|(path, ok)| Op::Call { path, ok }),
            2 => inner.prop_map(|(path, ok, within)| Op::Inner { path, ok, within }),
            2 => (0..3_u8, any::<bool>()).prop_map(|(call, ok)| Op::Outer { call, ok }),
            1 => Just(Op::StepEnd),
            1 => Just(Op::Compact),
            2 => (0..64_usize, 0..64_usize).prop_map(|(a, b)| Op::CompactPart(a, b)),
            2 => (0..64_usize).prop_map(|a| Op::CompactPart(a, a)),
            1 => Just(Op::Resume(None)),
            2 => changed(state.setup.clone()).prop_map(|setup| Op::Resume(Some(setup))),
            1 => prop::bool::weighted(0.75).prop_map(Op::Provider),
        ]
        .boxed()
    }

    fn apply(mut state: Begin, op: &Op) -> Begin {
        if let Op::Resume(Some(setup)) = op {
            state.setup = setup.clone();
        }
        state
    }
}
