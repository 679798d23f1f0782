//! The engine against an independent, deliberately naive model.
//!
//! The model knows a plain map for a tree and a list of all messages, and computes everything anew
//! at each question. Of the engine it shares the public data types alone. Where the budget cannot
//! bind it predicts the exact list of changes; elsewhere laws are checked.
//! `STANDING_ORDERS_MODEL_CASES` sets the number of runs.

mod cancel;
mod counts;
mod coverage;
mod due;
mod history;
mod laws;
mod look;
mod machine;
mod scripts;
mod setup;
mod sut;
mod world;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use machine::Machine;
use sut::Sut;

const CASES: u32 = 400;

#[test]
fn the_engine_does_what_the_model_says() {
    let cases = std::env::var("STANDING_ORDERS_MODEL_CASES").ok();
    let cases: u32 = cases.map_or(CASES, |cases| cases.parse().expect("a number of cases"));
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"standing orders: a fixed seed\0\0\0");
    let mut runner = TestRunner::new_with_rng(config.clone(), rng);
    let runs = runner.run(&Machine::sequential_strategy(1..50), |(begin, operations, seen)| {
        Sut::test_sequential(config.clone(), begin, operations, seen);
        Ok(())
    });
    if let Err(failure) = runs {
        panic!("{failure}");
    }
    scripts::rare();
    let (seen, missed) = coverage::reached();
    println!("{cases} runs: {seen:#?}");
    assert!(cases < CASES || missed.is_empty(), "the runs reach every situation, but not {missed:?}");
}
