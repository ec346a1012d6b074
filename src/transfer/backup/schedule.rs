//! The backups that a server takes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use chrono::{DateTime, NaiveDateTime, Utc};
use metrics::{counter, gauge};
use tokio::{task::spawn_blocking, time::sleep};

use super::{BackupError, create, temporary, verify};
use crate::{
    store::Store,
    transfer::{Progress, TransferError},
};

/// The time of the last good backup, in seconds since 1970 UTC; 0 if there is none.
const LAST_BACKUP: &str = "almanac_last_backup_timestamp_seconds";
/// The number of backups that have failed.
const FAILED: &str = "almanac_backups_failed_total";
/// The longest pause after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(10 * 60);
/// The name of a backup, with its time in UTC.
const NAME: &str = "almanac-%Y%m%dT%H%M%SZ.almanac";

/// Where and how often a server takes backups.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub directory: PathBuf,
    pub every: Duration,
    /// The number of backups that are kept.
    pub keep: usize,
    /// The directory of uploaded images, which are a part of each backup.
    pub uploads: Option<PathBuf>,
}

impl Schedule {
    /// Creates the directory, and fails if this user can't write there.
    pub(crate) fn prepare(&self) -> Result<(), BackupError> {
        let prepared = fs::create_dir_all(&self.directory).and_then(|()| temporary::file_in(&self.directory));
        prepared.map(drop).map_err(|cause| BackupError::Write {
            path: self.directory.clone(),
            cause,
        })
    }

    /// The backups of the directory with their times, oldest first. Other files are none of them.
    fn backups(&self) -> io::Result<Vec<(DateTime<Utc>, PathBuf)>> {
        let mut backups = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            backups.extend(time_of(&path).map(|time| (time, path)));
        }
        backups.sort();
        Ok(backups)
    }

    /// How long to wait for the next backup. A restart of the server does not change its time.
    fn pause(&self, now: DateTime<Utc>) -> Duration {
        let last = self
            .backups()
            .ok()
            .and_then(|backups| backups.last().map(|(time, _)| *time));
        // A backup from the future is no reason to take none.
        match last.map(|last| (now - last).to_std()) {
            Some(Ok(age)) => self.every.saturating_sub(age),
            _ => Duration::ZERO,
        }
    }

    /// Removes the oldest backups.
    fn prune(&self) -> io::Result<()> {
        let backups = self.backups()?;
        let superfluous = backups.len().saturating_sub(self.keep);
        for (_, path) in backups.into_iter().take(superfluous) {
            fs::remove_file(path)?;
        }
        Ok(())
    }
}

/// The time in the name of a backup.
fn time_of(path: &Path) -> Option<DateTime<Utc>> {
    let name = path.file_name()?.to_str()?;
    Some(NaiveDateTime::parse_from_str(name, NAME).ok()?.and_utc())
}

/// Takes backups, until it is aborted.
pub(crate) async fn run(store: Store, schedule: Schedule) {
    let last = schedule
        .backups()
        .ok()
        .and_then(|backups| backups.last().map(|(time, _)| time.timestamp()));
    gauge!(LAST_BACKUP).set(last.unwrap_or(0) as f64);
    // A counter that has not been incremented is missing from the metrics.
    counter!(FAILED).absolute(0);
    loop {
        sleep(schedule.pause(Utc::now())).await;
        let began = Utc::now();
        match take(&store, &schedule, began).await {
            Ok((path, events)) => {
                gauge!(LAST_BACKUP).set(began.timestamp() as f64);
                let seconds = (Utc::now() - began).num_seconds();
                tracing::info!(path = %path.display(), events, seconds, "took a backup");
                if let Err(error) = schedule.prune() {
                    tracing::warn!(%error, "can't remove old backups");
                }
                // The next one has another name.
                sleep(Duration::from_secs(1)).await;
            }
            Err(error) => {
                counter!(FAILED).increment(1);
                tracing::error!(%error, "can't take a backup");
                sleep(RETRY_DELAY.min(schedule.every)).await;
            }
        }
    }
}

/// Takes a backup and verifies it. Returns its path and the number of events.
async fn take(store: &Store, schedule: &Schedule, now: DateTime<Utc>) -> Result<(PathBuf, u64), TransferError> {
    let path = schedule.directory.join(now.format(NAME).to_string());
    let progress = Arc::new(Progress::default());
    create(store, &path, schedule.uploads.as_deref(), &progress).await?;
    let verified = {
        let path = path.clone();
        spawn_blocking(move || verify(&path, &progress))
            .await
            .map_err(io::Error::other)?
    };
    match verified {
        Ok(manifest) => Ok((path, manifest.rows_of("events"))),
        Err(error) => {
            // It would count as the last backup.
            fs::remove_file(&path)?;
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(directory: &Path) -> Schedule {
        Schedule {
            directory: directory.to_owned(),
            every: Duration::from_secs(3600),
            keep: 2,
            uploads: None,
        }
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn newest_backups_and_other_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "almanac-20270101T000000Z.almanac",
            "almanac-20261231T235959Z.almanac",
            "almanac-20270102T000000Z.almanac",
            "before-the-upgrade.almanac",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        schedule(folder.path()).prune().unwrap();
        let expected = [
            "almanac-20270101T000000Z.almanac",
            "almanac-20270102T000000Z.almanac",
            "before-the-upgrade.almanac",
        ];
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn next_backup_is_due_after_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let schedule = schedule(folder.path());
        let now = "2027-01-01T00:20:00Z".parse().unwrap();
        assert_eq!(schedule.pause(now), Duration::ZERO);
        for (name, expected) in [
            ("almanac-20261231T120000Z.almanac", 0),
            ("almanac-20270101T000000Z.almanac", 40 * 60),
            ("almanac-20280101T000000Z.almanac", 0),
        ] {
            fs::write(folder.path().join(name), "").unwrap();
            assert_eq!(schedule.pause(now), Duration::from_secs(expected), "{name}");
        }
    }
}
