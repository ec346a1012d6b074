//! Connections that write, whichever driver runs their statements.

use sea_orm::{
    ActiveModelTrait, DbErr, EntityTrait, Iterable, ModelTrait, QueryTrait, Statement, StatementBuilder, Update,
    sea_query::{InsertStatement, Query, ReturningClause},
};

use super::read_connection::ReadConnection;

/// A connection for writes.
pub trait WriteConnection: ReadConnection {
    /// Runs a statement whose text is known. Returns the number of rows that were inserted, changed or deleted.
    fn execute_raw(&self, statement: Statement) -> impl Future<Output = Result<u64, DbErr>> + Send;

    /// Runs statements without parameters.
    fn execute_unprepared(&self, sql: &str) -> impl Future<Output = Result<(), DbErr>> + Send;

    /// Runs a statement of sea-query, like [`execute_raw`](Self::execute_raw).
    fn execute(&self, statement: &impl StatementBuilder) -> impl Future<Output = Result<u64, DbErr>> + Send {
        self.execute_raw(self.backend().build(statement))
    }

    /// Runs a statement of SeaORM, like [`execute_raw`](Self::execute_raw).
    fn run(
        &self,
        query: impl QueryTrait<QueryStatement: StatementBuilder>,
    ) -> impl Future<Output = Result<u64, DbErr>> + Send {
        self.execute_raw(self.backend().build(query.as_query()))
    }

    /// Inserts rows, and returns those that were inserted, as they are stored.
    fn insert_all<M>(
        &self,
        insert: impl QueryTrait<QueryStatement = InsertStatement>,
    ) -> impl Future<Output = Result<Vec<M>, DbErr>> + Send
    where
        M: ModelTrait + Default,
    {
        let mut insert = insert.into_query();
        insert.returning(all_columns::<M::Entity>());
        self.models_of(self.backend().build(&insert))
    }

    /// Inserts a row, and returns it as it is stored.
    fn insert_row<A>(&self, row: A) -> impl Future<Output = Result<<A::Entity as EntityTrait>::Model, DbErr>> + Send
    where
        A: ActiveModelTrait<Entity: EntityTrait<Model: ModelTrait<Entity = A::Entity> + Default>>,
    {
        let inserted = self.insert_all(A::Entity::insert(row));
        async move { inserted.await?.pop().ok_or(DbErr::RecordNotInserted) }
    }

    /// Writes the columns of a row that are set, at least one of which is not a part of the primary key. Returns the row as
    /// it is stored.
    fn update_row<A>(&self, row: A) -> impl Future<Output = Result<<A::Entity as EntityTrait>::Model, DbErr>> + Send
    where
        A: ActiveModelTrait<Entity: EntityTrait<Model: ModelTrait<Entity = A::Entity> + Default>>,
    {
        let update = Update::one(row).validate().map(|update| {
            let mut update = update.into_query();
            update.returning(all_columns::<A::Entity>());
            self.backend().build(&update)
        });
        async move {
            let rows: Vec<<A::Entity as EntityTrait>::Model> = self.models_of(update?).await?;
            rows.into_iter().next().ok_or(DbErr::RecordNotUpdated)
        }
    }
}

/// The clause that returns all columns of the written rows.
pub(super) fn all_columns<E: EntityTrait>() -> ReturningClause {
    Query::returning().columns(E::Column::iter())
}
