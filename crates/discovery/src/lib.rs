//! Where the root of a project is, which instruction files count, and what each looks like now.
