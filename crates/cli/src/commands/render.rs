//! `render`: the exact text (L2).

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::args::{Global, SessionArgs};
use crate::failure::Failure;
use crate::session::Subject;

#[derive(Debug, clap::Args)]
#[command(after_help = "Byte for byte what the model reads, all blocks, a line end between two and none at \
                        the end.")]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArgs,
}

pub(crate) async fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let subject = Subject::open(&args.session, global).await?;
    if !global.quiet {
        subject.warn();
    }
    let composition = subject.compose().await?;
    let text = composition.text();
    // Not through anstream: escape sequences of a file are part of the text.
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::Output)?;
    if text.is_empty() {
        if !global.quiet {
            anstream::eprintln!("nothing: no instructions for this session (`explain` says why)");
        }
    } else if stdout.is_terminal() {
        // The prompt goes on a line of its own, and the text stays as it is.
        anstream::eprintln!();
    }
    Ok(ExitCode::SUCCESS)
}
