//! `man`: the manual page (L6).

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::commands::Cli;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "To read it: standing-orders man | man -l -")]
pub(crate) struct Args {
    /// Of this subcommand; without it, of the whole
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut whole = Cli::command();
    // Global options reach the subcommands only then.
    whole.build();
    let command = match &args.command {
        None => whole,
        Some(name) => {
            let found = whole.get_subcommands().find(|command| command.get_name() == name).cloned();
            found.ok_or_else(|| {
                let names: Vec<_> = whole.get_subcommands().map(clap::Command::get_name).collect();
                Failure::Input(format!("there is no command {name:?}: one of {}", names.join(", ")))
            })?
        }
    };
    let source = format!("standing-orders {}", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).source(source).render(&mut page).map_err(Failure::Output)?;
    output::result(page)?;
    Ok(ExitCode::SUCCESS)
}
