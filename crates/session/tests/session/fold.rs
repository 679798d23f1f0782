//! The fold against a list of all messages, looked through anew for each question (H4, H5).

use proptest::prelude::*;
use serde_json::json;
use standing_orders_session::{
    Action, Change, Digest, Fact, Fold, InjectorId, InstructionSource, MessageId, Replaces, Scope,
    ScopeEntry, ScopeState,
};

/// One thing that happens, by numbers that need not be valid.
#[derive(Clone, Debug)]
enum Event {
    Entered(Vec<Message>),
    Shadowed(Vec<usize>),
    ShadowedExcept(Vec<usize>),
    Touched,
    StepClosed,
}

#[derive(Clone, Debug)]
struct Message {
    injector: u8,
    /// Number of its rules, if it is a baseline.
    baseline: Option<u8>,
    cwd: u8,
    at: u8,
    changes: Vec<(Action, u8, u8)>,
    /// It enters under the identity of the message with this number, if there was one.
    again: Option<usize>,
    /// Of a baseline.
    replaces: Option<Replaces>,
}

fn message() -> impl Strategy<Value = Message> {
    let action = prop_oneof![
        4 => Just(Action::Set),
        2 => Just(Action::Replace),
        3 => Just(Action::Remove),
        2 => Just(Action::Omit),
    ];
    let injector = prop_oneof![5 => Just(0_u8), 3 => 1..3_u8, 1 => 3..60_u8];
    let scope = prop_oneof![6 => 0..5_u8, 1 => 5..90_u8];
    let changes = prop::collection::vec((action, scope, 0..3_u8), 0..9);
    let again = prop::option::weighted(0.1, 0..40_usize);
    let replaces = prop::sample::select(vec![None, Some(Replaces::All), Some(Replaces::Chain)]);
    (injector, prop::option::weighted(0.2, 0..3_u8), 0..2_u8, 0..3_u8, changes, (again, replaces)).prop_map(
        |(injector, baseline, cwd, at, changes, (again, replaces))| Message {
            again,
            replaces: replaces.filter(|_| baseline.is_some() && injector == 0),
            injector,
            baseline: baseline.filter(|_| injector == 0),
            cwd,
            at,
            changes,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => prop::collection::vec(message(), 0..3).prop_map(Event::Entered),
        4 => prop::collection::vec(0..90_usize, 0..4).prop_map(Event::Shadowed),
        1 => prop::collection::vec(0..90_usize, 0..20).prop_map(Event::ShadowedExcept),
        1 => Just(Event::Touched),
        1 => Just(Event::StepClosed),
    ]
}

fn injector(number: u8) -> InjectorId {
    if number == 0 { InjectorId::workspace() } else { InjectorId::from(format!("i{number}")) }
}

/// Scopes whose path tells them, and scopes whose path does not.
fn scope(number: u8) -> (Scope, String) {
    match number {
        0 => (Scope::from(Scope::USER_GLOBAL), "$DSH_HOME/AGENTS.md".to_owned()),
        1 => (Scope::of(".", "base"), "AGENTS.md".to_owned()),
        2 => (Scope::of("é", "local"), "é/AGENTS.local.md".to_owned()),
        3 => (Scope::from("main/RULES.md"), "main/RULES.md".to_owned()),
        number => (Scope::of(&format!("d{number}"), "X.md"), format!("elsewhere/{number}.md")),
    }
}

fn id(number: usize) -> MessageId {
    MessageId::from(format!("m{number}"))
}

fn source(number: usize, message: &Message) -> InstructionSource {
    let selection = |rules| if rules == 2 { "all_distinct" } else { "first" };
    let change = |(action, of, text): &(Action, u8, u8)| {
        let (scope, path) = scope(*of);
        // The names of a slot: now this one, now that.
        let path = if text % 2 == 1 { format!("other/{path}") } else { path };
        let digest = (*action != Action::Remove).then(|| Digest::of(&text.to_string()));
        // An update names the other name of its scope, or does not.
        let other = match path.strip_prefix("other/") {
            Some(path) => path.to_owned(),
            None => format!("other/{path}"),
        };
        let previous = (*action == Action::Replace && text % 3 != 0).then_some(other);
        Change { action: *action, scope, path, previous, digest }
    };
    InstructionSource {
        id: id(message.again.filter(|again| *again < number).unwrap_or(number)),
        injector: injector(message.injector),
        baseline: message.baseline.is_some(),
        baseline_identity: message.baseline.map(|n| json!({"rules": n, "selection": selection(n)})),
        replaces: message.replaces,
        cwd: Digest::of(&message.cwd.to_string()),
        at: if message.at == 0 { "é".to_owned() } else { format!("at{}", message.at) },
        changes: message.changes.iter().map(change).collect(),
    }
}

/// The naive fold: every message ever, and whether it is visible.
#[derive(Default)]
struct Naive(Vec<(InstructionSource, bool)>);

impl Naive {
    fn follow(&mut self, fact: &Fact) {
        match fact {
            Fact::Entered(sources) => {
                for source in sources {
                    // One identity is one message: its newest copy counts (H3).
                    self.hide(|known| known.id == source.id);
                    self.0.push((source.clone(), true));
                }
            }
            Fact::Shadowed(ids) => self.hide(|known| ids.contains(&known.id)),
            Fact::ShadowedExcept(ids) => self.hide(|known| !ids.contains(&known.id)),
            Fact::Touched(_) | Fact::StepClosed => {}
        }
    }

    fn hide(&mut self, gone: impl Fn(&InstructionSource) -> bool) {
        self.0.iter_mut().filter(|(source, _)| gone(source)).for_each(|row| row.1 = false);
    }

    fn visible(&self) -> impl DoubleEndedIterator<Item = &InstructionSource> {
        self.0.iter().filter(|(_, visible)| *visible).map(|(source, _)| source)
    }

    /// The path that counts, its state, and the path beside it: what a reader of all texts has.
    fn state(&self, of: &InjectorId, scope: &Scope) -> Option<(String, ScopeState, Option<String>)> {
        let (mut believed, mut omitted): (Vec<(String, Digest)>, _) = (Vec::new(), None);
        for source in self.visible().filter(|source| source.injector == *of) {
            if source.baseline {
                omitted = None;
            }
            // What its text says that it replaces has ended (R3): of these scopes the chain has the
            // user-global file, the root, and `é` where cwd is there.
            let chain = [Scope::USER_GLOBAL, ".\0base"].contains(&scope.as_str())
                || source.at == "é" && scope.as_str() == "é\0local";
            match source.replaces {
                Some(Replaces::All) => believed.clear(),
                Some(Replaces::Chain) if chain => believed.clear(),
                _ => {}
            }
            for change in source.changes.iter().filter(|change| change.scope == *scope) {
                let Change { action, path, previous, digest, .. } = change;
                believed.retain(|(known, _)| {
                    let omits = *action == Action::Omit;
                    (omits || known != path) && previous.as_ref() != Some(known)
                });
                omitted = None;
                match (action, digest) {
                    (Action::Set | Action::Replace, Some(digest)) => believed.push((path.clone(), *digest)),
                    (Action::Omit, Some(digest)) => {
                        if !source.baseline {
                            believed.clear();
                        }
                        omitted = Some((path.clone(), ScopeState::Omitted(*digest), None));
                    }
                    _ => {}
                }
            }
        }
        let Some((path, digest)) = believed.pop() else { return omitted };
        Some((path, ScopeState::InForce(digest), believed.pop().map(|(path, _)| path)))
    }
}

fn facts(events: &[Event]) -> Vec<Fact> {
    let mut entered = 0;
    let ids = |numbers: &[usize]| numbers.iter().map(|number| id(*number)).collect();
    let fact = |event: &Event| match event {
        Event::Entered(messages) => Fact::Entered(
            messages
                .iter()
                .map(|message| {
                    entered += 1;
                    source(entered - 1, message)
                })
                .collect(),
        ),
        Event::Shadowed(numbers) => Fact::Shadowed(ids(numbers)),
        Event::ShadowedExcept(numbers) => Fact::ShadowedExcept(ids(numbers)),
        Event::Touched => Fact::Touched(vec!["a/é".into()]),
        Event::StepClosed => Fact::StepClosed,
    };
    events.iter().map(fact).collect()
}

/// Asks both everything.
fn agree(fold: &Fold, naive: &Naive) {
    let numbers = (0..60).chain([200]);
    for of in numbers.map(injector) {
        let last = naive.visible().rev().find(|source| source.injector == of);
        assert_eq!(fold.has_messages(&of), last.is_some(), "whether a message of {of} is visible");
        let recorded = fold.recorded(&of).map(|recorded| (recorded.cwd, recorded.at.to_owned()));
        assert_eq!(
            recorded,
            last.map(|source| (source.cwd, source.at.clone())),
            "where {of} was recorded last"
        );
        let mut scopes = 0;
        for (scope, _) in (0..90).map(scope) {
            let entry = fold.scope(&of, scope.as_str());
            let stray = |entry: &ScopeEntry<'_>| entry.stray.map(|stray| stray.path.to_owned());
            let known = entry.map(|entry| (entry.path.to_string(), entry.state, stray(&entry)));
            assert_eq!(known, naive.state(&of, &scope), "the last visible entry of {of} {scope} decides");
            scopes += usize::from(known.is_some());
        }
        assert_eq!(fold.scopes(&of).count(), scopes, "no other scope of {of} is in force or left out");
    }
    let visible: Vec<_> = naive.visible().map(|source| (&source.id, &source.injector)).collect();
    assert_eq!(fold.visible_messages().collect::<Vec<_>>(), visible, "the visible messages, in order");
    for (source, _) in &naive.0 {
        let visible = naive.visible().any(|other| other.id == source.id);
        assert_eq!(fold.is_visible(&source.id), visible, "whether {} is visible", source.id);
    }
    let baseline = naive.visible().rev().find(|source| source.baseline);
    let identity = |source: &InstructionSource| source.baseline_identity.clone();
    let selection = |source: &InstructionSource| Some(identity(source)?["selection"].as_str()?.to_owned());
    let shown = fold.baseline();
    assert_eq!(shown.is_some(), baseline.is_some(), "whether a baseline is visible");
    assert_eq!(
        shown.and_then(|shown| shown.identity),
        baseline.and_then(identity).map(|identity| Fold::identity_digest(&identity)),
        "the last visible baseline's identity"
    );
    assert_eq!(
        shown.and_then(|shown| shown.selection.map(str::to_owned)),
        baseline.and_then(selection),
        "the last visible baseline's selection"
    );
    for cwd in ["0", "1"].map(Digest::of) {
        let at = naive.visible().rev().find(|source| source.cwd == cwd).map(|source| source.at.as_str());
        assert_eq!(fold.recorded_at(&cwd), at, "the root recorded last at this cwd");
    }
    assert_eq!(fold.messages_so_far() as usize, naive.0.len(), "how many messages there ever were");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fold_says_what_the_list_of_all_messages_says(events in prop::collection::vec(event(), 0..70)) {
        let (mut fold, mut naive) = (Fold::new(), Naive::default());
        for (number, fact) in facts(&events).into_iter().enumerate() {
            naive.follow(&fact);
            fold.follow([fact]);
            if number % 16 == 0 {
                agree(&fold, &naive);
            }
        }
        agree(&fold, &naive);
        agree(&Fold::replay(facts(&events)), &naive);
    }

    #[test]
    fn shadowing_these_is_shadowing_all_except_the_others(
        before in prop::collection::vec(message(), 0..50),
        chosen in prop::collection::btree_set(0..50_usize, 0..50),
        after in prop::collection::vec(message(), 0..9),
    ) {
        let entered = |messages: &[Message], from: usize| {
            Fact::Entered((from..).zip(messages).map(|(number, message)| source(number, message)).collect())
        };
        let (gone, kept): (Vec<_>, Vec<_>) = (0..before.len()).partition(|number| chosen.contains(number));
        let ids = |numbers: Vec<usize>| numbers.into_iter().map(id).collect::<Vec<_>>();
        let facts = |middle| [entered(&before, 0), middle, entered(&after, before.len())];
        let these = facts(Fact::Shadowed(ids(gone)));
        let except = facts(Fact::ShadowedExcept(ids(kept)));
        let mut naive = Naive::default();
        these.iter().for_each(|fact| naive.follow(fact));
        agree(&Fold::replay(these), &naive);
        agree(&Fold::replay(except), &naive);
    }

    #[test]
    fn the_revision_moves_with_what_concerns_instructions_and_only_then(
        events in prop::collection::vec(event(), 1..40),
    ) {
        let (mut fold, mut naive) = (Fold::new(), Naive::default());
        for fact in facts(&events) {
            let (revision, before) = (fold.revision(), naive.visible().count());
            let enters = matches!(&fact, Fact::Entered(sources) if !sources.is_empty());
            naive.follow(&fact);
            fold.follow([fact]);
            let concerns = enters || naive.visible().count() != before;
            prop_assert_eq!(fold.revision() != revision, concerns, "a step prepared before it is stale, no other is");
        }
    }
}

#[test]
fn a_shadowed_remove_revives_the_earlier_set() {
    let set = Message {
        injector: 0,
        baseline: None,
        cwd: 0,
        at: 0,
        changes: vec![(Action::Set, 2, 2)],
        again: None,
        replaces: None,
    };
    let remove = Message { changes: vec![(Action::Remove, 2, 0)], ..set.clone() };
    let of = InjectorId::workspace();
    let (scope, _) = scope(2);
    let state = |fold: &Fold| fold.scope(&of, scope.as_str()).map(|entry| entry.state);
    let mut fold =
        Fold::replay([Fact::Entered(vec![source(0, &set)]), Fact::Entered(vec![source(1, &remove)])]);
    assert_eq!(state(&fold), None, "removed");
    fold.follow([Fact::Shadowed(vec![id(1)])]);
    assert_eq!(state(&fold), Some(ScopeState::InForce(Digest::of("2"))), "and in force again");
    fold.follow([Fact::ShadowedExcept(Vec::new())]);
    assert_eq!(state(&fold), None, "nothing is in force that is not visible");
}

#[test]
fn a_baseline_identity_is_the_same_in_any_key_order() {
    let one: serde_json::Value =
        serde_json::from_str(r#"{"a": [1, {"x": "é", "y": 2}], "b": null}"#).unwrap();
    let other: serde_json::Value =
        serde_json::from_str(r#"{"b": null, "a": [1, {"y": 2, "x": "é"}]}"#).unwrap();
    assert_eq!(Fold::identity_digest(&one), Fold::identity_digest(&other), "keys have no order");
    let changed: serde_json::Value =
        serde_json::from_str(r#"{"b": null, "a": [{"y": 2, "x": "é"}, 1]}"#).unwrap();
    assert_ne!(Fold::identity_digest(&one), Fold::identity_digest(&changed), "lists have");
}
