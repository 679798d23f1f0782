//! Opening and reading.

use std::fs::OpenOptions;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::disk::{Access, Disk, sync_folder};
use super::lines::Lines;
use super::reader::{FileChunks, Parser};
use super::write::Writer;
use super::{Cut, Encoding, Found, JsonlLog, JsonlOptions, Place, Shared, State, tail};
use crate::{LogError, SessionHeader};

/// The first bytes of a zstd frame.
pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

pub(super) fn failed<'a>(path: &'a Path, doing: &'static str) -> impl Fn(io::Error) -> LogError + 'a {
    move |source| LogError::Io { path: path.to_path_buf(), doing, source }
}

pub(super) fn writer(path: &Path, encoding: Encoding, options: &JsonlOptions) -> Result<Writer, LogError> {
    Writer::new(encoding, options.level)
        .map_err(failed(path, "set up compression"))?
        .ok_or_else(|| LogError::Unsupported { path: path.to_path_buf(), feature: "zstd-write" })
}

fn opened(path: &Path, access: Access) -> Result<Disk, LogError> {
    let disk = Disk::open(path, access).map_err(|error| match Disk::is_sharing_violation(&error) {
        true => LogError::Locked { path: path.to_path_buf() },
        false => failed(path, "open the log")(error),
    })?;
    if access != Access::Read {
        claim(path, &disk)?;
    }
    Ok(disk)
}

/// Makes `disk`, which was opened at `path`, the one writer of the log there.
pub(super) fn claim(path: &Path, disk: &Disk) -> Result<(), LogError> {
    if disk.lock().map_err(failed(path, "lock the log"))?
        && disk.is_at(path).map_err(failed(path, "open the log"))?
    {
        return Ok(());
    }
    Err(LogError::Locked { path: path.to_path_buf() })
}

pub(super) fn open(path: PathBuf, access: Access, options: &JsonlOptions) -> Result<JsonlLog, LogError> {
    let disk = opened(&path, access)?;
    let len = disk.len().map_err(failed(&path, "read the length of the log"))?;
    let mut magic = Vec::new();
    disk.slice(0, 4).read_to_end(&mut magic).map_err(failed(&path, "read the log"))?;
    let encoding = if magic == ZSTD_MAGIC { Encoding::Zstd } else { Encoding::Plain };
    let writer = match access {
        Access::Read => None,
        Access::Create | Access::Write => Some(writer(&path, encoding, options)?),
    };
    let max_line = options.max_line_bytes;
    let (header, found) = match encoding {
        Encoding::Plain => tail::find(&path, &disk, len, max_line)?,
        #[cfg(feature = "zstd")]
        Encoding::Zstd => super::zstd::find(&path, &disk, len, max_line)?,
        #[cfg(not(feature = "zstd"))]
        Encoding::Zstd => return Err(LogError::Unsupported { path, feature: "zstd" }),
    };
    let cut = match found.torn {
        0 => None,
        _ if writer.is_none() => Some(Cut { offset: found.end, bytes: found.torn, kept_in: None }),
        _ => Some(cut_off(&path, &disk, found.end, len)?),
    };
    Ok(log(path, header, disk, encoding, writer, found, cut, options))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one struct, gathered in three places")]
pub(super) fn log(
    path: PathBuf,
    header: SessionHeader,
    disk: Disk,
    encoding: Encoding,
    writer: Option<Writer>,
    found: Found,
    cut: Option<Cut>,
    options: &JsonlOptions,
) -> JsonlLog {
    let Found { head, end, .. } = found;
    let places = vec![Place { seq: 0, offset: 0 }];
    let state = State { head, end, places, writer, broken: None };
    let max_line = options.max_line_bytes;
    let shared = Shared { path, disk, encoding, max_line, state: Mutex::new(state) };
    JsonlLog { header, cut, shared: Arc::new(shared) }
}

/// Copies what stands behind `end` into a file beside the log, then cuts it off.
fn cut_off(path: &Path, disk: &Disk, end: u64, len: u64) -> Result<Cut, LogError> {
    let (kept_in, mut file) = beside(path, end).map_err(failed(path, "keep the torn end beside the log"))?;
    io::copy(&mut disk.slice(end, len), &mut file)
        .and_then(|_| file.flush())
        .and_then(|()| file.sync_all())
        .and_then(|()| sync_folder(&kept_in))
        .map_err(failed(&kept_in, "keep the torn end of a log"))?;
    disk.set_len(end).and_then(|()| disk.sync()).map_err(failed(path, "cut the torn end off"))?;
    let bytes = len - end;
    tracing::warn!(?path, offset = end, bytes, ?kept_in, "a torn end of a session log was cut off");
    Ok(Cut { offset: end, bytes, kept_in: Some(kept_in) })
}

/// A file beside the log for what is cut off at `end`, with a name that was not taken yet.
fn beside(path: &Path, end: u64) -> io::Result<(PathBuf, std::fs::File)> {
    for attempt in 0_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".cut-{end}"));
        if attempt > 0 {
            name.push(format!("-{attempt}"));
        }
        let name = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return file.map(|file| (name, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

pub(super) fn chunks(shared: &Shared, from: u64) -> Result<FileChunks, LogError> {
    let state = shared.state();
    let at = state.places.partition_point(|place| place.seq <= from);
    let place = at.checked_sub(1).and_then(|at| state.places.get(at)).copied();
    let Place { seq, offset } = place.unwrap_or(Place { seq: 0, offset: 0 });
    let head = if from >= state.head { seq } else { state.head };
    let slice = shared.disk.slice(offset, state.end);
    let source: Box<dyn Read + Send> = match shared.encoding {
        Encoding::Plain => Box::new(slice),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => Box::new(crate::log::ZstdReader::new(slice)),
        #[cfg(not(feature = "zstd"))]
        Encoding::Zstd => return Err(LogError::Unsupported { path: shared.path.clone(), feature: "zstd" }),
    };
    let max_line = shared.max_line;
    let lines = Lines::new(source, max_line);
    let before_header = offset == 0;
    let path = shared.path.clone();
    let parser = Parser { path, before_header, next: seq, from, head, max_line, usual: 0, offset };
    Ok(FileChunks::new(lines, parser))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_opened_a_log_before_another_took_its_name_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lög");
        std::fs::write(&path, "old").unwrap();
        let late = Disk::open(&path, Access::Write).unwrap();
        std::fs::write(folder.path().join("new"), "new").unwrap();
        std::fs::rename(folder.path().join("new"), &path).unwrap();
        let refused = claim(&path, &late);
        assert!(matches!(refused, Err(LogError::Locked { .. })), "it has another file: {refused:?}");
        claim(&path, &Disk::open(&path, Access::Write).unwrap()).unwrap();
    }

    #[test]
    fn a_writer_whose_log_is_gone_when_it_locks_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "").unwrap();
        let disk = Disk::open(&path, Access::Write).unwrap();
        std::fs::remove_file(&path).unwrap();
        let refused = claim(&path, &disk);
        let Err(LogError::Io { source, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(source.kind(), io::ErrorKind::NotFound, "there is no log");
    }
}
