//! JSON of a host's own, kept as it came.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::InstructionSource;

/// One JSON value, kept byte for byte as it came: order of members, spelling of numbers and all.
///
/// A prompt cache is warm only while the bytes are the same, so what a host put in comes out
/// alike after a resume. The one exception: a line feed or carriage return between two tokens
/// becomes a blank, since a log has one event a line (H2).
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Of anything that serialises.
    ///
    /// # Errors
    /// What the value's own `Serialize` reports.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// From text.
    ///
    /// # Errors
    /// When the text is not one JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.to_owned()).map(Self::from)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// As a tree. Numbers beyond 64 bits lose digits there; the text does not.
    ///
    /// # Errors
    /// When the value is nested more than 128 deep.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        // Within a string both are escaped, so a bare one stands between tokens.
        let text = raw.get().as_bytes();
        if !text.contains(&b'\n') && !text.contains(&b'\r') {
            return Self(raw);
        }
        let one_line = raw.get().replace(['\n', '\r'], " ");
        Self(RawValue::from_string(one_line).unwrap_or(raw))
    }
}

impl From<&InstructionSource> for Json {
    fn from(source: &InstructionSource) -> Self {
        Self::from(&source.to_value())
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        Self(RawValue::from_string(value.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from).map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}
