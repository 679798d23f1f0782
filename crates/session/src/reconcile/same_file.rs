//! One file, one rendering; equal siblings (D9, D5).

use std::collections::{HashMap, HashSet};

use super::standing::{Shown, Standing, Verdict};
use super::{FileKey, Slot, Zone};
use crate::Digest;

/// Who holds a file.
#[derive(Clone, Copy, Default)]
struct Holder {
    /// An unavailable winner that is not loaded came first: what is not loaded is kept from showing.
    unread: bool,
    /// The first winner that shows it, or stands behind one that does.
    shows: Option<usize>,
}

/// Decides for each winner whether it is shown by itself.
///
/// The chain's places come before nested ones, then in order.
pub(super) fn resolve(slots: &[Slot<'_>], standings: &mut [Standing<'_>]) {
    // A loaded scope that is unavailable keeps its content from showing elsewhere.
    let frozen = standings.iter().filter(|standing| standing.verdict == Verdict::Frozen);
    let held: HashSet<Digest> = frozen.filter_map(|standing| Some(standing.loaded?.state.digest())).collect();
    let winners =
        standings.iter().filter(|standing| matches!(standing.verdict, Verdict::Winner { .. })).count();
    let mut files: HashMap<FileKey, Holder> = HashMap::with_capacity(winners);
    let mut siblings: HashMap<(usize, Digest), usize> = HashMap::new();
    for zone in [Zone::Chain, Zone::Nested] {
        for (number, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.zone == zone) {
            let Some(standing) = standings.get(number) else { continue };
            let (file, trimmed) = match standing.verdict {
                Verdict::Winner { file, trimmed, .. } => (file, trimmed),
                Verdict::Unavailable { file: Some(file) } => {
                    files.entry(file).or_insert(Holder { unread: true, shows: None });
                    continue;
                }
                _ => continue,
            };
            let sibling = trimmed.map(|trimmed| (slot.directory, trimmed));
            let holder = file.and_then(|file| files.get(&file)).copied().unwrap_or_default();
            let equal = sibling.and_then(|key| siblings.get(&key).copied());
            let shown = match (holder.shows, equal) {
                // What is loaded gives way to a place that shows the file, never to an unread one.
                _ if holder.unread && standing.loaded.is_none() => Shown::Held,
                (Some(earlier), _) => behind(standings, number, earlier, true),
                (None, Some(earlier)) => behind(standings, number, earlier, false),
                (None, None) => Shown::Itself,
            };
            let shown = match standing.verdict {
                Verdict::Winner { digest, .. }
                    if shown == Shown::Itself && standing.loaded.is_none() && held.contains(&digest) =>
                {
                    Shown::Held
                }
                _ => shown,
            };
            if let Some(standing) = standings.get_mut(number) {
                standing.shown = shown;
            }
            if let Some(file) = file {
                let holder = files.entry(file).or_default();
                holder.shows = holder.shows.or((shown != Shown::Held).then_some(number));
            }
            if let Some(key) = sibling {
                siblings.entry(key).or_insert(number);
            }
        }
    }
}

/// How the slot `number` is shown, whose text an earlier slot has too.
fn behind(standings: &[Standing<'_>], number: usize, earlier: usize, one_file: bool) -> Shown {
    let Some(standing) = standings.get(number) else { return Shown::Itself };
    let shows = match standings.get(earlier).map(|earlier| earlier.shown) {
        Some(Shown::By { slot, .. } | Shown::HandedTo { slot, .. }) => slot,
        _ => earlier,
    };
    let slot = shows;
    if standing.in_force().is_none() {
        return Shown::By { slot, one_file };
    }
    let Some(root) = standings.get(shows).filter(|_| !standing.pinned) else { return Shown::Itself };
    // Read at two moments, one file may have two contents: the next look will tell.
    let first = standings.get(earlier).map_or(root.verdict, |earlier| earlier.verdict);
    let agree = match (first, standing.verdict) {
        (Verdict::Winner { digest: a, .. }, Verdict::Winner { digest: b, .. }) => a == b || !one_file,
        _ => false,
    };
    match (root.is_current(), root.enters()) {
        (true, _) if agree => Shown::HandedTo { slot, one_file, enters: false },
        (_, true) if agree => Shown::HandedTo { slot, one_file, enters: true },
        // The earlier place is left out itself: this one stays, and is kept current.
        _ => Shown::Itself,
    }
}
