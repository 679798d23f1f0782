//! Standing Orders for people and for other agents' hooks: explain, render, simulate, check, audit.
//!
//! Results go to standard output, everything else to standard error (L7). Each subcommand is one file of
//! `commands`.

mod args;
mod audit;
mod check;
mod commands;
mod configuration;
mod disk;
mod failure;
mod logging;
mod session;
mod terminal;
mod text;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.global.color.write_global();
    logging::start();
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.map_err(Failure::Runtime)?.block_on(commands::run(cli))
}
