//! Content identity.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha1::{Digest as _, Sha1};

/// SHA-1 of decoded content, written as lower-case hex (H4). An identity, not a defence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 20]);

impl Digest {
    /// Of the text as it is: what the workspace injector records.
    ///
    /// ```
    /// let digest = standing_orders_session::Digest::of("root");
    /// assert_eq!(digest.to_string(), "dc76e9f0c0006e8f919e0c515c66dbba3982f785");
    /// ```
    pub fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// Of bytes that need not be text, such as a path.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha1::digest(bytes).into())
    }

    /// Of the text after normalising: CRLF to LF, white space at line ends and around the whole
    /// dropped. What every other injector records, so that a store that trims changes nothing (H4).
    ///
    /// ```
    /// use standing_orders_session::Digest;
    /// assert_eq!(Digest::of_normalised("rules  \r\n"), Digest::of_normalised("rules"));
    /// ```
    pub fn of_normalised(text: &str) -> Self {
        let text = text.trim();
        let mut kept = Kept::default();
        let mut from = 0;
        for end in line_ends_after_blank(text.as_bytes()) {
            let line = text.get(from..end).unwrap_or_default();
            let blank = |c: char| c != '\n' && c.is_whitespace();
            kept.push(line.trim_end_matches(blank).as_bytes());
            from = end;
        }
        kept.push(text.get(from..).unwrap_or_default().as_bytes());
        kept.finish()
    }

    /// Of the text without the Unicode white space around it: what siblings are compared by (D5).
    pub fn of_trimmed(text: &str) -> Self {
        Self::of(text.trim())
    }

    /// The twenty bytes.
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

/// Bytes that are looked at, and hashed, together.
const TOGETHER: usize = 4096;

/// Where a line ends after something that may be a blank: not a printable ASCII character, and not
/// another line end. Whole pieces of text without such an end are passed over at once.
fn line_ends_after_blank(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const fn may_be_blank(before: u8) -> bool {
        (before.wrapping_sub(b'!') > b'~' - b'!') & (before != b'\n')
    }
    let pieces = (1..bytes.len()).step_by(TOGETHER).map(|start| {
        let end = (start + TOGETHER).min(bytes.len());
        let after = bytes.get(start..end).unwrap_or_default();
        let before = bytes.get(start - 1..end - 1).unwrap_or_default();
        (start, before, after)
    });
    pieces.flat_map(|(start, before, after)| {
        let pairs = before.iter().zip(after);
        // Without a branch, so that many are compared at a time.
        let any = pairs
            .fold(0, |any, (before, at)| any | (u8::from(*at == b'\n') & u8::from(may_be_blank(*before))));
        let after = if any == 0 { &[] } else { after };
        let ends = memchr::memchr_iter(b'\n', after);
        ends.filter(|at| before.get(*at).copied().is_some_and(may_be_blank)).map(move |at| start + at)
    })
}

/// What is hashed: long pieces as they are, short ones first put together.
#[derive(Default)]
struct Kept {
    hasher: Sha1,
    short: Vec<u8>,
}

impl Kept {
    fn push(&mut self, piece: &[u8]) {
        if self.short.len() + piece.len() > TOGETHER {
            self.hasher.update(&self.short);
            self.short.clear();
        }
        if piece.len() > TOGETHER {
            self.hasher.update(piece);
        } else {
            self.short.extend_from_slice(piece);
        }
    }

    fn finish(mut self) -> Digest {
        self.hasher.update(&self.short);
        Digest(self.hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0_u8; 40];
        let nibbles = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (to, nibble) in text.iter_mut().zip(nibbles) {
            *to = HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Not forty lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is forty lower-case hex digits")]
pub struct ParseDigestError;

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != 40 {
            return Err(ParseDigestError);
        }
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ParseDigestError),
        };
        let mut digest = [0; 20];
        let mut digits = text.bytes();
        for byte in &mut digest {
            let (Some(high), Some(low)) = (digits.next(), digits.next()) else {
                return Err(ParseDigestError);
            };
            *byte = nibble(high)? << 4 | nibble(low)?;
        }
        Ok(Self(digest))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_form_has_no_blanks_at_line_ends_and_none_around_it() {
        let rows = [
            ("crlf", "a\r\nb\r\n", "a\nb"),
            ("blanks at line ends", "a \t\nb  \n\n c", "a\nb\n\n c"),
            ("a line of blanks", "a\n \t \n\u{2003}\nb", "a\n\n\nb"),
            ("blanks of any script", "é\u{3000}\nñ\u{a0}", "é\nñ"),
            ("normal already", "a\n\n\tb", "a\n\n\tb"),
            ("nothing", " \n ", ""),
        ];
        for (name, text, normal) in rows {
            assert_eq!(Digest::of_normalised(text), Digest::of(normal), "{name}");
        }
        assert_ne!(Digest::of_normalised("a\nb"), Digest::of_normalised("ab"), "a line end is content");
    }

    #[test]
    fn a_normal_form_is_the_same_however_long_the_text_and_wherever_it_is_looked_at_in_pieces() {
        let naive = |text: &str| {
            let lines: Vec<_> = text.trim().split('\n').map(str::trim_end).collect();
            Digest::of(&lines.join("\n"))
        };
        for fill in [1, TOGETHER - 3, TOGETHER - 2, TOGETHER - 1, TOGETHER, TOGETHER + 1, 3 * TOGETHER] {
            for (name, end) in [
                ("blank", "x \ny"),
                ("é", "é\ny"),
                ("wide", "x\u{2003}\ny"),
                ("crlf", "x\r\n\r\n\ny"),
                ("none", "x\ny"),
            ] {
                let lines = [format!("{}{end}", "a".repeat(fill)), format!("{}{end}", "b \n".repeat(fill))];
                for text in [lines.concat(), lines.join("\n"), lines.iter().rev().cloned().collect()] {
                    assert_eq!(Digest::of_normalised(&text), naive(&text), "{name} after {fill}");
                }
            }
        }
    }
}
