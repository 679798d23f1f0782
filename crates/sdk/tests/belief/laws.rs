//! What must hold after every entered step.
//!
//! 1. The books say what the reader believes: the same paths, and where nothing was cut the same
//!    content.
//! 2. Where no budget binds, the reader believes what a fresh session would be given, and of folders
//!    beside the chain those that were touched.
//!
//! Each exception carries the rule that makes it.

use std::collections::{BTreeMap, BTreeSet};

use standing_orders::Budget;
use standing_orders::InForce;
use standing_orders::plugin::{AdmissionRequest, InjectorId, Part, SessionHeader, SessionPolicy};
use standing_orders_session::{Action, Digest, InstructionSource};

use super::coverage::Seen;
use super::reader::{Belief, Told, folder, is_of_the_workspace, is_towards};
use super::story::{GATE_IDS, Terms, WHEN_TOUCHED};
use super::tree::{GATED, Truth};

/// What was so when the pre-step began.
pub(super) struct Outlook {
    pub(super) before: Belief,
    /// What a fresh session is given that has touched every folder.
    pub(super) fresh: Belief,
    pub(super) truths: BTreeMap<String, Truth>,
    pub(super) here: String,
    /// Nothing says that the folders beside the chain are others, or other names count in them (C3).
    pub(super) same_place: bool,
    /// The folders beside the chain that had to be looked at.
    pub(super) looked: BTreeSet<String>,
    /// Whether a touch waited that brings the gated file that waits for one.
    pub(super) rust: bool,
    pub(super) terms: Terms,
    pub(super) mode: Option<&'static str>,
    /// A budget binds, or did before.
    pub(super) budget_bound: bool,
    pub(super) header: SessionHeader,
}

/// On one line each, without what is not there.
impl std::fmt::Debug for Outlook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { before, fresh, truths, here, same_place, looked, rust, terms, mode, header, .. } = self;
        writeln!(f, "{terms:?}, mode {mode:?}, {}, in {here:?}", header.class())?;
        writeln!(
            f,
            "believed before: {before:?}\nfresh: {fresh:?}\nsame place: {same_place}, looked at: {looked:?}, rust: {rust}"
        )?;
        let there = truths.iter().filter(|(_, truth)| truth.unreadable || truth.file.is_some());
        there.into_iter().try_for_each(|(path, Truth { file, content, unreadable })| {
            let file = file.map(|file| format!("{file:?}").replace("0, ", ""));
            writeln!(f, "  {path}: {content:?}, {file:?}{}", if *unreadable { ", unreadable" } else { "" })
        })
    }
}

/// A step that entered.
pub(super) struct Step<'a> {
    pub(super) outlook: &'a Outlook,
    pub(super) after: &'a Belief,
    pub(super) in_force: Vec<InForce>,
    pub(super) sources: &'a [InstructionSource],
}

pub(super) fn check(step: &Step<'_>) -> Result<(), String> {
    step.the_books_say_what_is_believed()?;
    if step.outlook.budget_bound {
        return Ok(()); // C8, C9: what had no room is left out, cut, or waits, over restarts too.
    }
    step.what_is_believed_is_what_the_files_say()?;
    step.nothing_is_missing()?;
    step.nothing_is_believed_that_a_fresh_session_is_not_given()?;
    step.no_file_is_told_twice()?;
    step.what_cannot_be_read_stays_as_it_was_told()
}

impl Step<'_> {
    fn the_books_say_what_is_believed(&self) -> Result<(), String> {
        let books: Vec<&String> = self.in_force.iter().map(|entry| &entry.path).collect();
        let mut books_sorted = books.clone();
        books_sorted.sort();
        let believed: Vec<&String> = self.after.keys().collect();
        if books_sorted != believed {
            return Err(format!("LAW 1: the books say {books_sorted:?}, the reader believes {believed:?}"));
        }
        for entry in &self.in_force {
            let Told::Whole(content) = &self.after[&entry.path] else { continue };
            let digest = match entry.injector.is_workspace() {
                true => Digest::of(content),
                false => Digest::of_normalised(content), // H4
            };
            if digest != entry.digest {
                return Err(format!(
                    "LAW 1: the books have another content of {} than {content:?}",
                    entry.path
                ));
            }
        }
        Ok(())
    }

    fn what_is_believed_is_what_the_files_say(&self) -> Result<(), String> {
        for (path, told) in self.after {
            if self.is_of_nobody(path) || self.is_in_trouble(path) {
                continue;
            }
            let now = self.outlook.truths.get(path).and_then(|truth| truth.content.as_deref());
            let same = match told {
                Told::Cut => false,
                Told::Whole(content) if is_of_the_workspace(path) => now == Some(content),
                // H4: white space at the ends of lines is no change.
                Told::Whole(content) => {
                    now.is_some_and(|now| Digest::of_normalised(now) == Digest::of_normalised(content))
                }
            };
            if !same {
                return Err(format!("LAW 2: {path} is believed to say {told:?}, and says {now:?}"));
            }
        }
        Ok(())
    }

    fn nothing_is_missing(&self) -> Result<(), String> {
        let outlook = self.outlook;
        for (path, told) in &outlook.fresh {
            let given = self.after.contains_key(path)
                || self.is_in_trouble(path)
                || self.shares_trouble(path)
                // D9: one file, one rendering.
                || self.is_shown_elsewhere(path, self.after);
            let workspace = is_of_the_workspace(path);
            // C4: other folders need a touch.
            let unlooked =
                workspace && !is_towards(path, &outlook.here) && !outlook.looked.contains(folder(path));
            // I4: due once a touch matched, then in force.
            let gate = GATED[WHEN_TOUCHED.0];
            let waits = path == gate && !outlook.rust && !outlook.before.contains_key(gate);
            if !given && !unlooked && !waits {
                return Err(format!("LAW 2: {path} is not believed, a fresh session is given {told:?}"));
            }
        }
        Ok(())
    }

    fn nothing_is_believed_that_a_fresh_session_is_not_given(&self) -> Result<(), String> {
        for (path, told) in self.after {
            let given = self.outlook.fresh.contains_key(path)
                || self.is_of_nobody(path)
                || self.is_in_trouble(path)
                || self.shares_trouble(path)
                // D9: the fresh session has it from a folder that this one did not touch.
                || self.is_shown_elsewhere(path, &self.outlook.fresh)
                // D9, last sentence, of the equal sibling that would stand in its place (D5).
                || self.outlook.fresh.keys().any(|other| {
                    self.is_equal_sibling(path, other) && self.shares_trouble(other)
                });
            if !given {
                return Err(format!("LAW 2: {path} is believed, {told:?}; a fresh session is not given it"));
            }
        }
        Ok(())
    }

    /// D9, within an injector.
    fn no_file_is_told_twice(&self) -> Result<(), String> {
        let own = || self.after.keys().filter(|path| is_of_the_workspace(path));
        for (number, path) in own().enumerate() {
            for other in own().skip(number + 1) {
                let trouble = [path, other].iter().any(|p| self.is_in_trouble(p) || self.shares_trouble(p));
                if self.is_one_file(path, other) && !trouble {
                    return Err(format!("LAW 2: {path} and {other} are one file, and both are believed"));
                }
            }
        }
        Ok(())
    }

    /// C7: unavailable is never absence.
    fn what_cannot_be_read_stays_as_it_was_told(&self) -> Result<(), String> {
        let outlook = self.outlook;
        for (path, told) in &outlook.before {
            let stands = self.after.get(path) == Some(told);
            if stands || self.is_of_nobody(path) || !self.is_unreadable(path) || !self.is_admitted(path) {
                continue;
            }
            // I5: a gated file under another name; its own name may be the one that cannot be probed.
            let gated = GATED.iter().any(|gate| self.is_one_file(path, gate));
            // C3: a new baseline carries what of the chain it can read; what was recorded beside
            // another chain goes.
            let baseline = self.sources.iter().any(|source| source.baseline);
            let replaced = match is_towards(path, &outlook.here) {
                true => baseline,
                false => !outlook.same_place || baseline && self.is_removed_of_the_other_selection(path),
            };
            let replaced = replaced && is_of_the_workspace(path);
            // C7, `first`: another name above it that can be read takes its place.
            let above = !outlook.terms.all_distinct && self.an_earlier_name_is_there(path);
            // D9: an earlier place shows the same file; or an equal sibling, where what it says is
            // known by its version and not read again (C13).
            let elsewhere = self.is_shown_elsewhere(path, self.after)
                || self.after.keys().any(|other| self.is_equal_sibling(path, other));
            // D9: it was read by another name of the file; a fault belongs to the path.
            let now = outlook.truths.get(path).and_then(|truth| truth.content.clone()).map(Told::Whole);
            let by_another_name = self.after.get(path).is_some_and(|told| Some(told) == now.as_ref())
                && outlook.truths.keys().any(|other| self.is_one_file(path, other));
            if !(gated && is_of_the_workspace(path) || replaced || above || elsewhere || by_another_name) {
                return Err(format!(
                    "LAW 2: {path} cannot be read and was told as {told:?}; now it is not believed"
                ));
            }
        }
        Ok(())
    }

    /// C3: nested scopes that were recorded under the other selection go with a baseline, also where a
    /// compaction took the baseline of their own.
    fn is_removed_of_the_other_selection(&self, path: &str) -> bool {
        self.sources.iter().flat_map(|source| &source.changes).any(|change| {
            let of_first = ["\0base", "\0local"].iter().any(|slot| change.scope.as_str().ends_with(slot));
            change.action == Action::Remove
                && change.path == *path
                && of_first == self.outlook.terms.all_distinct
        })
    }

    fn is_unreadable(&self, path: &str) -> bool {
        self.outlook.truths.get(path).is_some_and(|truth| truth.unreadable)
    }

    /// I2: no injector has it any more: it stays, reported.
    fn is_of_nobody(&self, path: &str) -> bool {
        gate(path).is_some_and(|gate| !self.outlook.terms.is_registered(gate))
    }

    /// The unreadable files among those that a session looks for.
    fn troubles(&self) -> impl Iterator<Item = &String> {
        let terms = &self.outlook.terms;
        let listed = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            path.starts_with('~') || gate(path).is_some() || is_listed(terms, name)
        };
        let truths = self.outlook.truths.iter();
        truths.filter(move |(path, truth)| truth.unreadable && listed(path)).map(|(path, _)| path)
    }

    /// C7: something of its folder cannot be read, so that what was told stands.
    fn is_in_trouble(&self, path: &str) -> bool {
        match is_of_the_workspace(path) {
            true => self.troubles().any(|other| is_of_the_workspace(other) && folder(path) == folder(other)),
            false => self.is_unreadable(path),
        }
    }

    /// D9, last sentence: an unreadable place keeps its file, or what it was told to say, to itself.
    fn shares_trouble(&self, path: &str) -> bool {
        let outlook = self.outlook;
        let content = outlook.truths.get(path).and_then(|truth| truth.content.clone()).map(Told::Whole);
        self.troubles().any(|other| {
            let mut told = outlook.before.iter().filter(|(told, _)| folder(told) == folder(other));
            self.is_one_file(path, other) || told.any(|(_, told)| Some(told) == content.as_ref())
        })
    }

    fn is_one_file(&self, path: &str, other: &str) -> bool {
        let file = |path: &str| self.outlook.truths.get(path).and_then(|truth| truth.file);
        path != other && file(path).is_some() && file(path) == file(other)
    }

    /// D9: by another path of the file, or by an equal sibling of that path (D5).
    fn is_shown_elsewhere(&self, path: &str, belief: &Belief) -> bool {
        let others = || self.outlook.truths.keys().filter(|other| self.is_one_file(path, other));
        let by =
            |other: &str| belief.keys().any(|shown| shown == other || self.is_equal_sibling(other, shown));
        others().any(|other| by(other))
    }

    /// D5.
    fn is_equal_sibling(&self, path: &str, other: &str) -> bool {
        let text = |path: &str| Some(self.outlook.truths.get(path)?.content.as_deref()?.trim());
        self.outlook.terms.all_distinct
            && path != other
            && folder(path) == folder(other)
            && text(path).is_some()
            && text(path) == text(other)
    }

    /// The folders among those looked at in which nothing of a list can be had now: looked at again
    /// by this writer (C4).
    pub(super) fn unanswered(&self) -> BTreeSet<String> {
        let Outlook { terms, truths, looked, .. } = self.outlook;
        let waits = |folder: &&String| {
            [terms.base_names(), terms.local_names()].iter().any(|names| {
                let found = names.iter().filter_map(|name| truths.get(&format!("{folder}/{name}")));
                let none = names.iter().all(|name| !self.after.contains_key(&format!("{folder}/{name}")));
                let (unreadable, rest): (Vec<_>, Vec<_>) = found.partition(|truth| truth.unreadable);
                none && !unreadable.is_empty() && rest.iter().all(|truth| truth.file.is_none())
            })
        };
        // In a mode that denies nested files, touches are answered by silence.
        let admitted = |folder: &&String| self.is_admitted(&format!("{folder}/{}", terms.base_names()[0]));
        looked.iter().filter(admitted).filter(waits).cloned().collect()
    }

    fn an_earlier_name_is_there(&self, path: &str) -> bool {
        let (place, name) = path.rsplit_once('/').map_or(("", path), |(place, name)| (place, name));
        let terms = &self.outlook.terms;
        let list = [terms.base_names(), terms.local_names()].into_iter().find(|list| list.contains(&name));
        let earlier = list.into_iter().flatten().take_while(|earlier| **earlier != name);
        let mut paths = earlier.map(|earlier| match place {
            "" => (*earlier).to_owned(),
            place => format!("{place}/{earlier}"),
        });
        paths.any(|path| self.outlook.truths.get(&path).is_some_and(|truth| truth.content.is_some()))
    }

    /// Whether the session may have it at all: home, lists, gates and policy (D3, D6, D14, I2, I4).
    fn is_admitted(&self, path: &str) -> bool {
        let Outlook { terms, mode, header, here, .. } = self.outlook;
        let name = path.rsplit('/').next().unwrap_or_default();
        let (injector, part) = match gate(path) {
            Some(0) if !header.class().is_main() => return false,
            Some(1) if header.class().is_main() => return false,
            Some(3) if *mode != Some("plan") => return false,
            Some(gate) => (InjectorId::from(GATE_IDS[gate]), Part::Gated),
            None if path.starts_with('~') && !terms.home => return false,
            None if path.starts_with('~') => (InjectorId::workspace(), Part::UserGlobal),
            None if !is_listed(terms, name) => return false,
            None if terms.exclude && path.starts_with("lib/") => return false,
            None if !is_towards(path, here) => (InjectorId::workspace(), Part::Nested),
            None if terms.local_names().contains(&name) => (InjectorId::workspace(), Part::Local),
            None => (InjectorId::workspace(), Part::Base),
        };
        let request = AdmissionRequest::new(header, &injector, part, Budget::from_bytes(1_000_000));
        terms.policy_table().admit(&request.in_mode(*mode)).is_allowed()
    }
}

fn gate(path: &str) -> Option<usize> {
    GATED.iter().position(|gated| *gated == path)
}

fn is_listed(terms: &Terms, name: &str) -> bool {
    terms.base_names().contains(&name) || terms.local_names().contains(&name)
}

/// What the step shows of the situations that runs have to reach.
pub(super) fn note(step: &Step<'_>, seen: &mut Seen) {
    let Step { outlook, after, sources, .. } = step;
    let nested = |path: &&String| is_of_the_workspace(path) && !is_towards(path, &outlook.here);
    let baseline = sources.iter().any(|source| source.baseline);
    let actions = |action| sources.iter().flat_map(|source| &source.changes).any(move |c| c.action == action);
    seen.note("an entered step", true);
    seen.note("a step with instructions", !sources.is_empty());
    seen.note("a baseline", baseline);
    seen.note("a baseline after something was believed", baseline && !outlook.before.is_empty());
    seen.note("a nested file is believed", after.keys().any(|path| nested(&path)));
    let stays = |path: &&String| nested(path) && after.get(*path) == outlook.before.get(*path);
    seen.note(
        "a baseline beside nested files that stay",
        baseline && outlook.before.keys().any(|p| stays(&p)),
    );
    seen.note("a gated file is believed", after.keys().any(|path| !is_of_the_workspace(path)));
    let revoked = |path: &String| !is_of_the_workspace(path) && !after.contains_key(path);
    seen.note("a gated file is revoked", outlook.before.keys().any(revoked));
    seen.note("an update", actions(Action::Replace));
    seen.note("a removal", actions(Action::Remove));
    seen.note("left out", actions(Action::Omit));
    seen.note("an unreadable folder to be looked at again", !step.unanswered().is_empty());
    seen.note("a file that was cut", after.values().any(|told| *told == Told::Cut));
    let stands = |path: &String| step.is_unreadable(path) && after.contains_key(path);
    seen.note("an unreadable file that stands", outlook.before.keys().any(stands));
    let linked = |path: &String| outlook.truths.keys().any(|other| step.is_one_file(path, other));
    seen.note("a file with two names", after.keys().any(linked));
    let gated =
        |path: &&String| is_of_the_workspace(path) && GATED.iter().any(|gate| step.is_one_file(path, gate));
    seen.note("a gated file under another name", outlook.truths.keys().any(|path| gated(&path)));
    let switched =
        |path: &&String| !after.contains_key(*path) && after.keys().any(|new| folder(new) == folder(path));
    seen.note("another name in a folder", outlook.before.keys().any(|path| switched(&path)));
}
