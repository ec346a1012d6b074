//! Connections that read, whichever driver runs their statements.

use std::pin::pin;

use futures_util::TryStreamExt;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, Iterable, ModelTrait, QueryResult, QuerySelect,
    QueryTrait, Select, Statement, StreamTrait, sea_query::SelectStatement,
};

use super::{
    ListVersion,
    known_results::KnownResults,
    row::{FromRow, FromRows, Row},
};

/// A connection for reads.
pub trait ReadConnection: Sync {
    /// The database.
    fn backend(&self) -> DbBackend;

    /// Collects the rows of a statement while the database finds them, so that they are never all in memory.
    fn collect<C: FromRows>(&self, statement: Statement) -> impl Future<Output = Result<C, DbErr>> + Send;

    /// Reads all rows of a statement whose text is known.
    fn rows_of<R: FromRow>(&self, statement: Statement) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send;

    /// Reads all rows of a statement.
    fn rows<R: FromRow>(&self, select: &SelectStatement) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send {
        self.rows_of(self.backend().build(select))
    }

    /// Reads the first row of a statement.
    fn row<R: FromRow>(&self, select: &SelectStatement) -> impl Future<Output = Result<Option<R>, DbErr>> + Send {
        async move { Ok(self.rows(select).await?.into_iter().next()) }
    }

    /// Reads the selected columns of all rows of a table that match.
    fn selected<R, E>(&self, select: Select<E>) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send
    where
        R: FromRow,
        E: EntityTrait,
    {
        self.rows_of(self.backend().build(select.as_query()))
    }

    /// Reads the selected columns of the first row of a table that matches.
    fn first_selected<R, E>(&self, select: Select<E>) -> impl Future<Output = Result<Option<R>, DbErr>> + Send
    where
        R: FromRow,
        E: EntityTrait,
    {
        let first = self.selected(select.limit(1));
        async move { Ok(first.await?.pop()) }
    }

    /// Reads all rows of a table that match.
    fn models<E>(&self, select: Select<E>) -> impl Future<Output = Result<Vec<E::Model>, DbErr>> + Send
    where
        E: EntityTrait<Model: ModelTrait<Entity = E> + Default>,
    {
        self.models_of(self.backend().build(select.as_query()))
    }

    /// Reads the first row of a table that matches.
    fn model<E>(&self, select: Select<E>) -> impl Future<Output = Result<Option<E::Model>, DbErr>> + Send
    where
        E: EntityTrait<Model: ModelTrait<Entity = E> + Default>,
    {
        let models = self.models(select.limit(1));
        async move { Ok(models.await?.pop()) }
    }

    /// Reads the rows of a statement that returns all columns of a table, and nothing else.
    fn models_of<M>(&self, statement: Statement) -> impl Future<Output = Result<Vec<M>, DbErr>> + Send
    where
        M: ModelTrait + Default,
    {
        async move {
            let rows: Vec<AllColumns<M>> = self.rows_of(statement).await?;
            Ok(rows.into_iter().map(|AllColumns(model)| model).collect())
        }
    }

    /// Changes a setting of PostgreSQL for the rest of the transaction.
    fn set_local(&self, setting: &str) -> impl Future<Output = Result<(), DbErr>> + Send;

    /// The earliest second that is known to have the same published objects as `now`, as Unix timestamps. A statement with
    /// this second instead of `now` is the same for longer, so that its result stays in memory.
    fn same_publications_since(&self, now: i64) -> i64 {
        now
    }

    /// The results that are known from earlier reads of the same version of the data. None if the version is unknown.
    fn known_results(&self) -> Option<(&KnownResults, ListVersion)> {
        None
    }
}

impl ReadConnection for DatabaseConnection {
    fn backend(&self) -> DbBackend {
        self.get_database_backend()
    }

    async fn collect<C: FromRows>(&self, statement: Statement) -> Result<C, DbErr> {
        collect_stream(self, statement).await
    }

    async fn rows_of<R: FromRow>(&self, statement: Statement) -> Result<Vec<R>, DbErr> {
        sqlx_rows(self.query_all_raw(statement).await?)
    }

    async fn set_local(&self, setting: &str) -> Result<(), DbErr> {
        // Without a transaction, it has no effect.
        self.execute_unprepared(&format!("SET LOCAL {setting}")).await?;
        Ok(())
    }
}

/// Converts rows of sqlx.
pub(super) fn sqlx_rows<R: FromRow>(rows: Vec<QueryResult>) -> Result<Vec<R>, DbErr> {
    rows.iter().map(|row| R::from_row(&Row::Sqlx(row))).collect()
}

/// Collects the rows of a statement of sqlx.
pub(super) async fn collect_stream<C: FromRows>(
    connection: &impl StreamTrait,
    statement: Statement,
) -> Result<C, DbErr> {
    let mut rows = pin!(connection.stream_raw(statement).await?);
    let mut collected = C::default();
    while let Some(row) = rows.try_next().await? {
        collected.add(&Row::Sqlx(&row))?;
    }
    Ok(collected)
}

/// A row of a statement that selects all columns of a table, and nothing else.
struct AllColumns<M>(M);

impl<M: ModelTrait + Default> FromRow for AllColumns<M> {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let columns = <M::Entity as EntityTrait>::Column::iter();
        Ok(Self(row.model(0, columns)?))
    }
}
