use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Entry, EntryError};

/// Entries of the runtime context that a host sets for one session, from any task, without waiting
/// (S2). A handle: clones share what was set. What is set counts from the next pre-step.
///
/// It holds nothing durable. A host that resumes a session sets its entries again before the first
/// pre-step: what it does not set counts as gone then, and the model is told so. What was set is
/// kept until [`forget`](Self::forget).
#[derive(Clone, Debug, Default)]
pub struct RuntimeValues {
    sessions: Arc<Mutex<HashMap<String, Values>>>,
}

/// Of one session, in the order in which they were first set; `None`: taken back, keeps its place.
type Values = Vec<(Entry, Option<Arc<str>>)>;

impl RuntimeValues {
    /// Sets an entry for the session with this id. It stands in place of what is registered under
    /// its name and of what was set before, order included. A blank text is as good as none: the
    /// snapshot is without this entry, also where one is registered.
    ///
    /// # Errors
    /// The name is `subagent:delegation`, or not one line of characters that can be seen.
    pub fn set(&self, session: &str, entry: Entry, text: impl Into<Arc<str>>) -> Result<(), EntryError> {
        entry.check()?;
        let text = text.into();
        let mut sessions = self.sessions();
        let values = sessions.entry(session.to_owned()).or_default();
        match values.iter_mut().find(|(known, _)| known.name() == entry.name()) {
            Some(known) => *known = (entry, Some(text)),
            None => values.push((entry, Some(text))),
        }
        Ok(())
    }

    /// Takes back what was set under this name: what is registered under it, if anything, stands
    /// again. Whether there was something.
    pub fn unset(&self, session: &str, name: &str) -> bool {
        let mut sessions = self.sessions();
        let known = sessions.get_mut(session).into_iter().flatten();
        let of_name = known.filter(|(entry, _)| entry.name() == name);
        of_name.filter_map(|(_, text)| text.take()).count() > 0
    }

    /// Takes back everything that was set for a session: it has ended here.
    pub fn forget(&self, session: &str) {
        self.sessions().remove(session);
    }

    pub(super) fn of(&self, session: &str) -> Vec<(Entry, Arc<str>)> {
        let sessions = self.sessions();
        let known = sessions.get(session).into_iter().flatten();
        known.filter_map(|(entry, text)| Some((entry.clone(), text.clone()?))).collect()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Values>> {
        // Nothing under the lock can panic half-way; a poisoned one is as good as any.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
