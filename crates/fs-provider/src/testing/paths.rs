//! P2, and what P6 and P10 take over from it: what a path leads to, by each of the three questions.

use super::case::{CAP, Case, Outcome, require};
use crate::{FileKind, FsError, Listing, Probe, ReadOutcome};

/// Which question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Probe,
    Read,
    List,
}

/// What a path leads to, as far as each question tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    File,
    Directory,
    Other,
    Absent,
    Fault,
    Deferred,
}

impl From<FileKind> for Leads {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::File,
            FileKind::Directory => Self::Directory,
            FileKind::Other => Self::Other,
        }
    }
}

impl Leads {
    pub(super) fn of_probe(answer: &Result<Probe, FsError>) -> Self {
        match answer {
            Ok(Probe::Present(found)) => found.kind.into(),
            Ok(Probe::Absent) => Self::Absent,
            Err(_) => Self::Fault,
        }
    }

    fn of_read(answer: &Result<ReadOutcome, FsError>) -> Self {
        match answer {
            Ok(ReadOutcome::NotAFile(kind)) => (*kind).into(),
            Ok(ReadOutcome::Absent) => Self::Absent,
            Ok(ReadOutcome::Deferred) => Self::Deferred,
            Ok(ReadOutcome::Content { .. } | ReadOutcome::TooLarge { .. }) => Self::File,
            Err(_) => Self::Fault,
        }
    }

    fn of_listing(answer: &Result<Listing, FsError>) -> Self {
        match answer {
            Ok(Listing::Entries { .. }) => Self::Directory,
            Ok(Listing::NotADirectory(kind)) => (*kind).into(),
            Ok(Listing::Absent) => Self::Absent,
            Err(_) => Self::Fault,
        }
    }
}

async fn answers(case: &Case<'_>, ask: Ask, names: &[&str]) -> Outcome<Vec<Leads>> {
    Ok(match ask {
        Ask::Probe => case.probe_all(names).await?.iter().map(Leads::of_probe).collect(),
        Ask::Read => case.read_all(names, CAP).await?.iter().map(Leads::of_read).collect(),
        Ask::List => case.list_all(names, 9).await?.iter().map(Leads::of_listing).collect(),
    })
}

/// The names lead to this, asked for in one batch, and once more by itself what that put off.
async fn lead(case: &Case<'_>, ask: Ask, rows: &[(&str, Leads)]) -> Outcome {
    let names: Vec<_> = rows.iter().map(|(name, _)| *name).collect();
    for ((name, expected), mut found) in rows.iter().zip(answers(case, ask, &names).await?) {
        if found == Leads::Deferred {
            found = answers(case, ask, &[name]).await?.pop().unwrap_or(found);
        }
        require(found == *expected, || format!("{name:?} leads to {expected:?}, the answer says {found:?}"))?;
    }
    Ok(())
}

pub(super) async fn files(case: &mut Case<'_>) -> Outcome {
    for (name, len) in [("empty", 0), ("small", 5), ("larger", 100_000)] {
        case.write(name, vec![b'x'; len]).await?;
        case.file_of(name, len).await?;
    }
    Ok(())
}

pub(super) async fn directories(case: &mut Case<'_>, ask: Ask) -> Outcome {
    case.make_dir("folder/inner").await?;
    lead(case, ask, &[("folder", Leads::Directory), ("folder/inner", Leads::Directory)]).await
}

pub(super) async fn no_directory(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.write("folder/file", "text").await?;
    lead(case, Ask::List, &[("folder/file", Leads::File), ("folder", Leads::Directory)]).await
}

pub(super) async fn specials(case: &mut Case<'_>, ask: Ask) -> Outcome {
    case.special("special").await?;
    lead(case, ask, &[("special", Leads::Other)]).await
}

pub(super) async fn absences(case: &mut Case<'_>, ask: Ask) -> Outcome {
    case.write("file", "text").await?;
    case.make_dir("folder").await?;
    lead(case, ask, &[("file", Leads::File), ("none", Leads::Absent), ("folder", Leads::Directory)]).await?;
    let names = ["none", "folder/none", "none/none", "file/none", "file/none/none"];
    lead(case, ask, &names.map(|name| (name, Leads::Absent))).await?;
    case.remove("file").await?;
    lead(case, ask, &[("file", Leads::Absent)]).await
}

pub(super) async fn links(case: &mut Case<'_>, ask: Ask) -> Outcome {
    case.make_dir("real/inner").await?;
    case.write("real/file", "four").await?;
    let absolute = case.path("real/file");
    for (target, name) in [
        (absolute.as_path(), "absolute"),
        ("real/file".as_ref(), "relative"),
        ("relative".as_ref(), "chain"),
        ("../file".as_ref(), "real/inner/upward"),
        ("real/inner".as_ref(), "folder"),
    ] {
        case.symlink(target, name).await?;
    }
    lead(case, ask, &[("folder", Leads::Directory), ("folder/..", Leads::Directory)]).await?;
    for name in ["absolute", "relative", "chain", "real/inner/upward", "folder/upward", "folder/../file"] {
        lead(case, ask, &[(name, Leads::File)]).await?;
        match ask {
            Ask::Probe => case.file_of(name, 4).await?,
            Ask::Read => {
                let (bytes, _) = case.content(name, CAP).await?;
                require(bytes == "four", || format!("{name:?} leads to \"four\", the read gave {bytes:?}"))?;
            }
            Ask::List => {}
        }
    }
    Ok(())
}

pub(super) async fn dangling_links(case: &mut Case<'_>, ask: Ask) -> Outcome {
    case.write("file", "text").await?;
    for (target, name) in [("nowhere", "dangling"), ("dangling", "through"), ("file/none", "below a file")] {
        case.symlink(target, name).await?;
        lead(case, ask, &[(name, Leads::Absent)]).await?;
    }
    Ok(())
}

pub(super) async fn link_cycles(case: &mut Case<'_>, ask: Ask) -> Outcome {
    for (target, name) in [("itself", "itself"), ("there", "back"), ("back", "there")] {
        case.symlink(target, name).await?;
    }
    lead(case, ask, &["itself", "back", "there", "itself/below"].map(|name| (name, Leads::Fault))).await
}

pub(super) async fn faults(case: &mut Case<'_>, ask: Ask) -> Outcome {
    for name in ["before", "denied", "after"] {
        case.write(name, "text").await?;
    }
    case.deny("denied").await?;
    let (file, fault) = (Leads::File, Leads::Fault);
    lead(case, ask, &[("before", file), ("denied", fault), ("after", file), ("none", Leads::Absent)]).await
}

pub(super) async fn names(case: &mut Case<'_>) -> Outcome {
    for name in ["with blank", "line\nfeed", "Grüße 你好 🦀", "back\\slash", "quote'\"", "-rf", "a*?"] {
        case.write(name, name).await?;
        case.file_of(name, name.len()).await?;
        lead(case, Ask::Probe, &[(&format!("{name}x"), Leads::Absent)]).await?;
    }
    Ok(())
}
