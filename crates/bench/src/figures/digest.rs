//! Digests of contents.

use std::hint::black_box;
use std::time::Instant;

use sha1::{Digest as _, Sha1};
use standing_orders_session::Digest;

use crate::figure::{Measured, Outcome, Scale};
use crate::fixture;
use crate::measure::alternate;

type Way = fn(&str) -> Digest;

/// Every way in which contents are digested, against the crate below; the worst of them counts.
pub(crate) fn digest(scale: &Scale) -> Outcome<Measured> {
    let text = fixture::instructions(1).repeat(700);
    let ways: [(&str, Way); 3] =
        [("as it is", Digest::of), ("trimmed", Digest::of_trimmed), ("normalised", Digest::of_normalised)];
    let (mut worst, mut notes) = (Measured::default(), Vec::new());
    for (way, of) in ways {
        let rounds = alternate(
            scale.rounds,
            scale.of(50, 10),
            || {
                let start = Instant::now();
                black_box(of(black_box(&text)));
                Ok(start.elapsed())
            },
            || {
                let start = Instant::now();
                black_box(Sha1::digest(black_box(text.as_bytes())));
                Ok(start.elapsed())
            },
        )?;
        let measured = rounds.measured("");
        notes.push(format!("{way} {:.3}", measured.value.unwrap_or(f64::NAN)));
        if measured.value > worst.value {
            worst = measured;
        }
    }
    let note = format!("the worst of three ways, over {} bytes: {}", text.len(), notes.join(", "));
    Ok(Measured { note, ..worst })
}
