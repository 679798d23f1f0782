//! Files that an argument names: regular ones, links followed, or `-` for standard input (L7).
//!
//! A named pipe, a socket or a device may never end, and opening one may wait for somebody else.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use crate::text::number;

/// What a file is read for, which decides what a refusal offers instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// `-` stands for standard input.
    Dash,
    /// Only a file will do.
    No,
}

/// Whether the argument means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a regular file for reading.
pub(crate) fn open(path: &Path, stdin: Stdin) -> io::Result<File> {
    // Before it is opened, for that alone can wait.
    regular(&std::fs::metadata(path)?, stdin)?;
    let file = File::open(path)?;
    regular(&file.metadata()?, stdin)?;
    Ok(file)
}

/// The bytes of a regular file, or of standard input for `-` where that is allowed; more than `most` are
/// refused.
pub(crate) fn read(path: &Path, stdin: Stdin, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let within = most.saturating_add(1);
    match stdin == Stdin::Dash && is_stdin(path) {
        true => io::stdin().lock().take(within).read_to_end(&mut bytes)?,
        false => open(path, stdin)?.take(within).read_to_end(&mut bytes)?,
    };
    match bytes.len() as u64 > most {
        true => Err(refused(format!("larger than {} bytes, which is the most that is read", number(most)))),
        false => Ok(bytes),
    }
}

/// The same, as text.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, Stdin::No, most)?)
        .map_err(|error| refused(format!("not UTF-8, from byte {} on", error.utf8_error().valid_up_to() + 1)))
}

/// Refuses what is there and is no regular file, without opening it. What is not there is for who opens it.
pub(crate) fn refuse_other_kinds(path: &Path) -> io::Result<()> {
    std::fs::metadata(path).map_or(Ok(()), |metadata| regular(&metadata, Stdin::No))
}

fn regular(metadata: &Metadata, stdin: Stdin) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let or = if stdin == Stdin::Dash { ", or - for standard input" } else { "" };
    Err(refused(format!("it is {}, expected a regular file{or}", kind(metadata))))
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "no regular file"
}
