#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
#![allow(clippy::print_stdout, reason = "a child tells its acknowledgements there")]

//! A child appends and prints each acknowledgement; it is killed at random; whatever it had
//! acknowledged is there on reopening, in order, none twice (H2).
//!
//! Rounds for each encoding: 25, or the value of `STANDING_ORDERS_KILL_ROUNDS`. Not a test of the
//! usual harness, because the child is this same program.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use standing_orders_history::{Encoding, Event, JsonlLog, JsonlOptions, SessionLog as _, UserMessage};
use standing_orders_session::SessionHeader;

const CHILD: &str = "STANDING_ORDERS_KILL_CHILD";
const ROUNDS: &str = "STANDING_ORDERS_KILL_ROUNDS";
/// A log is killed so many times before the next one is begun.
const KILLS_A_LOG: u64 = 10;

/// What entry `seq` says: told by its number alone. Some are long, so that a kill can fall into a
/// write.
fn entry(seq: u64) -> Event {
    let length = if seq.is_multiple_of(37) { 200_000 } else { 10 + seq % 90 };
    UserMessage::text(format!("{seq} {}", "ü".repeat(usize::try_from(length).unwrap()))).into()
}

/// How many entries the batch from `seq` on has.
fn batch_length(seq: u64) -> u64 {
    1 + seq * 7 % 5
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(path) = std::env::var_os(CHILD) {
        append_until_killed(Path::new(&path)).await;
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("kill: test");
        return;
    }
    let rounds = std::env::var(ROUNDS).map_or(25, |rounds| rounds.parse().expect("a number of rounds"));
    for (name, encoding) in [("plain", Encoding::Plain), ("zstd", Encoding::Zstd)] {
        let told = kill(name, encoding, rounds).await;
        println!("{name}: {rounds} kills, {told}");
    }
}

async fn append_until_killed(path: &Path) {
    let log = JsonlLog::open(path).await.unwrap();
    let mut head = log.head().await.unwrap();
    let mut out = std::io::stdout().lock();
    loop {
        let batch: Vec<Event> = (head..head + batch_length(head)).map(entry).collect();
        head = log.append(head, &batch).await.unwrap();
        writeln!(out, "{head}").and_then(|()| out.flush()).unwrap();
    }
}

async fn kill(name: &str, encoding: Encoding, rounds: u64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64 ^ rounds;
    let mut next_random = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let (mut torn, mut acknowledged, mut entries) = (0, 0, 0);
    for round in 0..rounds {
        let path = folder.path().join(format!("{}", round / KILLS_A_LOG));
        if round % KILLS_A_LOG == 0 {
            let header = SessionHeader::main("kill", 0);
            acknowledged = 0;
            drop(JsonlOptions::default().encoding(encoding).create(&path, header).await.unwrap());
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..next_random(12) {
            acknowledged = told.next().unwrap().unwrap().parse().unwrap();
        }
        std::thread::sleep(Duration::from_micros(next_random(3_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in told.map_while(Result::ok) {
            // A line is one write, and a pipe takes one of this length as a whole.
            acknowledged = line.parse().unwrap();
        }

        let log = JsonlLog::open(&path).await.unwrap_or_else(|error| panic!("{name} {round}: {error}"));
        torn += u64::from(log.cut().is_some());
        let head = log.head().await.unwrap();
        assert!(head >= acknowledged, "{name} {round}: {acknowledged} were acknowledged, {head} are there");
        let mut at = 0;
        let mut chunks = log.read(0).await.unwrap();
        while let Some(chunk) = chunks.next_chunk().await.unwrap() {
            for event in chunk.events {
                assert!(event == entry(at), "{name} {round}: entry {at} is there, in order, and as it was");
                at += 1;
            }
        }
        assert_eq!(at, head, "{name} {round}: every entry is there once");
        let mut boundary = 0;
        while boundary < head {
            boundary += batch_length(boundary);
        }
        assert_eq!(boundary, head, "{name} {round}: a batch is there as a whole or not at all");
        entries = entries.max(head);
        acknowledged = head;
    }
    format!("{torn} torn ends, up to {entries} entries a log")
}
