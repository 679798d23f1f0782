//! The JSON form of an entry, alone and as a line of a log.
//!
//! Written by hand because a derived enum either buffers the whole entry before it knows the type
//! or cannot keep an unknown one as it came. Here the type stands first, so `data` is parsed
//! straight from the text into its own structure.

use std::fmt;

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::{End, Event, ForeignEvent};
use crate::Json;

/// The types that have data, each with its variant.
macro_rules! kinds {
    ($apply:ident) => {
        $apply! {
            TurnEnd = "turn_end",
            StepEnd = "step_end",
            UserMessage = "user_message",
            AssistantMessage = "assistant_message",
            ToolCall = "tool_call",
            ToolResult = "tool_result",
            SystemMessage = "system_message",
            SubagentDescriptor = "subagent_descriptor",
            InboxSpliced = "inbox_spliced",
            SurfaceReplaced = "surface_replaced"
        }
    };
}

const TURN_START: &str = "turn_start";
const STEP_START: &str = "step_start";
const INSTANCE_START: &str = "instance_start";

pub(super) const SEQ: &str = "seq";
pub(super) const MORE: &str = "more";
const TYPE: &str = "type";
const DATA: &str = "data";

macro_rules! tables {
    ($($Variant:ident = $name:literal),*) => {
        #[derive(Clone, Copy)]
        enum Known {
            TurnStart,
            StepStart,
            InstanceStart,
            $($Variant,)*
        }

        impl Known {
            fn of(name: &str) -> Option<Self> {
                match name {
                    TURN_START => Some(Self::TurnStart),
                    STEP_START => Some(Self::StepStart),
                    INSTANCE_START => Some(Self::InstanceStart),
                    $($name => Some(Self::$Variant),)*
                    _ => None,
                }
            }
        }

        impl<'de> DeserializeSeed<'de> for Known {
            type Value = Event;

            /// The entry, from its `data`.
            fn deserialize<D: Deserializer<'de>>(self, data: D) -> Result<Event, D::Error> {
                match self {
                    Self::TurnStart => IgnoredAny::deserialize(data).map(|_| Event::TurnStart),
                    Self::StepStart => IgnoredAny::deserialize(data).map(|_| Event::StepStart),
                    Self::InstanceStart => IgnoredAny::deserialize(data).map(|_| Event::InstanceStart),
                    $(Self::$Variant => Deserialize::deserialize(data).map(Event::$Variant),)*
                }
            }
        }

        pub(super) fn kind_of(event: &Event) -> &str {
            match event {
                Event::TurnStart => TURN_START,
                Event::StepStart => STEP_START,
                Event::InstanceStart => INSTANCE_START,
                $(Event::$Variant(_) => $name,)*
                Event::Foreign(ForeignEvent { kind, .. }) => kind,
            }
        }

        pub(super) fn write_members<M: SerializeMap>(event: &Event, map: &mut M) -> Result<(), M::Error> {
            map.serialize_entry(TYPE, kind_of(event))?;
            match event {
                Event::TurnStart | Event::StepStart | Event::InstanceStart => Ok(()),
                $(Event::$Variant(data) => map.serialize_entry(DATA, data),)*
                Event::Foreign(ForeignEvent { members, .. }) => {
                    members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
                }
            }
        }
    };
}
kinds!(tables);

pub(super) fn is_known(kind: &str) -> bool {
    Known::of(kind).is_some()
}

impl Known {
    fn without_data<E: de::Error>(self) -> Result<Event, E> {
        match self {
            Self::TurnStart => Ok(Event::TurnStart),
            Self::StepStart => Ok(Event::StepStart),
            Self::InstanceStart => Ok(Event::InstanceStart),
            Self::TurnEnd => Ok(Event::TurnEnd(End::default())),
            Self::StepEnd => Ok(Event::StepEnd(End::default())),
            _ => Err(E::missing_field(DATA)),
        }
    }
}

enum Kind {
    Known(Known),
    Foreign(String),
}

enum Member {
    Seq,
    More,
    Type,
    Data,
    Other(String),
}

/// Reads a string and maps it without keeping it.
struct Name<T>(fn(&str) -> T);

impl<T> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        Ok(self.0(name))
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Name(|name| match name {
            SEQ => Self::Seq,
            MORE => Self::More,
            TYPE => Self::Type,
            DATA => Self::Data,
            other => Self::Other(other.to_owned()),
        }))
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Name(|name| {
            Known::of(name).map_or_else(|| Self::Foreign(name.to_owned()), Self::Known)
        }))
    }
}

/// Reads an entry with its place in a log: `seq`, and `more` of the same batch. The names are
/// reserved, so an entry alone has neither.
pub(super) struct Entry;

impl<'de> Visitor<'de> for Entry {
    type Value = (Option<u64>, Event);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event: an object with the members type and data")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut seq = None;
        let mut kind: Option<Kind> = None;
        let mut event: Option<Event> = None;
        // What stood before the type, or is of an entry that is not known.
        let mut kept: Vec<(String, Json)> = Vec::new();
        while let Some(member) = map.next_key()? {
            let name = match member {
                Member::Seq if seq.is_some() => return Err(de::Error::duplicate_field(SEQ)),
                Member::Seq => {
                    seq = Some(map.next_value()?);
                    continue;
                }
                Member::More => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                Member::Type if kind.is_some() => return Err(de::Error::duplicate_field(TYPE)),
                Member::Type => {
                    kind = Some(map.next_value()?);
                    continue;
                }
                Member::Data => match (&kind, &event) {
                    (Some(Kind::Known(known)), None) => {
                        event = Some(map.next_value_seed(*known)?);
                        continue;
                    }
                    (_, Some(_)) => return Err(de::Error::duplicate_field(DATA)),
                    _ => DATA.to_owned(),
                },
                Member::Other(name) => name,
            };
            if let Some(Kind::Known(_)) = kind {
                map.next_value::<IgnoredAny>()?;
            } else {
                kept.push((name, map.next_value()?));
            }
        }
        let event = match (kind.ok_or_else(|| de::Error::missing_field(TYPE))?, event) {
            (_, Some(event)) => event,
            (Kind::Foreign(kind), None) => Event::Foreign(ForeignEvent { kind, members: kept }),
            (Kind::Known(known), None) => match kept.iter().find(|(name, _)| name == DATA) {
                Some((_, data)) => known
                    .deserialize(&mut serde_json::Deserializer::from_str(data.as_str()))
                    .map_err(de::Error::custom)?,
                None => known.without_data()?,
            },
        };
        Ok((seq, event))
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entry).map(|(_, event)| event)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_members(self, &mut map)?;
        map.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ForeignEvent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ForeignEvent".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let known = [TURN_START, STEP_START, INSTANCE_START]
            .into_iter()
            .chain(NAMES.iter().copied())
            .collect::<Vec<_>>();
        schemars::json_schema!({
            "description": "An entry of a type that is not known here, kept as it came.",
            "type": "object",
            "properties": { "type": { "type": "string", "not": { "enum": known } } },
            "required": ["type"]
        })
    }
}

#[cfg(feature = "schema")]
macro_rules! names {
    ($($Variant:ident = $name:literal),*) => {
        const NAMES: &[&str] = &[$($name),*];
    };
}
#[cfg(feature = "schema")]
kinds!(names);
