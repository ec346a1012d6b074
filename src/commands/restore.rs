//! `almanac restore`.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{CommandError, backup::summary, now, output::print_line, progress};
use crate::{
    config::DatabaseArgs,
    transfer::{
        Progress, Tokens,
        backup::{self, RestoreOptions},
    },
};

/// The flags of `almanac restore`.
#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// Backup to restore
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Keep the API tokens valid; otherwise they are revoked
    #[arg(long)]
    pub keep_tokens: bool,

    /// Check the backup and the database, and change nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Directory for uploaded images, which must be empty
    #[arg(long, env = "ALMANAC_UPLOADS", value_name = "DIR")]
    pub uploads: Option<PathBuf>,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Restores a backup into an empty database.
pub(crate) async fn run(arguments: &RestoreArgs) -> Result<(), CommandError> {
    let progress = Arc::new(Progress::default());
    let options = RestoreOptions {
        tokens: match arguments.keep_tokens {
            true => Tokens::Keep,
            false => Tokens::Revoke,
        },
        is_dry_run: arguments.dry_run,
        now: now(),
    };
    let url = &arguments.database.database_url;
    let restoring = backup::restore(&arguments.file, url, arguments.uploads.as_deref(), options, &progress);
    let manifest = progress::run(&progress, restoring).await?;
    let verb = if arguments.dry_run { "could restore" } else { "restored" };
    print_line(format_args!("{verb} {}", summary(&manifest)))?;
    if !arguments.dry_run {
        let tokens = if arguments.keep_tokens {
            "are valid again"
        } else {
            "have been revoked"
        };
        print_line(format_args!(
            "the API tokens {tokens}; passwords are those of the backup"
        ))?;
        if manifest.rows_of("webhooks") > 0 {
            print_line(
                "the webhooks are disabled; PATCH /webhooks/ID with {\"enabled\": true} enables one, and `almanac webhook \
                 list` lists them",
            )?;
        }
        if manifest.rows_of("import_sources") > 0 {
            print_line(
                "servers import no source again; `almanac import ics URL --every TIME` lets them, and `almanac source list` \
                 lists the sources",
            )?;
        }
    }
    Ok(())
}
