//! `explain`: what a session is given, and why (L1).

mod blocks;
mod gated;
mod json;
mod page;
mod tree;
mod words;

use std::process::ExitCode;

use standing_orders::Composition;

use crate::args::{Global, SessionArgs};
use crate::failure::Failure;
use crate::notes::{self, Note};
use crate::output;
use crate::rows::{self, Row};
use crate::session::Subject;
use crate::terminal::Terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArgs,
    /// Every name that was looked for, those that are not there too
    #[arg(long)]
    all: bool,
    /// As JSON, in the shape that the README of this command line documents
    #[arg(long)]
    json: bool,
}

/// All there is to say.
#[derive(Debug)]
struct Explanation {
    subject: Subject,
    composition: Composition,
    /// One a candidate, in the order of the report.
    rows: Vec<Row>,
    /// Those about the whole (X2).
    notes: Vec<Note>,
}

pub(crate) async fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let subject = Subject::open(&args.session, global).await?;
    let composition = subject.compose().await?;
    let (rows, listings) = rows::of(&subject, &composition).await;
    let notes = notes::of_whole(&subject, &composition, &listings, rows::known(&rows)).await;
    let explanation = Explanation { subject, composition, rows, notes };
    match args.json {
        // Not through anstream: escape sequences within strings are escaped, and there are no colours.
        true => {
            let text = json::of(&explanation);
            let text = text.map_err(|error| Failure::Input(format!("this has no JSON form: {error}")))?;
            output::result(text)?;
        }
        false => {
            let text = page::of(&explanation, args.all, Terminal::of_process());
            output::coloured(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
