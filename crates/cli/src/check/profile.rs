//! Whose rules count. Sources and dates: docs/check.md.

use clap::ValueEnum;

/// A product's rules for its instruction files. The help has no room for more than the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Profile {
    // Standing Orders, as configured.
    Ours,
    // Codex: AGENTS.override.md or AGENTS.md of each directory, root first, 32 KiB together.
    Codex,
    // Claude Code: CLAUDE.md with its imports; AGENTS.md only where no CLAUDE.md is at or above.
    Claude,
}

impl Profile {
    pub(super) const ALL: [Self; 3] = [Self::Ours, Self::Codex, Self::Claude];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Codex => "codex",
            Self::Claude => "claude",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}
