//! `almanac migrate` and `almanac purge`.

use clap::Args;

use super::Failure;
use crate::{
    config::{DatabaseArgs, WaitArgs},
    store::{
        self, OpenError,
        entity::{event, organizer, venue},
        post,
    },
};

/// Which database, and how long to wait for it.
#[derive(Args, Debug)]
pub struct MigrateArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub wait: WaitArgs,
}

/// Waits for the database, and says at once what it waits for.
pub async fn wait_for(database: &DatabaseArgs, wait: WaitArgs) -> Result<(), OpenError> {
    let limit = wait.database_wait;
    store::wait_until_reachable(&database.database_url, limit, |reason| {
        let limit = humantime::format_duration(limit);
        eprintln!("almanac: {reason}; trying again for {limit}");
    })
    .await
}

/// Brings the database to the present schema.
pub async fn migrate(MigrateArgs { database, wait }: &MigrateArgs) -> Result<(), Failure> {
    wait_for(database, *wait).await?;
    let store = store::open(&database.database_url, true).await?;
    store.close().await?;
    println!("the database is at the present schema");
    Ok(())
}

/// Removes for good what is in the trash.
pub async fn purge(database: &DatabaseArgs) -> Result<(), Failure> {
    let store = store::open(&database.database_url, true).await?;
    let transaction = store.begin().await?;
    let events = post::purge::<event::Entity>(&transaction).await?;
    let venues = post::purge::<venue::Entity>(&transaction).await?;
    let organizers = post::purge::<organizer::Entity>(&transaction).await?;
    transaction.commit().await?;
    store.close().await?;
    println!("removed {events} events, {venues} venues, {organizers} organizers");
    Ok(())
}
