//! Temporary files, which only their owner can read, and temporary directories. They are removed if the work fails.

use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tempfile::{NamedTempFile, TempDir};

/// The beginning and the end of the names of temporary files.
const PREFIX: &str = ".almanac-";
const SUFFIX: &str = ".partial";
/// Older temporary files belong to a process that was killed.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A new, empty file in this directory. Its mode is 0600.
pub(super) fn file_in(directory: &Path) -> io::Result<NamedTempFile> {
    // What can't be removed does no harm.
    let _ = remove_abandoned(directory);
    tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .tempfile_in(directory)
}

/// A new directory in this directory, with the mode of other new directories.
pub(super) fn folder_in(directory: &Path) -> io::Result<TempDir> {
    let _ = remove_abandoned(directory);
    let mode = Permissions::from_mode(0o777);
    tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .permissions(mode)
        .tempdir_in(directory)
}

/// The directory of a file.
pub(super) fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Gives a complete file its name. Whatever had the name is replaced, and a crash leaves either of the two.
pub(super) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name is in the directory.
    File::open(directory_of(path))?.sync_all()
}

/// Removes what killed processes have left: their temporary files and directories, and the logs that SQLite has kept
/// beside them.
fn remove_abandoned(directory: &Path) -> io::Result<()> {
    let is_old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > ABANDONED_AFTER);
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with(PREFIX) && name.contains(SUFFIX)) {
            continue;
        }
        let metadata = entry.metadata()?;
        match metadata.modified().is_ok_and(is_old) {
            true if metadata.is_dir() => fs::remove_dir_all(entry.path())?,
            true => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            ".almanac-a.partial",
            ".almanac-b.partial-journal",
            ".almanac-c.partial",
            "old.almanac",
        ] {
            let file = File::create(path(name)).unwrap();
            let age = if name.contains("-c.") { 60 } else { 25 * 60 * 60 };
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        drop(file_in(folder.path()).unwrap());
        let kept = [
            ".almanac-a.partial",
            ".almanac-b.partial-journal",
            ".almanac-c.partial",
            "old.almanac",
        ]
        .map(|name| path(name).exists());
        assert_eq!(kept, [false, false, true, true]);
    }
}
