//! Every row, in the order of the table.

mod digest;
mod fleet;
mod fold;
mod heap;
mod local;
pub(crate) mod process;
mod render;
mod replay;
mod round_trips;

use crate::figure::{Row, Unit};

/// All rows.
pub(crate) const ALL: &[Row] = &[
    Row {
        name: "first_load_local",
        limit: 1.5,
        unit: Unit::Times,
        provider: "LocalFs",
        against: "the same stats, opens, fstats and reads in as many blocking tasks, and one SHA-1 and one \
                  copy of the same bytes",
        run: local::first_load,
    },
    Row {
        name: "unchanged_step_local",
        limit: 1.4,
        unit: Unit::Times,
        provider: "LocalFs",
        against: "the same stats in as many blocking tasks",
        run: local::unchanged_step,
    },
    Row {
        name: "unchanged_step_history",
        limit: 1.1,
        unit: Unit::Times,
        provider: "MemoryFs",
        against: "itself after 10 events",
        run: local::unchanged_step_history,
    },
    Row {
        name: "round_trips_first_load",
        limit: 3.0,
        unit: Unit::Trips,
        provider: "MemoryFs",
        against: "the provider's latency on a virtual clock, equal at every depth",
        run: round_trips::first_load,
    },
    Row {
        name: "round_trips_unchanged",
        limit: 1.0,
        unit: Unit::Trips,
        provider: "MemoryFs",
        against: "the provider's latency on a virtual clock, equal at every depth",
        run: round_trips::unchanged,
    },
    Row {
        name: "first_load_virtual",
        limit: 40.0,
        unit: Unit::Milliseconds,
        provider: "MemoryFs",
        against: "40 ms of virtual time at 10 ms a round trip, equal at depth 3 and 30",
        run: round_trips::first_load_virtual,
    },
    Row {
        name: "render_linear",
        limit: 1.5,
        unit: Unit::Times,
        provider: "-",
        against: "its own input bytes per second with 10,000 files; the value is how much faster 10 files are",
        run: render::linear,
    },
    Row {
        name: "render_per_byte",
        limit: 2.0,
        unit: Unit::Times,
        provider: "-",
        against: "its own time per input byte with fewer files; the value is the worst growth \
                  among 10, 100, 1,000 and 10,000 files",
        run: render::per_byte,
    },
    Row {
        name: "render_copy",
        limit: 3.0,
        unit: Unit::Times,
        provider: "-",
        against: "one copy and one memchr pass over the bytes that survive, ASCII",
        run: render::copy,
    },
    Row {
        name: "render_copy_chinese",
        limit: 10.0,
        unit: Unit::Times,
        provider: "-",
        against: "the same over Chinese text, where each full-width comma may begin a full-width tag",
        run: render::copy_chinese,
    },
    Row {
        name: "digest",
        limit: 1.1,
        unit: Unit::Times,
        provider: "-",
        against: "the sha1 crate over the same bytes in one piece",
        run: digest::digest,
    },
    Row {
        name: "replay",
        limit: 1.25,
        unit: Unit::Times,
        provider: "-",
        against: "serde_json reading the same lines into the same types, all kept",
        run: replay::replay,
    },
    Row {
        name: "fold_event",
        limit: 100.0,
        unit: Unit::Nanoseconds,
        provider: "-",
        against: "100 ns a fact without instructions",
        run: fold::event,
    },
    Row {
        name: "fold_memory",
        limit: 1.1,
        unit: Unit::Times,
        provider: "-",
        against: "its own heap bytes after 10 events",
        run: fold::memory,
    },
    Row {
        name: "idle_session_bytes",
        limit: 4_096.0,
        unit: Unit::Bytes,
        provider: "MemoryFs",
        against: "4,096 bytes of heap for an open session with 8 scopes in force",
        run: heap::idle_session,
    },
    Row {
        name: "sessions_at_once",
        limit: 1.8,
        unit: Unit::Times,
        provider: "LocalFs",
        against: "as many first loads of the same system calls in as many blocking tasks, eight at one \
                  time, each with one SHA-1 and one copy of the same bytes",
        run: fleet::sessions_at_once,
    },
    Row {
        name: "allocations_unchanged_step",
        limit: 192.0,
        unit: Unit::Count,
        provider: "LocalFs",
        against: "six allocations and reallocations for each of 32 candidates, the provider's included",
        run: heap::allocations,
    },
    Row {
        name: "own_process",
        limit: 2.0,
        unit: Unit::Times,
        provider: "LocalFs",
        against: "a process that does the plain system calls and prints the same bytes, copies of both",
        run: process::own_process,
    },
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn names_are_unique_and_limits_positive() {
        let mut names: Vec<_> = ALL.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len(), "a JSON object has each name once");
        assert!(ALL.iter().all(|row| row.limit > 0.0), "no limit is nothing");
    }
}
