//! `audit`: what sessions were given, from their logs (L5).

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use standing_orders::inspect::path::shown;

use crate::audit::{AuditError, Json, Page, Sink, Totals, audit};
use crate::failure::Failure;
use crate::input::is_stdin;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads logs of Standing Orders and other JSON lines whose user messages carry a source \
                        with a list of changes, plain or zstd, with or without a writer at work: nothing is \
                        locked or changed. Exit status: 0 fine, 1 when instructions entered again while they \
                        were in view or a log is damaged, 2 when a file is no session log or cannot be read."
)]
pub(crate) struct Args {
    /// Session logs; - for standard input
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The system prompt too, as it was last recorded
    #[arg(long)]
    system: bool,
    /// As JSON, in the shape that docs/audit.md documents
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match args.json {
        // Not through anstream: escape sequences within strings are escaped, and there are no colours.
        true => all(args, &mut Json::new(buffered(std::io::stdout().lock()), args.system)),
        false => all(args, &mut Page::new(buffered(anstream::stdout().lock()), args.system)),
    }
}

fn buffered<W: Write>(out: W) -> std::io::BufWriter<W> {
    std::io::BufWriter::with_capacity(64 * 1024, out)
}

fn all(args: &Args, sink: &mut dyn Sink) -> Result<ExitCode, Failure> {
    let (mut totals, mut found, mut failed) = (Totals::default(), false, false);
    for path in &args.logs {
        let name = match is_stdin(path) {
            true => "standard input".to_owned(),
            false => shown(path).to_string(),
        };
        sink.begin(&name).map_err(Failure::Output)?;
        match audit(path, sink) {
            Ok(audited) => {
                found |= audited.tally.all.repeated > 0 || audited.damage_count > 0;
                totals.add(&audited);
                sink.end(&audited).map_err(Failure::Output)?;
            }
            Err(AuditError::Output(error)) => return Err(Failure::Output(error)),
            Err(AuditError::Log(message)) => {
                failed = true;
                sink.failed(&message).map_err(Failure::Output)?;
                Failure::Input(format!("{name}: {message}")).report();
            }
        }
    }
    sink.finish(&totals).map_err(Failure::Output)?;
    Ok(ExitCode::from(match (failed, found) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    }))
}
