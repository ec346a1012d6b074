//! A cache of the texts of statements. On SQLite, building a text takes about as long as running the statement.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use sea_orm::{DbBackend, Statement, StatementBuilder, Value, Values};

use super::id_lists::MAX_PADDED;

/// The maximum number of values of a statement whose text is cached: four padded lists, each with another value.
const MAX_VALUES: usize = 4 * (MAX_PADDED + 1);
/// The maximum number of texts of one function. Lists of different lengths have different texts.
const MAX_TEXTS: usize = 256;

/// The texts of the statements of one function. The key `K` is what a text depends on besides the database, such as the
/// table and the number of values in a list.
pub(super) struct StatementTexts<K>(LazyLock<RwLock<Texts<K>>>);

/// The texts by key. The first part of a key is true for PostgreSQL.
type Texts<K> = HashMap<(bool, K), Arc<str>>;

impl<K: Eq + Hash> StatementTexts<K> {
    pub(super) const fn new() -> Self {
        Self(LazyLock::new(RwLock::default))
    }

    /// The statement with these values, in the order of their placeholders. If its text is not cached, `query` builds it.
    pub(super) fn statement<Q: StatementBuilder>(
        &self,
        backend: DbBackend,
        key: K,
        values: Vec<Value>,
        query: impl FnOnce() -> Q,
    ) -> Statement {
        if values.len() > MAX_VALUES {
            return backend.build(&query());
        }
        let key = (backend == DbBackend::Postgres, key);
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(text) = known {
            return Statement::from_sql_and_values(backend, &*text, values);
        }
        let statement = backend.build(&query());
        debug_assert_eq!(statement.values, Some(Values(values)), "{}", statement.sql);
        let mut texts = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if texts.len() < MAX_TEXTS {
            texts.insert(key, statement.sql.as_str().into());
        }
        statement
    }
}
