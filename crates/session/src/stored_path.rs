//! The JSON form of a path, in headers and in whatever else a history stores.
//!
//! A path that is UTF-8 is a string. Any other is an object with the platform's own units in
//! lower-case hex, `{"unix": "2f77ff"}` or `{"windows": "d800"}`, so that nothing is lost where
//! it was written; the other platform refuses it by name.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path in this form.
#[derive(Clone, Debug)]
pub struct StoredPath(
    /// The path.
    pub PathBuf,
);

struct Stored<'a>(&'a Path);

impl Serialize for Stored<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.0.to_str() {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(UNITS, &hex_of(self.0))?;
        map.end()
    }
}

impl Serialize for StoredPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Path;
        impl<'de> Visitor<'de> for Path {
            type Value = StoredPath;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a path: a string, or an object {{\"{UNITS}\": HEX}}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StoredPath, E> {
                Ok(StoredPath(PathBuf::from(text)))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<StoredPath, E> {
                Ok(StoredPath(PathBuf::from(text)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StoredPath, A::Error> {
                let Some((units, hex)) = map.next_entry::<String, String>()? else {
                    return Err(de::Error::custom("a path without units"));
                };
                if units != UNITS {
                    return Err(de::Error::custom(format!("a path in {units:?} units has no form here")));
                }
                let path = from_hex(&hex)
                    .ok_or_else(|| de::Error::custom(format!("{hex:?} is not a path in hex")))?;
                if map.next_key::<de::IgnoredAny>()?.is_some() {
                    return Err(de::Error::custom("a path with more than its units"));
                }
                Ok(StoredPath(path))
            }
        }
        deserializer.deserialize_any(Path)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for StoredPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Path".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A path: a string, or the platform's own units in lower-case hex where it is not UTF-8.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "unix": { "type": "string", "pattern": "^([0-9a-f]{2})*$" },
                        "windows": { "type": "string", "pattern": "^([0-9a-f]{4})*$" }
                    },
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": false
                }
            ]
        })
    }
}

/// For `#[serde(with)]` on a list.
/// For `serde(with)`: a list of paths.
pub mod list {
    use super::{PathBuf, Stored, StoredPath};
    use serde::{Deserialize, Deserializer, Serializer};

    /// Each path in its form.
    ///
    /// # Errors
    /// The serialiser's own.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| Stored(path)))
    }

    /// The paths again.
    ///
    /// # Errors
    /// What is no path in this form, or one of another platform.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<StoredPath>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(|StoredPath(path)| path).collect())
    }
}

fn digits(hex: &str) -> Option<Vec<u8>> {
    hex.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect()
}

#[cfg(not(windows))]
const UNITS: &str = "unix";

#[cfg(not(windows))]
fn hex_of(path: &Path) -> String {
    use std::fmt::Write as _;
    path.as_os_str().as_encoded_bytes().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(not(windows))]
fn from_hex(hex: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let digits = digits(hex)?;
    let bytes = digits
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => Some(high << 4 | low),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(windows)]
const UNITS: &str = "windows";

#[cfg(windows)]
fn hex_of(path: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::windows::ffi::OsStrExt as _;
    path.as_os_str().encode_wide().fold(String::new(), |mut hex, unit| {
        let _ = write!(hex, "{unit:04x}");
        hex
    })
}

#[cfg(windows)]
fn from_hex(hex: &str) -> Option<PathBuf> {
    use std::os::windows::ffi::OsStringExt as _;
    let digits = digits(hex)?;
    let units = digits
        .chunks(4)
        .map(|unit| {
            (unit.len() == 4).then(|| unit.iter().fold(0_u16, |sum, digit| sum << 4 | u16::from(*digit)))
        })
        .collect::<Option<Vec<_>>>()?;
    Some(PathBuf::from(std::ffi::OsString::from_wide(&units)))
}
