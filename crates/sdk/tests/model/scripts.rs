//! Runs by hand, judged by the same model: rare situations, and what the model found.

use proptest_state_machine::StateMachineTest;

use super::machine::{Begin, Choice, Op};
use super::setup::{Gate, Setup, UNBINDING};
use super::sut::Sut;
use super::world::{Broken, Edit};

const SETUP: Setup = Setup {
    cwd: "/w",
    home: None,
    budget: UNBINDING,
    base: Vec::new(),
    local: Vec::new(),
    all_distinct: false,
    trim: false,
    project_wide: false,
    max_source: 300,
    gate: Gate::Unregistered,
    subagent: false,
};

const STEP: Op = Op::Boundary { prompt: true, decision: Choice::Enter, plan_mode: None, late: None };

fn write(path: &str, text: &str) -> Op {
    Op::Edit(Edit::Write(path.to_owned(), text.to_owned()))
}

fn link(at: &str, to: &str) -> Op {
    Op::Edit(Edit::Link { at: at.to_owned(), to: to.to_owned() })
}

fn fault(path: &str, broken: Broken) -> Op {
    Op::Edit(Edit::Fault(path.to_owned(), Some(broken)))
}

fn touch(path: &'static str) -> Op {
    Op::Call { path, ok: true }
}

/// The paths in force at the end.
fn follow(setup: Setup, operations: Vec<Op>) -> Vec<String> {
    let lists = (vec!["AGENTS.md", "CLAUDE.md"], vec!["AGENTS.local.md"]);
    let setup = Setup { base: lists.0, local: lists.1, ..setup };
    let begin = Begin { setup, tree: vec![Edit::Mkdir("/w/.git".to_owned())] };
    let mut sut = Sut::init_test(&begin);
    for operation in operations {
        sut = Sut::apply(sut, &begin, operation);
        Sut::check_invariants(&sut, &begin);
    }
    let paths = sut.driver.context().in_force().into_iter().map(|scope| scope.path).collect();
    Sut::teardown(sut, begin);
    paths
}

fn long() -> String {
    "größer ".repeat(20)
}

/// Rare situations, so that a short run reaches them too.
pub(super) fn rare() {
    a_removal_waits_with_the_entry_it_hands_over_to();
    a_sibling_waits_for_an_unavailable_one();
    a_touch_waits_for_a_provider_and_for_no_restart();
    an_edit_that_fits_no_message_leaves_the_file_out();
    of_two_paths_in_force_to_one_file_one_goes_though_a_third_cannot_be_read();
    a_place_goes_when_its_file_turns_out_to_be_gated();
    a_file_of_another_project_that_cannot_be_had_is_withdrawn();
}

#[test]
fn a_place_goes_when_its_file_turns_out_to_be_gated() {
    let operations = vec![
        write("/w/Q.md", "one"),
        write("/w/a/AGENTS.md", "two"),
        touch("/w/a/x.rs"),
        STEP,
        link("/w/a/AGENTS.md", "/w/Q.md"),
        STEP,
    ];
    let setup = Setup { gate: Gate::InMode, ..SETUP };
    assert_eq!(follow(setup.clone(), operations.clone()), Vec::<String>::new(), "outside the mode");
    let admitted = Op::Boundary { prompt: true, decision: Choice::Enter, plan_mode: Some(true), late: None };
    let operations = [operations, vec![admitted, touch("/w/a/x.rs"), STEP]].concat();
    assert_eq!(follow(setup, operations), ["Q.md", "a/AGENTS.md"], "within it, by both roads");
}

#[test]
fn a_file_of_another_project_that_cannot_be_had_is_withdrawn() {
    let moved = Setup { base: vec!["AGENTS.md", "CLAUDE.md"], local: vec!["AGENTS.local.md"], ..SETUP };
    let operations = vec![
        write("/w/AGENTS.md", "one"),
        write("/w/a/AGENTS.md", "two"),
        Op::Edit(Edit::Mkdir("/w/a/.git".to_owned())),
        STEP,
        fault("/w/a/AGENTS.md", Broken::Read),
        Op::Resume(Some(Setup { cwd: "/w/a", ..moved })),
        STEP,
    ];
    assert_eq!(follow(SETUP, operations), Vec::<String>::new(), "the first project's rules do not stay");
}

#[test]
fn a_touch_of_what_was_left_out_and_cannot_be_looked_at_is_answered_later() {
    let operations = vec![
        write("/w/a/AGENTS.md", "one"),
        touch("/w/a/x.rs"),
        STEP,
        write("/w/a/AGENTS.md", &long()),
        STEP,
        write("/w/a/AGENTS.md", "two"),
        fault("/w/a/AGENTS.md", Broken::Stat),
        touch("/w/a/x.rs"),
        STEP,
        Op::Edit(Edit::HealAll),
        STEP,
    ];
    let in_force = follow(Setup { budget: 200, ..SETUP }, operations);
    assert_eq!(
        in_force,
        ["a/AGENTS.md"],
        "a place that was unavailable at its touch is looked at again (C4)"
    );
}

#[test]
fn a_removal_waits_with_the_entry_it_hands_over_to() {
    let operations = vec![
        write("/w/a/AGENTS.md", "one"),
        STEP,
        write("/w/a/AGENTS.local.md", &long()),
        link("/w/AGENTS.md", "/w/a/AGENTS.md"),
        STEP,
    ];
    let in_force = follow(Setup { cwd: "/w/a", budget: 330, ..SETUP }, operations);
    assert_eq!(
        in_force,
        ["a/AGENTS.local.md", "a/AGENTS.md"],
        "its text stays until the root file enters (D9)"
    );
}

#[test]
fn a_sibling_waits_for_an_unavailable_one() {
    let operations = vec![
        write("/w/AGENTS.md", "one"),
        STEP,
        fault("/w/AGENTS.md", Broken::Stat),
        write("/w/CLAUDE.md", "two"),
        STEP,
    ];
    let in_force = follow(Setup { all_distinct: true, ..SETUP }, operations);
    assert_eq!(in_force, ["AGENTS.md"], "nothing is set in a directory that is frozen (C7)");
}

#[test]
fn a_file_goes_for_another_path_to_it_whose_equal_sibling_is_shown() {
    let operations = vec![
        write("/w/AGENTS.md", "one"),
        write("/w/a/AGENTS.md", " one "),
        STEP,
        link("/w/CLAUDE.md", "/w/a/AGENTS.md"),
        STEP,
    ];
    let in_force = follow(Setup { cwd: "/w/a", all_distinct: true, ..SETUP }, operations);
    assert_eq!(in_force, ["AGENTS.md"], "what a fresh session would load is in force (D9, D5)");
}

#[test]
fn of_two_paths_in_force_to_one_file_one_goes_though_a_third_cannot_be_read() {
    let operations = vec![
        write("/w/a/AGENTS.md", "one"),
        write("/w/a/b/AGENTS.md", "two"),
        STEP,
        link("/w/AGENTS.md", "/w/a/AGENTS.md"),
        fault("/w/AGENTS.md", Broken::Read),
        link("/w/a/b/AGENTS.md", "/w/a/AGENTS.md"),
        STEP,
    ];
    let in_force = follow(Setup { cwd: "/w/a/b", ..SETUP }, operations);
    assert_eq!(in_force, ["a/AGENTS.md"], "one file, one rendering (D9)");
}

#[test]
fn an_edit_that_fits_no_message_leaves_the_file_out() {
    let operations = vec![write("/w/AGENTS.md", "one"), STEP, write("/w/AGENTS.md", &long()), STEP];
    let in_force = follow(Setup { budget: 200, ..SETUP }, operations);
    assert!(in_force.is_empty(), "what does not fit even alone is left out (C8)");
}

#[test]
fn what_is_touched_where_the_place_is_another_is_set_anew() {
    let elsewhere = Setup {
        cwd: "/w",
        home: Some("/w"),
        budget: 200,
        base: vec!["AGENTS.md", "CLAUDE.md"],
        local: vec!["AGENTS.local.md"],
        all_distinct: true,
        trim: true,
        project_wide: true,
        max_source: 20,
        ..SETUP
    };
    let operations = vec![
        write("/w/a/AGENTS.md", "one"),
        write("/w/a/b/AGENTS.md", "one"),
        STEP,
        touch("/w/a/b/x.rs"),
        Op::Resume(Some(elsewhere)),
        write("/w/a/b/CLAUDE.md", "one"),
        STEP,
        STEP,
    ];
    let in_force = follow(Setup { cwd: "/w/a", all_distinct: true, ..SETUP }, operations);
    assert_eq!(
        in_force,
        ["a/AGENTS.md", "a/b/AGENTS.md"],
        "what waits for room comes with the next step (C8)"
    );
}

#[test]
fn a_touch_waits_for_a_provider_and_for_no_restart() {
    let away = vec![write("/w/a/AGENTS.md", "one"), Op::Provider(false), touch("/w/a/x.rs"), STEP, STEP];
    let back = [away.clone(), vec![Op::Provider(true), STEP]].concat();
    assert_eq!(
        follow(SETUP, back),
        ["a/AGENTS.md"],
        "steps that looked at nothing answered nothing (C4, P9)"
    );
    let restarted = [away, vec![Op::Resume(None), STEP]].concat();
    assert!(follow(SETUP, restarted).is_empty(), "the log says no more than that steps have entered (C12)");
}
