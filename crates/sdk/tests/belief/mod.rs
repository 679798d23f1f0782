//! A reader that knows only the text of the transcript believes what is in force.
//!
//! Random runs of a host: edits, links, faults, touches, two writers, repeated appends, compactions
//! of any part, rewinds, restarts elsewhere and under other settings. After every entered step the
//! transcript that is still in view is read from nothing, and what it makes a careful reader
//! believe is compared with [`Context::in_force`](standing_orders::Context::in_force), with the
//! files, and with what a fresh session would be given.
//!
//! `STANDING_ORDERS_BELIEF_CASES` sets the number of runs.

mod coverage;
mod files;
mod history;
mod host;
mod laws;
mod reader;
mod story;
mod tree;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use coverage::{Coverage, Seen};
use host::Host;
use story::{Event, Setting, events, setting};

const CASES: u32 = 300;

fn cases() -> u32 {
    let cases = std::env::var("STANDING_ORDERS_BELIEF_CASES").ok();
    cases.map_or(CASES, |cases| cases.parse().expect("a number of cases"))
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"belief: a seed of its own, fixed");
    TestRunner::new_with_rng(config, rng)
}

/// One run.
#[derive(Clone)]
struct Story {
    setting: Setting,
    events: Vec<Event>,
}

/// A line an event.
impl std::fmt::Debug for Story {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:?}", self.setting)?;
        self.events.iter().try_for_each(|event| writeln!(f, "{event:?}"))
    }
}

fn stories(budgets: bool) -> impl Strategy<Value = Story> {
    (setting(budgets), events(budgets)).prop_map(|(setting, events)| Story { setting, events })
}

/// What it reaches, and whether the laws hold.
fn run(story: &Story) -> (Seen, Result<(), String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut host = Host::new(&story.setting);
    let held = runtime.block_on(host.run(&story.events));
    let held = held.map_err(|why| format!("{why}\n--- happened:\n{}", host.log.join("\n")));
    (host.seen, held)
}

/// The laws hold in every run.
fn hold(cases: u32, budgets: bool) {
    let runs = runner(cases).run(&stories(budgets), |story| run(&story).1.map_err(TestCaseError::fail));
    if let Err(failure) = runs {
        panic!("{failure}");
    }
}

/// What runs reach, whatever comes of them.
fn coverage(runs: usize, budgets: bool) -> Coverage {
    let (mut runner, stories) = (runner(1), stories(budgets));
    let mut coverage = Coverage::default();
    for _ in 0..runs {
        let story = stories.new_tree(&mut runner).expect("nothing is filtered out").current();
        coverage.add(&run(&story).0);
    }
    coverage
}

#[test]
fn what_a_reader_believes_is_in_force_and_is_what_a_fresh_session_is_given() {
    hold(cases(), false);
}

#[test]
fn what_a_reader_believes_is_in_force_within_a_budget_too() {
    hold(cases(), true);
}

#[test]
fn the_runs_reach_what_the_laws_are_about() {
    for budgets in [false, true] {
        let coverage = coverage(400, budgets);
        println!("budgets bind: {budgets}\n{coverage}");
        assert_eq!(coverage.lacking(budgets), [""; 0], "too few runs reach this, of {}", coverage.runs);
    }
}
