//! What may happen: how a deployment is set up, and the events of a host's life.

use std::num::NonZeroU64;

use proptest::prelude::*;
use standing_orders::plugin::{GatedFiles, Part, PolicyRow, PolicyTable, SessionHeader, Sessions};
use standing_orders::{
    Budget, CandidateNames, Engine, Exclude, Home, NestedDiscovery, Overflow, Selection, Settings, Wording,
};

use super::tree::{Edit, GATED, HOME, LARGEST, NAMES, edit, often, write};

/// Where a session may work: the project, and the folder in it.
pub(super) const CWDS: [(usize, &str); 5] =
    [(0, "/ws"), (0, "/ws/é"), (0, "/ws/é/api"), (1, "/other"), (1, "/other/é")];
const BUDGETS: [u64; 3] = [1_000_000, 1_400, 700];
const POLICIES: usize = 7;
/// Paths that tools touch.
pub(super) const TOUCHED: [&str; 8] =
    ["f.txt", "é/f.txt", "é/api/f.rs", "é/api/deep/f.txt", "lib/f.txt", "lib/x/f.rs", "../f.txt", "lib/x"];

/// How a session is opened. A restart may change any of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Terms {
    pub(super) cwd: usize,
    pub(super) home: bool,
    pub(super) all_distinct: bool,
    pub(super) budget: usize,
    pub(super) trim: bool,
    /// Touches count from the root on.
    pub(super) project_wide: bool,
    pub(super) few_names: bool,
    /// Which of the gated files are registered, a bit each.
    pub(super) gates: u8,
    pub(super) policy: usize,
    /// Nothing is loaded from `lib` or below (D14).
    pub(super) exclude: bool,
}

/// What never changes in one run.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) files: Vec<Edit>,
    pub(super) terms: Terms,
    pub(super) subagent: bool,
    /// The host tells of steps without instructions.
    pub(super) tells_empty_steps: bool,
    pub(super) default_wording: bool,
}

/// What happens between a pre-step and its entering.
#[derive(Clone, Debug)]
pub(super) enum Between {
    Edit(Edit),
    Touch(usize),
    /// The other writer prepares a step and enters it.
    OtherStep,
    Compact(Range),
}

/// What becomes of a prepared step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Enters,
    Rejected,
    /// The append is repeated, as by a host that had no answer.
    EntersTwice,
}

/// A part of the visible instruction messages: in parts of 16, from and to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Told by naming what is kept.
    pub(super) except: bool,
}

/// What happens.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Edit(Edit),
    /// Tools run side by side and touch these.
    Touch(Vec<usize>),
    Step {
        writer: usize,
        between: Vec<Between>,
        end: End,
        /// When another writer was first: it had been appended already.
        appended: bool,
    },
    Compact(Range),
    /// The host takes back the newest part of the history, so many entries.
    Rewind(usize),
    Restart(Vec<Change>),
    Mode(usize),
}

/// What is other after a restart.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Cwd(usize),
    Home(bool),
    AllDistinct(bool),
    Budget(usize),
    Trim(bool),
    FewNames(bool),
    Gates(u8),
    Policy(usize),
    Exclude(bool),
}

fn terms(budgets: bool) -> impl Strategy<Value = Terms> {
    let budget = if budgets { (1..BUDGETS.len()).boxed() } else { Just(0).boxed() };
    let flags =
        (any::<bool>(), prop::bool::weighted(0.35), any::<bool>(), any::<bool>(), prop::bool::weighted(0.1));
    let policy = prop_oneof![3 => Just(0), 2 => 1..POLICIES - 1];
    (often(&[4, 2, 1, 1, 1]), flags, budget, 0_u8..16, policy).prop_map(
        |(cwd, flags, budget, gates, policy)| {
            let (home, all_distinct, trim, project_wide, few_names) = flags;
            Terms {
                cwd,
                home,
                all_distinct,
                budget,
                trim,
                project_wide,
                few_names,
                gates,
                policy,
                exclude: false,
            }
        },
    )
}

/// `budgets`: budgets may bind.
pub(super) fn setting(budgets: bool) -> impl Strategy<Value = Setting> {
    (
        prop::collection::vec(write(), 2..16),
        terms(budgets),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.7),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(files, terms, subagent, tells_empty_steps, default_wording)| Setting {
            files,
            terms,
            subagent,
            tells_empty_steps,
            default_wording,
        })
}

fn range() -> impl Strategy<Value = Range> {
    let ends = prop_oneof![
        4 => (Just(0), 1..16_usize),
        2 => (1..16_usize, Just(16)),
        3 => (0..14_usize, 1..8_usize).prop_map(|(from, len)| (from, from + len)),
        1 => Just((0, 16)),
    ];
    (ends, any::<bool>()).prop_map(|((from, to), except)| Range { from, to, except })
}

fn between() -> impl Strategy<Value = Vec<Between>> {
    let one = prop_oneof![
        3 => edit().prop_map(Between::Edit),
        3 => (0..TOUCHED.len()).prop_map(Between::Touch),
        2 => Just(Between::OtherStep),
        1 => range().prop_map(Between::Compact),
    ];
    prop_oneof![5 => Just(Vec::new()), 2 => prop::collection::vec(one, 1..4)]
}

fn step() -> impl Strategy<Value = Event> {
    let end = prop_oneof![8 => Just(End::Enters), 1 => Just(End::Rejected), 1 => Just(End::EntersTwice)];
    let writer = prop_oneof![4 => Just(0_usize), 1 => Just(1)];
    (writer, between(), end, any::<bool>()).prop_map(|(writer, between, end, appended)| Event::Step {
        writer,
        between,
        end,
        appended,
    })
}

fn change(budgets: bool) -> BoxedStrategy<Change> {
    let others = prop_oneof![
        4 => (0..CWDS.len()).prop_map(Change::Cwd),
        1 => any::<bool>().prop_map(Change::Home),
        1 => prop::bool::weighted(0.3).prop_map(Change::AllDistinct),
        1 => any::<bool>().prop_map(Change::Trim),
        1 => any::<bool>().prop_map(Change::FewNames),
        2 => (0_u8..16).prop_map(Change::Gates),
        1 => (0..POLICIES - usize::from(!budgets)).prop_map(Change::Policy),
        1 => any::<bool>().prop_map(Change::Exclude),
    ];
    match budgets {
        false => others.boxed(),
        true => prop_oneof![4 => others, 1 => (0..BUDGETS.len()).prop_map(Change::Budget)].boxed(),
    }
}

pub(super) fn events(budgets: bool) -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        14 => edit().prop_map(Event::Edit),
        7 => prop::collection::vec(often(&[1, 3, 2, 1, 4, 2, 1, 1]), 1..4).prop_map(Event::Touch),
        16 => step(),
        4 => range().prop_map(Event::Compact),
        1 => (1..8_usize).prop_map(Event::Rewind),
        2 => prop::collection::vec(change(budgets), 0..2).prop_map(Event::Restart),
        1 => (0..2_usize).prop_map(Event::Mode),
    ];
    prop::collection::vec(event, 4..48)
}

impl Setting {
    pub(super) fn wording(&self) -> Wording {
        let mut wording = Wording::default();
        if self.default_wording {
            return wording;
        }
        wording.introduction = "[guidance]".into();
        wording.compact_introduction = "[g]".into();
        wording.replaces_earlier = "[all that was said before is replaced]".into();
        wording.replaces_chain = "[user-global and from the root to here is replaced, the rest stays]".into();
        wording.none_active = "[nothing is in force]".into();
        wording.applies_to = "[for {scope}]".into();
        wording.applies_everywhere = "[for all]".into();
        wording.changed = "[changed]".into();
        wording.switched = "[in place of {previous} in {scope}]".into();
        wording.removed = "[gone]".into();
        wording.left_out = "[no room]".into();
        wording
    }

    pub(super) fn header(&self, terms: &Terms) -> SessionHeader {
        let main = SessionHeader::main("main", 0);
        let header = match self.subagent {
            true => SessionHeader::child_of(&main, "child", 0).unwrap(),
            false => main,
        };
        header.with_cwd(CWDS[terms.cwd].1)
    }

    pub(super) fn engine(&self, terms: &Terms) -> Engine {
        let mut settings = Settings::new(Budget::from_bytes(BUDGETS[terms.budget]));
        settings.overflow = if terms.trim { Overflow::Trim } else { Overflow::Drop };
        settings.rules.selection = if terms.all_distinct { Selection::AllDistinct } else { Selection::First };
        settings.rules.max_source_bytes = NonZeroU64::new(LARGEST).unwrap();
        settings.rules.names = CandidateNames::new(terms.base_names(), terms.local_names()).0;
        settings.wording = self.wording();
        if terms.exclude {
            settings.exclude = Exclude::new(["**/lib"]).unwrap();
        }
        if terms.project_wide {
            settings.nested_discovery = NestedDiscovery::Project;
        }
        let builder = Engine::builder(settings).policy(terms.policy_table());
        let gates = (0..GATED.len()).filter(|gate| terms.gates & (1 << gate) != 0);
        gates.fold(builder, |builder, gate| builder.gated(gated(gate))).build().unwrap()
    }
}

/// What admits a session to each gated file.
fn gated(which: usize) -> GatedFiles {
    let files = GatedFiles::new(GATE_IDS[which], [GATED[which]]).unwrap();
    match which {
        0 => files.sessions(Sessions::Main),
        1 => files.sessions(Sessions::Subagent),
        2 => files.sessions(Sessions::Any).when_touched(["**/*.rs"]).unwrap(),
        _ => files.sessions(Sessions::Any).modes(["plan"]),
    }
}

pub(super) const GATE_IDS: [&str; 4] = ["main-only", "subagents", "rust", "planning"];
/// The gate that waits for a touch of a path that ends so.
pub(super) const WHEN_TOUCHED: (usize, &str) = (2, ".rs");

impl Terms {
    pub(super) fn base_names(&self) -> &'static [&'static str] {
        if self.few_names { &NAMES[..1] } else { &NAMES[..2] }
    }

    pub(super) fn local_names(&self) -> &'static [&'static str] {
        if self.few_names { &[] } else { &NAMES[2..] }
    }

    pub(super) fn home(&self) -> Option<Home> {
        self.home.then(|| Home::new(HOME, "~/.dsh"))
    }

    pub(super) fn is_registered(&self, gate: usize) -> bool {
        self.gates & (1 << gate) != 0
    }

    /// Whether a budget may have left something out or cut it.
    pub(super) fn budget_binds(&self) -> bool {
        self.budget != 0 || self.policy == POLICIES - 1
    }

    pub(super) fn policy_table(&self) -> PolicyTable {
        let deny = |part| PolicyRow::deny().part(part).unwrap();
        PolicyTable::new(match self.policy {
            0 => Vec::new(),
            1 => vec![deny(Part::Local).sessions(Sessions::Subagent)],
            2 => vec![deny(Part::Nested).modes(["plan"])],
            3 => vec![PolicyRow::deny().injector("rust").unwrap().modes(["plan"])],
            4 => vec![deny(Part::UserGlobal), deny(Part::Gated)],
            5 => vec![deny(Part::Base).modes(["plan"])],
            _ => vec![PolicyRow::allow_within(NonZeroU64::new(900).unwrap()).modes(["plan"])],
        })
    }

    /// What changes at a restart.
    pub(super) fn change(&mut self, change: &Change) {
        match *change {
            Change::Cwd(cwd) => self.cwd = cwd,
            Change::Home(home) => self.home = home,
            Change::AllDistinct(all) => self.all_distinct = all,
            Change::Budget(budget) => self.budget = budget,
            Change::Trim(trim) => self.trim = trim,
            Change::FewNames(few) => self.few_names = few,
            Change::Gates(gates) => self.gates = gates,
            Change::Policy(policy) => self.policy = policy,
            Change::Exclude(exclude) => self.exclude = exclude,
        }
    }
}
