//! What has been asked of the memory provider.

/// What has been asked of a [`MemoryFs`](crate::MemoryFs) since its start or the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Batches sent, empty ones not counted.
    pub batches: u64,
    /// Paths probed, over all batches.
    pub probes: u64,
    /// Paths asked to be read, whatever the answer.
    pub reads: u64,
    /// Directories asked to be listed, whatever the answer.
    pub listings: u64,
    /// Bytes of content answered.
    pub bytes: u64,
    /// Round trips on the critical path (D12): the length of the longest chain of batches in which
    /// each was sent after the one before it had ended, by an answer or by being dropped.
    ///
    /// Batches that are under way at one time stand beside each other and count once; this holds
    /// without latency too, because every batch is suspended once before it answers.
    pub round_trips: u64,
}

/// The counters, and how deep the chains of batches are.
#[derive(Default)]
pub(super) struct Ledger {
    counters: Counters,
    /// The longest chain of batches that have all ended.
    ended: u64,
    /// Counts resets, so that what left before one is not counted after it.
    epoch: u64,
}

impl Ledger {
    /// A batch leaves, and is counted; answers its epoch and its place in the longest chain that leads to it.
    pub(super) fn depart(&mut self, count: impl FnOnce(&mut Counters)) -> (u64, u64) {
        let depth = self.ended + 1;
        self.counters.batches += 1;
        count(&mut self.counters);
        self.counters.round_trips = self.counters.round_trips.max(depth);
        (self.epoch, depth)
    }

    pub(super) fn arrive(&mut self, epoch: u64, depth: u64) {
        if epoch == self.epoch {
            self.ended = self.ended.max(depth);
        }
    }

    pub(super) fn deliver(&mut self, bytes: u64) {
        self.counters.bytes += bytes;
    }

    pub(super) fn counters(&self) -> Counters {
        self.counters
    }

    pub(super) fn reset(&mut self) -> Counters {
        self.ended = 0;
        self.epoch += 1;
        std::mem::take(&mut self.counters)
    }
}
