//! A chain of directories in memory.

use std::path::PathBuf;

use standing_orders_fs::MemoryFs;

pub(crate) const DEPTHS: [usize; 2] = [8, 30];

/// Root first, with one `AGENTS.md` each.
pub(crate) fn chain(depth: usize) -> (MemoryFs, Vec<PathBuf>) {
    let fs = MemoryFs::new();
    let mut dirs = vec![PathBuf::from("/work/project")];
    while dirs.len() < depth {
        dirs.push(dirs[dirs.len() - 1].join("package"));
    }
    for dir in &dirs {
        fs.write(dir.join("AGENTS.md"), "- Keep the façade thin.\n".repeat(60));
    }
    (fs, dirs)
}
