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
mod history;
mod host;
mod laws;
mod reader;
mod story;
mod tree;

use std::cell::RefCell;

use proptest::strategy::Strategy;
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

fn run(story: &Story) -> Result<Seen, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut host = Host::new(&story.setting);
    match runtime.block_on(host.run(&story.events)) {
        Ok(()) => Ok(host.seen),
        Err(why) => Err(format!("{why}\n--- happened:\n{}", host.log.join("\n"))),
    }
}

/// Runs them all; the situations they reach.
fn hold(cases: u32, budgets: bool) -> Coverage {
    let coverage = RefCell::new(Coverage::default());
    let runs = runner(cases).run(&stories(budgets), |story| {
        let seen = run(&story).map_err(TestCaseError::fail)?;
        coverage.borrow_mut().add(&seen);
        Ok(())
    });
    if let Err(failure) = runs {
        panic!("{failure}");
    }
    coverage.into_inner()
}

#[test]
fn what_a_reader_believes_is_in_force_and_is_what_a_fresh_session_is_given() {
    println!("{}", hold(cases(), false));
}

#[test]
fn what_a_reader_believes_is_in_force_within_a_budget_too() {
    println!("{}", hold(cases(), true));
}
