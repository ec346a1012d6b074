//! Backups: everything that is not derived, in one compressed file.
//!
//! The database is a copy of its file on SQLite, and otherwise lines of JSON ([`super::export()`]). [`container`] has the
//! form of the file, [`uploads`] the images in it, and [`schedule`] the backups that a server takes.

mod container;
mod create;
mod hashing;
mod manifest;
mod restore;
pub(crate) mod schedule;
mod sqlite;
mod temporary;
mod uploads;
mod verify;

use std::{io, path::PathBuf};

use thiserror::Error;

pub(crate) use self::{
    create::create,
    manifest::{Content, Manifest},
    restore::{RestoreOptions, restore},
    verify::verify,
};

/// Why a backup can't be written or used.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("can't write the backup {}: {cause}; check that its directory exists and that this user may write there",
        path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("can't read the backup {}: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("the file {} exists and is not a backup; name another file", .0.display())]
    OtherFile(PathBuf),
    #[error("the file {} is not a backup of Almanac", .0.display())]
    NotABackup(PathBuf),
    #[error("the backup {} is damaged: {reason}; use another one", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("the backup {} {cause}", path.display())]
    Schema {
        path: PathBuf,
        cause: crate::store::SchemaError,
    },
    #[error("another process has the database open; stop the server first, and start it again after `almanac restore`")]
    DatabaseInUse,
    #[error("the file {} is of another database, and SQLite would apply it to the restored one; move it away, too",
        .0.display())]
    OtherLog(PathBuf),
    #[error("can't write to {}: {cause}", path.display())]
    Replace { path: PathBuf, cause: io::Error },
    #[error("the backup {} has uploaded images; name an empty directory for them with --uploads", .0.display())]
    UploadsNeeded(PathBuf),
    #[error("the directory {} is not empty; name an empty one for the uploaded images with --uploads, or empty it if a \
        restore that failed has left them there", .0.display())]
    UploadsNotEmpty(PathBuf),
    #[error("can't read the uploaded images in {}: {cause}; check the directory of --uploads", path.display())]
    Uploads { path: PathBuf, cause: io::Error },
}
