//! What the tracing decorator tells.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use standing_orders_fs::{Fault, FaultKind, FsProvider, MemoryFs, PathBatch, Traced};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fixtures::CAP;

/// Writes down spans and events, one a line, without durations.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<String>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = if field.name() == "micros" {
            format!("a number: {}", format!("{value:?}").parse::<u64>().is_ok())
        } else {
            format!("{value:?}")
        };
        write!(self.0, " {}={value}", field.name()).unwrap();
    }
}

impl Subscriber for Notes {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(format!("span {}", span.metadata().name()));
        span.record(&mut line);
        writeln!(self.0.lock().unwrap(), "{}", line.0).unwrap();
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(format!("{}", event.metadata().level()));
        event.record(&mut line);
        writeln!(self.0.lock().unwrap(), "{}", line.0).unwrap();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn each_batch_is_a_span_with_its_counts_and_each_fault_an_event_of_one_line() {
    let notes = Notes::default();
    let fs = MemoryFs::from_iter([
        ("/ws/AGENTS.md", "four"),
        ("/ws/dir/", ""),
        ("/ws/large", "more than ten bytes"),
    ]);
    fs.fault("/ws/a\nb 指示", Fault::Stat(FaultKind::PermissionDenied));
    let traced = Traced::new(fs);
    let batch: PathBatch =
        ["/ws/AGENTS.md", "/ws/dir", "/ws/large", "/gone", "/ws/a\nb 指示"].into_iter().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    tracing::subscriber::with_default(notes.clone(), || {
        runtime.block_on(async {
            traced.probe_many(&batch).await;
            traced.read_many(&batch, 10).await;
            let batch = ["/ws", "/ws/large", "/gone", "/ws/a\nb 指示"].into_iter().collect();
            traced.list_many(&batch, 2).await;
        });
    });
    let expected = "\
span probe_many paths=5
DEBUG message=fault fault=\"/ws/a\\nb 指示\": permission denied
DEBUG message=probed present=3 absent=1 faults=1 micros=a number: true
span read_many paths=5 max_bytes=10
DEBUG message=fault fault=\"/ws/a\\nb 指示\": permission denied
DEBUG message=read read=1 absent=1 not_files=1 too_large=1 deferred=0 faults=1 bytes=4 micros=a number: true
span list_many paths=4 limit=2
DEBUG message=fault fault=\"/ws/a\\nb 指示\": permission denied
DEBUG message=listed listed=1 absent=1 not_directories=1 faults=1 entries=2 left_out=1 micros=a number: true
";
    assert_eq!(*notes.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn answers_pass_through_unchanged() {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "four")]);
    let batch: PathBatch = ["/ws/AGENTS.md", "/gone"].into_iter().collect();
    let traced = Traced::new(fs.clone());
    assert_eq!(traced.probe_many(&batch).await, fs.probe_many(&batch).await);
    assert_eq!(traced.read_many(&batch, CAP).await, fs.read_many(&batch, CAP).await);
    assert_eq!(traced.list_many(&batch, 9).await, fs.list_many(&batch, 9).await);
}
