//! What has to hold, each law a sentence.

use standing_orders::{InstructionMessage, StepInput};
use standing_orders_history::Event;
use standing_orders_session::{Action, Digest, Fact, Fold, InjectorId, MessageId};

use super::coverage::{self, cover};
use super::due::{Due, Expected, Item, Share, Shown, Verdict, expect, scope_order};
use super::history::{Entry, History};
use super::look::root;
use super::setup::{GATE, Gate};
use super::sut::{Sut, entries, loaded_of, run};

/// What is due, against what the model says.
pub(super) fn judge(sut: &Sut, expected: &Expected, messages: &[InstructionMessage]) {
    if sut.setup.budget == 0 {
        cover("budget off");
    }
    let mut rest = messages.iter().peekable();
    for share in &expected.shares {
        let message = rest.next_if(|message| message.source.injector.as_str() == share.injector);
        coverage::standings(&share.due, share.injector);
        let due = &share.due;
        let changes = message.map(entries).unwrap_or_default();
        if let Some(message) = message {
            assert_eq!(message.source.baseline, due.baseline, "a baseline is due exactly when C3 says");
            coverage::kinds(sut, due, &changes, share.injector);
            for block in &message.blocks {
                assert!(block.len() as u64 <= sut.setup.budget, "no block exceeds its budget");
            }
            assert!(!block_counts(due, &changes, message), "one block for the list, one for transitions");
            text_agrees(due, &changes, message);
        }
        let head = due.removes.len().min(changes.len());
        let (removes, tail) = changes.split_at(head);
        assert_eq!(
            by_folder(removes),
            by_folder(&due.removes),
            "a baseline's list starts with what it withdraws"
        );
        assert!(
            removes.windows(2).all(|pair| scope_order(&pair[0].scope) <= scope_order(&pair[1].scope)),
            "removals of a baseline's list stand in order"
        );
        if !sut.setup.is_binding() {
            let ideal: Vec<Entry> =
                due.items.iter().chain(&due.transitions).map(|item| item.entry.clone()).collect();
            assert_eq!(
                tail, ideal,
                "without a binding budget exactly what the model says is due ({})",
                share.injector
            );
            continue;
        }
        within_budget(due, message, tail);
        for change in tail.iter().filter(|change| change.action == Action::Remove) {
            let item = due.transitions.iter().find(|item| item.entry.scope == change.scope);
            let Some(shower) = item.and_then(|item| item.shown_by) else { continue };
            let enters = tail.iter().any(|change| {
                change.scope == share.slots[shower].scope
                    && matches!(change.action, Action::Set | Action::Replace)
            });
            assert!(
                enters || due.standings[shower].is_current(),
                "a scope goes for another place only when that one is in force or enters in the same message"
            );
        }
    }
    assert!(rest.next().is_none(), "messages stand in order, workspace first, and there are no others");
}

fn by_folder(removes: &[Entry]) -> Vec<Entry> {
    let mut removes = removes.to_vec();
    removes.sort_by_key(|entry| (scope_order(&entry.scope), entry.scope.clone()));
    removes
}

/// With a budget that may bind: a part of what is due, in order, and nothing else.
fn within_budget(due: &Due, message: Option<&InstructionMessage>, tail: &[Entry]) {
    if due.complete {
        assert!(message.is_some(), "a complete message is sent, whatever fits");
    }
    let mut tail = tail.iter();
    for item in &due.items {
        let change = tail.next().expect("a complete message names every scope it chooses among");
        let chosen = matches!(change.action, Action::Set | Action::Omit);
        let same = Entry { action: change.action, ..item.entry.clone() };
        assert!(chosen && *change == same, "a complete message sets or leaves out, in order: {change:?}");
    }
    let mut transitions = due.transitions.iter();
    let mut held_back = Vec::new();
    for change in tail {
        let item = loop {
            let item = transitions.next();
            let item = item.unwrap_or_else(|| panic!("a transition is sent that is not due: {change:?}"));
            if item.entry.scope == change.scope {
                break item;
            }
            held_back.push(item);
        };
        let left_out = change.action == Action::Omit && item.entry.action == Action::Replace;
        if left_out {
            cover("left out");
        }
        // What is left out hands over to nothing: its path alone is recorded.
        let previous = item.entry.previous.clone().filter(|_| !left_out);
        let same = Entry { action: change.action, previous, ..item.entry.clone() };
        assert!(
            *change == same && (left_out || change.action == item.entry.action),
            "{change:?} is due as {item:?}"
        );
    }
    if held_back.iter().chain(&transitions.collect::<Vec<_>>()).any(|item| item.shown_by.is_some()) {
        cover("a removal that waits for the entry it hands over to");
    }
}

fn block_counts(due: &Due, changes: &[Entry], message: &InstructionMessage) -> bool {
    let later = changes.len() > due.removes.len() + due.items.len();
    message.blocks.len() != usize::from(due.complete) + usize::from(later)
}

/// Whether a block has this very line.
fn has_line(block: &str, line: &str) -> bool {
    block.lines().any(|other| other == line)
}

/// What is recorded is what the text says (C9, R7).
fn text_agrees(due: &Due, changes: &[Entry], message: &InstructionMessage) {
    let listed = due.removes.len() + due.items.len();
    if message.text().contains("truncated ") {
        cover("cut");
    }
    let first = message.blocks.first().map_or("", String::as_str);
    for change in &changes[due.removes.len()..listed] {
        let heading = has_line(first, &format!("Instructions from: {}", change.path));
        match change.action {
            Action::Omit => assert!(
                !heading || first.contains(" to 0 bytes"),
                "what is left out has no heading, unless the notice says that nothing is left of it"
            ),
            _ => assert!(heading, "what is set stands under its heading: {change:?}\n{first}"),
        }
    }
    let last = message.blocks.last().map_or("", String::as_str);
    for change in &changes[listed..] {
        let plain = ["Additional instructions from: ", "Instructions from: "];
        let switched = due.transitions.iter().any(|item| item.entry.scope == change.scope && item.switched);
        let holds = match change.action {
            Action::Set => plain.iter().any(|heading| has_line(last, &format!("{heading}{}", change.path))),
            Action::Replace => has_line(last, &format!("Updated instructions from: {}", change.path)),
            Action::Remove => has_line(last, &format!("Instructions removed: {}", change.path)),
            Action::Omit => switched || has_line(last, &format!("Instructions removed: {}", change.path)),
        };
        assert!(holds, "a change is recorded only with its heading in the text: {change:?}\n{last}");
    }
}

/// A fault changes nothing: no removal comes of it that would not come without it, or for another
/// place that shows the text.
pub(super) fn fault_changes_nothing(sut: &Sut, expected: &Expected, messages: &[InstructionMessage]) {
    if sut.world.faults.is_empty() {
        return;
    }
    sut.world.faults.keys().for_each(|path| sut.fs.fault(path, None));
    let healed = run(sut.driver.context().due(StepInput::in_mode(sut.mode)));
    sut.world.break_fs(&sut.fs);
    let healed: Vec<Entry> = healed.messages().iter().flat_map(entries).collect();
    if healed != messages.iter().flat_map(entries).collect::<Vec<_>>() {
        cover("a fault that changes what is due");
    }
    for share in &expected.shares {
        let sent = messages.iter().find(|message| message.source.injector.as_str() == share.injector);
        let changes = sent.map(entries).unwrap_or_default();
        for change in changes.iter().skip(share.due.removes.len()) {
            let slot = share.slots.iter().position(|slot| slot.scope == change.scope).unwrap();
            let shown_by =
                share.due.transitions.iter().any(|item| item.slot == slot && item.shown_by.is_some());
            // What is kept from the session goes, whatever else is known (I5).
            let gated = share.due.standings[slot].verdict == Verdict::Gated;
            if change.action == Action::Remove && !shown_by && !gated {
                // A budget may let the healed step carry something else first.
                let also = healed.iter().any(|other| other == change) || sut.setup.is_binding();
                assert!(also, "a fault changes nothing: no removal comes of it, {change:?}");
                let unknown = share.slots[slot].candidates.iter().any(|candidate| {
                    sut.world.probe(&candidate.asked) != super::world::Probed::Absent
                        && sut.world.probe(&candidate.asked) != super::world::Probed::Dir
                });
                assert!(!unknown, "a scope goes only when every candidate is confirmed absent");
            }
            if change.action == Action::Replace {
                let path =
                    share.slots[slot].candidates.iter().find(|candidate| candidate.shown == change.path);
                let there = path.is_some_and(|candidate| {
                    matches!(sut.world.probe(&candidate.asked), super::world::Probed::File { .. })
                });
                assert!(there, "what is replaced is replaced by a file that is there: {change:?}");
            }
        }
    }
}

/// The engine's state, scope by scope, is what the list of messages says.
pub(super) fn in_force_is_what_history_says(sut: &Sut) {
    let actual: Vec<_> = sut.driver.context().in_force();
    let actual: Vec<_> = actual
        .iter()
        .map(|scope| {
            (scope.injector.to_string(), scope.scope.as_str().to_owned(), scope.path.clone(), scope.digest)
        })
        .collect();
    let expected: Vec<_> = loaded_of(sut)
        .into_iter()
        .map(|(injector, scope, loaded)| (injector, scope, loaded.path, loaded.digest))
        .collect();
    assert_eq!(
        actual, expected,
        "what is in force is what the visible messages say, the last entry of each scope"
    );
}

/// After an entered step.
pub(super) fn after_entering(sut: &Sut, expected: &Expected, messages: &[InstructionMessage]) {
    for share in &expected.shares {
        let state = sut.history.state(share.injector);
        let sent = messages.iter().find(|message| message.source.injector.as_str() == share.injector);
        let changes = sent.map(entries).unwrap_or_default();
        let listed = if share.due.complete { share.due.removes.len() + share.due.items.len() } else { 0 };
        let reset = share.due.resets_nested;
        for change in changes.iter().skip(listed) {
            let same = share.state.get(&change.scope).is_some_and(|loaded| {
                let same = Some(loaded.digest) == change.digest && loaded.path == change.path;
                loaded.in_force && same && loaded.stray.is_none()
            });
            assert!(
                !same || reset,
                "nothing in force and unchanged is sent again, except inside a complete baseline"
            );
        }
        // What a step of the same instance would find due now.
        let Sut { world, setup, mode, history, instance, .. } = sut;
        let again = expect(world, setup, *mode, history, instance);
        let still_due = |scope: &str| {
            let of = again.shares.iter().find(|other| other.injector == share.injector);
            of.is_some_and(|of| {
                of.due.items.iter().chain(&of.due.transitions).any(|item| item.entry.scope == scope)
            })
        };
        // What is nested and was recorded elsewhere waits for a baseline (C3), and goes at last
        // without one: a touch, or want of room, delays that.
        let elsewhere = sut.elsewhere_before(&expected.at, messages);
        // What a touch found and fits no message is dropped until the next touch (C8).
        let by_touch = share.injector == GATE && setup.gate == Gate::WhenTouched;
        for (slot, standing) in share.slots.iter().zip(&share.due.standings) {
            let now = state.get(&slot.scope);
            match &standing.verdict {
                Verdict::Winner { digest, .. } if !slot.nested && !by_touch => {
                    let recorded = now.is_some_and(|loaded| loaded.digest == *digest);
                    let elsewhere =
                        matches!(standing.shown, Shown::By(_) | Shown::HandedTo { .. } | Shown::Held);
                    let waits = setup.is_binding() && still_due(&slot.scope);
                    assert!(
                        recorded || elsewhere || waits || standing.pinned,
                        "every scope of the chain that could be read is in force with its present digest, \
                         or recorded as left out at it, or still due for lack of room: {:?}",
                        slot.scope
                    );
                }
                Verdict::Gone if !(elsewhere && slot.candidates.is_empty()) => {
                    let stays = now.is_some_and(|loaded| loaded.in_force);
                    assert!(
                        !stays || setup.is_binding() && still_due(&slot.scope),
                        "nothing gone stays in force: {:?}",
                        slot.scope
                    );
                }
                Verdict::Frozen if share.due.removes.iter().all(|entry| entry.scope != slot.scope) => {
                    assert_eq!(
                        now,
                        share.state.get(&slot.scope),
                        "the last good state of what is unavailable stands"
                    );
                }
                _ => {}
            }
        }
        // A gated file that waited brings, once it is in force, the others of its entry with the step
        // after it (I4).
        if !setup.is_binding() && history.touches.is_empty() && !elsewhere {
            let follows = |share: &&Share| share.injector == GATE && setup.gate == Gate::WhenTouched;
            let due: Vec<&Item> = again
                .shares
                .iter()
                .filter(|share| !follows(share))
                .flat_map(|share| share.due.items.iter().chain(&share.due.transitions))
                .collect();
            assert!(
                due.is_empty(),
                "without a binding budget one step carries everything that is due: {due:?}"
            );
        }
    }
}

/// Nothing has been due, and nothing changes.
pub(super) fn at_rest(sut: &Sut) {
    let Sut { world, setup, mode, history, instance, .. } = sut;
    if !instance.provider || setup.budget == 0 {
        return;
    }
    let expected = expect(world, setup, *mode, history, instance);
    if setup.budget >= 300 {
        for share in &expected.shares {
            let gone = share
                .due
                .transitions
                .iter()
                .find(|item| item.entry.action == Action::Remove && item.shown_by.is_none());
            assert!(gone.is_none(), "nothing gone stays in force: {gone:?}");
        }
    }
    let fresh_root = root(world, setup, &History::default()).0;
    if setup.is_binding() || !world.faults.is_empty() || !expected.all_answered || expected.root != fresh_root
    {
        return;
    }
    cover("compared with a fresh session");
    let composed = run(setup.session(&sut.fs).compose_with(&[], StepInput::in_mode(sut.mode))).unwrap();
    let fresh: Vec<_> = composed
        .parts
        .iter()
        .filter(|part| part.source.injector.is_workspace())
        .flat_map(|part| part.source.changes.iter())
        .map(|change| (change.scope.as_str().to_owned(), change.path.clone(), change.digest.unwrap()))
        .collect();
    let chain: Vec<_> = expected.shares[0]
        .slots
        .iter()
        .filter(|slot| !slot.nested)
        .filter_map(|slot| {
            let loaded = history.state("workspace").get(&slot.scope)?.clone();
            loaded.in_force.then_some((slot.scope.clone(), loaded.path, loaded.digest))
        })
        .collect();
    assert_eq!(chain, fresh, "what is in force from the chain is what a fresh session would load");
}

/// The history told the other way: after each compaction, all but what is left.
pub(super) fn replay_without_identities(events: &[Event], in_force: &[standing_orders::InForce]) {
    let mut history = standing_orders_history::History::default();
    let mut facts = Vec::new();
    for event in events {
        history.apply(event.clone(), &mut facts).unwrap();
    }
    history.settle(&mut facts);
    let mut visible: Vec<MessageId> = Vec::new();
    let facts = facts.into_iter().map(|fact| match fact {
        Fact::Entered(sources) => {
            visible.extend(sources.iter().map(|source| source.id.clone()));
            Fact::Entered(sources)
        }
        Fact::Shadowed(gone) => {
            visible.retain(|id| !gone.contains(id));
            Fact::ShadowedExcept(visible.clone())
        }
        other => other,
    });
    let fold = Fold::replay(facts);
    let mut scopes = 0;
    for entry in in_force {
        let of: &InjectorId = &entry.injector;
        let known = fold.scope(of, entry.scope.as_str()).map(|entry| entry.state.digest());
        let digest: Option<Digest> = Some(entry.digest);
        assert_eq!(known, digest, "all but these shadowed, and these shadowed, say the same");
        scopes += 1;
    }
    let all =
        fold.injectors().flat_map(|of| fold.scopes(of)).filter(|entry| entry.state.is_in_force()).count();
    assert_eq!(all, scopes, "nothing else is in force");
}
