//! The conformance suite (P7): does a provider keep the rules P1 to P6, and P10?
//!
//! A provider of your own needs a [`Fixture`], which prepares files in the store behind it, and
//! one test:
//!
//! ```
//! use std::path::{Path, PathBuf};
//! use standing_orders_fs::MemoryFs;
//! use standing_orders_fs::testing::{Fixture, Prepared, conformance};
//!
//! struct InMemory(MemoryFs);
//!
//! #[async_trait::async_trait]
//! impl Fixture for InMemory {
//!     fn root(&self) -> PathBuf {
//!         "/suite".into()
//!     }
//!     async fn write(&mut self, path: &Path, content: &[u8]) -> Prepared {
//!         self.0.write(path, content.to_vec());
//!         Ok(())
//!     }
//!     async fn make_dir(&mut self, path: &Path) -> Prepared {
//!         self.0.make_dir(path);
//!         Ok(())
//!     }
//!     async fn remove(&mut self, path: &Path) -> Prepared {
//!         self.0.remove(path);
//!         Ok(())
//!     }
//!     async fn settle(&mut self) -> Prepared {
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fs = MemoryFs::new();
//! let report = conformance(&fs, &mut InMemory(fs.clone())).await?;
//! assert!(!report.passed().is_empty());
//! // This fixture makes no links, so their laws were not checked, and the report says so.
//! assert!(report.skipped().iter().any(|(law, _)| law.contains("link")));
//! # Ok(())
//! # }
//! ```
//!
//! The suite takes no time of its own and needs no runtime but what the provider does. A provider
//! that blocks for ever on a FIFO makes it hang there.

mod batches;
mod case;
mod fixture;
mod listings;
mod paths;
mod reads;
mod report;
mod versions;

pub use fixture::{Fixture, NotPrepared, Prepared};
pub use report::Report;

use crate::FsProvider;
use case::Case;
use paths::Ask;

macro_rules! laws {
    ($provider:ident, $fixture:ident; $($law:literal => $module:ident :: $check:ident $(($ask:ident))?,)*) => {{
        let mut report = Report::default();
        $(
            let directory = concat!(stringify!($module), "-", stringify!($check) $(, "-", stringify!($ask))?);
            let outcome = match Case::open($provider, $fixture, directory).await {
                Ok(mut case) => $module::$check(&mut case $(, Ask::$ask)?).await,
                Err(stop) => Err(stop),
            };
            report.push($law, outcome);
        )*
        if report.violated().is_empty() { Ok(report) } else { Err(report) }
    }};
}

/// Checks `provider` against P1 to P6 and P10, on files that `fixture` prepares in its store.
///
/// Every law is checked in a directory of its own below [`Fixture::root`], and all of them are,
/// whatever the outcome of the earlier ones. The laws of listings are skipped for a provider that cannot list. A law that the fixture cannot prepare is skipped and
/// stands in [`Report::skipped`]; a test should say which of those it expects.
///
/// # Errors
/// When a law is violated, or could not be prepared: the whole report.
pub async fn conformance(provider: &dyn FsProvider, fixture: &mut dyn Fixture) -> Result<Report, Report> {
    laws! { provider, fixture;
        "P1: one answer a path, in order, repeated paths included" => batches::answers_in_order,
        "P1: an empty batch has an empty answer" => batches::empty_batch,
        "P1: batches that are under way at one time are each answered" => batches::overlapping_batches,
        "P1: after a dropped future the provider is in working order" => batches::dropped_future,
        "P1: what is read with the probes was wanted, and is what a read says" => batches::reads_with_probes,
        "P2: a regular file is present as a file, with its size" => paths::files,
        "P2: a directory is present as a directory" => paths::directories(Probe),
        "P2: what is neither file nor directory is present as other" => paths::specials(Probe),
        "P2: no such entry, and a parent that is not a directory, are absent; so is what was removed" => paths::absences(Probe),
        "P2: links are followed, to files and to directories" => paths::links(Probe),
        "P2: a dangling link is absent" => paths::dangling_links(Probe),
        "P2: a link cycle is an error, never absent" => paths::link_cycles(Probe),
        "P2: a fault is an error, never absent, and concerns its own path alone" => paths::faults(Probe),
        "P2: a name is taken byte by byte, whatever it holds" => paths::names,
        "P3: unchanged content keeps its version, settled in the end" => versions::unchanged,
        "P3: a write changes the version, of one size too" => versions::writes,
        "P3: a removed file that comes back has another version" => versions::returns,
        "P3: no edit is missed, however fast it follows" => versions::fast_edits,
        "P3: a change is seen through a link" => versions::through_links,
        "P4: a read and a probe of one file agree on identity and version" => versions::reads_agree,
        "P4: two links to one file have one identity" => versions::one_file_by_links,
        "P4: two names of one file have one identity" => versions::one_file_by_names,
        "P4: two files of equal content have two identities" => versions::two_files,
        "P6: a read gives every byte, with the metadata of the file" => reads::whole_content,
        "P6: the cap is inclusive, and one byte more is too large" => reads::cap,
        "P6: a directory is not read" => paths::directories(Read),
        "P6: what is neither file nor directory is not read, and does not block" => paths::specials(Read),
        "P6: a read of what is absent says absent" => paths::absences(Read),
        "P6: reads follow links" => paths::links(Read),
        "P6: a read of a dangling link says absent" => paths::dangling_links(Read),
        "P6: a read of a link cycle is an error" => paths::link_cycles(Read),
        "P6: a fault is an error of its own path alone" => paths::faults(Read),
        "P6: what is deferred is answered when it is asked for again" => reads::deferrals,
        "P10: names and kinds in byte order, the first of them at a limit" => listings::order,
        "P10: an empty directory has no entries" => listings::empty,
        "P10: links among the entries are links, wherever they lead" => listings::links,
        "P10: what is neither file nor directory is an entry of its own kind" => listings::specials,
        "P10: a link to a directory is listed as the directory" => listings::linked,
        "P10: a file is not a directory" => paths::no_directory,
        "P10: what is neither file nor directory is not listed" => paths::specials(List),
        "P10: a listing of what is absent says absent" => paths::absences(List),
        "P10: listings follow links on the way" => paths::links(List),
        "P10: a listing of a dangling link says absent" => paths::dangling_links(List),
        "P10: a listing of a link cycle is an error" => paths::link_cycles(List),
        "P10: a fault is an error of its own path alone" => paths::faults(List),
        "P10: a name that is not text is given byte by byte" => listings::names,
        "P10: the version of a directory changes with its names" => listings::versions,
    }
}
