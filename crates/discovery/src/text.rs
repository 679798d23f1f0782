//! From the bytes of a file to its content (D10).

use std::sync::Arc;

/// How many bytes from the start are searched for NUL.
const TEXT_PROOF: usize = 8 << 10;

/// The content of a file, decoded (D10). Cheap to clone.
///
/// One leading byte-order mark is not content; line ends are kept as they are.
///
/// ```
/// use standing_orders_discovery::{Encoding, SourceText};
///
/// let text = SourceText::decode(b"\xff\xfeh\0i\0").unwrap();
/// assert_eq!((text.as_str(), text.encoding(), text.source_len()), ("hi", Encoding::Utf16Le, 6));
/// assert!(SourceText::decode(b"\x7fELF\0").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    text: Arc<str>,
    source_len: usize,
    encoding: Encoding,
    replaced: Option<Replaced>,
}

/// How a file is encoded, by its byte-order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 with a mark.
    Utf8Marked,
    /// UTF-16, low byte first, with a mark.
    Utf16Le,
    /// UTF-16, high byte first, with a mark.
    Utf16Be,
}

/// What was not valid and stands in the content as U+FFFD (D10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replaced {
    /// How many replacement characters stand for it.
    pub count: usize,
    /// Where the first invalid sequence begins, in bytes from the start of the file, mark included.
    pub first: usize,
}

impl SourceText {
    /// Decodes a whole file; `None` when it is not text.
    ///
    /// Not text is what has NUL in its first 8 KiB: a zero byte, or after a UTF-16 mark a zero code
    /// unit, so that UTF-32 is refused and not taken for UTF-16.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..TEXT_PROOF).unwrap_or(bytes);
        let (encoding, mark) = match bytes {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8Marked, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
            _ => (Encoding::Utf8, 0),
        };
        let content = bytes.get(mark..).unwrap_or_default();
        let (text, replaced) = match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => {
                if head.chunks_exact(2).any(|unit| unit == [0, 0]) {
                    return None;
                }
                let order =
                    if encoding == Encoding::Utf16Le { u16::from_le_bytes } else { u16::from_be_bytes };
                from_utf16(content, order)
            }
            Encoding::Utf8 | Encoding::Utf8Marked => {
                if head.contains(&0) {
                    return None;
                }
                match std::str::from_utf8(content) {
                    Ok(text) => (text.into(), None),
                    Err(_) => from_utf8(content),
                }
            }
        };
        let replaced =
            replaced.map(|replaced: Replaced| Replaced { first: mark + replaced.first, ..replaced });
        Some(Self { text, source_len: bytes.len(), encoding, replaced })
    }

    /// The content.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The content, shared.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The size of the file in bytes, as it was read.
    pub fn source_len(&self) -> usize {
        self.source_len
    }

    /// How the file is encoded.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// What was not valid, if anything.
    pub fn replaced(&self) -> Option<Replaced> {
        self.replaced
    }
}

/// Notes one more invalid sequence, which begins at `at`.
fn replace(replaced: &mut Option<Replaced>, text: &mut String, at: usize) {
    text.push(char::REPLACEMENT_CHARACTER);
    let first = replaced.map_or(at, |replaced| replaced.first);
    *replaced = Some(Replaced { count: replaced.map_or(1, |replaced| replaced.count + 1), first });
}

fn from_utf8(bytes: &[u8]) -> (Arc<str>, Option<Replaced>) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = None;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            replace(&mut replaced, &mut text, at);
            at += chunk.invalid().len();
        }
    }
    (text.into(), replaced)
}

fn from_utf16(bytes: &[u8], order: fn([u8; 2]) -> u16) -> (Arc<str>, Option<Replaced>) {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = None;
    let mut at = 0;
    for decoded in char::decode_utf16(units.iter().copied().map(order)) {
        match decoded {
            Ok(c) => {
                text.push(c);
                at += 2 * c.len_utf16();
            }
            Err(_) => {
                replace(&mut replaced, &mut text, at);
                at += 2;
            }
        }
    }
    if !rest.is_empty() {
        replace(&mut replaced, &mut text, at);
    }
    (text.into(), replaced)
}
