//! Paths as people and models read them (D11).

use std::fmt::{self, Write};
use std::path::{Path, PathBuf, is_separator};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A path in shown form, escaped while it is written: no allocation of its own (D11).
///
/// Components are joined by `/` on every platform, and the empty path is `.`. Control, format, line
/// and paragraph separator, unassigned and private characters, default-ignorables, and white space
/// other than the plain blank appear as `\u{hex}` in lower case, bytes that are not UTF-8 as `\xhh`, a
/// backslash as `\\`. So it is always one line, and [`unshown`] reads it back.
///
/// Which characters are unassigned is a matter of the Unicode version this crate is built with. A newer
/// one shows some paths plainer than before; [`unshown`] reads both forms.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'p>(&'p Path);

/// The text is not the shown form of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotShown {
    /// A backslash that begins none of `\\`, `\u{hex}`, `\xhh`.
    #[error("no escape of ours at byte {at}")]
    Escape {
        /// Where the backslash stands, in bytes.
        at: usize,
    },
    /// Bytes that are not UTF-8, on a platform whose paths cannot carry them.
    #[error("this platform has no path of these bytes")]
    Bytes,
}

/// `path`, or one component, in shown form.
///
/// ```
/// use std::path::Path;
/// use standing_orders_discovery::path::{shown, unshown};
///
/// let path = Path::new("docs/a\nb/c:\\d/é");
/// assert_eq!(shown(path).to_string(), r"docs/a\u{a}b/c:\\d/é");
/// assert_eq!(unshown(r"docs/a\u{a}b/c:\\d/é").as_deref(), Ok(path));
/// ```
pub fn shown(path: &Path) -> Shown<'_> {
    Shown(path)
}

/// `path` relative to `root` in shown form, `.` for the root itself; `None` when it is not below, for
/// no absolute path is meant for the model (D6, D11).
pub fn shown_in<'p>(root: &Path, path: &'p Path) -> Option<Shown<'p>> {
    path.strip_prefix(root).ok().map(Shown)
}

/// The path that `text` is the shown form of: `unshown(shown(p)) == p`, where `.` and the empty path
/// are one.
///
/// # Errors
/// `text` has an escape that [`shown`] never writes, or stands for a path that this platform cannot have.
pub fn unshown(text: &str) -> Result<PathBuf, NotShown> {
    if text == "." {
        return Ok(PathBuf::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let at = text.len() - escape.len() - 1;
        rest = unescape(escape, &mut bytes).ok_or(NotShown::Escape { at })?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    from_bytes(bytes)
}

/// Decodes one escape, its backslash already gone, onto `bytes`; what follows it, or `None`.
fn unescape<'t>(escape: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let lower_hex = |digits: &str| digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if let Some(rest) = escape.strip_prefix('\\') {
        bytes.push(b'\\');
        return Some(rest);
    }
    if let Some(escape) = escape.strip_prefix("u{") {
        let (digits, rest) = escape.split_once('}')?;
        let scalar = u32::from_str_radix(digits, 16).ok().filter(|_| lower_hex(digits))?;
        bytes.extend_from_slice(char::from_u32(scalar)?.encode_utf8(&mut [0; 4]).as_bytes());
        return Some(rest);
    }
    let (digits, rest) = escape.strip_prefix('x')?.split_at_checked(2)?;
    bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| lower_hex(digits))?);
    Some(rest)
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Result<PathBuf, NotShown> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Result<PathBuf, NotShown> {
    String::from_utf8(bytes).map(PathBuf::from).map_err(|_| NotShown::Bytes)
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.as_os_str().as_encoded_bytes();
        if bytes.is_empty() {
            return f.write_char('.');
        }
        for chunk in bytes.utf8_chunks() {
            let mut plain = chunk.valid();
            while let Some((at, special)) = plain.char_indices().find(|&(_, c)| is_special(c)) {
                let (before, after) = plain.split_at_checked(at).unwrap_or((plain, ""));
                f.write_str(before)?;
                match special {
                    _ if is_separator(special) => f.write_char('/')?,
                    '\\' => f.write_str(r"\\")?,
                    _ => write!(f, "\\u{{{:x}}}", u32::from(special))?,
                }
                plain = after.strip_prefix(special).unwrap_or("");
            }
            f.write_str(plain)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Whether `c` is not shown as it is.
fn is_special(c: char) -> bool {
    if c.is_ascii() {
        return c == '\\' || c.is_ascii_control();
    }
    c.is_whitespace()
        || is_default_ignorable(c)
        || matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::Unassigned
                | GeneralCategory::PrivateUse
        )
}

/// The property Default_Ignorable_Code_Point, whole, as it is from Unicode 14 to 16.
pub(crate) fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
