//! Which touches no step has answered yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Fact;

/// The touched paths that wait for a step to answer them (C4, C5).
///
/// A touch is answered by the next entered step whose pre-step began after it; a step that was
/// rejected answers none. A pre-step takes a [`mark`](Self::mark) when it begins, and its entering
/// [`answers`](Self::answer) everything before that mark.
///
/// Of a step that is known from a [`Fact`] alone, nothing says when its pre-step began. It answers
/// a touch out of the history only where another step entered or ended between the two, and no
/// touch that was [reported](Self::report) here: its writer may not have known of it. So a touch
/// may be looked at once more than was needed, and none is lost.
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
    origin: Origin,
    /// Whether a step has ended since, or for one of the history entered since: then the pre-step
    /// of the next one to enter began after it.
    before_boundary: bool,
}

/// How a touch is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Reported to this instance.
    Reported,
    /// Told by a fact.
    History,
}

impl TouchLog {
    /// Nothing touched.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more path, touched by a tool of this instance. Blank ones are ignored (C4).
    pub fn report(&mut self, path: impl Into<PathBuf>) {
        self.push(path.into(), Origin::Reported);
    }

    fn push(&mut self, path: PathBuf, origin: Origin) {
        if path.as_os_str().is_empty() {
            return;
        }
        let known = self.open.get(&path).map(|touch| touch.origin);
        let origin = if known == Some(Origin::Reported) { Origin::Reported } else { origin };
        self.open.insert(path, Touch { at: self.next, origin, before_boundary: false });
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
            known.before_boundary &= touch.before_boundary;
            if touch.origin == Origin::Reported {
                known.origin = Origin::Reported;
            }
        }
        self
    }

    /// Follows one fact of the history.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::Touched(paths) => paths.iter().for_each(|path| self.push(path.clone(), Origin::History)),
            Fact::Entered(_) => {
                self.entered = true;
                self.open.retain(|_, touch| touch.origin == Origin::Reported || !touch.before_boundary);
                let history = self.open.values_mut().filter(|touch| touch.origin == Origin::History);
                history.for_each(|touch| touch.before_boundary = true);
            }
            Fact::StepClosed => {
                // Without an `Entered` the step still was one. What was touched before the step
                // ahead of it ended is surely answered; what came later may have been touched
                // within it, and stays.
                if !self.entered {
                    self.open.retain(|_, touch| !touch.before_boundary);
                }
                self.entered = false;
                self.open.values_mut().for_each(|touch| touch.before_boundary = true);
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
    fn an_entered_step_answers_what_surely_came_before_its_pre_step() {
        let (entered, closed) = (|| Fact::Entered(vec![]), || Fact::StepClosed);
        let rows = [
            ("within a step, then the next one", vec![entered(), touched("é"), closed(), entered()], vec![]),
            (
                "between the end of one and the next",
                vec![entered(), closed(), touched("é"), entered()],
                vec!["é"],
            ),
            ("and the one after it", vec![entered(), closed(), touched("é"), entered(), entered()], vec![]),
            ("before any step", vec![touched("é"), entered(), touched("b")], vec!["é", "b"]),
            ("touched again", vec![touched("é"), closed(), touched("é"), entered()], vec!["é"]),
        ];
        for (name, facts, expected) in rows {
            assert_eq!(waiting(&facts), expected, "{name}");
        }
    }

    #[test]
    fn a_step_of_another_writer_answers_no_touch_that_was_reported_here() {
        let mut log = TouchLog::new();
        log.report("own");
        log.apply(&touched("theirs"));
        for fact in [Fact::StepClosed, Fact::Entered(vec![]), Fact::StepClosed, Fact::Entered(vec![])] {
            log.apply(&fact);
        }
        assert_eq!(log.waiting().collect::<Vec<_>>(), [Path::new("own")]);
        log.answer(log.mark());
        assert!(log.is_empty(), "a step of this instance answers both");
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
