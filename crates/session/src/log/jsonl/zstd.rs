//! Compressed logs: where the frames are, and what a crash left behind the last one.

mod frame;

use std::io::{self, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use zstd::stream::read::Decoder;

use super::disk::{Access, Disk, Slice, sync_folder};
use super::lines::{Buffer, Lines, LinesError};
use super::lost::{Zeros, zeros};
use super::open::{ZSTD_MAGIC, names_beside};
use super::reader::read_error;
use super::{Found, JsonlOptions};
use crate::event::LineHead;
use crate::{Damage, LogError};
use frame::{End, Frames};

pub(super) fn decoder(path: &Path, source: Slice) -> Result<Decoder<'static, BufReader<Slice>>, LogError> {
    Decoder::new(source).map_err(failed(path, "set up decompression"))
}

fn failed<'a>(path: &'a Path, doing: &'static str) -> impl Fn(io::Error) -> LogError + 'a {
    move |source| LogError::Io { path: path.to_path_buf(), doing, source }
}

/// The end of the log, and how many entries stand before it: less than the head where complete
/// batches stand in half a frame.
pub(super) fn find(path: &Path, disk: &Disk, len: u64, max_line: u64) -> Result<(Found, u64), LogError> {
    let mut frames = Frames::new(disk, len);
    let mut last = 0;
    loop {
        let at = frames.at();
        match frames.next().map_err(failed(path, "read"))? {
            Some(End::At(_)) => last = at,
            Some(End::Skipped(_)) => {}
            Some(End::Torn | End::Damaged) => break,
            None => {
                if let Some(head) = head_of_frame(disk, last, len, max_line) {
                    return Ok((Found { head, end: len, readable: len, torn: 0 }, head));
                }
                break;
            }
        }
    }
    survey(path, disk, len, max_line)
}

/// The head, if the last frame begins with a line and ends with a batch, as those written here do.
fn head_of_frame(disk: &Disk, start: u64, len: u64, max_line: u64) -> Option<u64> {
    let mut lines = Lines::new(Decoder::new(disk.slice(start, len)).ok()?, max_line);
    let mut buffer = Buffer::default();
    let mut last: Option<Vec<u8>> = None;
    while lines.next_lines(&mut buffer).ok()? {
        if last.is_none() && !buffer.lines().starts_with(b"{\"seq\":") {
            return None;
        }
        last = buffer.lines().split_inclusive(|byte| *byte == b'\n').next_back().map(<[u8]>::to_vec);
    }
    if !lines.rest().is_empty() {
        return None;
    }
    let last: LineHead = serde_json::from_slice(&last?).ok()?;
    if last.more == 0 { last.seq.checked_add(1) } else { None }
}

/// What the decoded text tells so far.
#[derive(Clone, Default)]
struct Text {
    partial: Vec<u8>,
    /// The header counts.
    lines: u64,
    /// Behind the last complete batch.
    head: u64,
    next: u64,
}

impl Text {
    /// Whether it ends with the header or a complete batch.
    fn is_whole(&self) -> bool {
        self.partial.is_empty() && self.lines > 0 && self.next == self.head
    }

    fn take(&mut self, mut text: &[u8], max_line: u64) -> Result<(), Damage> {
        while let Some(at) = memchr::memchr(b'\n', text) {
            let (line, rest) = text.split_at_checked(at).unwrap_or((text, &[]));
            text = rest.get(1..).unwrap_or_default();
            self.partial.extend_from_slice(line);
            self.line(max_line)?;
            self.partial.clear();
        }
        self.partial.extend_from_slice(text);
        if self.partial.len() as u64 > max_line {
            return Err(Damage::TooLong { limit: max_line });
        }
        Ok(())
    }

    fn line(&mut self, max_line: u64) -> Result<(), Damage> {
        if self.partial.len() as u64 >= max_line {
            return Err(Damage::TooLong { limit: max_line });
        }
        if self.lines > 0 {
            let LineHead { seq, more } = serde_json::from_slice(&self.partial)
                .map_err(|error| Damage::NotAnEvent { reason: error.to_string() })?;
            if seq != self.next {
                return Err(Damage::Sequence { expected: self.next, found: seq });
            }
            self.next += 1;
            if more == 0 {
                self.head = self.next;
            }
        }
        self.lines += 1;
        Ok(())
    }
}

/// Decodes all of the log, frame by frame, to tell a torn end from damage and to find where it can
/// be cut.
fn survey(path: &Path, disk: &Disk, len: u64, max_line: u64) -> Result<(Found, u64), LogError> {
    let mut frames = Frames::new(disk, len);
    let mut text = Text::default();
    // Where the log can be cut, and the head there.
    let mut whole = (0, 0);
    let mut readable = len;
    loop {
        let start = frames.at();
        if text.is_whole() {
            whole = (start, text.head);
        }
        let end = match frames.next().map_err(failed(path, "read"))? {
            None => break,
            Some(End::Skipped(_)) => continue,
            Some(end) => end,
        };
        let mut ahead = text.clone();
        let no_frame = |reason: &str| LogError::Damaged {
            path: path.to_path_buf(),
            line: text.lines + 1,
            damage: Damage::Compression { offset: start, reason: reason.to_owned() },
        };
        let fault = match end {
            End::At(end) => match decode(path, disk, start, end, false, &mut ahead, max_line) {
                Ok(()) => {
                    text = ahead;
                    continue;
                }
                Err(fault @ LogError::Damaged { .. }) => fault,
                Err(error) => return Err(error),
            },
            End::Torn => no_frame("a frame claims more than there is before the next one"),
            End::Damaged | End::Skipped(_) => no_frame("no zstd frame begins here"),
        };
        let Some(Torn { at, data_behind }) = torn(disk, start, end, len).map_err(failed(path, "read"))?
        else {
            return Err(fault);
        };
        let (before, begins_batch) = (text.head, start > 0 && whole.0 == start);
        decode(path, disk, start, at, true, &mut text, max_line)?;
        // A frame that is written here is one batch. Another tool's holds many, which were
        // acknowledged before they were packed: cut short it keeps those before the cut, but in its
        // middle nothing may be missing.
        if data_behind && (text.head > before || !begins_batch) {
            return Err(fault);
        }
        readable = at;
        break;
    }
    if text.lines == 0 {
        return Err(LogError::NoHeader { path: path.to_path_buf() });
    }
    let (end, saved) = whole;
    let (head, torn) = (text.head, len - end);
    Ok((Found { head, end, readable, torn }, saved))
}

/// Decodes one frame, or half of one, which ends somewhere.
fn decode(
    path: &Path,
    disk: &Disk,
    start: u64,
    end: u64,
    half: bool,
    text: &mut Text,
    max_line: u64,
) -> Result<(), LogError> {
    let mut decoder = decoder(path, disk.slice(start, end))?;
    let mut buffer = vec![0; 128 * 1024];
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                text.take(buffer.get(..read).unwrap_or_default(), max_line).map_err(|damage| {
                    LogError::Damaged { path: path.to_path_buf(), line: text.lines + 1, damage }
                })?;
            }
            Err(error) if half && error.raw_os_error().is_none() => return Ok(()),
            Err(error) => return Err(read_error(path, text.lines + 1, start, error)),
        }
    }
}

/// The last frame is there in part.
struct Torn {
    /// What stands before came as it was written.
    at: u64,
    /// More of it came, behind pages that did not.
    data_behind: bool,
}

/// How the frame that begins at `start` is torn; `None` where it is damaged.
fn torn(disk: &Disk, start: u64, end: End, len: u64) -> io::Result<Option<Torn>> {
    if frame::follows(disk, start, len)? {
        return Ok(None);
    }
    let Zeros { lost, data_behind, .. } = zeros(disk, start, len)?;
    let Some(lost) = lost else {
        return Ok((end == End::Torn).then_some(Torn { at: len, data_behind: false }));
    };
    let damaged = match end {
        // What decodes as a whole came as a whole, whatever it says.
        End::At(end) => lost >= end || frame::is_sound(disk, start, end)?,
        _ => false,
    };
    if damaged || frame::begins_between(disk, start.saturating_add(1), lost)? {
        return Ok(None);
    }
    Ok(Some(Torn { at: lost, data_behind }))
}

/// Writes the log anew up to its last complete batch, which stands in half a frame, and puts it in
/// the place of the old one; gives the new file, its length, and where the old one is.
///
/// The new file takes the name in one go, so whatever happens one of the two has it.
pub(super) fn rescue(
    path: &Path,
    disk: &Disk,
    found: &Found,
    saved: u64,
    options: &JsonlOptions,
) -> Result<(Disk, u64, PathBuf), LogError> {
    let path = &std::fs::canonicalize(path).map_err(failed(path, "resolve the name of the log"))?;
    let mut name = path.as_os_str().to_owned();
    name.push(".rescued");
    let name = PathBuf::from(name);
    match std::fs::remove_file(&name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed(&name, "remove what an interrupted opening left")(error));
        }
        _ => {}
    }
    let new = Disk::open(&name, Access::Create).map_err(failed(&name, "create"))?;
    if !new.lock().map_err(failed(&name, "lock"))? {
        return Err(LogError::Locked { path: name });
    }
    let wanted = found.head - saved + u64::from(found.end == 0);
    let mut writer = Appender { disk: &new, at: 0 };
    io::copy(&mut disk.slice(0, found.end), &mut writer).map_err(failed(&name, "copy the log"))?;
    let level = options.level;
    let mut frame = zstd::stream::write::Encoder::new(writer, level)
        .and_then(|mut frame| frame.include_checksum(true).map(|()| frame))
        .map_err(failed(&name, "set up compression"))?;
    let mut lines = Lines::new(decoder(path, disk.slice(found.end, found.readable))?, options.max_line_bytes);
    let mut buffer = Buffer::default();
    let mut left = wanted;
    while left > 0 {
        match lines.next_lines(&mut buffer) {
            Ok(true) => {}
            Ok(false) => return Err(failed(path, "read")(io::ErrorKind::UnexpectedEof.into())),
            Err(LinesError::Read(error)) => return Err(failed(path, "read")(error)),
            Err(LinesError::TooLong) => return Err(failed(path, "read")(io::ErrorKind::InvalidData.into())),
        }
        let lines = buffer.lines().split_inclusive(|byte| *byte == b'\n');
        for line in lines.take(usize::try_from(left).unwrap_or(usize::MAX)) {
            frame.write_all(line).map_err(failed(&name, "write"))?;
            left -= 1;
        }
    }
    let Appender { at, .. } = frame.finish().map_err(failed(&name, "write"))?;
    new.sync().map_err(failed(&name, "sync"))?;
    let mut kept_in = None;
    for name in names_beside(path, found.end) {
        match std::fs::hard_link(path, &name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => {
                linked.map_err(failed(&name, "keep the log as it was"))?;
                kept_in = Some(name);
                break;
            }
        }
    }
    let kept_in =
        kept_in.ok_or_else(|| failed(path, "keep the log as it was")(io::ErrorKind::AlreadyExists.into()))?;
    std::fs::rename(&name, path)
        .and_then(|()| sync_folder(path))
        .map_err(failed(path, "put the rescued log in its place"))?;
    Ok((new, at, kept_in))
}

/// Writes one piece after the other.
struct Appender<'a> {
    disk: &'a Disk,
    at: u64,
}

impl io::Write for Appender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write_all_at(bytes, self.at)?;
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
