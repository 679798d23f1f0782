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
        .ok_or_else(|| LogError::Unsupported { path: path.to_path_buf() })
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
    if encoding == Encoding::Zstd {
        return open_zstd(path, disk, len, writer, options);
    }
    let (header, found) = tail::find(&path, &disk, len, options.max_line_bytes)?;
    let cut = match found.torn {
        0 => None,
        _ if writer.is_none() => Some(Cut { offset: found.end, bytes: found.torn, kept_in: None }),
        _ => Some(cut_off(&path, &disk, found.end, len)?),
    };
    Ok(log(path, header, disk, encoding, writer, found, cut, options))
}

#[cfg(not(feature = "zstd"))]
fn open_zstd(
    path: PathBuf,
    _: Disk,
    _: u64,
    _: Option<Writer>,
    _: &JsonlOptions,
) -> Result<JsonlLog, LogError> {
    Err(LogError::Unsupported { path })
}

#[cfg(feature = "zstd")]
fn open_zstd(
    path: PathBuf,
    disk: Disk,
    len: u64,
    writer: Option<Writer>,
    options: &JsonlOptions,
) -> Result<JsonlLog, LogError> {
    use super::zstd;

    let max_line = options.max_line_bytes;
    let (header, _) = tail::header(&path, &mut zstd::decoder(&path, disk.slice(0, len))?, max_line)?;
    let (mut found, saved) = zstd::find(&path, &disk, len, max_line)?;
    let cut = match (found.torn, &writer) {
        (0, _) => None,
        (bytes, None) => Some(Cut { offset: found.end, bytes, kept_in: None }),
        (_, Some(_)) if saved == found.head && found.end > 0 => Some(cut_off(&path, &disk, found.end, len)?),
        (bytes, Some(_)) => {
            let (rescued, offset, kept_in) = zstd::rescue(&path, &disk, &found, saved, options)?;
            found = Found { head: found.head, end: offset, readable: offset, torn: 0 };
            let cut = Some(Cut { offset, bytes, kept_in: Some(kept_in) });
            tell(&path, cut.as_ref());
            return Ok(log(path, header, rescued, Encoding::Zstd, writer, found, cut, options));
        }
    };
    if writer.is_some() {
        found.readable = found.end;
    }
    Ok(log(path, header, disk, Encoding::Zstd, writer, found, cut, options))
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
    let Found { head, end, readable, .. } = found;
    let places = vec![Place { seq: 0, offset: 0 }];
    let state = State { head, end, readable, places, writer, broken: None };
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
    let cut = Cut { offset: end, bytes: len - end, kept_in: Some(kept_in) };
    tell(path, Some(&cut));
    Ok(cut)
}

fn tell(path: &Path, cut: Option<&Cut>) {
    if let Some(Cut { offset, bytes, kept_in }) = cut {
        tracing::warn!(?path, offset, bytes, ?kept_in, "a torn end of a session log was cut off");
    }
}

/// A name beside the log for what is cut off at `end`, not taken yet.
pub(super) fn names_beside(path: &Path, end: u64) -> impl Iterator<Item = PathBuf> + '_ {
    (0_u32..).map(move |attempt| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".cut-{end}"));
        if attempt > 0 {
            name.push(format!("-{attempt}"));
        }
        PathBuf::from(name)
    })
}

fn beside(path: &Path, end: u64) -> io::Result<(PathBuf, std::fs::File)> {
    for name in names_beside(path, end) {
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
    let slice = shared.disk.slice(offset, state.readable);
    let source: Box<dyn Read + Send> = match shared.encoding {
        Encoding::Plain => Box::new(slice),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => Box::new(super::zstd::decoder(&shared.path, slice)?),
        #[cfg(not(feature = "zstd"))]
        Encoding::Zstd => return Err(LogError::Unsupported { path: shared.path.clone() }),
    };
    let max_line = shared.max_line;
    let lines = Lines::new(source, max_line);
    let before_header = offset == 0;
    let path = shared.path.clone();
    let parser = Parser { path, before_header, next: seq, from, head, max_line, usual: 0, offset };
    Ok(FileChunks::new(lines, parser))
}

#[cfg(test)]
#[cfg(all(unix, feature = "zstd"))]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn header() -> SessionHeader {
        SessionHeader::main("s", 0)
    }

    /// One frame, not ended, with the header and one entry.
    fn half_a_frame() -> Vec<u8> {
        let mut lines = serde_json::to_vec(&header()).unwrap();
        lines.extend_from_slice("\n{\"seq\":0,\"type\":\"turn_start\",\"ü\":1}\n".as_bytes());
        let mut frame = ::zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        frame.write_all(&lines).unwrap();
        frame.flush().unwrap();
        frame.get_ref().clone()
    }

    #[test]
    fn a_writer_that_opened_before_a_rescue_and_locks_after_it_is_told_of_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, half_a_frame()).unwrap();
        let options = JsonlOptions::default();
        let late = Disk::open(&path, Access::Write).unwrap();
        let log = open(path.clone(), Access::Write, &options).unwrap();
        assert_eq!(log.shared.state().head, 1, "the entry was rescued");
        let refused = claim(&path, &late);
        assert!(
            matches!(refused, Err(LogError::Locked { .. })),
            "one writer at a time: the late one has the file that was put aside: {refused:?}"
        );
        drop(log);
        let refused = claim(&path, &late);
        assert!(matches!(refused, Err(LogError::Locked { .. })), "it stays put aside: {refused:?}");
        open(path, Access::Write, &options).unwrap();
    }

    #[test]
    fn a_writer_whose_log_is_gone_when_it_locks_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, half_a_frame()).unwrap();
        let disk = Disk::open(&path, Access::Write).unwrap();
        std::fs::remove_file(&path).unwrap();
        let refused = claim(&path, &disk);
        let Err(LogError::Io { source, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(source.kind(), io::ErrorKind::NotFound, "there is no log");
    }
}
