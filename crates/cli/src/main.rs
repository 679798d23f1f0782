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
mod input;
mod logging;
mod notes;
mod output;
mod rows;
mod session;
mod terminal;
mod text;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

use crate::commands::Cli;
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    cli.global.color.write_global();
    logging::start();
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// A fault of the arguments, or the help and the version that were asked for.
fn usage(error: &clap::Error) -> ExitCode {
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Err(fault) if !error.use_stderr() => Failure::Output(fault).report(),
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.map_err(Failure::Runtime)?.block_on(commands::run(cli))
}
