//! Which touches no step has answered yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Fact;

/// The touched paths that the next entered step answers (C4, C5).
///
/// A touch is answered by the next entered step whose pre-step began after it; a step that was
/// rejected answers none. A pre-step takes a [`mark`](Self::mark) when it begins, and its entering
/// [`answers`](Self::answer) everything before that mark.
#[derive(Clone, Debug, Default)]
pub struct TouchLog {
    next: u64,
    /// By path: a path that is touched again waits for the later answer.
    open: BTreeMap<PathBuf, Touch>,
    /// Whether an `Entered` came since the last step ended.
    entered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Touch {
    at: u64,
    /// Whether a step has ended since: then the next one to enter answers it for certain.
    before_close: bool,
}

impl TouchLog {
    /// Nothing touched.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more path. Blank ones are ignored (C4).
    pub fn report(&mut self, path: impl Into<PathBuf>) {
        let path = path.into();
        if path.as_os_str().is_empty() {
            return;
        }
        self.open.insert(path, Touch { at: self.next, before_close: false });
        self.next += 1;
    }

    /// With every waiting path replaced by what `resolve` makes of it, those without one dropped.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&Path) -> Option<PathBuf>) -> Self {
        let open = std::mem::take(&mut self.open);
        for (path, touch) in open {
            let Some(path) = resolve(&path) else { continue };
            let known = self.open.entry(path).or_insert(touch);
            known.at = known.at.max(touch.at);
            known.before_close &= touch.before_close;
        }
        self
    }

    /// Follows one fact of the history.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::Touched(paths) => paths.iter().for_each(|path| self.report(path)),
            Fact::Entered(_) => {
                self.entered = true;
                self.open.clear();
            }
            Fact::StepClosed => {
                // Without an `Entered` the step still was one. What was touched before the step
                // ahead of it ended is surely answered; what came later may have been touched
                // within it, and stays.
                if !self.entered {
                    self.open.retain(|_, touch| !touch.before_close);
                }
                self.entered = false;
                self.open.values_mut().for_each(|touch| touch.before_close = true);
            }
            Fact::Shadowed(_) | Fact::ShadowedExcept(_) => {}
        }
    }

    /// Where a pre-step that begins now stands.
    pub fn mark(&self) -> u64 {
        self.next
    }

    /// A step whose pre-step took `mark` has entered.
    pub fn answer(&mut self, mark: u64) {
        self.entered = true;
        self.open.retain(|_, touch| touch.at >= mark);
    }

    /// The paths that wait, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Path> {
        let mut open: Vec<_> = self.open.iter().collect();
        open.sort_unstable_by_key(|(_, touch)| touch.at);
        open.into_iter().map(|(path, _)| path.as_path())
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(facts: &[Fact]) -> Vec<String> {
        let mut log = TouchLog::new();
        facts.iter().for_each(|fact| log.apply(fact));
        log.waiting().map(|path| path.display().to_string()).collect()
    }

    fn touched(path: &str) -> Fact {
        Fact::Touched(vec![path.into()])
    }

    #[test]
    fn a_touch_within_a_step_waits_for_the_next_one() {
        let facts = [Fact::Entered(vec![]), touched("a/é"), Fact::StepClosed];
        assert_eq!(waiting(&facts), ["a/é"], "a restart between two steps loses no touch");
    }

    #[test]
    fn an_entered_step_answers_what_came_before_it() {
        let facts = [touched("a"), Fact::Entered(vec![]), touched("b")];
        assert_eq!(waiting(&facts), ["b"], "only later touches wait");
    }

    #[test]
    fn steps_that_are_only_closed_answer_the_touches_of_the_step_before() {
        let facts = [touched("a"), Fact::StepClosed, touched("b"), Fact::StepClosed];
        assert_eq!(waiting(&facts), ["b"], "what may have been touched within the step stays");
    }

    #[test]
    fn a_touch_after_the_mark_is_not_answered() {
        let mut log = TouchLog::new();
        log.report("before");
        let mark = log.mark();
        log.report("while preparing");
        log.report("");
        log.answer(mark);
        assert_eq!(log.waiting().collect::<Vec<_>>(), [Path::new("while preparing")]);
    }
}
