//! Ratios against stated limits, measured in one run.
fn main() {}
