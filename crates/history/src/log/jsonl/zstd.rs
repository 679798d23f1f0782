//! Compressed logs: the last batch by its mark, and all of them where the file does not end with
//! one.

pub(super) mod mark;
mod text;

use std::io::{self, Read as _};
use std::path::Path;

use super::disk::Disk;
use super::open::{ZSTD_MAGIC, failed};
use super::reader::read_error;
use super::{Found, tail, zeros};
use crate::log::ZstdReader;
use crate::{Damage, LogError, SessionHeader};
use text::Text;

/// What is searched at a time.
const WINDOW: u64 = 64 * 1024;

/// The header and the end of the log.
pub(super) fn find(
    path: &Path,
    disk: &Disk,
    len: u64,
    max_line: u64,
) -> Result<(SessionHeader, Found), LogError> {
    let found = match last_batch(disk, len, max_line).map_err(failed(path, "read the last batch"))? {
        Some(head) => Found { head, end: len, torn: 0 },
        None => Survey::new(path, disk, len, max_line).run()?,
    };
    match tail::header(path, &mut ZstdReader::new(disk.slice(0, found.end)), max_line) {
        Ok((header, _)) => Ok((header, found)),
        // More stands behind it.
        Err(LogError::NoHeader { .. }) => {
            Err(compression(path, 1, 0, "the frame of the header is cut short"))
        }
        Err(error) => Err(error),
    }
}

/// The head, if the file ends with a mark and the batch that it closes is whole. Whatever else is
/// there, the survey tells.
fn last_batch(disk: &Disk, len: u64, max_line: u64) -> io::Result<Option<u64>> {
    let Some(end) = len.checked_sub(mark::LEN as u64) else { return Ok(None) };
    let found = read(disk, end, len)?;
    let Some(start) = mark::batch_len(&found).and_then(|batch| end.checked_sub(batch)) else {
        return Ok(None);
    };
    if mark::expected(disk, start, end)?[..] != found[..] {
        return Ok(None);
    }
    let mut text = if start == 0 { Text::default() } else { Text::behind_header() };
    Ok(match frame(disk, start, end, max_line, &mut text)? {
        Ended::At(at) if at == end && text.is_whole() => Some(text.head()),
        _ => None,
    })
}

fn read(disk: &Disk, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    disk.slice(from, to).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How a frame ended.
enum Ended {
    At(u64),
    /// The file ended before.
    Short,
    /// It cannot be decoded.
    Undecoded(io::Error),
    /// Its text is none of a log.
    Text(Damage),
}

/// Decodes the one frame that begins at `start`.
fn frame(disk: &Disk, start: u64, to: u64, max_line: u64, text: &mut Text) -> io::Result<Ended> {
    let mut decoder = ZstdReader::new(disk.slice(start, to)).single_frame();
    let mut buffer = vec![0; 128 * 1024];
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok(Ended::At(start + decoder.taken())),
            Ok(read) => {
                if let Err(damage) = text.take(buffer.get(..read).unwrap_or_default(), max_line) {
                    return Ok(Ended::Text(damage));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Ended::Short),
            // The decoder reports its own faults without a code of the operating system.
            Err(error) if error.raw_os_error().is_none() => return Ok(Ended::Undecoded(error)),
            Err(error) => return Err(error),
        }
    }
}

fn compression(path: &Path, line: u64, offset: u64, reason: &str) -> LogError {
    let damage = Damage::Compression { offset, reason: reason.to_owned() };
    LogError::Damaged { path: path.to_path_buf(), line, damage }
}

/// Goes through the whole log, frame by frame.
///
/// A log that was written before there were marks, or packed anew, has none up to the first: there
/// every whole frame counts as closed by itself.
struct Survey<'a> {
    path: &'a Path,
    disk: &'a Disk,
    len: u64,
    /// The zeros up to the end of the file begin here.
    written: u64,
    max_line: u64,
    text: Text,
    /// Where the next frame begins.
    at: u64,
    /// A mark was there.
    marked: bool,
    /// Where the log can be cut, and the head there.
    closed: (u64, u64),
}

impl<'a> Survey<'a> {
    fn new(path: &'a Path, disk: &'a Disk, len: u64, max_line: u64) -> Self {
        let (text, closed) = (Text::default(), (0, 0));
        Self { path, disk, len, written: len, max_line, text, at: 0, marked: false, closed }
    }

    fn run(mut self) -> Result<Found, LogError> {
        let io = failed(self.path, "read the log");
        self.written = zeros::trailing(self.disk, 0, self.len).map_err(&io)?;
        // A frame may end with zeros of its own: then what is written ends within it.
        while self.at < self.len && self.at < self.written {
            if let Some(end) = self.foreign().map_err(&io)? {
                self.at = end;
                self.close();
                continue;
            }
            let (ended, text) = self.frame().map_err(&io)?;
            let Ended::At(end) = ended else {
                self.torn(ended, &text)?;
                break;
            };
            let expected = mark::expected(self.disk, self.at, end).map_err(&io)?;
            let written = self.written.max(end);
            let behind = read(self.disk, end, written.min(end + mark::LEN as u64)).map_err(&io)?;
            if behind == expected {
                if !text.is_whole() {
                    return Err(self.damaged("a mark closes half a batch"));
                }
                (self.text, self.at, self.marked) = (text, end + mark::LEN as u64, true);
                self.close();
                continue;
            }
            let is_cut = expected.starts_with(&behind) && end + behind.len() as u64 == written;
            if self.marked || mark::begins(&behind) || is_cut && !behind.is_empty() {
                if !is_cut {
                    return Err(self.damaged("the mark that closes the batch is changed or missing"));
                }
                if self.marked {
                    break;
                }
                (self.text, self.at) = (text, end);
                self.close();
                break;
            }
            (self.text, self.at) = (text, end);
            self.close();
        }
        let (end, head) = self.closed;
        if self.text.lines() == 0 {
            return Err(LogError::NoHeader { path: self.path.to_path_buf() });
        }
        if !self.text.is_whole() {
            return Err(self.damaged("the log ends within a batch that no mark closes"));
        }
        Ok(Found { head, end, torn: self.len - end })
    }

    /// Decodes the frame that begins here, which may end with zeros of its own.
    fn frame(&self) -> io::Result<(Ended, Text)> {
        for to in [self.len, self.written] {
            let mut text = self.text.ahead();
            let ended = frame(self.disk, self.at, to, self.max_line, &mut text)?;
            if matches!(ended, Ended::At(_)) || to == self.written {
                return Ok((ended, text));
            }
        }
        Ok((Ended::Short, self.text.ahead()))
    }

    fn close(&mut self) {
        if self.text.is_whole() {
            self.closed = (self.at, self.text.head());
        }
    }

    /// The end of a whole frame that begins here and that decoders skip, if it is no mark.
    fn foreign(&self) -> io::Result<Option<u64>> {
        let begin = read(self.disk, self.at, self.at + 8)?;
        let Some((magic, size)) = begin.split_first_chunk::<4>() else { return Ok(None) };
        let Ok(size) = <[u8; 4]>::try_from(size) else { return Ok(None) };
        let is_skipped = u32::from_le_bytes(*magic) & 0xFFFF_FFF0 == 0x184D_2A50;
        let end = self.at + 8 + u64::from(u32::from_le_bytes(size));
        Ok((is_skipped && !mark::begins(&begin) && end <= self.len).then_some(end))
    }

    fn damaged(&self, reason: &str) -> LogError {
        compression(self.path, self.text.lines() + 1, self.at, reason)
    }

    /// Whether the frame that begins here, and of which `text` is what could be read, is torn; an
    /// error where it is damaged.
    fn torn(&self, ended: Ended, text: &Text) -> Result<(), LogError> {
        let io = failed(self.path, "read the log");
        if self.written <= self.at {
            return Ok(());
        }
        let is_closed = mark::stands_in(self.disk, self.at, self.len).map_err(&io)?;
        if is_closed && let Some((offset, bytes)) = zeros::lost(self.disk, self.at, self.len).map_err(&io)? {
            let (path, line) = (self.path.to_path_buf(), self.text.lines() + 1);
            return Err(LogError::Damaged { path, line, damage: Damage::Lost { offset, bytes } });
        }
        if self.marked && !is_closed {
            return Ok(());
        }
        let line = text.lines() + 1;
        let begin = read(self.disk, self.at, self.written.min(self.at + 4)).map_err(&io)?;
        match ended {
            Ended::At(_) | Ended::Short if !ZSTD_MAGIC.starts_with(&begin) => {
                Err(self.damaged("no zstd frame begins here"))
            }
            Ended::Text(damage) => Err(LogError::Damaged { path: self.path.to_path_buf(), line, damage }),
            Ended::Undecoded(error) => Err(read_error(self.path, line, self.at, error)),
            Ended::At(_) | Ended::Short if is_closed || self.whole_frame_behind().map_err(&io)? => {
                Err(self.damaged("a frame claims more than there is before the next one"))
            }
            // One that was written here has one batch. Another tool's holds many, which were
            // acknowledged before they were packed.
            Ended::At(_) | Ended::Short if self.at == 0 && text.lines() > 1 || text.batches() > 1 => {
                Err(self.damaged("a frame of several batches is cut short"))
            }
            Ended::At(_) | Ended::Short => Ok(()),
        }
    }

    /// Whether a whole frame begins behind this one's begin, which then is not the last.
    fn whole_frame_behind(&self) -> io::Result<bool> {
        let mut from = self.at + 1;
        while from < self.written {
            let window = read(self.disk, from, self.written.min(from + WINDOW))?;
            for at in memchr::memmem::find_iter(&window, &ZSTD_MAGIC) {
                let source = self.disk.slice(from + at as u64, self.written);
                match io::copy(&mut ZstdReader::new(source).single_frame(), &mut io::sink()) {
                    Ok(_) => return Ok(true),
                    Err(error) if error.raw_os_error().is_none() => {}
                    Err(error) => return Err(error),
                }
            }
            // One may begin across two windows.
            from += WINDOW - ZSTD_MAGIC.len() as u64 + 1;
        }
        Ok(false)
    }
}
