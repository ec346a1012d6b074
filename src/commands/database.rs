//! `almanac migrate`, `almanac purge`, and the regular purge of a server.

use std::time::Duration;

use clap::Args;

use super::{
    CommandError, duration, now,
    output::{print_error_line, print_line},
};
use crate::{
    config::{DatabaseArgs, WaitArgs},
    store::{
        self, OpenError, Store,
        trash::{self, Removed},
    },
};

/// The interval of `--empty-trash-after`.
const TRASH_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The flags of `almanac migrate`.
#[derive(Args, Debug)]
pub struct MigrateArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Waits until the database is reachable, and prints the first error while it is not.
pub(crate) async fn wait_for(database: &DatabaseArgs, wait: WaitArgs) -> Result<(), OpenError> {
    let limit = wait.database_wait;
    store::wait_until_reachable(&database.database_url, limit, |reason| {
        let limit = humantime::format_duration(limit);
        print_error_line(format_args!("almanac: {reason}; retrying for up to {limit}"));
    })
    .await
}

/// Migrates the database to the current schema.
pub(crate) async fn migrate(MigrateArgs { database, wait }: &MigrateArgs) -> Result<(), CommandError> {
    wait_for(database, *wait).await?;
    let store = store::open(&database.database_url, true).await?;
    store.close().await?;
    print_line("the database has the current schema")?;
    Ok(())
}

/// The flags of `almanac purge`.
#[derive(Args, Debug)]
pub struct PurgeArgs {
    /// Only delete what has been in the trash for this long, such as 30d
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub older_than: Option<Duration>,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Permanently deletes the objects in the trash.
pub(crate) async fn purge(arguments: &PurgeArgs) -> Result<(), CommandError> {
    let store = store::open(&arguments.database.database_url, true).await?;
    let until = arguments.older_than.map(seconds_ago);
    let removed = trash::empty(&store, until).await?;
    store.close().await?;
    print_line(format_args!("removed {removed}"))
}

/// Permanently deletes what has been in the trash for longer than `age`, now and every hour.
pub(crate) async fn empty_trash_regularly(store: Store, age: Duration) {
    loop {
        match trash::empty(&store, Some(seconds_ago(age))).await {
            Ok(Removed {
                events,
                venues,
                organizers,
            }) => tracing::info!(events, venues, organizers, "emptied the trash"),
            Err(error) => tracing::warn!(%error, "can't empty the trash; retrying in an hour"),
        }
        tokio::time::sleep(TRASH_INTERVAL).await;
    }
}

/// The time `age` ago, as a Unix timestamp.
fn seconds_ago(age: Duration) -> i64 {
    now().saturating_sub_unsigned(age.as_secs())
}
