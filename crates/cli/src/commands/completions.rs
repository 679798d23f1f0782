//! `completions`: for a shell (L6).

use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::commands::Cli;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "For bash: standing-orders completions bash > \
                        ~/.local/share/bash-completion/completions/standing-orders")]
pub(crate) struct Args {
    /// Which shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    // Into memory first: writing to a reader that went away would be a panic there.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    output::result(script)?;
    Ok(ExitCode::SUCCESS)
}
