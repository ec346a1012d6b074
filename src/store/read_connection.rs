//! Connections that read, whichever driver runs their statements.

use std::pin::pin;

use futures_util::TryStreamExt;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, Iterable, ModelTrait, QueryTrait, Select, Statement,
    StreamTrait, sea_query::SelectStatement,
};

use super::{
    ListVersion,
    count::KnownCounts,
    row::{FromRow, FromRows, Row},
};

/// A connection for reads.
pub trait ReadConnection: ConnectionTrait {
    /// Collects the rows of a statement while the database finds them, so that they are never all in memory.
    fn collect<C: FromRows>(&self, statement: Statement) -> impl Future<Output = Result<C, DbErr>> + Send;

    /// Reads all rows of a statement whose text is known.
    fn rows_of<R: FromRow>(&self, statement: Statement) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send {
        async move {
            let rows = self.query_all_raw(statement).await?;
            rows.iter().map(|row| R::from_row(&Row::Sqlx(row))).collect()
        }
    }

    /// Reads all rows of a statement.
    fn rows<R: FromRow>(&self, select: &SelectStatement) -> impl Future<Output = Result<Vec<R>, DbErr>> + Send {
        self.rows_of(self.get_database_backend().build(select))
    }

    /// Reads the first row of a statement.
    fn row<R: FromRow>(&self, select: &SelectStatement) -> impl Future<Output = Result<Option<R>, DbErr>> + Send {
        async move { Ok(self.rows(select).await?.into_iter().next()) }
    }

    /// Reads all rows of a table that match.
    fn models<E>(&self, select: Select<E>) -> impl Future<Output = Result<Vec<E::Model>, DbErr>> + Send
    where
        E: EntityTrait<Model: ModelTrait<Entity = E> + Default>,
    {
        async move {
            let rows: Vec<AllColumns<E::Model>> = self.rows(&select.into_query()).await?;
            Ok(rows.into_iter().map(|AllColumns(model)| model).collect())
        }
    }

    /// The counts that are known from earlier reads of the same version of the data. None if the version is unknown.
    fn known_counts(&self) -> Option<(&KnownCounts, ListVersion)> {
        None
    }
}

impl ReadConnection for DatabaseConnection {
    async fn collect<C: FromRows>(&self, statement: Statement) -> Result<C, DbErr> {
        collect_stream(self, statement).await
    }
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
        Ok(Self(row.model(columns)?))
    }
}
