//! The scopes of one injector, each with its last live entry.

use std::collections::HashMap;

use super::entry::Entry;
use super::{INDEXED, NONE};
use crate::{InjectorId, ScopeRef};

/// The scopes of one injector.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) injector: InjectorId,
    pub(super) live_messages: u32,
    /// Per scope, its last live entry, or `NONE`.
    pub(super) rows: Vec<u32>,
    /// From scope to its place in `rows`, once there are many.
    pub(super) index: Option<HashMap<String, u32>>,
}

impl Table {
    pub(super) fn new(injector: InjectorId) -> Self {
        Self { injector, live_messages: 0, rows: Vec::new(), index: None }
    }

    pub(super) fn row(&self, entries: &[Entry], scope: ScopeRef<'_>) -> Option<usize> {
        if let Some(index) = &self.index {
            return index.get(scope.to_scope().as_str()).map(|row| *row as usize);
        }
        self.rows.iter().position(|at| entries.get(*at as usize).is_some_and(|entry| entry.scope() == scope))
    }

    /// Makes `entry`, which will stand at `at`, the last of its scope.
    pub(super) fn place(&mut self, entries: &[Entry], entry: &mut Entry, at: u32) {
        let row = self.row(entries, entry.scope());
        if let Some(last) = row.and_then(|row| self.rows.get_mut(row)) {
            entry.earlier = std::mem::replace(last, at);
            entry.row = row.and_then(|row| u32::try_from(row).ok()).unwrap_or(NONE);
            return;
        }
        let row = u32::try_from(self.rows.len()).unwrap_or(NONE);
        (entry.row, entry.earlier) = (row, NONE);
        self.rows.push(at);
        if let Some(index) = &mut self.index {
            index.insert(entry.scope().to_scope().as_str().to_owned(), row);
        } else if self.rows.len() > INDEXED {
            let rows = self.rows.iter().zip(0_u32..).filter(|(at, _)| **at != NONE);
            // The newest is not among `entries` yet.
            let scopes = rows.map(|(at, row)| (entries.get(*at as usize).unwrap_or(entry).scope(), row));
            let keys = scopes.map(|(scope, row)| (scope.to_scope().as_str().to_owned(), row));
            self.index = Some(keys.collect());
        }
    }

    /// Where the entry at `at` has just died: goes back to the last of its scope that lives.
    pub(super) fn retreat(&mut self, entries: &[Entry], at: usize) {
        let Some(entry) = entries.get(at) else { return };
        let Some(row) = self.rows.get_mut(entry.row as usize) else { return };
        if *row as usize != at {
            return;
        }
        while let Some(last) = entries.get(*row as usize).filter(|entry| !entry.live) {
            *row = last.earlier;
        }
        if *row == NONE
            && let Some(index) = &mut self.index
        {
            index.remove(entry.scope().to_scope().as_str());
        }
    }
}
