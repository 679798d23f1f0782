//! The model's history: a list of everything, looked through anew for each question.

use std::collections::BTreeMap;

use standing_orders_session::{Action, Digest, Replaces};

#[derive(Clone, Debug)]
pub(super) struct Baseline {
    pub(super) identity: String,
    pub(super) all_distinct: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) action: Action,
    pub(super) scope: String,
    pub(super) path: String,
    pub(super) previous: Option<String>,
    pub(super) digest: Option<Digest>,
}

#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) injector: String,
    pub(super) baseline: Option<Baseline>,
    pub(super) cwd: String,
    pub(super) at: String,
    pub(super) changes: Vec<Entry>,
    pub(super) replaces: Option<Replaces>,
}

/// What the model sees of one place of the surface.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Other,
    Message(Message),
}

/// The visible state of one scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loaded {
    pub(super) in_force: bool,
    pub(super) path: String,
    pub(super) digest: Digest,
    /// Another path, with its digest, that nothing in view revokes.
    pub(super) stray: Option<(String, Digest)>,
}

pub(super) type State = BTreeMap<String, Loaded>;

#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) surface: Vec<Line>,
    /// Reported, and not answered by an entered step.
    pub(super) touches: Vec<String>,
    /// What a restart takes for not answered: by path, whether a step has entered or ended since, so
    /// that the next one to enter surely knew of it.
    pub(super) recorded: BTreeMap<String, bool>,
    /// What inner calls touched, by the call that is waited for.
    pub(super) waiting_calls: BTreeMap<String, Vec<String>>,
    pub(super) turn_open: bool,
    pub(super) step_open: bool,
}

fn is_of_chain(scope: &str, at: &str) -> bool {
    let Some((dir, _)) = scope.split_once('\0') else { return true };
    dir == "." || format!("{at}/").starts_with(&format!("{dir}/"))
}

impl History {
    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.surface.iter().filter_map(|line| match line {
            Line::Message(message) => Some(message),
            Line::Other => None,
        })
    }

    pub(super) fn of(&self, injector: &str) -> impl DoubleEndedIterator<Item = &Message> {
        self.messages().filter(move |message| message.injector == injector)
    }

    pub(super) fn baseline(&self) -> Option<&Baseline> {
        self.messages().rev().find_map(|message| message.baseline.as_ref())
    }

    /// The last visible entry of a scope decides; a baseline ends what was left out before it (C8).
    pub(super) fn state(&self, injector: &str) -> State {
        let mut state = State::new();
        for message in self.of(injector) {
            if message.baseline.is_some() {
                state.retain(|_, loaded| loaded.in_force);
            }
            match message.replaces {
                Some(Replaces::All) => state.clear(),
                Some(Replaces::Chain) => state.retain(|scope, _| !is_of_chain(scope, &message.at)),
                None => {}
            }
            for Entry { action, scope, path, previous, digest } in &message.changes {
                let known = state.remove(scope).filter(|loaded| loaded.in_force);
                // A baseline's list that leaves it out says nothing of what stands.
                if let (Action::Omit, Some(known), true) = (action, &known, message.baseline.is_some()) {
                    state.insert(scope.clone(), known.clone());
                    continue;
                }
                let others = known.into_iter().flat_map(|loaded| {
                    [Some((loaded.path, loaded.digest)), loaded.stray].into_iter().flatten()
                });
                let mut others =
                    others.filter(|(known, _)| known != path && previous.as_ref() != Some(known));
                let loaded = match (action, digest) {
                    (Action::Set | Action::Replace, Some(digest)) => {
                        Some((true, path.clone(), *digest, others.next()))
                    }
                    (Action::Omit, Some(digest)) => Some((false, path.clone(), *digest, None)),
                    // A removal revokes its own path, and no other.
                    _ => others.next().map(|(path, digest)| (true, path, digest, others.next())),
                };
                if let Some((in_force, path, digest, stray)) = loaded {
                    state.insert(scope.clone(), Loaded { in_force, path, digest, stray });
                }
            }
        }
        state
    }

    /// A call settles (C5): what it and the calls within it touched.
    pub(super) fn settle(&mut self, id: &str, parent: Option<&str>, ok: bool, path: Option<&str>) -> bool {
        let mut touched = self.waiting_calls.remove(id).unwrap_or_default();
        touched.extend(path.filter(|_| ok).map(str::to_owned));
        match parent {
            Some(parent) => {
                self.waiting_calls.entry(parent.to_owned()).or_default().append(&mut touched);
                false
            }
            None => {
                self.surface.push(Line::Other);
                self.touches.extend(touched.iter().cloned());
                self.recorded.extend(touched.iter().map(|path| (path.clone(), false)));
                touched.len() > 1 || !touched.is_empty() && path.is_none()
            }
        }
    }

    /// The open step ends, if one is open.
    pub(super) fn end_step(&mut self) {
        if std::mem::take(&mut self.step_open) {
            self.recorded.values_mut().for_each(|known| *known = true);
        }
    }

    /// A step enters, as the log tells it.
    pub(super) fn enter_step(&mut self) {
        self.step_open = true;
        self.recorded.retain(|_, known| !*known);
        self.recorded.values_mut().for_each(|known| *known = true);
    }

    /// One summary takes the place of these lines.
    pub(super) fn compact(&mut self, first: usize, last: usize) {
        self.surface.splice(first..=last, [Line::Other]);
    }
}
