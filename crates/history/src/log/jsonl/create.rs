//! Creating: a log takes its name with its header in it, so that whoever finds the name finds a log.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Access, Disk, sync_folder};
use super::open::{claim, failed, log, writer};
use super::{Found, JsonlLog, JsonlOptions};
use crate::{LogError, SessionHeader};

pub(super) fn create(
    path: PathBuf,
    header: SessionHeader,
    options: &JsonlOptions,
) -> Result<JsonlLog, LogError> {
    let mut writer = writer(&path, options.encoding, options)?;
    let mut line =
        serde_json::to_vec(&header).map_err(|error| failed(&path, "write the header")(error.into()))?;
    line.push(b'\n');
    let (bytes, limit) = (line.len() as u64, options.max_line_bytes);
    if bytes > limit {
        return Err(LogError::HeaderTooLarge { path, bytes, limit });
    }
    let bytes = writer.encode(&line).map_err(failed(&path, "compress the header"))?;
    let disk = match beside(&path, &bytes)? {
        Some((disk, name)) => publish(&path, &bytes, disk, &name)?,
        None => in_place(&path, &bytes)?,
    };
    sync_folder(&path).map_err(failed(&path, "sync the folder of the log"))?;
    let end = bytes.len() as u64;
    let found = Found { head: 0, end, torn: 0 };
    Ok(log(path, header, disk, options.encoding, Some(writer), found, None, options))
}

/// The header in a file beside, locked and on disk; with the file's name. `None` where there can be
/// none, as where its name would be too long.
fn beside(path: &Path, bytes: &[u8]) -> Result<Option<(Disk, PathBuf)>, LogError> {
    // Elsewhere the file cannot be opened by anybody while it is being written.
    if !cfg!(unix) {
        return Ok(None);
    }
    for attempt in 0_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        if attempt > 0 {
            name.push(format!("-{attempt}"));
        }
        let name = PathBuf::from(name);
        match Disk::open(&name, Access::Create) {
            Ok(disk) => return fill(&name, disk, bytes).map(|disk| Some((disk, name))),
            // Of another creation: under way, or interrupted.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // If it is for another reason than the name, the log cannot be created either.
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Gives the file beside the name of the log, which must be free.
fn publish(path: &Path, bytes: &[u8], disk: Disk, name: &Path) -> Result<Disk, LogError> {
    let linked = std::fs::hard_link(name, path);
    match std::fs::remove_file(name) {
        // Somebody tidied up.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => removed.map_err(failed(name, "remove the file that the log was created in"))?,
    }
    match linked {
        Ok(()) => Ok(disk),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken(path, error)),
        // A file system without hard links.
        Err(_) => in_place(path, bytes),
    }
}

/// Creates the log under its own name. A writer that finds it before it is locked makes this fail.
fn in_place(path: &Path, bytes: &[u8]) -> Result<Disk, LogError> {
    fill(path, Disk::open(path, Access::Create).map_err(|error| taken(path, error))?, bytes)
}

/// Locks a file that was created here and writes the header; a file where that fails is removed.
fn fill(path: &Path, disk: Disk, bytes: &[u8]) -> Result<Disk, LogError> {
    let filled = claim(path, &disk).and_then(|()| {
        disk.write_all_at(bytes, 0).map_err(failed(path, "write the header"))?;
        disk.sync().map_err(failed(path, "sync the header"))
    });
    let Err(error) = filled else { return Ok(disk) };
    let is_ours = disk.is_at(path).unwrap_or(false);
    drop(disk);
    if is_ours {
        // The first failure is the one to tell; a file that stays says what to do when opened.
        let _ = std::fs::remove_file(path);
    }
    Err(error)
}

fn taken(path: &Path, error: io::Error) -> LogError {
    let is_empty = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0);
    let doing = match error.kind() {
        io::ErrorKind::AlreadyExists if is_empty => {
            "create the log: an interrupted creation left an empty file, remove it and create the log again"
        }
        _ => "create the log",
    };
    failed(path, doing)(error)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    const HEADER: &[u8] = "{\"format\":1,\"id\":\"ü\",\"created_at\":0}\n".as_bytes();

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_name_leads_to_nothing_or_to_a_log_that_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let options = JsonlOptions::default();
        let open = || super::super::open::open(path.clone(), Access::Write, &options);
        let (disk, name) = beside(&path, HEADER).unwrap().unwrap();
        let early = open().unwrap_err();
        assert!(
            matches!(&early, LogError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound),
            "before it is created there is none: {early:?}"
        );
        let disk = publish(&path, HEADER, disk, &name).unwrap();
        let late = open().unwrap_err();
        assert!(matches!(late, LogError::Locked { .. }), "from then on its creator has it: {late:?}");
        assert_eq!(names(folder.path()), ["log"], "nothing is left beside it");
        drop(disk);
        assert_eq!(open().unwrap().header.id(), "ü", "and it is a log");
    }

    #[test]
    fn of_two_that_create_one_log_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (first, first_name) = beside(&path, HEADER).unwrap().unwrap();
        let (second, second_name) = beside(&path, HEADER).unwrap().unwrap();
        let second = publish(&path, HEADER, second, &second_name).unwrap();
        let refused = publish(&path, HEADER, first, &first_name).unwrap_err();
        assert!(
            matches!(&refused, LogError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists),
            "the name is taken: {refused:?}"
        );
        assert!(second.is_at(&path).unwrap(), "the log is as it was");
        assert_eq!(names(folder.path()), ["log"], "nothing is left beside it");
    }

    #[test]
    fn created_in_place_it_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let disk = Disk::open(&path, Access::Create).unwrap();
        let other = Disk::open(&path, Access::Write).unwrap();
        claim(&path, &other).unwrap();
        let refused = fill(&path, disk, HEADER).unwrap_err();
        assert!(matches!(refused, LogError::Locked { .. }), "another writer was quicker: {refused:?}");
        assert!(names(folder.path()).is_empty(), "nothing is left, so it can be created again");
        drop(in_place(&path, HEADER).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), HEADER, "it can");
        let refused = in_place(&path, b"other").unwrap_err();
        assert!(refused.to_string().ends_with("cannot create the log"), "it is there: {refused}");
        assert_eq!(std::fs::read(&path).unwrap(), HEADER, "and as it was");
    }

    #[cfg(feature = "testing")]
    #[test]
    fn a_header_that_cannot_be_written_leaves_no_file() {
        use crate::log::testing::Faults;
        for (name, faults) in
            [("full", Faults { room: Some(3), sync: false }), ("sync", Faults { room: None, sync: true })]
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let disk = Disk::open(&path, Access::Create).unwrap();
            *disk.faults() = faults;
            let error = fill(&path, disk, HEADER).unwrap_err();
            assert!(matches!(error, LogError::Io { .. }), "{name}: {error:?}");
            assert!(names(folder.path()).is_empty(), "{name}: nothing is left");
        }
    }
}
