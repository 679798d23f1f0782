//! Rules folders: what a rule's file name, head and patterns mean in each product's dialect (F1, F3 to F6).
//!
//! Pure: text in, values out. Nothing here reads a file, and all of it is linear in its input.

#![allow(dead_code, reason = "the pass that lists and delivers rules names it")]

pub(crate) mod activation;
pub(crate) mod dialect;
pub(crate) mod head;
pub(crate) mod patterns;
mod pieces;
#[cfg(test)]
mod tests;
