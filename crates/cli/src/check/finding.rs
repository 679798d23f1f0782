//! What can be found, each with a code that stays.

use super::profile::Profile;

/// A kind of finding. Names and meanings are documented in docs/check.md and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
    OverBudget,
    NearBudget,
    TooLarge,
    NotText,
    Unreadable,
    DanglingLink,
    LinkOutOfTree,
    GatedTrap,
    FrameTag,
    InvisibleCharacter,
    ReplacedBytes,
    CaseNearMiss,
    ImportNotExpanded,
    ImportDangling,
    ImportTooDeep,
    ImportOutside,
    RuleHead,
    RuleNever,
    RuleDeadGlob,
    RuleWrongExtension,
    PointerOnly,
    BrokenReference,
    NotRead,
}

/// How bad it is. Every finding counts, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// Something never arrives.
    Error,
    /// Something does not do what it seems to.
    Warning,
}

impl Severity {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Code {
    pub(crate) const ALL: [Self; 23] = [
        Self::OverBudget,
        Self::NearBudget,
        Self::TooLarge,
        Self::NotText,
        Self::Unreadable,
        Self::DanglingLink,
        Self::LinkOutOfTree,
        Self::GatedTrap,
        Self::FrameTag,
        Self::InvisibleCharacter,
        Self::ReplacedBytes,
        Self::CaseNearMiss,
        Self::ImportNotExpanded,
        Self::ImportDangling,
        Self::ImportTooDeep,
        Self::ImportOutside,
        Self::RuleHead,
        Self::RuleNever,
        Self::RuleDeadGlob,
        Self::RuleWrongExtension,
        Self::PointerOnly,
        Self::BrokenReference,
        Self::NotRead,
    ];

    /// As it is written everywhere.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OverBudget => "over-budget",
            Self::NearBudget => "near-budget",
            Self::TooLarge => "too-large",
            Self::NotText => "not-text",
            Self::Unreadable => "unreadable",
            Self::DanglingLink => "dangling-link",
            Self::LinkOutOfTree => "link-out-of-tree",
            Self::GatedTrap => "gated-trap",
            Self::FrameTag => "frame-tag",
            Self::InvisibleCharacter => "invisible-character",
            Self::ReplacedBytes => "replaced-bytes",
            Self::CaseNearMiss => "case-near-miss",
            Self::ImportNotExpanded => "import-not-expanded",
            Self::ImportDangling => "import-dangling",
            Self::ImportTooDeep => "import-too-deep",
            Self::ImportOutside => "import-outside",
            Self::RuleHead => "rule-head",
            Self::RuleNever => "rule-never",
            Self::RuleDeadGlob => "rule-dead-glob",
            Self::RuleWrongExtension => "rule-wrong-extension",
            Self::PointerOnly => "pointer-only",
            Self::BrokenReference => "broken-reference",
            Self::NotRead => "not-read",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    pub(crate) const fn severity(self) -> Severity {
        match self {
            Self::OverBudget
            | Self::TooLarge
            | Self::NotText
            | Self::Unreadable
            | Self::DanglingLink
            | Self::GatedTrap
            | Self::RuleHead
            | Self::RuleNever
            | Self::NotRead => Severity::Error,
            Self::NearBudget
            | Self::LinkOutOfTree
            | Self::FrameTag
            | Self::InvisibleCharacter
            | Self::ReplacedBytes
            | Self::CaseNearMiss
            | Self::ImportNotExpanded
            | Self::ImportDangling
            | Self::ImportTooDeep
            | Self::ImportOutside
            | Self::RuleDeadGlob
            | Self::RuleWrongExtension
            | Self::PointerOnly
            | Self::BrokenReference => Severity::Warning,
        }
    }

    /// What a finding's measure counts.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::OverBudget => "bytes lost over all different starting points",
            Self::NearBudget => "bytes used",
            Self::TooLarge => "bytes",
            Self::FrameTag => "tags",
            Self::ReplacedBytes => "replacements",
            Self::InvisibleCharacter
            | Self::NotText
            | Self::Unreadable
            | Self::DanglingLink
            | Self::LinkOutOfTree
            | Self::GatedTrap
            | Self::CaseNearMiss
            | Self::ImportNotExpanded
            | Self::ImportDangling
            | Self::ImportTooDeep
            | Self::ImportOutside
            | Self::RuleHead
            | Self::RuleNever
            | Self::RuleDeadGlob
            | Self::RuleWrongExtension
            | Self::PointerOnly
            | Self::BrokenReference
            | Self::NotRead => "times",
        }
    }

    /// The profiles by whose rules it can be found.
    pub(super) const fn profiles(self) -> &'static [Profile] {
        match self {
            Self::NotText | Self::GatedTrap | Self::FrameTag | Self::PointerOnly => &[Profile::Ours],
            Self::ImportOutside
            | Self::RuleHead
            | Self::RuleNever
            | Self::RuleDeadGlob
            | Self::RuleWrongExtension => &[Profile::Ours],
            Self::ImportTooDeep => &[Profile::Ours, Profile::Claude],
            Self::NotRead => &[Profile::Claude],
            Self::OverBudget | Self::NearBudget | Self::ImportNotExpanded => &[Profile::Ours, Profile::Codex],
            Self::TooLarge
            | Self::Unreadable
            | Self::DanglingLink
            | Self::LinkOutOfTree
            | Self::InvisibleCharacter
            | Self::ReplacedBytes
            | Self::CaseNearMiss
            | Self::ImportDangling
            | Self::BrokenReference => &Profile::ALL,
        }
    }

    /// What it means, in one sentence.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::OverBudget => "Part of the file never reaches sessions that start there.",
            Self::NearBudget => "The instructions of a starting point nearly fill the budget.",
            Self::TooLarge => "The file is larger than what is read of one file, so nothing of it arrives.",
            Self::NotText => "The file is not text, so nothing of it arrives.",
            Self::Unreadable => "The file or directory cannot be read.",
            Self::DanglingLink => "The link has the name of an instruction file and leads nowhere.",
            Self::LinkOutOfTree => "The link leads out of the project.",
            Self::GatedTrap => {
                "A gated file has the name of an instruction file, so any session can be shown it."
            }
            Self::FrameTag => "The text has a tag of the frame, which is neutralised.",
            Self::InvisibleCharacter => "The text has a character that is not seen, or changes direction.",
            Self::ReplacedBytes => "Bytes that are not valid text are replaced.",
            Self::CaseNearMiss => "The name differs from an instruction file's in letter case alone.",
            Self::ImportNotExpanded => "The line imports a file, and imports are not expanded.",
            Self::ImportDangling => "The import leads nowhere.",
            Self::ImportTooDeep => "The import lies deeper than imports are followed.",
            Self::ImportOutside => "The import leads out of the folders that may be imported from.",
            Self::RuleHead => "The head of the rule cannot be understood, so the rule is never loaded.",
            Self::RuleNever => "Nothing ever makes the rule apply, so it is never loaded.",
            Self::RuleDeadGlob => "A pattern of the rule can match nothing, and is dropped.",
            Self::RuleWrongExtension => "The file lies among rules, and its name is no rule's.",
            Self::PointerOnly => "The file only points at a sibling, which it keeps from loading.",
            Self::BrokenReference => "A link of the text leads to no file.",
            Self::NotRead => "Sessions do not read the file, for another stands in its place.",
        }
    }
}

/// One finding. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    /// Whose rules it is about; `None` when it does not depend on them.
    pub(crate) profile: Option<Profile>,
    /// Relative to the project root, in shown form (D11).
    pub(crate) path: String,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) end_line: Option<usize>,
    /// Tells findings of one code in one file apart when lines move: a target, a character.
    pub(crate) subject: String,
    /// How much: bytes lost, bytes used, times. More is worse.
    pub(crate) measure: u64,
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(code: Code, path: String, message: String) -> Self {
        Self {
            code,
            profile: None,
            path,
            line: None,
            column: None,
            end_line: None,
            subject: String::new(),
            measure: 1,
            message,
        }
    }

    pub(crate) fn of(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }

    pub(crate) fn lines(mut self, first: usize, last: usize) -> Self {
        (self.line, self.end_line) = (Some(first), Some(last));
        self
    }

    pub(crate) fn about(mut self, subject: impl Into<String>, measure: u64) -> Self {
        (self.subject, self.measure) = (subject.into(), measure);
        self
    }

    /// What it is recognised by in a baseline.
    pub(crate) fn key(&self) -> (Code, Option<Profile>, &str, &str) {
        (self.code, self.profile, &self.path, &self.subject)
    }
}
