//! JSON of a host's own, kept as it came.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::InstructionSource;

/// One JSON value, kept byte for byte as it came: order of members, spelling of numbers and all.
///
/// A prompt cache is warm only while the bytes are the same, so what a host put in comes out
/// alike after a resume. The one exception: a line feed or carriage return between two tokens
/// becomes a blank, since a log has one event a line (H2).
///
/// Only the text itself has the bytes. Where serde takes it apart first, which it does within types
/// of the host's own that are `untagged`, internally tagged or flattened, and where it comes from a
/// [`Value`] or another format than JSON, the value is kept and the bytes are not: members may
/// change places, and numbers beyond 64 bits lose digits.
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
        Box::<RawValue>::deserialize(Lenient(deserializer)).map(Self::from)
    }
}

/// `RawValue` asks for its bytes by the name of a newtype, which only the deserializers of
/// `serde_json` know. Another one takes the name for a newtype and offers what is in it; that is
/// read as a tree, which is asked again.
struct Lenient<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Lenient<D> {
    type Error = D::Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, Offered { name, visitor })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Offered<V> {
    name: &'static str,
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Offered<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    /// The bytes.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(map)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let value = Value::deserialize(deserializer)?;
        value.deserialize_newtype_struct(self.name, self.visitor).map_err(D::Error::custom)
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
