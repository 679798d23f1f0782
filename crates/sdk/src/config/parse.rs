//! How single values are read, so that a fault says what can stand there.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;

use schemars::{Schema, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use standing_orders_discovery::Selection;
use standing_orders_render::Overflow;

use super::home;
use crate::globs::folder_glob;
use crate::policy::Sessions;
use crate::{Imports, NestedDiscovery};

/// A whole number within bounds. Numbers of any size, sign and form arrive here, from every source.
struct Whole {
    /// Without what follows a number that is too large.
    expected: &'static str,
    min: u64,
    max: u64,
}

impl Whole {
    fn check<E: de::Error>(&self, number: Option<u64>, found: Unexpected<'_>) -> Result<u64, E> {
        match number {
            Some(number) if (self.min..=self.max).contains(&number) => Ok(number),
            Some(number) if number > self.max => Err(self.too_large(found)),
            _ => Err(E::invalid_value(found, &self.expected)),
        }
    }

    fn too_large<E: de::Error>(&self, found: Unexpected<'_>) -> E {
        E::invalid_value(found, &&*format!("{}, at most {}", self.expected, self.max))
    }
}

impl Visitor<'_> for Whole {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        self.check(Some(number), Unexpected::Unsigned(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        self.check(number.try_into().ok(), Unexpected::Signed(number))
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<u64, E> {
        let text = number.to_string();
        match u64::try_from(number) {
            Ok(number) => self.check(Some(number), Unexpected::Other(&text)),
            Err(_) => Err(self.too_large(Unexpected::Other(&text))),
        }
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<u64, E> {
        self.check(number.try_into().ok(), Unexpected::Other(&number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<u64, E> {
        // A number such as 65536.0, as some writers of JSON have it, is whole; above 2^53 a float
        // cannot tell.
        let whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
        let number_text = number.to_string();
        if number.is_finite() && number >= 18_446_744_073_709_551_616.0 {
            return Err(self.too_large(Unexpected::Other(&number_text)));
        }
        let as_u64 = whole.then(|| number_text.parse().ok()).flatten();
        self.check(as_u64, Unexpected::Other(&number_text))
    }
}

/// Bytes, 0 for off (R5).
pub(super) fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let expected = "a whole number of bytes, 0 or more";
    from.deserialize_u64(Whole { expected, min: 0, max: u64::MAX })
}

pub(super) fn optional_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    bytes(from).map(Some)
}

/// Bytes, at least 1 (D7).
pub(super) fn positive_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<NonZeroU64, D::Error> {
    let expected = "a whole number of bytes, 1 or more";
    let bytes = from.deserialize_u64(Whole { expected, min: 1, max: u64::MAX })?;
    Ok(NonZeroU64::new(bytes).unwrap_or(NonZeroU64::MIN))
}

/// A depth of delegation (I4).
pub(super) fn depth<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let expected = "a depth: 0 is a main session, 1 a subagent of it, and so on";
    let depth = from.deserialize_u64(Whole { expected, min: 0, max: u64::from(u32::MAX) })?;
    Ok(Some(u32::try_from(depth).unwrap_or(u32::MAX)))
}

/// `"a" or "b"`.
pub(super) fn one_of(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
}

/// One of a few words. Not serde's own enums: figment takes a number for the index of a variant.
pub(super) trait Choice: Copy + PartialEq + 'static {
    const NAMES: &'static [&'static str];
    const VALUES: &'static [Self];

    fn from_name(name: &str) -> Option<Self> {
        let named = Self::NAMES.iter().zip(Self::VALUES).find(|(known, _)| **known == name);
        named.map(|(_, value)| *value)
    }

    fn name(self) -> &'static str {
        let named = Self::NAMES.iter().zip(Self::VALUES).find(|(_, value)| **value == self);
        named.map_or("", |(name, _)| name)
    }
}

impl Choice for Overflow {
    const NAMES: &'static [&'static str] = &["drop", "trim"];
    const VALUES: &'static [Self] = &[Self::Drop, Self::Trim];
}

impl Choice for Selection {
    const NAMES: &'static [&'static str] = &["first", "all_distinct"];
    const VALUES: &'static [Self] = &[Self::First, Self::AllDistinct];
}

impl Choice for NestedDiscovery {
    const NAMES: &'static [&'static str] = &["cwd", "project"];
    const VALUES: &'static [Self] = &[Self::Cwd, Self::Project];
}

impl Choice for Imports {
    const NAMES: &'static [&'static str] = &["off", "report", "expand"];
    const VALUES: &'static [Self] = &[Self::Off, Self::Report, Self::Expand];
}

impl Choice for Sessions {
    const NAMES: &'static [&'static str] = &["main", "subagent", "any"];
    const VALUES: &'static [Self] = &[Self::Main, Self::Subagent, Self::Any];
}

struct Word<T>(PhantomData<T>);

impl<T: Choice> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_of(T::NAMES))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        T::from_name(word).ok_or_else(|| E::unknown_variant(word, T::NAMES))
    }
}

pub(super) fn choice<'de, D: Deserializer<'de>, T: Choice>(from: D) -> Result<T, D::Error> {
    from.deserialize_str(Word(PhantomData))
}

pub(super) fn choice_name<S: Serializer, T: Choice>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.name().serialize(to)
}

pub(super) fn choice_schema<T: Choice>(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": T::NAMES })
}

/// A table, and nothing else: serde's own structs can be lists as well.
pub(super) fn table<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct Table<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_map(Table(PhantomData))
}

/// A list of tables.
pub(super) fn tables<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct One<T>(T);
    impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            table(from).map(Self)
        }
    }
    let list: Vec<One<T>> = Deserialize::deserialize(from)?;
    Ok(list.into_iter().map(|One(entry)| entry).collect())
}

/// A text that `valid` says yes to.
pub(super) fn text<'de, D: Deserializer<'de>>(
    from: D,
    expected: &'static str,
    valid: fn(&str) -> bool,
) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if valid(&text) { Ok(text) } else { Err(de::Error::invalid_value(Unexpected::Str(&text), &expected)) }
}

/// A profile's name, `none`, or a folder (D6).
pub(super) fn home<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    text(from, home::EXPECTED, home::is_valid)
}

/// Globs of folders (D14).
pub(super) fn folders<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Folder(String);
    impl<'de> Deserialize<'de> for Folder {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            let glob = String::deserialize(from)?;
            match folder_glob(&glob) {
                Ok(_) => Ok(Self(glob)),
                Err(reason) => {
                    let expected =
                        format!("a glob of folders relative to the root, such as `**/vendor`: {reason}");
                    Err(de::Error::invalid_value(Unexpected::Str(&glob), &&*expected))
                }
            }
        }
    }
    let list: Vec<Folder> = Deserialize::deserialize(from)?;
    Ok(list.into_iter().map(|Folder(glob)| glob).collect())
}

/// The name of the frame's tag (R3).
pub(super) fn frame_tag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let expected = "a plain tag name: an ASCII letter, then letters, digits, `-`, `_`, `.` or `:`";
    text(from, expected, |tag| standing_orders_render::Frame::new(tag).is_ok()).map(Some)
}
