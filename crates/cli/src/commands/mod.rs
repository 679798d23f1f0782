//! The subcommands, one file each: its arguments, and `run`.

mod audit;
mod check;
mod completions;
mod explain;
mod man;
mod render;
mod schema;
mod simulate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::args::Global;
use crate::failure::Failure;

/// Shows which instruction files (AGENTS.md and relatives) a coding agent's session is given, in which
/// order, why, and the exact text.
#[derive(Debug, Parser)]
#[command(name = "standing-orders", version, max_term_width = 100)]
#[command(
    after_help = "Configuration, weakest first: defaults, the file, STANDING_ORDERS_* variables (such as \
                  STANDING_ORDERS_MAX_BYTES), arguments. RUST_LOG=standing_orders=debug logs to standard \
                  error. Exit status: 0 fine, 1 findings, 2 usage or input error."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what a session is given, and why: a tree of the files with their sizes
    Explain(explain::Args),
    /// Print the exact text that a session is given, and nothing else
    Render(render::Args),
    /// Check what each directory that a session could start in is given, and what it would lose
    Check(check::Args),
    /// Run scenarios over a tree in memory and print what comes of them, as JSON
    Simulate(simulate::Args),
    /// Show what sessions were given, from their logs: step by step, and what entered again
    Audit(audit::Args),
    /// Print the JSON Schema of the configuration file, or of session events
    Schema(schema::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Print the manual page, as roff
    Man(man::Args),
}

pub(crate) async fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    match &cli.command {
        Command::Explain(args) => explain::run(args, &cli.global).await,
        Command::Render(args) => render::run(args, &cli.global).await,
        Command::Check(args) => check::run(args, &cli.global).await,
        Command::Simulate(args) => simulate::run(args, &cli.global).await,
        Command::Audit(args) => audit::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}
