//! The flags of the backups that a server takes.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::Args;

use crate::{commands::duration, transfer::backup::schedule::Schedule};

/// Where and how often a server takes backups.
#[derive(Args, Clone, Debug)]
pub struct BackupArgs {
    /// Directory in which the server keeps backups, which it takes regularly (default: none are taken)
    #[arg(long, env = "ALMANAC_BACKUP_TO", value_name = "DIR")]
    pub backup_to: Option<PathBuf>,

    /// How often the server takes a backup, such as 24h or 30min
    #[arg(
        long,
        env = "ALMANAC_BACKUP_EVERY",
        default_value = "24h",
        value_name = "TIME",
        value_parser = interval
    )]
    pub backup_every: Duration,

    /// Number of backups that the server keeps; it removes older ones from the directory
    #[arg(long, env = "ALMANAC_BACKUP_KEEP", default_value = "14", value_name = "NUMBER")]
    pub backup_keep: NonZeroUsize,
}

impl BackupArgs {
    /// None without `--backup-to`. `uploads` is the directory of uploaded images.
    pub(crate) fn schedule(&self, uploads: Option<PathBuf>) -> Option<Schedule> {
        let directory = self.backup_to.clone()?;
        Some(Schedule {
            directory,
            every: self.backup_every,
            keep: self.backup_keep.get(),
            uploads,
        })
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("must be longer than 0s".to_owned()),
        interval => Ok(interval),
    }
}
