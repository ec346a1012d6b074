//! `almanac backup`.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tokio::task::spawn_blocking;

use super::{CommandError, output::print_line, progress};
use crate::{
    config::DatabaseArgs,
    store,
    transfer::{
        Progress,
        backup::{self, Manifest},
    },
};

/// The flags of `almanac backup`.
#[derive(Args, Debug)]
pub struct BackupArgs {
    /// File to write, such as calendar.almanac; an existing backup is replaced
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Check that the file is a complete backup that can be restored, and write nothing
    #[arg(long)]
    pub verify: bool,

    /// Check that the database can be opened, and write nothing
    #[arg(long, conflicts_with = "verify")]
    pub dry_run: bool,

    /// Directory of uploaded images to include in the backup
    #[arg(long, env = "ALMANAC_UPLOADS", value_name = "DIR")]
    pub uploads: Option<PathBuf>,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Takes or verifies a backup.
pub(crate) async fn run(arguments: &BackupArgs) -> Result<(), CommandError> {
    let progress = Arc::new(Progress::default());
    if arguments.verify {
        let verifying = {
            let (file, progress) = (arguments.file.clone(), progress.clone());
            spawn_blocking(move || backup::verify(&file, &progress))
        };
        let verifying = async { verifying.await.map_err(std::io::Error::other)? };
        let manifest = progress::run(&progress, verifying).await?;
        return print_line(format_args!("the backup is good: {}", summary(&manifest)));
    }
    let store = store::open_to_read(&arguments.database.database_url).await?;
    if arguments.dry_run {
        store.close().await?;
        return print_line("the database can be backed up");
    }
    let creating = backup::create(&store, &arguments.file, arguments.uploads.as_deref(), &progress);
    let created = progress::run(&progress, creating).await;
    store.close().await?;
    print_line(format_args!("backed up {}", summary(&created?)))
}

/// What a backup contains.
pub(super) fn summary(manifest: &Manifest) -> String {
    let Manifest {
        version,
        created_at,
        uploads,
        ..
    } = manifest;
    let images = match uploads {
        Some(uploads) => format!(" and {} uploaded images", uploads.files),
        None => String::new(),
    };
    format!(
        "{} events{images} of {created_at}, by Almanac {version}",
        manifest.rows_of("events")
    )
}
