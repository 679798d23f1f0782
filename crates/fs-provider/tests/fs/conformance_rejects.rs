//! The suite finds wrong providers: each row breaks one rule of a right one.

use std::path::Path;

use bytes::Bytes;
use standing_orders_fs::testing::conformance;
use standing_orders_fs::{
    DirectoryEntry, EntryKind, FaultKind, FileId, FileKind, FsError, FsProvider, Listing, MemoryFs, Metadata,
    PathBatch, Probe, ReadOutcome, ReadPlan, Version,
};

use crate::conformance_fixtures::InMemory;

type Probed = Vec<Result<Probe, FsError>>;
type ReadBack = Vec<Result<ReadOutcome, FsError>>;

/// A right provider whose answers are spoilt.
#[derive(Debug)]
struct Broken {
    right: MemoryFs,
    probes: fn(&PathBatch, Probed) -> Probed,
    reads: fn(&PathBatch, u64, ReadBack) -> ReadBack,
}

#[async_trait::async_trait]
impl FsProvider for Broken {
    async fn probe_many(&self, paths: &PathBatch) -> Probed {
        (self.probes)(paths, self.right.probe_many(paths).await)
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> ReadBack {
        (self.reads)(paths, max_bytes, self.right.read_many(paths, max_bytes).await)
    }
}

async fn rejects(row: &str, laws: &[&str], broken: Broken) {
    let fixture = &mut InMemory(broken.right.clone());
    let violations = match conformance(&broken, fixture).await {
        Err(violations) => violations,
        Ok(report) => panic!("{row}: the suite let it pass\n{report}"),
    };
    for law in laws {
        assert!(
            violations.violated().iter().any(|(violated, _)| violated.contains(law)),
            "{row}: {law:?} is not among what was found\n{violations}"
        );
    }
    assert!(!violations.passed().is_empty(), "{row}: the other laws are checked all the same");
}

async fn rejects_probes(row: &str, laws: &[&str], probes: fn(&PathBatch, Probed) -> Probed) {
    rejects(row, laws, Broken { right: MemoryFs::new(), probes, reads: |_, _, answers| answers }).await;
}

async fn rejects_reads(row: &str, laws: &[&str], reads: fn(&PathBatch, u64, ReadBack) -> ReadBack) {
    rejects(row, laws, Broken { right: MemoryFs::new(), probes: |_, answers| answers, reads }).await;
}

fn each(answers: Probed, spoil: impl Fn(&mut Metadata)) -> Probed {
    let spoilt = |answer| match answer {
        Ok(Probe::Present(mut found)) => {
            spoil(&mut found);
            Ok(Probe::Present(found))
        }
        other => other,
    };
    answers.into_iter().map(spoilt).collect()
}

#[tokio::test]
async fn answers_of_the_wrong_number_or_order_are_found() {
    rejects_probes("reversed", &["P1: one answer"], |_, mut answers| {
        answers.reverse();
        answers
    })
    .await;
    rejects_probes("the last answer is missing", &["P1: one answer"], |_, mut answers| {
        answers.pop();
        answers
    })
    .await;
    rejects_probes("an answer to nothing", &["P1: an empty batch"], |paths, mut answers| {
        if paths.is_empty() {
            answers.push(Ok(Probe::Absent));
        }
        answers
    })
    .await;
    rejects_reads("reads reversed", &["P1: one answer"], |_, _, mut answers| {
        answers.reverse();
        answers
    })
    .await;
}

#[tokio::test]
async fn probes_that_confuse_absence_with_faults_are_found() {
    rejects_probes("faults are absent", &["P2: a link cycle", "P2: a fault is an error"], |_, answers| {
        answers.into_iter().map(|answer| answer.or(Ok(Probe::Absent))).collect()
    })
    .await;
    rejects_probes("absence is a fault", &["P2: no such entry", "P2: a dangling link"], |paths, answers| {
        let fault = |path: &Path| FsError::other(path, "not found");
        let pairs = answers.into_iter().zip(paths.iter());
        pairs
            .map(|(answer, path)| if answer == Ok(Probe::Absent) { Err(fault(path)) } else { answer })
            .collect()
    })
    .await;
    rejects_probes("one fault spoils the batch", &["P2: a fault is an error"], |_, answers| {
        match answers.iter().find_map(|answer| answer.clone().err()) {
            Some(fault) => answers.iter().map(|_| Err(fault.clone())).collect(),
            None => answers,
        }
    })
    .await;
    rejects_probes("a name is cut at its line feed", &["P2: a name is taken"], |paths, answers| {
        let cut = |path: &Path| path.to_string_lossy().contains('\n');
        let pairs = answers.into_iter().zip(paths.iter());
        pairs.map(|(answer, path)| if cut(path) { Ok(Probe::Absent) } else { answer }).collect()
    })
    .await;
}

#[tokio::test]
async fn wrong_metadata_is_found() {
    rejects_probes("everything is a file", &["P2: a directory", "P2: what is neither"], |_, answers| {
        each(answers, |found| found.kind = FileKind::File)
    })
    .await;
    rejects_probes("sizes are off by one", &["P2: a regular file"], |_, answers| {
        each(answers, |found| found.len = found.len.map(|len| len + 1))
    })
    .await;
    rejects_probes("all files are one", &["P4: two files"], |_, answers| {
        each(answers, |found| found.file = Some(FileId::new(0, 0)))
    })
    .await;
    rejects_probes(
        "identity by path",
        &["P4: two links", "P4: two names", "P4: a read"],
        |paths, answers| {
            let id = |path: &Path| Version::of(path.as_os_str().as_encoded_bytes());
            let pairs = answers.into_iter().zip(paths.iter());
            pairs
                .flat_map(|(answer, path)| {
                    let number = format!("{:?}", id(path))
                        .bytes()
                        .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
                    each(vec![answer], |found| found.file = Some(FileId::new(1, number)))
                })
                .collect()
        },
    )
    .await;
}

#[tokio::test]
async fn wrong_versions_are_found() {
    let laws = ["P3: a write changes", "P3: no edit is missed", "P3: a removed file", "P3: a change is seen"];
    rejects_probes("the version never changes", &laws, |_, answers| {
        each(answers, |found| found.version = Some(Version::of(b"1")))
    })
    .await;
    rejects_probes("the version is the size", &laws, |_, answers| {
        each(answers, |found| found.version = found.len.map(|len| Version::of(&len.to_le_bytes())))
    })
    .await;
    rejects_probes("never settled", &["P3: unchanged content"], |_, answers| {
        each(answers, |found| found.settled = false)
    })
    .await;
    rejects_reads("reads have a version of their own", &["P4: a read and a probe"], |_, _, answers| {
        let spoilt = |answer| match answer {
            Ok(ReadOutcome::Content { bytes, metadata }) => {
                let version = Some(Version::of(&bytes.slice(..bytes.len().min(20))));
                Ok(ReadOutcome::Content { bytes, metadata: Metadata { version, ..metadata } })
            }
            other => other,
        };
        answers.into_iter().map(spoilt).collect()
    })
    .await;
}

fn each_content(answers: ReadBack, spoil: impl Fn(Bytes, Metadata) -> ReadOutcome) -> ReadBack {
    let spoilt = |answer| match answer {
        Ok(ReadOutcome::Content { bytes, metadata }) => Ok(spoil(bytes, metadata)),
        other => other,
    };
    answers.into_iter().map(spoilt).collect()
}

#[tokio::test]
async fn wrong_reads_are_found() {
    rejects_reads("content stops at the first chunk", &["P6: a read gives every byte"], |_, _, answers| {
        each_content(answers, |bytes, metadata| {
            let bytes = bytes.slice(..bytes.len().min(1 << 16));
            ReadOutcome::Content { bytes, metadata }
        })
    })
    .await;
    rejects_reads("text is repaired", &["P6: a read gives every byte"], |_, _, answers| {
        each_content(answers, |bytes, metadata| {
            let bytes = String::from_utf8_lossy(&bytes).into_owned().into();
            ReadOutcome::Content { bytes, metadata }
        })
    })
    .await;
    rejects_reads("the cap is exclusive", &["P6: the cap is inclusive"], |_, cap, answers| {
        each_content(answers, |bytes, metadata| match bytes.len() as u64 {
            len if len == cap => ReadOutcome::TooLarge { len, metadata },
            _ => ReadOutcome::Content { bytes, metadata },
        })
    })
    .await;
    rejects_reads("empty is absent", &["P6: a read gives every byte"], |_, _, answers| {
        each_content(answers, |bytes, metadata| {
            if bytes.is_empty() { ReadOutcome::Absent } else { ReadOutcome::Content { bytes, metadata } }
        })
    })
    .await;
    rejects_reads(
        "what is no file is absent",
        &["P6: a directory", "P6: what is neither"],
        |_, _, answers| {
            let spoilt = |answer| match answer {
                Ok(ReadOutcome::NotAFile(_)) => Ok(ReadOutcome::Absent),
                other => other,
            };
            answers.into_iter().map(spoilt).collect()
        },
    )
    .await;
    rejects_reads("what is absent is a fault", &["P6: a read of what is absent"], |_, _, answers| {
        let spoilt = |answer| match answer {
            Ok(ReadOutcome::Absent) => Err(FsError::other(Path::new("/"), "not found")),
            other => other,
        };
        answers.into_iter().map(spoilt).collect()
    })
    .await;
    rejects_reads("faults are absent", &["P6: a fault", "P6: a read of a link cycle"], |_, _, answers| {
        answers.into_iter().map(|answer| answer.or(Ok(ReadOutcome::Absent))).collect()
    })
    .await;
    rejects_reads("large files are deferred for ever", &["P6: what is deferred"], |_, _, answers| {
        each_content(answers, |bytes, metadata| match bytes.len() {
            0..60_000 => ReadOutcome::Content { bytes, metadata },
            _ => ReadOutcome::Deferred,
        })
    })
    .await;
}

/// What [`Broken`] cannot do: it ignores the cap, and breaks when a future is dropped.
#[derive(Debug)]
struct Careless {
    right: MemoryFs,
    busy: std::sync::atomic::AtomicBool,
}

#[async_trait::async_trait]
impl FsProvider for Careless {
    async fn probe_many(&self, paths: &PathBatch) -> Probed {
        use std::sync::atomic::Ordering::SeqCst;
        if self.busy.swap(true, SeqCst) {
            return paths.iter().map(|path| Err(FsError::other(path, "busy"))).collect();
        }
        let answers = self.right.probe_many(paths).await;
        self.busy.store(false, SeqCst);
        answers
    }

    async fn read_many(&self, paths: &PathBatch, _max_bytes: u64) -> ReadBack {
        self.right.read_many(paths, u64::MAX).await
    }
}

type Lists = Vec<Result<Listing, FsError>>;

/// A right provider whose listings are spoilt.
#[derive(Debug)]
struct Misfiled {
    right: MemoryFs,
    spoil: fn(&PathBatch, Lists) -> Lists,
}

#[async_trait::async_trait]
impl FsProvider for Misfiled {
    async fn probe_many(&self, paths: &PathBatch) -> Probed {
        self.right.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> ReadBack {
        self.right.read_many(paths, max_bytes).await
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Lists {
        let all = self.right.list_many(paths, usize::MAX).await;
        let cut = |answer| match answer {
            Ok(Listing::Entries { mut entries, metadata, .. }) => {
                let left_out = u64::from(entries.len() > limit);
                entries.truncate(limit);
                Ok(Listing::Entries { entries, left_out, metadata })
            }
            other => other,
        };
        (self.spoil)(paths, all.into_iter().map(cut).collect())
    }
}

fn each_listing(answers: Lists, spoil: impl Fn(&mut Vec<DirectoryEntry>, &mut u64, &mut Metadata)) -> Lists {
    let spoilt = |answer| match answer {
        Ok(Listing::Entries { mut entries, mut left_out, mut metadata }) => {
            spoil(&mut entries, &mut left_out, &mut metadata);
            Ok(Listing::Entries { entries, left_out, metadata })
        }
        other => other,
    };
    answers.into_iter().map(spoilt).collect()
}

#[tokio::test]
async fn wrong_listings_are_found() {
    type Row = (&'static str, &'static [&'static str], fn(&PathBatch, Lists) -> Lists);
    let rows: [Row; 11] = [
        ("nothing is spoilt, and more is said to be there without a count", &[], |_, lists| lists),
        ("the order is another", &["P10: names and kinds"], |_, lists| {
            each_listing(lists, |entries, _, _| entries.reverse())
        }),
        ("the order is that of lower case", &["P10: names and kinds"], |_, lists| {
            each_listing(lists, |entries, _, _| {
                entries.sort_by_key(|entry| entry.name.to_string_lossy().to_lowercase());
            })
        }),
        ("nobody says that more are there", &["P10: names and kinds"], |_, lists| {
            each_listing(lists, |_, left_out, _| *left_out = 0)
        }),
        ("a folder is itself among its entries", &["P10: an empty directory"], |_, lists| {
            each_listing(lists, |entries, _, _| {
                entries.insert(0, DirectoryEntry { name: ".".into(), kind: EntryKind::Directory });
            })
        }),
        ("links are files", &["P10: links among"], |_, lists| {
            each_listing(lists, |entries, _, _| {
                for entry in entries.iter_mut().filter(|entry| entry.kind == EntryKind::Link) {
                    entry.kind = EntryKind::File;
                }
            })
        }),
        (
            "what is no directory is absent",
            &["P10: a file is", "P10: what is neither file nor directory is not"],
            |_, lists| {
                let spoilt = |answer| match answer {
                    Ok(Listing::NotADirectory(_)) => Ok(Listing::Absent),
                    other => other,
                };
                lists.into_iter().map(spoilt).collect()
            },
        ),
        ("faults are absent", &["P10: a fault", "P10: a listing of a link cycle"], |_, lists| {
            lists.into_iter().map(|answer| answer.or(Ok(Listing::Absent))).collect()
        }),
        ("names are repaired", &["P10: a name that is not text"], |_, lists| {
            each_listing(lists, |entries, _, _| {
                for entry in entries {
                    entry.name = entry.name.to_string_lossy().into_owned().into();
                }
            })
        }),
        ("the version stays", &["P10: the version"], |_, lists| {
            each_listing(lists, |_, _, metadata| metadata.version = Some(Version::of(b"1")))
        }),
        ("only some can be listed", &["P10: a listing of what is absent"], |paths, lists| {
            let unsupported = |path| Err(FsError::new(path, FaultKind::Unsupported));
            let pairs = lists.into_iter().zip(paths.iter());
            pairs
                .map(|(answer, path)| if answer == Ok(Listing::Absent) { unsupported(path) } else { answer })
                .collect()
        }),
    ];
    for (row, laws, spoil) in rows {
        let right = MemoryFs::new();
        let fixture = &mut InMemory(right.clone());
        let violated: Vec<_> = match conformance(&Misfiled { right, spoil }, fixture).await {
            Ok(_) => Vec::new(),
            Err(violations) => violations.violated().iter().map(|(law, _)| *law).collect(),
        };
        assert_eq!(violated.is_empty(), laws.is_empty(), "{row}: {violated:?}");
        for law in laws {
            assert!(
                violated.iter().any(|found| found.starts_with(law)),
                "{row}: {law:?} is not among {violated:?}"
            );
        }
        assert!(violated.iter().all(|law| law.starts_with("P10: ")), "{row}: {violated:?}");
    }
}

type Spoil = fn(&mut standing_orders_fs::Probed);

/// Reads with the probes what nobody wanted, or what is not there.
#[derive(Debug)]
struct Hasty {
    right: MemoryFs,
    spoil: Spoil,
}

#[async_trait::async_trait]
impl FsProvider for Hasty {
    async fn probe_many(&self, paths: &PathBatch) -> Probed {
        self.right.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> ReadBack {
        self.right.read_many(paths, max_bytes).await
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> standing_orders_fs::Probed {
        let probes = self.right.probe_many(paths).await;
        let reads = self.right.read_many(paths, plan.max_bytes()).await;
        let (mut picker, mut probed) = (plan.picker(), standing_orders_fs::Probed::default());
        for (index, (probe, read)) in probes.into_iter().zip(reads).enumerate() {
            let wanted = matches!(&probe, Ok(Probe::Present(found)) if picker.wants(index, found));
            probed.probes.push(probe);
            probed.reads.extend(wanted.then_some((index, read)));
        }
        (self.spoil)(&mut probed);
        probed
    }
}

#[tokio::test]
async fn reads_with_probes_that_are_not_what_was_asked_for_are_found() {
    let rows: [(&str, bool, Spoil); 6] = [
        ("nothing is spoilt", true, |_| {}),
        ("some are left for later", true, |probed| probed.reads.truncate(1)),
        ("a probe is missing", false, |probed| probed.probes.truncate(3)),
        ("out of order", false, |probed| probed.reads.reverse()),
        ("the second of a group", false, |probed| {
            if let Some(first) = probed.reads.first_mut() {
                first.0 += 1;
            }
        }),
        ("another content", false, |probed| {
            if let Some((_, Ok(ReadOutcome::Content { bytes, .. }))) = probed.reads.first_mut() {
                *bytes = Bytes::from_static("é".as_bytes());
            }
        }),
    ];
    for (row, right, spoil) in rows {
        let hasty = Hasty { right: MemoryFs::new(), spoil };
        let outcome = conformance(&hasty, &mut InMemory(hasty.right.clone())).await;
        let violated = outcome.err().map(|violations| {
            violations.violated().iter().map(|(law, _)| law.to_string()).collect::<Vec<_>>()
        });
        match (right, violated) {
            (true, None) => {}
            (false, Some(laws)) if laws.iter().all(|law| law.starts_with("P1: what is read with")) => {}
            (_, violated) => panic!("{row}: {violated:?}"),
        }
    }
}

#[tokio::test]
async fn a_careless_provider_is_found_by_overlap_drop_and_cap() {
    let right = MemoryFs::new();
    let careless = Careless { right: right.clone(), busy: false.into() };
    let violations = conformance(&careless, &mut InMemory(right)).await.unwrap_err();
    for law in ["P1: batches", "P1: after a dropped", "P6: the cap"] {
        assert!(
            violations.violated().iter().any(|(violated, _)| violated.starts_with(law)),
            "{law:?} is not among what was found\n{violations}"
        );
    }
}

#[tokio::test]
async fn stamps_of_whole_seconds_that_claim_to_be_settled_are_found() {
    /// Versions of a clock that ticks once in a while.
    #[derive(Debug)]
    struct Coarse(MemoryFs, std::sync::atomic::AtomicU64);

    #[async_trait::async_trait]
    impl FsProvider for Coarse {
        async fn probe_many(&self, paths: &PathBatch) -> Probed {
            let now = self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst) / 16;
            let stamp = Some(Version::of(&now.to_le_bytes()));
            each(self.0.probe_many(paths).await, |found| found.version = stamp)
        }

        async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> ReadBack {
            self.0.read_many(paths, max_bytes).await
        }
    }

    let right = MemoryFs::new();
    let violations = conformance(&Coarse(right.clone(), 0.into()), &mut InMemory(right)).await.unwrap_err();
    assert!(
        violations.violated().iter().any(|(law, _)| law.starts_with("P3: no edit is missed")),
        "two edits in one tick must be found\n{violations}"
    );
}
