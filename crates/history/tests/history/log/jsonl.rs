use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

use standing_orders_history::testing::{self, Faults};
use standing_orders_history::{
    Event, Json, JsonlLog, JsonlOptions, LogError, SessionLog, ToolCall, UserMessage,
};
use standing_orders_session::SessionHeader;

use super::{ENCODINGS, header, message, read};

#[tokio::test]
async fn a_file_log_keeps_the_laws() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let paths = Mutex::new(Vec::<PathBuf>::new());
        let create = async |header: SessionHeader| {
            let path = folder.path().join(format!("{name}-{}.jsonl", header.id()));
            paths.lock().unwrap().push(path.clone());
            let log = JsonlOptions::default().encoding(*encoding).create(path, header).await.unwrap();
            Box::new(log) as Box<dyn SessionLog>
        };
        let reopen = async |log: Box<dyn SessionLog>| {
            let id = log.header().id().to_owned();
            drop(log);
            let log = JsonlLog::open(folder.path().join(format!("{name}-{id}.jsonl"))).await.unwrap();
            assert_eq!(log.cut(), None, "{name}: a log that was closed has no torn end");
            Box::new(log) as Box<dyn SessionLog>
        };
        testing::check_log(create, reopen).await;
    }
}

#[tokio::test]
async fn the_form_of_a_plain_log_is_stable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = JsonlLog::create(&path, header()).await.unwrap();
    let arguments = Json::parse("{\n\"b\": 1}").unwrap();
    let call = ToolCall { id: "c".into(), name: "n".into(), arguments, parent: None };
    log.append(0, &[Event::TurnStart, Event::StepStart, message(1)]).await.unwrap();
    log.append(3, &[call.into()]).await.unwrap();
    let expected = concat!(
        r#"{"format":1,"id":"s-空","created_at":7,"cwd":"/ws","delegation_depth":0}"#,
        "\n",
        r#"{"seq":0,"more":2,"type":"turn_start"}"#,
        "\n",
        r#"{"seq":1,"more":1,"type":"step_start"}"#,
        "\n",
        r#"{"seq":2,"type":"user_message","data":{"content":[{"text":"1: grüß dich 空"}]}}"#,
        "\n",
        r#"{"seq":3,"type":"tool_call","data":{"id":"c","name":"n","arguments":{ "b": 1}}}"#,
        "\n",
    );
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "stored logs stay readable");
}

#[tokio::test]
async fn a_second_writer_is_told_so() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = JsonlOptions::default().encoding(*encoding).create(&path, header()).await.unwrap();
        log.append(0, &[message(0)]).await.unwrap();
        let error = JsonlLog::open(&path).await.unwrap_err();
        assert!(matches!(error, LogError::Locked { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains("another writer"), "{name}: the error says so: {error}");

        let reader = JsonlLog::read_only(&path).await.unwrap();
        assert_eq!(read(&reader, 0).await.unwrap(), [message(0)], "{name}: a reader needs no lock");
        let refused = reader.append(1, &[message(1)]).await;
        assert!(matches!(refused, Err(LogError::ReadOnly { .. })), "{name}: a reader does not write");

        let chunks = log.read(0).await.unwrap();
        drop(log);
        JsonlLog::open(&path).await.unwrap();
        drop(chunks);
    }
}

#[tokio::test]
async fn creating_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "precious").unwrap();
    let error = JsonlLog::create(&path, header()).await.unwrap_err();
    let LogError::Io { source, .. } = &error else { panic!("{error:?}") };
    assert_eq!(source.kind(), std::io::ErrorKind::AlreadyExists, "the file is there");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious", "and as it was");
}

#[tokio::test]
async fn an_empty_file_that_an_interrupted_creation_left_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lög");
    std::fs::write(&path, "").unwrap();
    for error in [
        JsonlLog::create(&path, header()).await.unwrap_err(),
        JsonlLog::open(&path).await.unwrap_err(),
        JsonlLog::read_only(&path).await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("remove it and create"), "what to do: {error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"", "creating never overwrites, an empty file neither");
    std::fs::remove_file(&path).unwrap();
    JsonlLog::create(&path, header()).await.unwrap();
}

#[tokio::test]
async fn creating_leaves_the_log_alone_in_its_folder() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        // What an interrupted creation left is of no consequence.
        std::fs::write(folder.path().join("log.new"), "half a h").unwrap();
        // The longest name that there can be has no room for another beside it.
        for file in ["log", &"l".repeat(255)] {
            let log = JsonlOptions::default().encoding(*encoding);
            let log = log.create(folder.path().join(file), header()).await.unwrap();
            log.append(0, &[message(0)]).await.unwrap();
            let error = JsonlLog::create(folder.path().join(file), header()).await.unwrap_err();
            assert!(error.to_string().ends_with("cannot create the log"), "{name}: {error}");
            assert_eq!(read(&log, 0).await.unwrap(), [message(0)], "{name}: it is as it was");
        }
        let expected = ["l".repeat(255).into(), "log".into(), "log.new".into()] as [std::ffi::OsString; 3];
        assert_eq!(names(), expected, "{name}: nothing else is there");
    }
}

#[tokio::test]
async fn a_full_disk_leaves_the_log_as_it_was() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = JsonlOptions::default().encoding(*encoding).create(&path, header()).await.unwrap();
        log.append(0, &[message(0)]).await.unwrap();
        let before = std::fs::read(&path).unwrap();
        for room in [0, 1, 30] {
            log.inject(Faults { room: Some(room), sync: false });
            let error = log.append(1, &[message(1), message(2)]).await.unwrap_err();
            let LogError::Io { source, .. } = &error else { panic!("{name}: {error:?}") };
            assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{name}: the reason is the disk");
            assert!(error.to_string().contains("log: cannot write"), "{name}: the file is named: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), before, "{name}: the half that was written is gone");
            assert_eq!(log.head().await.unwrap(), 1, "{name}: the head is as before");
        }
        log.inject(Faults::default());
        assert_eq!(log.append(1, &[message(1)]).await.unwrap(), 2, "{name}: with room it goes on");
        assert_eq!(
            read(&log, 0).await.unwrap(),
            [message(0), message(1)],
            "{name}: nothing is lost or doubled"
        );
    }
}

#[tokio::test]
async fn a_failed_sync_breaks_the_log_until_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = JsonlLog::create(&path, header()).await.unwrap();
    log.inject(Faults { room: None, sync: true });
    let error = log.append(0, &[message(0)]).await.unwrap_err();
    assert!(matches!(error, LogError::Io { doing: "sync a batch", .. }), "{error:?}");
    log.inject(Faults::default());
    let error = log.append(0, &[message(0)]).await.unwrap_err();
    assert!(matches!(error, LogError::Broken { .. }), "what is on disk is unknown: {error:?}");
    drop(log);
    let log = JsonlLog::open(&path).await.unwrap();
    let head = log.head().await.unwrap();
    assert_eq!(log.append(head, &[message(9)]).await.unwrap(), head + 1, "opening finds out");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_device_without_room_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let error = JsonlLog::create(&path, header()).await.unwrap_err();
    assert!(error.to_string().contains("full: cannot create the log"), "{error}");
}

#[tokio::test]
async fn an_entry_beyond_the_line_limit_is_refused_before_it_is_written() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let options = JsonlOptions::default().encoding(*encoding).max_line_bytes(200);
        let log = options.create(&path, header()).await.unwrap();
        let fits = message(0);
        let long = Event::from(UserMessage::text("ü".repeat(100)));
        let error = log.append(0, &[fits.clone(), long]).await.unwrap_err();
        let LogError::TooLarge { seq: 1, bytes, limit: 200 } = error else { panic!("{name}: {error:?}") };
        assert!(bytes > 200, "{name}: the error says how long: {bytes}");
        assert_eq!(log.head().await.unwrap(), 0, "{name}: nothing of the batch is there");
        log.append(0, &[fits]).await.unwrap();
    }
}

#[tokio::test]
async fn options_under_which_a_log_could_not_be_read_back_are_refused_when_it_is_made() {
    let long = SessionHeader::main("ü".repeat(50), 7);
    let length = serde_json::to_string(&long).unwrap().len() as u64 + 1;
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lög");
        for limit in [0, 1, 100, length - 1] {
            let options = JsonlOptions::default().encoding(*encoding).max_line_bytes(limit);
            let error = options.create(&path, long.clone()).await.unwrap_err();
            assert!(
                matches!(error, LogError::HeaderTooLarge { bytes, limit: l, .. } if bytes == length && l == limit),
                "{name}, {limit}: {error:?}"
            );
            assert_eq!(
                std::fs::read_dir(folder.path()).unwrap().count(),
                0,
                "{name}, {limit}: nothing is left"
            );
        }
        // From the least that is taken on, what was acknowledged is read back.
        for (limit, level) in [(length, 1), (length + 1, 22)] {
            let options = JsonlOptions::default().encoding(*encoding).level(level).max_line_bytes(limit);
            let log = options.clone().create(&path, long.clone()).await.unwrap();
            let mut taken = Vec::new();
            for letters in 0..length {
                let event = Event::from(UserMessage::text("a".repeat(usize::try_from(letters).unwrap())));
                match log.append(taken.len() as u64, std::slice::from_ref(&event)).await {
                    Ok(_) => taken.push(event),
                    Err(error) => {
                        assert!(matches!(error, LogError::TooLarge { .. }), "{name}, {limit}: {error:?}");
                    }
                }
            }
            assert!(!taken.is_empty() && (taken.len() as u64) < length, "{name}, {limit}: up to the bound");
            drop(log);
            let log = options.open(&path).await.unwrap();
            assert_eq!(read(&log, 0).await.unwrap(), taken, "{name}, {limit}: all of it");
            drop(log);
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[tokio::test]
async fn a_read_that_is_dropped_loses_nothing() {
    use std::future::Future as _;
    let folder = tempfile::tempdir().unwrap();
    let log = JsonlLog::create(folder.path().join("log"), header()).await.unwrap();
    let events: Vec<Event> = (0..20_000).map(message).collect();
    log.append(0, &events).await.unwrap();
    let mut chunks = log.read(0).await.unwrap();
    let mut found = Vec::new();
    loop {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        // Polled once and dropped; the next call goes on.
        if let std::task::Poll::Ready(chunk) = std::pin::pin!(chunks.next_chunk()).poll(&mut cx) {
            match chunk.unwrap() {
                Some(mut chunk) => found.append(&mut chunk.events),
                None => break,
            }
        }
        match chunks.next_chunk().await.unwrap() {
            Some(mut chunk) => found.append(&mut chunk.events),
            None => break,
        }
    }
    assert!(found == events, "every entry came once, in order");
}

#[tokio::test]
async fn an_append_that_is_dropped_is_there_as_a_whole_or_not_at_all() {
    use std::future::Future as _;
    let folder = tempfile::tempdir().unwrap();
    let log = JsonlLog::create(folder.path().join("log"), header()).await.unwrap();
    let batch = [message(0), message(1)];
    {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let _ = std::pin::pin!(log.append(0, &batch)).poll(&mut cx);
    }
    let stale = log.append(0, &[message(2)]).await;
    match log.head().await.unwrap() {
        1 => assert_eq!(read(&log, 0).await.unwrap(), [message(2)], "the dropped one came too late"),
        2 => {
            assert!(matches!(stale, Err(LogError::Stale { expected: 0, actual: 2 })), "{stale:?}");
            assert_eq!(read(&log, 0).await.unwrap(), batch, "the dropped one is there");
        }
        head => panic!("never half a batch: {head}"),
    }
}

#[test]
fn outside_a_runtime_the_error_says_so() {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let opened = std::future::Future::poll(std::pin::pin!(JsonlLog::open("nowhere")), &mut cx);
    let std::task::Poll::Ready(Err(LogError::NoRuntime)) = opened else {
        panic!("a file log needs a runtime: {opened:?}");
    };
}

#[tokio::test]
async fn a_log_goes_on_where_an_interrupted_reader_of_the_middle_left_off() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = JsonlOptions::default().encoding(*encoding).create(&path, header()).await.unwrap();
        let long = "ü".repeat(300_000);
        let big = |n: u64| Event::from(UserMessage::text(format!("{n}{long}")));
        for n in 0..12 {
            log.append(n, &[big(n)]).await.unwrap();
        }
        for from in 0..=12 {
            let expected: Vec<_> = (from..12).map(big).collect();
            assert!(read(&log, from).await.unwrap() == expected, "{name}: from {from} on");
        }
    }
}

#[tokio::test]
async fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = JsonlLog::open(folder.path().join("fehlt-ü")).await.unwrap_err();
    assert!(error.to_string().contains("fehlt-ü: cannot open the log"), "{error}");
    std::fs::File::create(folder.path().join("empty")).unwrap().write_all(b"").unwrap();
    let error = JsonlLog::open(folder.path().join("empty")).await.unwrap_err();
    assert!(matches!(error, LogError::NoHeader { .. }), "an empty file is no log: {error:?}");
}
