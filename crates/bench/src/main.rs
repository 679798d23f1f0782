//! Ratios against stated limits, measured in one run.
//!
//! `cargo run --release -p standing-orders-bench` prints a table, `--json` one object. Each figure
//! is a ratio to a limit that is measured in the same run: the two sides take turns, and the
//! median of at least nine rounds counts. See `--help` for the rest.
//!
//! # Concepts
//! - A **row** ([`figure::Row`]) says what is measured, against what, and how far apart the two may
//!   be; what came out is a [`figure::Measured`].
//! - The **plain system calls** ([`plain::Plain`]) are what a program without any of our rules does
//!   for the same work: the same stats, opens, fstats and reads, in the same order, with paths that
//!   are made beforehand. The rows with a disk have their limit against them in as many blocking tasks
//!   ([`plain::InTasks`]): what another thread costs to wake is the machine's, on both sides.
//! - **Rounds** ([`measure`]): in a round the two sides alternate call by call, and the medians of
//!   both make the round's ratio.
//!
//! # What it does not do
//! It does not tune: a limit that is missed is shown as missed. Times on a machine that does
//! something else besides are noisy; the spread over the rounds says how much. The allocator counts
//! every call for the rows about heap, which costs the side that allocates more some nanoseconds a
//! call in the others.

mod arguments;
mod events;
mod figure;
mod figures;
mod fixture;
mod measure;
mod plain;
mod report;

use std::alloc::System;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use arguments::{Arguments, Asked};
use figure::{Outcome, Scale};
use report::Report;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            // Where standard error is gone, too, the exit code is left to say it.
            let _ = writeln!(io::stderr(), "standing-orders-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[OsString]) -> Outcome<ExitCode> {
    if let Some(work) = figures::process::plain_process(arguments)? {
        return Ok(work);
    }
    let asked = match arguments::parse(arguments, figures::ALL)? {
        Asked::Text(text) => {
            io::stdout().write_all(text.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        Asked::Run(asked) => asked,
    };
    let report = measure_all(&asked)?;
    let text = if asked.json { report.json() } else { report.table() };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if asked.check && !report.all_met() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn measure_all(asked: &Arguments) -> Outcome<Report> {
    let scale = Scale::new(asked.quick);
    let mut report = Report::new(asked.quick);
    for row in figures::ALL.iter().filter(|row| asked.wants(row.name)) {
        if !asked.json {
            writeln!(io::stderr(), "measuring {}", row.name)?;
        }
        let measured = (row.run)(&scale).map_err(|error| format!("{}: {error}", row.name))?;
        report.push(row, measured);
    }
    Ok(report)
}
