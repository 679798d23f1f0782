//! What a run looks at: of anything else it cannot say that it is better now, or gone.

use std::path::{Path, PathBuf};

use standing_orders::inspect::path::{shown, shown_in};

use super::evaluate::Evaluator;
use super::finding::Code;
use super::profile::Profile;

/// What the user-global folder can be shown as, or below (D6).
const HOMES: [&str; 3] = ["~", "$DSH_HOME", "\u{2026}"];

/// The part of a project, and the profiles, that a run looks at.
#[derive(Debug)]
pub(crate) struct Scope {
    /// ROOT in shown form; `None` for the whole project.
    below: Option<String>,
    profiles: Vec<Profile>,
    home: bool,
    /// Gated files, in shown form: what is lost of them is counted wherever a session can start.
    gated: Vec<String>,
}

impl Scope {
    /// Of a run over `start`; gated files are relative to the project's root.
    pub(crate) fn new(evaluator: &Evaluator, start: &Path, gated: &[PathBuf]) -> Self {
        let root = &evaluator.root;
        let shown_of = |path: &Path| shown_in(root, path).unwrap_or_else(|| shown(path)).to_string();
        Self {
            below: (start != root.as_path()).then(|| shown_of(start)),
            profiles: evaluator.profiles.clone(),
            home: evaluator.home.is_some(),
            gated: gated.iter().map(|file| shown_of(&root.join(file))).collect(),
        }
    }

    pub(super) fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Whether the run uses the rules of this profile.
    pub(super) fn has(&self, profile: Profile) -> bool {
        self.profiles.contains(&profile)
    }

    /// Whether the run finds all there is to find about a path, in shown form.
    pub(super) fn holds(&self, path: &str) -> bool {
        if HOMES.iter().any(|home| is_in(path, home)) {
            return self.home && self.below.is_none();
        }
        let Some(below) = &self.below else { return true };
        is_in(path, below) && !self.gated.iter().any(|gated| gated == path)
    }

    /// Whether the run would find what a glob and a code stand for, if it were there.
    pub(super) fn holds_all(&self, glob: &str, code: Code, is_match: impl Fn(&str) -> bool) -> bool {
        let literal = glob.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\']));
        let literal: Vec<&str> = literal.collect();
        let elsewhere = self.below.is_some() && self.gated.iter().any(|gated| is_match(gated));
        !elsewhere && self.holds(&literal.join("/")) && code.profiles().iter().any(|of| self.has(*of))
    }
}

fn is_in(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
