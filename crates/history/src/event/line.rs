//! An entry as a line of a log: its place, then its own members.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Event;
use super::form::{Entry, MORE, SEQ, write_members};

#[derive(Debug)]
pub(crate) struct Line {
    /// The sequence number.
    pub(crate) seq: u64,
    pub(crate) event: Event,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (seq, event) = deserializer.deserialize_map(Entry)?;
        let seq = seq.ok_or_else(|| D::Error::missing_field(SEQ))?;
        Ok(Self { seq, event })
    }
}

/// A line to be written.
pub(crate) struct LineRef<'a> {
    pub(crate) seq: u64,
    /// How many lines of the same batch follow.
    pub(crate) more: u64,
    pub(crate) event: &'a Event,
}

impl Serialize for LineRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(SEQ, &self.seq)?;
        if self.more > 0 {
            map.serialize_entry(MORE, &self.more)?;
        }
        write_members(self.event, &mut map)?;
        map.end()
    }
}

/// A line's place alone.
#[derive(Debug, Deserialize)]
pub(crate) struct LineHead {
    pub(crate) seq: u64,
    #[serde(default)]
    pub(crate) more: u64,
}
