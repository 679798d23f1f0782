//! The stores of the suite: a temporary folder, and a memory tree.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use standing_orders_fs::testing::{Fixture, NotPrepared, Prepared};
use standing_orders_fs::{Fault, FaultKind, MemoryFs};

use crate::fixtures::{OnDisk, edit, make_fifo};

/// Real files in a temporary folder, some of them locked.
pub(crate) struct Locking {
    disk: OnDisk,
    locked: Vec<PathBuf>,
}

impl Locking {
    pub(crate) fn new() -> Self {
        Self { disk: OnDisk::new(), locked: Vec::new() }
    }
}

impl Drop for Locking {
    fn drop(&mut self) {
        for folder in &self.locked {
            // So that the folder can be removed.
            let _ = fs::set_permissions(folder, PermissionsExt::from_mode(0o700));
        }
    }
}

#[async_trait::async_trait]
impl Fixture for Locking {
    fn root(&self) -> PathBuf {
        self.disk.path("suite")
    }

    async fn write(&mut self, path: &Path, content: &[u8]) -> Prepared {
        Ok(edit(path, content)?)
    }

    async fn make_dir(&mut self, path: &Path) -> Prepared {
        Ok(fs::create_dir_all(path)?)
    }

    async fn remove(&mut self, path: &Path) -> Prepared {
        Ok(fs::remove_file(path)?)
    }

    async fn settle(&mut self) -> Prepared {
        self.disk.wait_settled();
        Ok(())
    }

    async fn symlink(&mut self, target: &Path, path: &Path) -> Prepared {
        Ok(symlink(target, path)?)
    }

    async fn hard_link(&mut self, original: &Path, path: &Path) -> Prepared {
        Ok(fs::hard_link(original, path)?)
    }

    async fn special(&mut self, path: &Path) -> Prepared {
        Ok(make_fifo(path)?)
    }

    /// A link through a folder that may not be searched; for the superuser, a name that is too
    /// long, because modes do not bind them.
    async fn deny(&mut self, path: &Path) -> Prepared {
        let locked = path.with_extension("locked");
        fs::create_dir(&locked)?;
        File::create(locked.join("file"))?;
        fs::remove_file(path)?;
        symlink(locked.join("file"), path)?;
        fs::set_permissions(&locked, PermissionsExt::from_mode(0o000))?;
        self.locked.push(locked);
        if fs::metadata(path).is_ok() {
            fs::remove_file(path)?;
            symlink("n".repeat(300), path)?;
        }
        match fs::metadata(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Ok(()),
            other => Err(NotPrepared::Failed(format!("not denied: {other:?}"))),
        }
    }
}

/// Files of a [`MemoryFs`].
pub(crate) struct InMemory(pub(crate) MemoryFs);

#[async_trait::async_trait]
impl Fixture for InMemory {
    fn root(&self) -> PathBuf {
        "/suite".into()
    }

    async fn write(&mut self, path: &Path, content: &[u8]) -> Prepared {
        self.0.write(path, content.to_vec());
        Ok(())
    }

    async fn make_dir(&mut self, path: &Path) -> Prepared {
        self.0.make_dir(path);
        Ok(())
    }

    async fn remove(&mut self, path: &Path) -> Prepared {
        match self.0.remove(path) {
            true => Ok(()),
            false => Err(NotPrepared::Failed(format!("{path:?} was not there"))),
        }
    }

    async fn settle(&mut self) -> Prepared {
        Ok(())
    }

    async fn symlink(&mut self, target: &Path, path: &Path) -> Prepared {
        self.0.symlink(target, path);
        Ok(())
    }

    async fn hard_link(&mut self, original: &Path, path: &Path) -> Prepared {
        self.0.hard_link(original, path).map_err(|error| NotPrepared::Failed(error.to_string()))
    }

    async fn special(&mut self, path: &Path) -> Prepared {
        self.0.special(path);
        Ok(())
    }

    async fn deny(&mut self, path: &Path) -> Prepared {
        self.0.fault(path, Fault::Stat(FaultKind::PermissionDenied));
        Ok(())
    }
}
