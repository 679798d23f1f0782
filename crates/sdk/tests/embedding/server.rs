//! A server that resumes a session on any worker: a refused append, the new facts, another try.

use std::sync::{Arc, Mutex};

use standing_orders::{Context, EnterError, StepInput};
use standing_orders_session::{Fact, InstructionSource};

use super::{project, session};

/// A store with optimistic appends, as a database would have.
#[derive(Clone, Default)]
struct Store(Arc<Mutex<Vec<Vec<InstructionSource>>>>);

impl Store {
    /// The batch is refused when somebody else was quicker.
    fn append(
        &self,
        expected: usize,
        batch: Vec<InstructionSource>,
    ) -> Result<usize, Vec<Vec<InstructionSource>>> {
        let mut steps = self.0.lock().unwrap();
        if steps.len() != expected {
            return Err(steps[expected..].to_vec());
        }
        steps.push(batch);
        Ok(steps.len())
    }

    fn facts(&self) -> (usize, Vec<Fact>) {
        let steps = self.0.lock().unwrap();
        (steps.len(), steps.iter().cloned().map(Fact::Entered).collect())
    }
}

struct Worker {
    context: Context,
    head: usize,
    refused: usize,
}

impl Worker {
    fn resume(store: &Store, fs: &standing_orders_fs::MemoryFs) -> Self {
        let (head, facts) = store.facts();
        Self { context: session(fs, "shared").open(facts).unwrap(), head, refused: 0 }
    }

    async fn step(&mut self, store: &Store) -> usize {
        loop {
            let prepared = self.context.pre_step(StepInput::default()).await;
            let batch: Vec<_> = prepared.messages().iter().map(|message| message.source.clone()).collect();
            match store.append(self.head, batch) {
                Ok(head) => {
                    self.head = head;
                    let delivered = prepared.messages().len();
                    self.context.entered(prepared).unwrap();
                    return delivered;
                }
                Err(others) => {
                    drop(prepared);
                    self.refused += 1;
                    self.head += others.len();
                    self.context.apply(others.into_iter().map(Fact::Entered));
                }
            }
        }
    }
}

#[tokio::test]
async fn two_workers_of_one_session_deliver_once_between_them() {
    let (fs, store) = (project(), Store::default());
    let mut first = Worker::resume(&store, &fs);
    let mut second = Worker::resume(&store, &fs);
    assert_eq!(first.step(&store).await, 1, "the first one delivers the baseline");
    assert_eq!(second.step(&store).await, 0, "the second one learns of it from the refusal");
    assert_eq!(second.refused, 1, "its first append was refused");
    fs.write("/ws/AGENTS.md", "edited");
    assert_eq!(second.step(&store).await + first.step(&store).await, 1, "one update between the two");
    assert_eq!(first.context.in_force(), second.context.in_force(), "both see the same state");
}

#[tokio::test]
async fn a_step_that_was_prepared_before_new_facts_is_stale() {
    let (fs, store) = (project(), Store::default());
    let mut worker = Worker::resume(&store, &fs);
    worker.step(&store).await;
    fs.write("/ws/AGENTS.md", "edited");
    let prepared = worker.context.pre_step(StepInput::default()).await;
    worker.context.apply([Fact::ShadowedExcept(vec![])]);
    let sources: Vec<_> = prepared.messages().iter().map(|message| message.source.clone()).collect();
    assert!(!sources.is_empty(), "it was prepared for a first load");
    assert_eq!(worker.context.entered(prepared), Err(EnterError::Stale { sources }));
    let again = worker.context.pre_step(StepInput::default()).await;
    assert!(again.messages()[0].source.baseline, "after the compaction the whole baseline is due");
    let mut other = Worker::resume(&store, &fs);
    assert_eq!(other.context.entered(again), Err(EnterError::Foreign));
}
