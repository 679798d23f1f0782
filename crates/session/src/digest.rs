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
        let mut hasher = Sha1::new();
        let mut from = 0;
        for (end, _) in text.match_indices('\n') {
            let line = text.get(from..end).unwrap_or_default();
            let kept = from + line.trim_end_matches(|c: char| c != '\n' && c.is_whitespace()).len();
            if kept < end {
                hasher.update(text.get(from..kept).unwrap_or_default());
                from = end;
            }
        }
        hasher.update(text.get(from..).unwrap_or_default());
        Self(hasher.finalize().into())
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
}
