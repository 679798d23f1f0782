//! Where each product keeps its rules, and which files of a folder count (F1).

use serde::{Deserialize, Serialize};

/// Whose rules they are: it decides folders, file names, the keys of a head, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "config", derive(schemars::JsonSchema))]
pub(crate) enum Dialect {
    /// Claude Code: `.claude/rules/**/*.md`, and `.claude/CLAUDE.md`.
    Claude,
    /// Cursor: `.cursor/rules/**/*.mdc`.
    Cursor,
    /// Copilot and VS Code: `.github/instructions/**/*.instructions.md`, and
    /// `.github/copilot-instructions.md`.
    Copilot,
    /// Devin, and Windsurf before it: `.devin/rules/*.md`, `.windsurf/rules/*.md`.
    Devin,
    /// No product's own: `.agents/rules/*.md`, or any folder that the host names.
    Plain,
}

/// What a file in a rules folder is, by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Rule,
    /// Meant as a rule, by its extension, and none in this dialect: the finding `rule-wrong-extension`.
    WrongExtension,
    Other,
}

/// The extensions that a rule may have been given by mistake.
const TEXT: [&str; 5] = ["md", "mdc", "mdx", "markdown", "txt"];

impl Dialect {
    pub(crate) const ALL: [Self; 5] = [Self::Claude, Self::Cursor, Self::Copilot, Self::Devin, Self::Plain];

    /// As in configuration.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Devin => "devin",
            Self::Plain => "plain",
        }
    }

    /// Its folders relative to a base folder, in the order in which they are read. Patterns are relative
    /// to the base folder.
    pub(crate) const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude/rules"],
            Self::Cursor => &[".cursor/rules"],
            Self::Copilot => &[".github/instructions"],
            Self::Devin => &[".devin/rules", ".windsurf/rules"],
            Self::Plain => &[".agents/rules"],
        }
    }

    /// Whether folders within a rules folder are read too. Devin reads none. A plain folder is one that a
    /// host may name anywhere, so what lies deeper is not taken for rules (F1).
    pub(crate) const fn is_recursive(self) -> bool {
        matches!(self, Self::Claude | Self::Cursor | Self::Copilot)
    }

    /// How the name of a rule ends; letter case counts.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Self::Cursor => ".mdc",
            Self::Copilot => ".instructions.md",
            Self::Claude | Self::Devin | Self::Plain => ".md",
        }
    }

    /// Files relative to a base folder that are rules, always on, whatever their text begins with.
    pub(crate) const fn always_files(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude/CLAUDE.md"],
            Self::Copilot => &[".github/copilot-instructions.md"],
            Self::Cursor | Self::Devin | Self::Plain => &[],
        }
    }

    /// What the file `name` of a rules folder is. A text file without the suffix is a mistake worth a
    /// finding, as is a suffix in other letters; a `README` is about the folder.
    pub(crate) fn file_kind(self, name: &str) -> FileKind {
        if name.ends_with(self.suffix()) {
            return FileKind::Rule;
        }
        match name.rsplit_once('.') {
            Some((stem, extension))
                if TEXT.iter().any(|text| text.eq_ignore_ascii_case(extension))
                    && !stem.eq_ignore_ascii_case("readme") =>
            {
                FileKind::WrongExtension
            }
            _ => FileKind::Other,
        }
    }

    /// The key of its heads that holds patterns.
    pub(crate) const fn pattern_key(self) -> &'static str {
        match self {
            Self::Claude | Self::Plain => "paths",
            Self::Cursor | Self::Devin => "globs",
            Self::Copilot => "applyTo",
        }
    }

    /// Whether a pattern without `/` means files at any depth, and not only the base folder's own (F6).
    pub(crate) const fn is_any_depth(self) -> bool {
        matches!(self, Self::Cursor | Self::Devin)
    }
}
