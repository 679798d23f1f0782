//! Whose rules: folders, names and keys (F1).

use std::ffi::OsStr;

/// A product's way of writing rules. What each means by its keys is in the table of `docs/rules.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// `.claude/rules/**/*.md`, and `.claude/CLAUDE.md` whole: key `paths`.
    Claude,
    /// `.cursor/rules/**/*.mdc`: keys `globs`, `alwaysApply`, `description`.
    Cursor,
    /// `.github/instructions/**/*.instructions.md`, and `.github/copilot-instructions.md` whole: keys
    /// `applyTo`, `excludeAgent`.
    Copilot,
    /// `.devin/rules/*.md` and `.windsurf/rules/*.md`: keys `trigger`, `globs`, `description`.
    Devin,
    /// `.agents/rules/**/*.md`, or any folder that is named: key `paths`.
    Plain,
}

impl Dialect {
    pub(crate) const ALL: [Self; 5] = [Self::Claude, Self::Cursor, Self::Copilot, Self::Devin, Self::Plain];

    /// Relative to the folder that the rules are for.
    pub(crate) const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude/rules"],
            Self::Cursor => &[".cursor/rules"],
            Self::Copilot => &[".github/instructions"],
            Self::Devin => &[".devin/rules", ".windsurf/rules"],
            Self::Plain => &[".agents/rules"],
        }
    }

    /// Single files that are always due, whole.
    pub(crate) const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude/CLAUDE.md"],
            Self::Copilot => &[".github/copilot-instructions.md"],
            Self::Cursor | Self::Devin | Self::Plain => &[],
        }
    }

    /// What the name of a rule ends with.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Self::Claude | Self::Devin | Self::Plain => ".md",
            Self::Cursor => ".mdc",
            Self::Copilot => ".instructions.md",
        }
    }

    /// Whether folders in its folder count.
    pub(crate) const fn is_recursive(self) -> bool {
        !matches!(self, Self::Devin)
    }

    /// Whether what its rules import is followed (M).
    pub(crate) const fn imports(self) -> bool {
        !matches!(self, Self::Copilot)
    }

    /// The key of its heads that holds patterns.
    pub(crate) const fn pattern_key(self) -> &'static str {
        match self {
            Self::Claude | Self::Plain => "paths",
            Self::Cursor | Self::Devin => "globs",
            Self::Copilot => "applyTo",
        }
    }

    /// Whether a pattern without `/` matches at any depth (F6).
    pub(crate) const fn matches_at_any_depth(self) -> bool {
        matches!(self, Self::Cursor | Self::Devin)
    }

    /// Whether a file of this name is a rule.
    pub(crate) fn is_rule(self, name: &OsStr) -> bool {
        let (name, suffix) = (name.as_encoded_bytes(), self.suffix().as_bytes());
        name.len() > suffix.len() && name.ends_with(suffix)
    }

    /// Whether a file of this name looks as if it was to be a rule.
    pub(crate) fn is_near_miss(self, name: &OsStr) -> bool {
        let name = name.to_string_lossy().to_lowercase();
        let is_text = [".md", ".mdc", ".markdown"].iter().any(|suffix| name.ends_with(suffix));
        is_text && !name.starts_with("readme.") && !self.is_rule(OsStr::new(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_and_of_what_is_nearly_one() {
        for (dialect, name, is_rule, is_near_miss) in [
            (Dialect::Claude, "é.md", true, false),
            (Dialect::Claude, ".md", false, true),
            (Dialect::Claude, "a.mdc", false, true),
            (Dialect::Claude, "a.txt", false, false),
            (Dialect::Cursor, "a.mdc", true, false),
            (Dialect::Cursor, "a.md", false, true),
            (Dialect::Cursor, "README.md", false, false),
            (Dialect::Copilot, "a.instructions.md", true, false),
            (Dialect::Copilot, "a.md", false, true),
            (Dialect::Devin, "a.md", true, false),
            (Dialect::Plain, "a.markdown", false, true),
        ] {
            let name = OsStr::new(name);
            let found = (dialect.is_rule(name), dialect.is_near_miss(name));
            assert_eq!(found, (is_rule, is_near_miss), "{dialect:?}: {name:?}");
        }
    }
}
