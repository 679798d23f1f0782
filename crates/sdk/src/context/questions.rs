//! What a host may ask of an open session, without changing it (C15, I9).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_session::{Action, Change, Digest, InjectorId, MessageId, Scope};

use super::{Context, StepInput};
use crate::message::InstructionMessage;
use crate::prepared::Prepared;
use crate::report::Report;

/// One scope that the model has (I9).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InForce {
    /// Whose.
    pub injector: InjectorId,
    /// Which scope.
    pub scope: Scope,
    /// As shown to the model.
    pub path: String,
    /// Of its content, as recorded.
    pub digest: Digest,
}

/// An instruction that applies to a path and is not visible yet (C15).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undelivered {
    /// Whose.
    pub injector: InjectorId,
    /// Which scope.
    pub scope: Scope,
    /// As it would be shown.
    pub path: String,
}

impl Context {
    /// Every scope the model has, of all injectors, sorted by injector and path (I9).
    pub fn in_force(&self) -> Vec<InForce> {
        let of = |injector: &InjectorId| {
            let in_force = self.visible.scopes(injector).filter(|entry| entry.state.is_in_force());
            let in_force = in_force.flat_map(|entry| {
                let own = (entry.path, entry.state.digest());
                let stray = entry.stray.map(|stray| (stray.path, stray.digest));
                [Some(own), stray].into_iter().flatten().map(move |(path, digest)| InForce {
                    injector: injector.clone(),
                    scope: entry.scope.clone(),
                    path: path.to_owned(),
                    digest,
                })
            });
            in_force.collect::<Vec<_>>()
        };
        let mut all: Vec<InForce> = self.visible.injectors().flat_map(of).collect();
        all.sort_by(|a, b| (&a.path, &a.injector, &a.scope).cmp(&(&b.path, &b.injector, &b.scope)));
        all
    }

    /// What would be due with a step now, for a host's own memory command (I9). The same as
    /// [`pre_step`](Self::pre_step), but nobody is told.
    pub async fn due(&self, input: StepInput<'_>) -> Prepared {
        let mark = self.touches.log().mark();
        let touched: Vec<PathBuf> = self.touches.log().waiting().map(Path::to_path_buf).collect();
        self.prepare(input, &touched, mark).await.0
    }

    /// The report of the last step that entered (X1).
    pub fn last_report(&self) -> Option<&Arc<Report>> {
        self.last_report.as_ref()
    }

    /// Whether an instruction message is visible, by its identity.
    pub fn is_visible(&self, message: &MessageId) -> bool {
        self.visible.is_visible(message)
    }

    /// Which instructions apply to these paths and are not visible yet, so that a host can hold
    /// one write until the model has read them (C15). Changes nothing; the ordinary road delivers
    /// once the paths are reported as touched.
    pub async fn undelivered<P: AsRef<Path>>(&self, paths: &[P], input: StepInput<'_>) -> Vec<Undelivered> {
        let asked: Vec<PathBuf> =
            paths.iter().filter_map(|path| self.touches.resolve(path.as_ref())).collect();
        let mark = self.touches.log().mark();
        let mut touched: Vec<PathBuf> = self.touches.log().waiting().map(Path::to_path_buf).collect();
        touched.extend(asked.iter().cloned());
        let (prepared, found) = self.prepare(input, &touched, mark).await;
        let rooted = self.rooted.get().or(found.as_ref());
        let applies = |injector: &InjectorId, scope: &Scope| {
            // What rules import applies as the rule does, which is due; and what is for the whole project, what
            // the user-global file imports with it.
            let dir =
                scope.split().map(|(dir, _)| dir).filter(|dir| injector.is_workspace() && !dir.is_empty());
            let Some(dir) = dir else { return true };
            let folder = rooted.and_then(|rooted| rooted.folder_of(dir));
            folder.is_some_and(|folder| asked.iter().any(|path| path.starts_with(&folder)))
        };
        let mut undelivered = Vec::new();
        for InstructionMessage { source, .. } in prepared.messages() {
            let content = |change: &&Change| matches!(change.action, Action::Set | Action::Replace);
            for change in source
                .changes
                .iter()
                .filter(content)
                .filter(|change| applies(&source.injector, &change.scope))
            {
                let (injector, scope) = (source.injector.clone(), change.scope.clone());
                undelivered.push(Undelivered { injector, scope, path: change.path.clone() });
            }
        }
        // What waits for room in a later message is not visible yet either.
        let waiting =
            prepared.pending.waiting.iter().filter(|waiting| applies(&waiting.injector, &waiting.scope));
        undelivered.extend(waiting.cloned().map(|waiting| Undelivered {
            injector: waiting.injector,
            scope: waiting.scope,
            path: waiting.path,
        }));
        undelivered
    }
}
