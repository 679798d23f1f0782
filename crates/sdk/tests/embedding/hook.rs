//! A framework's hook behind `&self`, one context a protocol session.

use std::collections::HashMap;
use std::sync::Arc;

use standing_orders::{Context, StepInput};
use standing_orders_fs::MemoryFs;
use tokio::sync::Mutex;

use super::{project, session};

/// What a framework would hold in an `Arc<dyn Hook>`.
struct Hook {
    fs: MemoryFs,
    sessions: Mutex<HashMap<String, Arc<Mutex<Context>>>>,
}

impl Hook {
    async fn before_request(&self, id: &str, request: &mut Vec<String>) {
        let context = {
            let mut sessions = self.sessions.lock().await;
            let open = || Arc::new(Mutex::new(session(&self.fs, id).open([]).unwrap()));
            sessions.entry(id.to_owned()).or_insert_with(open).clone()
        };
        let mut context = context.lock().await;
        let prepared = context.pre_step(StepInput::default()).await;
        request.extend(prepared.messages().iter().map(|message| message.text()));
        context.entered(prepared).unwrap();
    }
}

fn assert_send<T: Send>(value: T) -> T {
    value
}

#[tokio::test]
async fn a_hook_behind_a_shared_reference_serves_sessions_on_any_thread() {
    let hook = Arc::new(Hook { fs: project(), sessions: Mutex::default() });
    let tasks = (0..8).map(|number| {
        let hook = hook.clone();
        tokio::spawn(assert_send(async move {
            let id = format!("s{}", number % 2);
            let mut request = Vec::new();
            hook.before_request(&id, &mut request).await;
            request.len()
        }))
    });
    let mut delivered = 0;
    for task in tasks.collect::<Vec<_>>() {
        delivered += task.await.unwrap();
    }
    assert_eq!(delivered, 2, "each of the two sessions was given its baseline once");
}

#[test]
fn futures_and_handles_are_send() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<Context>();
    sync::<Context>();
    send::<standing_orders::Prepared>();
    send::<standing_orders::Touches>();
    sync::<standing_orders::Touches>();
    let context = session(&project(), "s").open([]).unwrap();
    drop(assert_send(context.pre_step(StepInput::default())));
    drop(assert_send(context.undelivered(&["a"], StepInput::default())));
    drop(assert_send(session(&project(), "s").compose(&["a".into()])));
}
