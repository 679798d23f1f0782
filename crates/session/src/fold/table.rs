//! The scopes of one injector, each with its last live entry.

use std::collections::HashMap;

use super::entry::{Entries, Entry};
use super::{INDEXED, NONE};
use crate::{InjectorId, ScopeRef};

/// The scopes of one injector.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) injector: InjectorId,
    /// Per scope, its last live entry, or `NONE`.
    pub(super) rows: Vec<u32>,
    /// Once there are many.
    pub(super) index: Option<Box<ByScope>>,
    pub(super) live_messages: u32,
}

/// From scope to its place in the rows.
#[derive(Clone, Debug)]
pub(super) struct ByScope(HashMap<String, u32>);

impl Table {
    pub(super) fn new(injector: InjectorId) -> Self {
        Self { injector, rows: Vec::new(), index: None, live_messages: 0 }
    }

    pub(super) fn row(&self, entries: &Entries, scope: ScopeRef<'_>) -> Option<usize> {
        if let Some(ByScope(index)) = self.index.as_deref() {
            return index.get(scope.to_scope().as_str()).map(|row| *row as usize);
        }
        let of = |at: &u32| entries.list.get(*at as usize).map(|entry| entries.scope(entry));
        self.rows.iter().position(|at| of(at) == Some(scope))
    }

    /// The last live entry of a scope.
    pub(super) fn last(&self, entries: &Entries, scope: ScopeRef<'_>) -> Option<u32> {
        let row = self.row(entries, scope)?;
        self.rows.get(row).copied().filter(|at| *at != NONE)
    }

    /// Makes `entry`, which will stand at `at`, the last of its scope.
    pub(super) fn place(&mut self, entries: &Entries, entry: &mut Entry, at: u32) {
        let row = self.row(entries, entries.scope(entry));
        if let Some(last) = row.and_then(|row| self.rows.get_mut(row)) {
            entry.earlier = std::mem::replace(last, at);
            entry.row = row.and_then(|row| u32::try_from(row).ok()).unwrap_or(NONE);
            return;
        }
        let row = u32::try_from(self.rows.len()).unwrap_or(NONE);
        (entry.row, entry.earlier) = (row, NONE);
        self.rows.push(at);
        if let Some(ByScope(index)) = self.index.as_deref_mut() {
            index.insert(entries.scope(entry).to_scope().as_str().to_owned(), row);
        } else if self.rows.len() > INDEXED {
            let rows = self.rows.iter().zip(0_u32..).filter(|(at, _)| **at != NONE);
            // The newest is not among `entries` yet.
            let of = |at: u32| entries.scope(entries.list.get(at as usize).unwrap_or(entry));
            let keys = rows.map(|(at, row)| (of(*at).to_scope().as_str().to_owned(), row));
            self.index = Some(Box::new(ByScope(keys.collect())));
        }
    }

    /// Where the entry at `at` has just died: goes back to the last of its scope that lives.
    pub(super) fn retreat(&mut self, entries: &Entries, at: usize) {
        let Some(entry) = entries.list.get(at) else { return };
        let Some(row) = self.rows.get_mut(entry.row as usize) else { return };
        if *row as usize != at {
            return;
        }
        while let Some(last) = entries.list.get(*row as usize).filter(|entry| !entry.live) {
            *row = last.earlier;
        }
        if *row == NONE
            && let Some(ByScope(index)) = self.index.as_deref_mut()
        {
            index.remove(entries.scope(entry).to_scope().as_str());
        }
    }
}
