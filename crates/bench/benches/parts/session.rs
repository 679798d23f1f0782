//! The pure heart: what changed, and what is visible.

use criterion::{BatchSize, BenchmarkId, Criterion};
use standing_orders_session::{
    Action, BaselineRules, CandidateState, Change, Content, Digest, Fact, FileKey, Fold, InjectorId,
    InstructionSource, MessageId, Observation, Rules, Scope, Slot, Zone,
};

use crate::project::DEPTHS;

fn dirs(depth: usize) -> Vec<String> {
    (0..depth)
        .map(|level| if level == 0 { ".".to_owned() } else { vec!["package"; level].join("/") })
        .collect()
}

fn path(dir: &str) -> String {
    if dir == "." { "AGENTS.md".to_owned() } else { format!("{dir}/AGENTS.md") }
}

/// A baseline that sets every directory's base slot.
fn baseline(depth: usize, id: &str) -> InstructionSource {
    let change = |dir: &String| Change {
        action: Action::Set,
        scope: Scope::of(dir, "base"),
        path: path(dir),
        previous: None,
        digest: Some(Digest::of(dir)),
    };
    InstructionSource {
        id: MessageId::from(id),
        injector: InjectorId::workspace(),
        baseline: true,
        baseline_identity: Some(serde_json::json!({ "selection": "first" })),
        replaces: None,
        cwd: Digest::of("/work"),
        at: dirs(depth).pop().unwrap(),
        changes: dirs(depth).iter().map(change).collect(),
    }
}

pub(crate) fn reconcile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reconcile");
    for depth in DEPTHS {
        let dirs = dirs(depth);
        let mut fold = Fold::new();
        fold.follow([Fact::Entered(vec![baseline(depth, "m")])]);
        let rows = (0_u32..).zip(&dirs).map(|(directory, dir)| {
            let content = Content::Text { digest: Digest::of(dir), trimmed: None };
            let here = CandidateState::Present { file: Some(FileKey(directory)), content };
            let scopes = ["base", "local"].map(|slot| Scope::of(dir, slot));
            (path(dir), scopes, here)
        });
        let rows: Vec<_> = rows.collect();
        let observed: Vec<[[Observation<'_>; 2]; 2]> = rows
            .iter()
            .map(|(path, _, here)| {
                let of = |state| Observation { path, state };
                let nothing = of(CandidateState::Absent);
                [[of(*here), nothing], [nothing, nothing]]
            })
            .collect();
        let mut slots = Vec::new();
        for (directory, ((_, scopes, _), observed)) in rows.iter().zip(&observed).enumerate() {
            for (scope, candidates) in scopes.iter().zip(observed) {
                slots.push(Slot { scope, zone: Zone::Chain, directory, candidates });
            }
        }
        let injector = InjectorId::workspace();
        let identity = Fold::identity_digest(&serde_json::json!({ "selection": "first" }));
        let at = dirs.last().unwrap();
        let rules = Rules {
            injector: &injector,
            selection: Default::default(),
            baseline: Some(BaselineRules { digest: identity, cwd: Digest::of("/work"), at }),
        };
        group.bench_function(BenchmarkId::new("unchanged", depth), |bencher| {
            bencher.iter(|| {
                let plan = standing_orders_session::reconcile(&fold, &slots, &rules);
                assert!(plan.is_empty(), "nothing changed, so nothing is due");
                plan
            });
        });
        let nothing = Fold::new();
        group.bench_function(BenchmarkId::new("first load", depth), |bencher| {
            bencher.iter(|| {
                let plan = standing_orders_session::reconcile(&nothing, &slots, &rules);
                let due = plan.decisions.iter().filter(|decision| decision.is_due()).count();
                assert_eq!(due, depth, "all of it is due");
                plan
            });
        });
    }
}

pub(crate) fn fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fold");
    let step = || [Fact::Entered(Vec::new()), Fact::Touched(vec!["src/é.rs".into()]), Fact::StepClosed];
    group.bench_function("1,000 steps without instructions", |bencher| {
        let facts = || std::iter::repeat_with(step).take(1_000).flatten().collect::<Vec<_>>();
        bencher.iter_batched(facts, Fold::replay, BatchSize::SmallInput);
    });
    group.bench_function("100 baselines, each compacted away", |bencher| {
        let facts = || {
            let turn = |number: usize| {
                let entered = Fact::Entered(vec![baseline(8, &format!("m{number}"))]);
                [entered, Fact::ShadowedExcept(Vec::new())]
            };
            (0..100).flat_map(turn).collect::<Vec<_>>()
        };
        bencher.iter_batched(facts, Fold::replay, BatchSize::SmallInput);
    });
}
