//! Sources beside messages that cannot carry one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Fact, InstructionSource, MessageId};

/// Which messages of a transcript are instruction messages of ours, and what each says (H3).
///
/// For hosts whose message type has no room for a source: stored beside the transcript, written
/// whenever the transcript is. It holds what is visible and nothing else, in transcript order;
/// touched paths are not kept, so a touch that no step has answered is lost with a restart.
///
/// The JSON form is `{"entries": [{"message": "m7", "source": {…}}]}`, the source as in H4. It is
/// plain data, so it can be a member of the host's own types however serde tags or flattens those.
/// An entry whose source this crate cannot read stays in the list, as a value (the order of its
/// members is not kept), and gives no fact (H4).
///
/// After a restart nothing is known of the messages that went before: see
/// [`MessageId`] on what that means for a store that goes by their identities.
///
/// ```
/// use standing_orders_session::{Action, Change, Digest, Fact, InstructionSource, Ledger};
///
/// // A transcript of strings: its messages are known by their place, and carry nothing.
/// let mut transcript = vec!["hello", "<system-reminder>…</system-reminder>"];
/// let source = InstructionSource {
///     id: "i-1".into(),
///     injector: "workspace".into(),
///     baseline: true,
///     baseline_identity: None,
///     replaces: None,
///     cwd: Digest::of("/ws"),
///     at: ".".to_owned(),
///     changes: vec![],
/// };
/// let mut ledger = Ledger::default();
/// ledger.enter("1", &source);
///
/// // A restart: both come back from the store.
/// let stored = serde_json::to_string(&ledger)?;
/// let mut ledger: Ledger = serde_json::from_str(&stored)?;
/// assert_eq!(ledger.facts(), [Fact::Entered(vec![source])]);
///
/// // The host compacts.
/// transcript.splice(.., ["summary"]);
/// assert_eq!(ledger.retain(|_| false), Some(Fact::Shadowed(vec!["i-1".into()])));
/// assert!(ledger.facts().is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    message: String,
    source: Value,
}

impl Entry {
    fn source(&self) -> Option<InstructionSource> {
        InstructionSource::from_value(&self.source).ok()
    }
}

impl Ledger {
    /// The message that the host knows as `message` entered with this source. Entering one again
    /// replaces what was known of it, so a retried write does no harm; its place is the last then.
    pub fn enter(&mut self, message: impl Into<String>, source: &InstructionSource) {
        let message = message.into();
        self.entries.retain(|entry| entry.message != message);
        self.entries.push(Entry { message, source: source.to_value() });
    }

    /// Only the messages for which `visible` says so are still in view: the others go. Gives the
    /// fact to feed, or `None` when no instruction message went.
    ///
    /// Also for opening: a ledger that was written when its transcript was not names messages that
    /// are not there.
    pub fn retain(&mut self, mut visible: impl FnMut(&str) -> bool) -> Option<Fact> {
        let mut shadowed: Vec<MessageId> = Vec::new();
        self.entries.retain(|entry| {
            let stays = visible(&entry.message);
            if !stays {
                shadowed.extend(entry.source().map(|source| source.id));
            }
            stays
        });
        (!shadowed.is_empty()).then_some(Fact::Shadowed(shadowed))
    }

    /// The host's names of the instruction messages in view, in order.
    pub fn messages(&self) -> impl Iterator<Item = &str> + '_ {
        self.entries.iter().map(|entry| &*entry.message)
    }

    /// What to feed when the session is opened: what is in view, entered in order.
    pub fn facts(&self) -> Vec<Fact> {
        let sources: Vec<_> = self.entries.iter().filter_map(Entry::source).collect();
        if sources.is_empty() { Vec::new() } else { vec![Fact::Entered(sources)] }
    }
}
