//! `render`: the exact text (L2).

use std::io::IsTerminal as _;
use std::process::ExitCode;

use standing_orders::inspect::path::shown;
use standing_orders::{Composition, Fate};

use crate::args::{Global, SessionArgs};
use crate::failure::Failure;
use crate::notes;
use crate::output::{self, say};
use crate::rows;
use crate::session::Subject;
use crate::text::count;

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
    if !global.quiet
        && let Some(root) = composition.report.root()
        && let Some(path) = subject.configuration.file.above(root.path)
    {
        say(format_args!("note: configured by {}, which lies above the root", shown(path)));
    }
    let text = composition.text();
    // Not through anstream: escape sequences of a file are part of the text.
    output::result(&text)?;
    if !text.is_empty() && std::io::stdout().is_terminal() {
        // The prompt goes on a line of its own, and the text stays as it is.
        say("");
    }
    if !global.quiet {
        let lost = lost(&composition);
        match (text.is_empty(), lost.is_empty()) {
            (true, true) => {
                say("nothing: no instructions for this session (`explain` says why)");
            }
            (true, false) => say(format_args!("nothing, for {lost} (`explain` says why)")),
            (false, false) => say(format_args!("not all of it: {lost} (`explain` says why)")),
            (false, true) => {}
        }
        remark(&subject, &composition).await;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what a reader should know of the text and of what stands beside it (X2).
async fn remark(subject: &Subject, composition: &Composition) {
    let (rows, listings) = rows::of(subject, composition).await;
    for row in &rows {
        let is_given = matches!(
            row.fate,
            Fate::Set { .. } | Fate::Replaced { .. } | Fate::Truncated { .. } | Fate::Unchanged
        );
        for note in row.notes.iter().filter(|note| is_given || note.matters_unloaded()) {
            say(format_args!("note: {}: {}", row.path, note.words()));
        }
    }
    for note in notes::of_whole(subject, composition, &listings, rows::known(&rows)).await {
        say(format_args!("note: {}", note.words()));
    }
}

/// What does not arrive, or not whole.
fn lost(composition: &Composition) -> String {
    let of = |is: fn(&Fate) -> bool| composition.report.entries().filter(|entry| is(&entry.fate)).count();
    let lost = [
        (of(|fate| matches!(fate, Fate::Truncated { .. })), "cut for the budget"),
        (
            of(|fate| matches!(fate, Fate::Omitted | Fate::StillOmitted | Fate::LeftOut | Fate::Unfit)),
            "left out for the budget",
        ),
        (of(|fate| matches!(fate, Fate::Waits)), "left for a later step"),
        (of(|fate| matches!(fate, Fate::TooLarge { .. })), "too large"),
        (of(|fate| matches!(fate, Fate::NotText)), "not text"),
        (of(|fate| matches!(fate, Fate::Unavailable(_) | Fate::Changing)), "not readable"),
    ];
    let lost = lost.into_iter().filter(|(files, _)| *files > 0);
    let lost: Vec<String> = lost
        .map(|(files, what)| {
            let verb = if files == 1 { "is" } else { "are" };
            format!("{} {verb} {what}", count(files, "file", "files"))
        })
        .collect();
    lost.join(", ")
}
