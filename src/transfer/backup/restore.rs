//! Restores a backup into an empty database.

use std::{
    fs, io,
    io::BufReader,
    path::{Path, PathBuf},
    sync::Arc,
};

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::{
    BackupError, Content, Manifest,
    container::Backup,
    temporary,
    uploads::{self, ExtractedUploads},
    verify::{check_files, check_uploads, extract, open},
};
use crate::{
    store::{self, Store, bulk_load, users},
    transfer::{
        Contents, LoadOptions, Progress, Tokens, TransferError, export, load, plain_tables, renewal::begin_anew,
    },
};

/// How to restore a backup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestoreOptions {
    pub tokens: Tokens,
    /// Do everything but change the database.
    pub is_dry_run: bool,
    /// In seconds since 1970 UTC.
    pub now: i64,
}

impl RestoreOptions {
    fn load(self) -> LoadOptions {
        let Self {
            tokens,
            is_dry_run,
            now,
        } = self;
        LoadOptions {
            contents: Contents::Backup,
            tokens,
            is_dry_run,
            now,
        }
    }
}

/// Restores a backup into the database at `url`, which must have no content, not even users, and its images into the
/// directory `uploads`, which must be empty. The backup is verified first. Images are put in place just before the
/// database: a failure before that leaves both as they were, and a later one leaves images without a database.
pub(crate) async fn restore(
    path: &Path,
    url: &str,
    uploads: Option<&Path>,
    options: RestoreOptions,
    progress: &Arc<Progress>,
) -> Result<Manifest, TransferError> {
    let backup = {
        let (path, progress) = (path.to_owned(), progress.clone());
        let opening = spawn_blocking(move || open(&path, &progress));
        Arc::new(opening.await.map_err(io::Error::other)??)
    };
    let target = store::sqlite_path(url);
    if let (Content::Sqlite, Some(target)) = (backup.manifest.content, &target) {
        check_empty(url, target).await?;
    }
    let images = {
        let (backup, uploads, progress) = (backup.clone(), uploads.map(Path::to_owned), progress.clone());
        let extracting =
            spawn_blocking(move || extract_uploads(&backup, uploads.as_deref(), options.is_dry_run, &progress));
        extracting.await.map_err(io::Error::other)??
    };
    let database = &backup.manifest.database;
    match (backup.manifest.content, target) {
        (Content::Sqlite, Some(target)) => {
            let directory = temporary::directory_of(&target);
            let file = extract_in(&backup, directory, progress).await?;
            renew(&file, options).await?;
            if !options.is_dry_run {
                put_in_place(file, &target, images)?;
            }
        }
        (Content::Sqlite, None) => {
            let directory = temporary::directory_of(path);
            let file = extract_in(&backup, directory.clone(), progress).await?;
            let rows = rows_of(&file, &directory, progress).await?;
            progress.begin("loading rows", rows.as_file().metadata()?.len());
            load_into(url, BufReader::new(rows.reopen()?), images, options, progress).await?;
        }
        (Content::Rows, _) => {
            progress.begin("loading rows", database.bytes);
            load_into(
                url,
                BufReader::new(backup.content(database)?),
                images,
                options,
                progress,
            )
            .await?;
        }
    }
    Ok(backup.manifest.clone())
}

/// Extracts the images of a backup below their directory. None if there are none, or if they are only checked.
fn extract_uploads(
    backup: &Backup,
    directory: Option<&Path>,
    is_dry_run: bool,
    progress: &Progress,
) -> Result<Option<ExtractedUploads>, TransferError> {
    let Some(uploads) = &backup.manifest.uploads else {
        return Ok(None);
    };
    let directory = directory.ok_or_else(|| BackupError::UploadsNeeded(backup.path().to_owned()))?;
    uploads::check_empty(directory)?;
    if is_dry_run {
        check_uploads(backup, uploads, progress)?;
        return Ok(None);
    }
    progress.begin("restoring images", uploads.archive.bytes);
    let content = backup.content(&uploads.archive)?;
    let extracted = ExtractedUploads::new(content, directory, progress);
    let (extracted, files) = extracted.map_err(|cause| match cause.kind() {
        io::ErrorKind::Interrupted => TransferError::Interrupted,
        _ => replace_error(directory, cause).into(),
    })?;
    check_files(backup, uploads, files)?;
    Ok(Some(extracted))
}

fn replace_error(path: &Path, cause: io::Error) -> BackupError {
    BackupError::Replace {
        path: path.to_owned(),
        cause,
    }
}

async fn extract_in(
    backup: &Arc<Backup>,
    directory: PathBuf,
    progress: &Arc<Progress>,
) -> Result<NamedTempFile, TransferError> {
    let (backup, progress) = (backup.clone(), progress.clone());
    let extracting = spawn_blocking(move || extract(&backup, &directory, &progress));
    extracting.await.map_err(io::Error::other)?
}

async fn load_into(
    url: &str,
    input: impl io::BufRead + Send + 'static,
    images: Option<ExtractedUploads>,
    options: RestoreOptions,
    progress: &Arc<Progress>,
) -> Result<(), TransferError> {
    let store = store::open_to_import(url).await?;
    let before_commit = || place(images).map_err(TransferError::from);
    let loaded = load(&store, input, options.load(), before_commit, progress).await;
    store.close().await?;
    loaded.map(drop)
}

/// Puts images in place before the database. From then on they stay, since a failure does not always tell whether the
/// database is in place.
fn place(images: Option<ExtractedUploads>) -> Result<(), BackupError> {
    let Some(images) = images else {
        return Ok(());
    };
    let directory = images.directory.clone();
    images.put_in_place().map_err(|cause| replace_error(&directory, cause))
}

/// The rows of a SQLite database, for another database.
async fn rows_of(
    database: &NamedTempFile,
    directory: &Path,
    progress: &Arc<Progress>,
) -> Result<NamedTempFile, TransferError> {
    let store = store::open_to_import(&store::sqlite_url(database.path())).await?;
    let rows = temporary::file_in(directory)?;
    let exported = export(&store, Contents::Backup, rows.reopen()?, progress).await;
    store.close().await?;
    exported?;
    Ok(rows)
}

/// Checks that a file can be replaced: nobody has it open, it has no content, and beside it is no log of a database
/// that was moved away.
async fn check_empty(url: &str, path: &Path) -> Result<(), TransferError> {
    let has_content = fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    if !has_content {
        let logs = ["-wal", "-shm", "-journal"].map(|suffix| store::sqlite_companion(path, suffix));
        return match logs.into_iter().find(|log| log.exists()) {
            Some(log) => Err(BackupError::OtherLog(log).into()),
            None => Ok(()),
        };
    }
    let store = store::open_to_import(url).await?;
    let is_empty = is_empty(&store).await;
    let is_alone = has_no_log(&store).await;
    store.close().await?;
    match (is_empty?, is_alone?) {
        (true, true) => Ok(()),
        (true, false) => Err(BackupError::DatabaseInUse.into()),
        (false, _) => Err(TransferError::NotEmpty),
    }
}

async fn is_empty(store: &Store) -> Result<bool, TransferError> {
    let database = store.reader();
    Ok(bulk_load::is_empty(database).await?
        && users::all(database).await?.is_empty()
        && plain_tables::are_empty(database, Contents::Backup).await?)
}

/// Whether the database is without a write-ahead log. Opening it for a load has removed the log, unless another process
/// has the file open.
async fn has_no_log(store: &Store) -> Result<bool, TransferError> {
    let mode = Statement::from_string(DbBackend::Sqlite, "PRAGMA journal_mode");
    let row = store.reader().query_one_raw(mode).await?;
    let mode: Option<String> = row.map(|row| row.try_get_by_index(0)).transpose()?;
    Ok(mode.is_some_and(|mode| mode != "wal"))
}

/// Migrates the copy of a database, and makes it a new beginning.
async fn renew(file: &NamedTempFile, options: RestoreOptions) -> Result<(), TransferError> {
    // Without a write-ahead log, so that the file is complete when it is closed.
    let store = store::open_to_import(&store::sqlite_url(file.path())).await?;
    let renewed = async {
        let transaction = store.begin().await?;
        begin_anew(&transaction, Contents::Backup, options.tokens, options.now).await?;
        transaction.commit().await
    };
    let renewed = renewed.await;
    store.close().await?;
    Ok(renewed?)
}

fn put_in_place(file: NamedTempFile, path: &Path, images: Option<ExtractedUploads>) -> Result<(), BackupError> {
    place(images)?;
    temporary::persist(file, path).map_err(|cause| replace_error(path, cause))
}
