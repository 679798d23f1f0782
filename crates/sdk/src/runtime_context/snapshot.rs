use std::fmt;

use async_trait::async_trait;
use standing_orders_session::{InjectorId, SessionClass};

use super::{Entry, EntryError, RuntimeValues};
use crate::delegation::SUBAGENT_DELEGATION;
use crate::injector::{InjectError, InjectionContext, Injector, Instruction, Wanted};

/// The runtime context: one snapshot of ordered entries, kept current by the engine (S2).
///
/// # Behavior
/// - One instruction holds the whole snapshot: each entry that has a text, in order, as its name in
///   brackets on a line of its own and the text below, a blank line between two.
/// - Like every injector (I3): sent once, the whole snapshot again when it differs from the one
///   that is visible, again after a compaction, nothing on resume.
/// - When the last entry goes, the model is told once that the runtime context no longer applies
///   (the road's own removal, `Instructions removed: runtime context`), and then there is silence.
/// - An entry that fails fails the snapshot: it is reported, and what is visible stands (I6).
/// - It needs no root and no working directory, but, like all of the engine, a provider (P9): a host
///   without files hands over an empty `MemoryFs`.
/// - Its budget is its own, not the workspace's: where the loading of files is off or narrow, a
///   subagent is still told what it is (S3).
/// - A policy may deny it like any other injector (I2).
pub struct RuntimeContext {
    id: InjectorId,
    entries: Vec<Registered>,
    values: RuntimeValues,
    max_bytes: u64,
}

struct Registered {
    entry: Entry,
    /// Ours, which a deployment may replace.
    ours: bool,
    text: Box<Provide>,
}

type Provide = dyn Fn(&InjectionContext<'_>) -> Result<Option<String>, InjectError> + Send + Sync;

impl Default for RuntimeContext {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RuntimeContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<_> = self.entries.iter().map(|known| &known.entry).collect();
        f.debug_struct("RuntimeContext")
            .field("entries", &entries)
            .field("values", &self.values)
            .field("max_bytes", &self.max_bytes)
            .finish()
    }
}

impl RuntimeContext {
    /// Its id as an injector: what a policy asks for, and history records.
    pub const ID: &'static str = "runtime-context";
    /// The bytes of a message of its own, unless set otherwise.
    pub const MAX_BYTES: u64 = 16_384;

    /// With the entries that every deployment has: delegation in subagent sessions, and the mode.
    pub fn new() -> Self {
        let delegation = |cx: &InjectionContext<'_>| match cx.class() {
            SessionClass::Main => None,
            SessionClass::Subagent { .. } => Some(SUBAGENT_DELEGATION.to_owned()),
        };
        let mode = |cx: &InjectionContext<'_>| {
            let mode = cx.mode().map(str::trim).filter(|mode| !mode.is_empty());
            mode.map(|mode| format!("The session is in {mode} mode."))
        };
        Self {
            id: InjectorId::from(Self::ID),
            entries: vec![
                Registered {
                    entry: Entry::SUBAGENT_DELEGATION,
                    ours: true,
                    text: Box::new(move |cx| Ok(delegation(cx))),
                },
                Registered { entry: Entry::MODE, ours: true, text: Box::new(move |cx| Ok(mode(cx))) },
            ],
            values: RuntimeValues::default(),
            max_bytes: Self::MAX_BYTES,
        }
    }

    /// With the entry of delegation alone: for a deployment that set
    /// [`delegation_notice`](crate::Settings::delegation_notice) and registers none of its own (S3).
    pub(crate) fn delegation_notice() -> Self {
        let mut runtime = Self::new();
        runtime.entries.retain(|known| known.entry == Entry::SUBAGENT_DELEGATION);
        runtime
    }

    /// Registers an entry for every session, asked at each pre-step; `None` and a blank text leave
    /// it out. It should be quick, for it is not async: what takes time is set ([`RuntimeValues`]).
    /// Registering [`Entry::MODE`] replaces ours.
    ///
    /// # Errors
    /// The name is `subagent:delegation`, registered twice, or not one line of characters that can
    /// be seen.
    pub fn entry<F>(mut self, entry: Entry, text: F) -> Result<Self, EntryError>
    where
        F: Fn(&InjectionContext<'_>) -> Result<Option<String>, InjectError> + Send + Sync + 'static,
    {
        entry.check()?;
        if self.entries.iter().any(|known| !known.ours && known.entry.name() == entry.name()) {
            return Err(EntryError::Twice { name: entry.name().to_owned() });
        }
        self.entries.retain(|known| known.entry.name() != entry.name());
        self.entries.push(Registered { entry, ours: false, text: Box::new(text) });
        Ok(self)
    }

    /// Bytes a message may have, frame included (R5); 0 is off: what is visible stays. Default:
    /// [`MAX_BYTES`](Self::MAX_BYTES). What is over it is cut from the end, which the message says.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Where the host sets entries of single sessions.
    pub fn values(&self) -> RuntimeValues {
        self.values.clone()
    }

    fn snapshot(&self, context: &InjectionContext<'_>) -> Result<String, InjectError> {
        let set = self.values.of(context.header().id());
        let is_set = |name: &str| set.iter().any(|(entry, _)| entry.name() == name);
        let mut entries: Vec<(&Entry, String)> = Vec::new();
        for Registered { entry, text, .. } in self.entries.iter().filter(|known| !is_set(known.entry.name()))
        {
            let text = text(context)
                .map_err(|error| InjectError::new(format!("entry {}: {error}", entry.name())))?;
            entries.extend(text.map(|text| (entry, text)));
        }
        entries.extend(set.iter().map(|(entry, text)| (entry, text.to_string())));
        entries.sort_by_key(|(entry, _)| entry.order());
        let shown = entries.iter().map(|(entry, text)| (entry.name(), text.trim()));
        let shown =
            shown.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("[{name}]\n{text}"));
        Ok(shown.collect::<Vec<_>>().join("\n\n"))
    }
}

#[async_trait]
impl Injector for RuntimeContext {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let snapshot = self.snapshot(context)?;
        Ok(Wanted::These(match snapshot.is_empty() {
            true => Vec::new(),
            false => vec![Instruction::text("snapshot", "runtime context", snapshot)],
        }))
    }

    fn max_bytes(&self) -> Option<u64> {
        Some(self.max_bytes)
    }
}
