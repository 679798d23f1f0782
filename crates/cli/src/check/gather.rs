//! Puts findings together: each once, however many starting points have it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::inspect::path::{shown, shown_in};

use super::finding::{Code, Finding};
use super::outcome::{Lost, Outcome};
use super::profile::Profile;
use crate::text::{count, number};

/// Directories in which a session is given the same.
#[derive(Debug)]
pub(crate) struct Start {
    /// The first of them; the others lie below, or have as little as it has.
    pub(crate) path: Arc<Path>,
    /// How many.
    pub(crate) directories: u64,
    /// The one above.
    pub(crate) parent: Option<usize>,
    /// What is given, a profile each.
    pub(crate) outcomes: Vec<Outcome>,
}

/// What recognises a finding: code, profile, path, subject.
type Key = (Code, Option<Profile>, String, String);

/// The findings so far.
#[derive(Debug)]
pub(super) struct Gather {
    root: PathBuf,
    /// The user-global folder, and what stands for it.
    home: Option<(PathBuf, String)>,
    findings: BTreeMap<Key, Finding>,
}

impl Gather {
    pub(super) fn new(root: &Path, home: Option<(PathBuf, String)>) -> Self {
        Self { root: root.to_path_buf(), home, findings: BTreeMap::new() }
    }

    /// A path as findings have it.
    pub(super) fn shown(&self, path: &Path) -> String {
        if let Some((home, name)) = &self.home
            && let Some(below) = shown_in(home, path)
        {
            return format!("{name}/{below}");
        }
        shown_in(&self.root, path).unwrap_or_else(|| shown(path)).to_string()
    }

    /// Takes a finding that is not there yet.
    pub(super) fn add(&mut self, finding: Finding) {
        let (code, profile, path, subject) = finding.key();
        let key = (code, profile, path.to_owned(), subject.to_owned());
        self.findings.entry(key).or_insert(finding);
    }

    /// All findings, by path and place, with those of the budgets.
    pub(super) fn finish(mut self, profiles: &[Profile], starts: &[Start], warn_at: u64) -> Vec<Finding> {
        for (index, profile) in profiles.iter().enumerate() {
            self.losses(*profile, index, starts);
            self.near(*profile, index, starts, warn_at);
        }
        let mut findings: Vec<Finding> = self.findings.into_values().collect();
        findings.sort_by(|a, b| {
            let key = |f: &Finding| (f.line, f.column, f.code, f.profile);
            a.path.cmp(&b.path).then_with(|| key(a).cmp(&key(b))).then_with(|| a.subject.cmp(&b.subject))
        });
        findings
    }

    /// One finding a file that is cut or left out anywhere.
    fn losses(&mut self, profile: Profile, index: usize, starts: &[Start]) {
        let mut losses: BTreeMap<&Path, Loss<'_>> = BTreeMap::new();
        for start in starts {
            for lost in start.outcomes.get(index).into_iter().flat_map(|outcome| &outcome.lost) {
                let loss = losses.entry(&lost.path).or_insert(Loss {
                    worst: lost,
                    start: &start.path,
                    bytes: 0,
                    directories: 0,
                });
                if lost.bytes() > loss.worst.bytes() {
                    (loss.worst, loss.start) = (lost, &start.path);
                }
                loss.bytes += lost.bytes();
                loss.directories += start.directories;
            }
        }
        for (path, loss) in losses {
            let directories = usize::try_from(loss.directories).unwrap_or(usize::MAX);
            let message = format!(
                "not whole at {}, least at {}: {}",
                count(directories, "starting point", "starting points"),
                self.shown(loss.start),
                what_is_lost(loss.worst),
            );
            let mut finding =
                Finding::new(Code::OverBudget, self.shown(path), message).of(profile).about("", loss.bytes);
            if loss.worst.lines.0 > 0 {
                finding = finding.lines(loss.worst.lines.0, loss.worst.lines.1);
            }
            self.add(finding);
        }
    }

    /// One finding for each highest starting point whose budget is nearly used up.
    fn near(&mut self, profile: Profile, index: usize, starts: &[Start], warn_at: u64) {
        let outcome = |start: &Start| start.outcomes.get(index).cloned();
        for start in starts {
            let Some(near) = start.outcomes.get(index).filter(|outcome| outcome.is_near(warn_at)) else {
                continue;
            };
            let above = start.parent.and_then(|parent| starts.get(parent)).and_then(outcome);
            if above.is_some_and(|above| above.is_near(warn_at) || !above.lost.is_empty()) {
                continue;
            }
            // A gated file stands behind those of the chain, and belongs to every starting point.
            let of_chain = |path: &Path| path.parent().is_some_and(|dir| start.path.starts_with(dir));
            let last = near.kept.iter().rev().find(|kept| of_chain(&kept.path)).or(near.kept.last());
            let (Some(last), Some(limit)) = (last, near.limit) else { continue };
            let message = format!(
                "a session that starts in {} is given {} of {} bytes",
                self.shown(&start.path),
                number(near.used),
                number(limit),
            );
            let path = self.shown(&last.path);
            let subject = self.shown(&start.path);
            self.add(Finding::new(Code::NearBudget, path, message).of(profile).about(subject, near.used));
        }
    }
}

#[derive(Debug)]
struct Loss<'s> {
    worst: &'s Lost,
    start: &'s Path,
    /// Of all starting points together.
    bytes: u64,
    directories: u64,
}

/// The most headings that a message names.
const HEADINGS: usize = 3;

/// Which bytes, lines and headings never arrive.
pub(crate) fn what_is_lost(lost: &Lost) -> String {
    if lost.from == 0 {
        return "it never arrives".to_owned();
    }
    let mut text = format!("{} of {} bytes never arrive", number(lost.bytes()), number(lost.from));
    match lost.lines {
        (0, _) => {}
        (first, last) if first == last => text.push_str(&format!(", line {}", number(first as u64))),
        (first, last) => {
            text.push_str(&format!(", lines {} to {}", number(first as u64), number(last as u64)));
        }
    }
    let named: Vec<String> = lost
        .headings
        .iter()
        .take(HEADINGS)
        .map(|heading| format!("\"{}\"", one_line(&heading.text)))
        .collect();
    if !named.is_empty() {
        text.push_str(&format!(", with {}", named.join(", ")));
        if let Some(more) = lost.headings.len().checked_sub(HEADINGS).filter(|more| *more > 0) {
            text.push_str(&format!(" and {} more", count(more, "heading", "headings")));
        }
    }
    text
}

/// A text of a file, safe in a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    // Without components it is a path, `.`, and not a text.
    if text.is_empty() { String::new() } else { shown(Path::new(text)).to_string() }
}
