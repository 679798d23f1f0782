//! Instructions to bounded, safe text: frame, headings, budget. No I/O.
