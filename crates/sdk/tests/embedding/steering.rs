//! What may happen while a step is being prepared.

use std::sync::Mutex;
use std::time::Duration;

use standing_orders::StepInput;

use super::{project, session};

#[tokio::test(start_paused = true)]
async fn a_step_is_steered_and_touched_while_it_is_prepared() {
    let fs = project();
    fs.set_latency(Duration::from_millis(10));
    let history = Mutex::new(vec!["prompt".to_owned()]);
    let mut context = session(&fs, "s").open([]).unwrap();
    let touches = context.touches();
    let (prepared, ()) = tokio::join!(context.pre_step(StepInput::default()), async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        // The history is the host's: nothing of ours holds it across an await.
        history.try_lock().expect("no guard is held").push("steered".to_owned());
        touches.report("api/x.rs");
    });
    assert_eq!(prepared.messages().len(), 1, "the baseline");
    assert_eq!(prepared.messages()[0].source.changes.len(), 1, "without what was touched meanwhile");
    context.entered(prepared).unwrap();
    let next = context.pre_step(StepInput::default()).await;
    let paths: Vec<_> = next.messages()[0].source.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["api/AGENTS.md"], "the touch after the pre-step began is the next one's (C4)");
}

#[tokio::test]
async fn what_a_write_would_need_is_known_before_it() {
    let fs = project();
    let mut context = session(&fs, "s").open([]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    context.entered(prepared).unwrap();
    let undelivered = context.undelivered(&["api/new.rs", "other/x"], StepInput::default()).await;
    let paths: Vec<_> = undelivered.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["api/AGENTS.md"], "only what applies and is not visible yet (C15)");
    assert!(context.pre_step(StepInput::default()).await.is_empty(), "asking changes nothing");
}
