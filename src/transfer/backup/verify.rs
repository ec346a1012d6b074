//! Verifies a backup without restoring it.

use std::{
    io::{self, BufReader},
    path::Path,
    sync::Arc,
    thread,
};

use tempfile::NamedTempFile;
use tokio::sync::mpsc;

use super::{
    BackupError, Content, Manifest,
    container::{self, Backup},
    manifest::Uploads,
    sqlite, temporary, uploads,
};
use crate::{
    store,
    transfer::{Contents, Counts, Progress, TransferError, read},
};

/// Reads all of a backup, and checks that this version of Almanac can restore it.
pub(crate) fn verify(path: &Path, progress: &Arc<Progress>) -> Result<Manifest, TransferError> {
    let backup = open(path, progress)?;
    match backup.manifest.content {
        Content::Sqlite => {
            let directory = temporary::directory_of(path);
            drop(extract(&backup, &directory, progress)?);
        }
        Content::Rows => check_rows(&backup, progress)?,
    }
    if let Some(uploads) = &backup.manifest.uploads {
        check_uploads(&backup, uploads, progress)?;
    }
    Ok(backup.manifest)
}

/// Opens a backup whose schema this version of Almanac knows.
pub(super) fn open(path: &Path, progress: &Progress) -> Result<Backup, TransferError> {
    let backup = Backup::open(path, progress)?;
    match store::check_steps(&backup.manifest.schema) {
        Ok(()) => Ok(backup),
        Err(cause) => Err(TransferError::from(BackupError::Schema {
            path: path.to_owned(),
            cause,
        })),
    }
}

/// Writes the database of a backup to a temporary file in this directory, and checks it.
pub(super) fn extract(
    backup: &Backup,
    directory: &Path,
    progress: &Arc<Progress>,
) -> Result<NamedTempFile, TransferError> {
    progress.begin("decompressing the database", backup.manifest.database.bytes);
    let file = temporary::file_in(directory).map_err(|cause| BackupError::Replace {
        path: directory.to_owned(),
        cause,
    })?;
    container::copy(
        &mut backup.content(&backup.manifest.database)?,
        &mut file.as_file(),
        progress,
    )?;
    file.as_file().sync_all()?;
    progress.begin("checking the database", 0);
    let problems = sqlite::problems(file.path(), progress)?;
    if !problems.is_empty() {
        return Err(damaged(backup, &problems.join("; ")).into());
    }
    check_counts(backup, &sqlite::counts(file.path(), progress)?)?;
    Ok(file)
}

/// Checks the lines of a backup, as a restore does.
fn check_rows(backup: &Backup, progress: &Progress) -> Result<(), TransferError> {
    progress.begin("checking the rows", backup.manifest.database.bytes);
    let input = BufReader::new(backup.content(&backup.manifest.database)?);
    let (sender, mut batches) = mpsc::channel(1);
    let read = thread::scope(|scope| {
        scope.spawn(move || while batches.blocking_recv().is_some() {});
        read::read(input, Contents::Backup, sender, progress)
    });
    match read {
        Ok(summary) => Ok(check_counts(backup, &summary.counts)?),
        Err(TransferError::Lines(errors)) => Err(damaged(backup, &errors.to_string()).into()),
        Err(error) => Err(error),
    }
}

/// Compares the numbers of rows with those of the manifest. This version may count more tables than the one that took
/// the backup.
fn check_counts(backup: &Backup, found: &Counts) -> Result<(), BackupError> {
    let count = |counts: &Counts, table: &String| counts.get(table).copied().unwrap_or(0);
    for table in backup.manifest.counts.keys() {
        let (expected, found) = (count(&backup.manifest.counts, table), count(found, table));
        if expected != found {
            let reason = format!("the table {table} has {found} rows, and its manifest states {expected}");
            return Err(damaged(backup, &reason));
        }
    }
    Ok(())
}

/// Reads the images without storing them.
pub(super) fn check_uploads(backup: &Backup, uploads: &Uploads, progress: &Progress) -> Result<(), TransferError> {
    progress.begin("checking the images", uploads.archive.bytes);
    let content = backup.content(&uploads.archive)?;
    let files = uploads::read(content, progress, |_, content| {
        io::copy(content, &mut io::sink()).map(drop)
    })?;
    Ok(check_files(backup, uploads, files)?)
}

/// Compares the number of images with that of the manifest.
pub(super) fn check_files(backup: &Backup, uploads: &Uploads, found: u64) -> Result<(), BackupError> {
    match uploads.files {
        expected if expected == found => Ok(()),
        expected => Err(damaged(
            backup,
            &format!("it has {found} images, and its manifest states {expected}"),
        )),
    }
}

/// The reason may have texts of the backup.
fn damaged(backup: &Backup, reason: &str) -> BackupError {
    BackupError::Damaged {
        path: backup.path().to_owned(),
        reason: reason.replace(|letter: char| letter.is_control() && letter != '\n', "\u{fffd}"),
    }
}
