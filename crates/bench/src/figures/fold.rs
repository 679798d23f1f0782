//! The fold alone.

use std::time::Instant;

use standing_orders_session::{Fact, Fold, TouchLog};
use stats_alloc::Region;

use crate::HEAP;
use crate::figure::{Measured, Outcome, Scale};
use crate::measure::{median, spread};
use crate::{events, fixture};

/// Facts that are timed together.
const GROUP: usize = 1_000;

/// Time of the fold for one fact that is not about instructions.
pub(crate) fn event(scale: &Scale) -> Outcome<Measured> {
    let events = scale.of(1_000_000, 100_000);
    let (mut alone, mut with_touches, mut count) = (Vec::new(), Vec::new(), 0);
    for _ in 0..scale.rounds {
        let mut facts = Vec::new();
        events::facts(events, None, |fact| facts.push(fact))?;
        count = facts.len();
        let mut fold = Fold::new();
        alone.push(per_fact(facts.clone(), |facts| fold.follow(facts))?);
        let (mut fold, mut touches) = (Fold::new(), TouchLog::new());
        let both = |facts: std::vec::IntoIter<Fact>| {
            fold.follow(facts.inspect(|fact| touches.apply(fact)));
        };
        with_touches.push(per_fact(facts, both)?);
    }
    let with_touches = spread(with_touches, "").value.unwrap_or(f64::NAN);
    let note = format!(
        "{count} facts of {events} events, dropping them included; {with_touches:.1} ns with the log of touches, as \
         when a session is opened"
    );
    Ok(spread(alone, note))
}

/// Nanoseconds a fact: the median of all groups.
fn per_fact(facts: Vec<Fact>, mut follow: impl FnMut(std::vec::IntoIter<Fact>)) -> Outcome<f64> {
    let (mut facts, mut times) = (facts.into_iter(), Vec::new());
    loop {
        let group: Vec<Fact> = facts.by_ref().take(GROUP).collect();
        if group.len() < GROUP {
            break;
        }
        let start = Instant::now();
        follow(group.into_iter());
        times.push(start.elapsed());
    }
    let time = median(&mut times).ok_or("fewer facts than one group")?;
    Ok(time.as_secs_f64() * 1e9 / GROUP as f64)
}

/// Heap bytes after a long history over those after a short one, with the same in view.
pub(crate) fn memory(scale: &Scale) -> Outcome<Measured> {
    let source = fixture::baseline()?;
    let bytes = |events: usize| -> Outcome<isize> {
        let region = Region::new(HEAP);
        let (mut fold, mut touches) = (Fold::new(), TouchLog::new());
        events::facts(events, Some(source.clone()), |fact: Fact| {
            touches.apply(&fact);
            fold.follow([fact]);
        })?;
        // How many touches wait is the last step's matter, not the history's.
        touches.apply(&Fact::Entered(Vec::new()));
        let change = region.change();
        std::hint::black_box((&fold, &touches));
        Ok(change.bytes_allocated.cast_signed() - change.bytes_deallocated.cast_signed())
    };
    let many = scale.of(1_000_000, 100_000);
    let (long, short) = (bytes(many)?, bytes(10)?);
    let note = format!(
        "{long} bytes after {many} events, {short} bytes after 10, one baseline of 8 files in view, no touch waiting"
    );
    Ok(Measured::once(long as f64 / short as f64, note))
}
