//! Standing Orders for people and for other agents' hooks: explain, render, simulate, check, audit.
fn main() {}
