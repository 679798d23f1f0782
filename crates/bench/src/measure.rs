//! Two sides that take turns.

use std::time::Duration;

use crate::figure::{Measured, Outcome};

/// What the rounds came to.
pub(crate) struct Rounds {
    /// Each round's ratio, sorted.
    ratios: Vec<f64>,
    /// The median call of ours, and of the limit, over all rounds.
    pub(crate) ours: Duration,
    pub(crate) limit: Duration,
}

/// Measures `ours` against `limit`: `rounds` times `calls` of each, in turns, the one that goes
/// first alternating too. Both time themselves, so that what they set up does not count. A few
/// calls of each go before and are dropped.
pub(crate) fn alternate(
    rounds: usize,
    calls: usize,
    mut ours: impl FnMut() -> Outcome<Duration>,
    mut limit: impl FnMut() -> Outcome<Duration>,
) -> Outcome<Rounds> {
    for _ in 0..calls.div_ceil(10) {
        ours()?;
        limit()?;
    }
    let (mut ratios, mut all_ours, mut all_limits) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let (mut a, mut b) = (Vec::with_capacity(calls), Vec::with_capacity(calls));
        for call in 0..calls {
            if (round + call) % 2 == 0 {
                a.push(ours()?);
                b.push(limit()?);
            } else {
                b.push(limit()?);
                a.push(ours()?);
            }
        }
        let (a, b) = (median(&mut a).unwrap_or_default(), median(&mut b).unwrap_or_default());
        ratios.push(a.as_nanos() as f64 / b.as_nanos() as f64);
        all_ours.push(a);
        all_limits.push(b);
    }
    ratios.sort_by(f64::total_cmp);
    let ours = median(&mut all_ours).unwrap_or_default();
    let limit = median(&mut all_limits).unwrap_or_default();
    Ok(Rounds { ratios, ours, limit })
}

impl Rounds {
    /// The median ratio, with its spread.
    pub(crate) fn measured(&self, note: impl Into<String>) -> Measured {
        spread(self.ratios.clone(), note)
    }

    /// Both sides in absolute terms.
    pub(crate) fn sides(&self) -> String {
        format!("{} against {}", show(self.ours), show(self.limit))
    }
}

/// [`alternate`] against the limit; and in words the ratio to `beside`, which has no limit.
pub(crate) fn alternate_beside(
    rounds: usize,
    calls: usize,
    mut ours: impl FnMut() -> Outcome<Duration>,
    limit: impl FnMut() -> Outcome<Duration>,
    beside: impl FnMut() -> Outcome<Duration>,
) -> Outcome<(Rounds, String)> {
    let measured = alternate(rounds, calls, &mut ours, limit)?;
    let others = alternate(rounds.div_ceil(5), calls, ours, beside)?;
    let ratio = others.ours.as_secs_f64() / others.limit.as_secs_f64();
    let words = format!("{ratio:.2} times the plain calls on no other thread ({})", show(others.limit));
    Ok((measured, words))
}

/// The median of several rounds, with its spread.
pub(crate) fn spread(mut values: Vec<f64>, note: impl Into<String>) -> Measured {
    values.sort_by(f64::total_cmp);
    Measured {
        value: values.get(values.len() / 2).copied(),
        spread: values.first().copied().zip(values.last().copied()),
        rounds: values.len(),
        broken: None,
        note: note.into(),
    }
}

/// The middle one; of an even number the upper of the two in the middle.
pub(crate) fn median(durations: &mut [Duration]) -> Option<Duration> {
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied()
}

/// Processor time of this process so far, all threads, to 10 ms; `None` where `/proc` does not tell.
pub(crate) fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name before it may have blanks; user and system time are the 14th and 15th field.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(|ticks| ticks.parse::<u64>());
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    Some(Duration::from_millis(10 * ticks))
}

/// A duration for people: three digits or so.
pub(crate) fn show(duration: Duration) -> String {
    let nanoseconds = duration.as_nanos();
    match nanoseconds {
        0..=9_999 => format!("{nanoseconds} ns"),
        10_000..=9_999_999 => format!("{:.1} µs", duration.as_secs_f64() * 1e6),
        _ => format!("{:.1} ms", duration.as_secs_f64() * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_take_turns_and_the_median_round_counts() {
        let mut order = Vec::new();
        let (mut a, mut b) = (0, 0);
        let order = std::cell::RefCell::new(&mut order);
        let rounds = alternate(
            3,
            2,
            || {
                a += 1;
                order.borrow_mut().push('a');
                // One call in the middle of a round is slow, as when something else runs.
                Ok(Duration::from_micros(if a == 4 { 9_000 } else { 30 }))
            },
            || {
                b += 1;
                order.borrow_mut().push('b');
                Ok(Duration::from_micros(10))
            },
        );
        let measured = rounds.unwrap().measured("");
        assert_eq!(measured.value, Some(3.0), "one slow call does not move the median");
        assert_eq!(measured.spread, Some((3.0, 900.0)), "the spread shows it");
        assert_eq!(measured.rounds, 3, "as many as asked for");
        let order: String = order.into_inner().iter().collect();
        assert_eq!(order, "ab_abba_baab_abba".replace('_', ""), "neither side always goes first");
    }

    #[test]
    fn durations_read_well() {
        let rows = [
            ("nanoseconds", 950, "950 ns"),
            ("microseconds", 48_250, "48.2 µs"),
            ("milliseconds", 12_345_678, "12.3 ms"),
        ];
        for (row, nanoseconds, shown) in rows {
            assert_eq!(show(Duration::from_nanos(nanoseconds)), shown, "{row}");
        }
    }
}
