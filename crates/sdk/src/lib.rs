//! AGENTS.md loader for Rust agent loops: the engine a host embeds, and the plugin SDK.
