//! `almanac migrate` and `almanac purge`.

use super::{Failure, output::print_line};
use crate::{
    config::DatabaseArgs,
    store::{
        self,
        entity::{event, organizer, venue},
        post,
    },
};

/// Brings the database to the present schema.
pub async fn migrate(database: &DatabaseArgs) -> Result<(), Failure> {
    let store = store::open(&database.database_url, true).await?;
    store.close().await?;
    print_line("the database is at the present schema")?;
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
    print_line(format_args!(
        "removed {events} events, {venues} venues, {organizers} organizers"
    ))?;
    Ok(())
}
