//! The ways to embed a context (DESIGN: Interfaces), as code that would not compile otherwise.

mod between;
mod compaction;
mod configured;
mod faults;
mod histories;
mod hook;
mod own_loop;
mod server;
mod steering;

use std::sync::Arc;

use standing_orders::plugin::SessionHeader;
use standing_orders::{Budget, Engine, SessionSetup, Settings};
use standing_orders_fs::MemoryFs;

/// A project with a root file and a nested one.
fn project() -> MemoryFs {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs.write("/ws/AGENTS.md", "root rules");
    fs.write("/ws/api/AGENTS.md", "api rules");
    fs
}

fn engine() -> Engine {
    Engine::new(Settings::new(Budget::from_bytes(65_536)))
}

fn session(fs: &MemoryFs, id: &str) -> SessionSetup {
    engine().session(SessionHeader::main(id, 0).with_cwd("/ws")).fs(Arc::new(fs.clone()))
}
