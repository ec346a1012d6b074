//! Takes a backup.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use chrono::Utc;
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::{
    BackupError, Content, Manifest,
    container::{self, BackupWriter, SectionWriter},
    manifest::{FORMAT, Uploads},
    sqlite, temporary, uploads,
};
use crate::{
    calendar::date::format_utc,
    store::{self, Store},
    transfer::{Contents, Counts, Progress, TransferError, export},
};

/// Takes a backup of the database as it is at the beginning, with the images in the directory `uploads`. Writers do not
/// wait for it. A backup with this name is replaced once the new one is complete.
pub(crate) async fn create(
    store: &Store,
    path: &Path,
    uploads: Option<&Path>,
    progress: &Arc<Progress>,
) -> Result<Manifest, TransferError> {
    check_target(path)?;
    let draft = Draft {
        path: path.to_owned(),
        created_at: format_utc(Utc::now()),
        file: temporary::file_in(&temporary::directory_of(path)).map_err(|cause| write_error(path, cause))?,
        uploads: uploads.map(Path::to_owned),
        progress: progress.clone(),
    };
    match store.file_path() {
        Some(database) => {
            let database = database.to_owned();
            let copying = spawn_blocking(move || draft.copy_database(&database));
            copying.await.map_err(io::Error::other)?
        }
        None => {
            let schema = store::applied_steps(store.reader()).await?;
            let section = draft.begin()?;
            let (section, counts) = export(store, Contents::Backup, section, progress).await?;
            let finishing = spawn_blocking(move || draft.finish(section, Content::Rows, schema, counts));
            finishing.await.map_err(io::Error::other)?
        }
    }
}

/// Refuses to replace a file that is not a backup, such as the database.
fn check_target(path: &Path) -> Result<(), BackupError> {
    match container::is_backup(path) {
        Ok(true) => Ok(()),
        Ok(false) => Err(BackupError::OtherFile(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(write_error(path, cause)),
    }
}

fn write_error(path: &Path, cause: io::Error) -> BackupError {
    BackupError::Write {
        path: path.to_owned(),
        cause,
    }
}

/// A backup that is being written, under a temporary name.
struct Draft {
    path: PathBuf,
    created_at: String,
    file: NamedTempFile,
    uploads: Option<PathBuf>,
    progress: Arc<Progress>,
}

impl Draft {
    fn write_error(&self, cause: io::Error) -> BackupError {
        write_error(&self.path, cause)
    }

    /// Begins the section of the database.
    fn begin(&self) -> Result<SectionWriter, BackupError> {
        let file = self.file.as_file().try_clone();
        let writer = file.and_then(BackupWriter::new).and_then(BackupWriter::section);
        writer.map_err(|cause| self.write_error(cause))
    }

    /// Writes a SQLite database. It is copied first: compressing takes longer, and would keep the write-ahead log from
    /// being reused.
    fn copy_database(self, database: &Path) -> Result<Manifest, TransferError> {
        let progress = &self.progress;
        progress.begin("copying the database", 0);
        let copy = temporary::file_in(&temporary::directory_of(&self.path));
        let copy = copy.map_err(|cause| self.write_error(cause))?;
        sqlite::copy(database, copy.path(), progress)?;
        let schema = sqlite::schema(copy.path(), progress)?;
        let counts = sqlite::counts(copy.path(), progress)?;
        // Opened again: SQLite has written to it by its name.
        let mut input = File::open(copy.path())?;
        progress.begin("compressing the copy", input.metadata()?.len());
        let mut section = self.begin()?;
        container::copy(&mut input, &mut section, progress)?;
        drop(copy);
        self.finish(section, Content::Sqlite, schema, counts)
    }

    /// Adds the images. They are read after the database: all images that it refers to are there.
    fn add_uploads(&self, writer: BackupWriter) -> Result<(BackupWriter, Option<Uploads>), TransferError> {
        let Some(directory) = &self.uploads else {
            return Ok((writer, None));
        };
        let mut section = writer.section().map_err(|cause| self.write_error(cause))?;
        let files = uploads::archive(directory, &mut section, &self.progress).map_err(|cause| match cause.kind() {
            io::ErrorKind::Interrupted => TransferError::Interrupted,
            _ => TransferError::from(BackupError::Uploads {
                path: directory.clone(),
                cause,
            }),
        })?;
        let (writer, archive) = section.finish().map_err(|cause| self.write_error(cause))?;
        Ok((writer, Some(Uploads { files, archive })))
    }

    /// Completes the backup, and gives it its name.
    fn finish(
        self,
        section: SectionWriter,
        content: Content,
        schema: Vec<String>,
        counts: Counts,
    ) -> Result<Manifest, TransferError> {
        let (writer, database) = section.finish().map_err(|cause| self.write_error(cause))?;
        let (writer, uploads) = self.add_uploads(writer)?;
        let Self {
            path, created_at, file, ..
        } = self;
        let manifest = Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at,
            content,
            schema,
            counts,
            database,
            uploads,
        };
        let finished = writer.finish(&manifest).and_then(|()| temporary::persist(file, &path));
        finished.map_err(|cause| write_error(&path, cause))?;
        Ok(manifest)
    }
}
