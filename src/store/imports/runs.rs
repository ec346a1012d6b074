//! Runs of imports, and what they report.

use sea_orm::{
    ActiveValue::{NotSet, Set, Unchanged},
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::ROWS;
use crate::{
    calendar::Kind,
    store::{
        entity::{import_note, import_run},
        read_connection::ReadConnection,
        write_connection::WriteConnection,
    },
};

/// The state of a run that has not come to its end.
pub(crate) const RUNNING: &str = "running";
/// The state of a run that has come to its end.
pub(crate) const COMPLETE: &str = "complete";
/// The state of a run whose objects were moved to the trash again.
pub(crate) const UNDONE: &str = "undone";

/// Finds the run of the source that has not come to its end.
pub(crate) async fn unfinished_run(
    database: &impl ReadConnection,
    source: i64,
) -> Result<Option<import_run::Model>, DbErr> {
    let select = import_run::Entity::find()
        .filter(import_run::Column::SourceId.eq(source))
        .filter(import_run::Column::State.eq(RUNNING))
        .order_by_desc(import_run::Column::Id);
    database.model(select).await
}

/// Finds the run with this ID.
pub(crate) async fn run(database: &impl ReadConnection, id: i64) -> Result<Option<import_run::Model>, DbErr> {
    database.model(import_run::Entity::find_by_id(id)).await
}

/// Begins a run.
pub(crate) async fn insert_run(
    transaction: &impl WriteConnection,
    source: i64,
    checkpoint: &str,
    now: i64,
) -> Result<import_run::Model, DbErr> {
    transaction
        .insert_row(import_run::ActiveModel {
            id: NotSet,
            source_id: Set(source),
            state: Set(RUNNING.to_owned()),
            checkpoint: Set(checkpoint.to_owned()),
            started_at: Set(now),
            finished_at: Set(None),
            created: Set(0),
            updated: Set(0),
            unchanged: Set(0),
            kept: Set(0),
        })
        .await
}

/// Stores the state, the checkpoint and the counts of a run.
pub(crate) async fn update_run(transaction: &impl WriteConnection, run: &import_run::Model) -> Result<(), DbErr> {
    let import_run::Model {
        id,
        source_id: _,
        state,
        checkpoint,
        started_at: _,
        finished_at,
        created,
        updated,
        unchanged,
        kept,
    } = run.clone();
    transaction
        .update_row(import_run::ActiveModel {
            id: Unchanged(id),
            state: Set(state),
            checkpoint: Set(checkpoint),
            finished_at: Set(finished_at),
            created: Set(created),
            updated: Set(updated),
            unchanged: Set(unchanged),
            kept: Set(kept),
            ..Default::default()
        })
        .await?;
    Ok(())
}

/// A note to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewNote {
    pub kind: Kind,
    pub key: String,
    pub text: String,
}

/// Adds notes to a run.
pub(crate) async fn insert_notes(transaction: &impl WriteConnection, run: i64, notes: &[NewNote]) -> Result<(), DbErr> {
    for notes in notes.chunks(ROWS) {
        let rows = notes
            .iter()
            .map(|NewNote { kind, key, text }| import_note::ActiveModel {
                id: NotSet,
                run_id: Set(run),
                kind: Set(kind.name().to_owned()),
                key: Set(key.clone()),
                text: Set(text.clone()),
            });
        transaction.run(import_note::Entity::insert_many(rows)).await?;
    }
    Ok(())
}

/// Removes the notes of all runs of a source: each run reports on all that it has seen.
pub(crate) async fn remove_notes(transaction: &impl WriteConnection, source: i64) -> Result<(), DbErr> {
    let runs = import_run::Entity::find()
        .select_only()
        .column(import_run::Column::Id)
        .filter(import_run::Column::SourceId.eq(source))
        .into_query();
    transaction
        .run(import_note::Entity::delete_many().filter(import_note::Column::RunId.in_subquery(runs)))
        .await?;
    Ok(())
}

/// Reads the notes of a run, in the order in which they were added.
pub(crate) async fn notes(database: &impl ReadConnection, run: i64) -> Result<Vec<import_note::Model>, DbErr> {
    let select = import_note::Entity::find()
        .filter(import_note::Column::RunId.eq(run))
        .order_by_asc(import_note::Column::Id);
    database.models(select).await
}
