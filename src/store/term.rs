//! Categories and tags.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, ColumnTrait, Condition, DbErr, EntityTrait, IntoActiveModel, ModelTrait,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Value,
};

use super::{
    entity::{category, category_event_count, event_category, event_tag, tag, tag_event_count},
    links::Link,
    locks::{self, AdvisoryLock},
    read_connection::ReadConnection,
    rows,
    statement_texts::StatementTexts,
    write_connection::WriteConnection,
};
use crate::calendar::{Kind, TermReference, slug::decoded, text::fold};

/// A table of terms.
pub trait Term:
    EntityTrait<
        Model: TermRow + ModelTrait<Entity = Self> + Default + IntoActiveModel<Self::ActiveModel>,
        ActiveModel: ActiveModelBehavior + Send,
    >
{
    const KIND: Kind;
    const ID: Self::Column;
    const NAME_KEY: Self::Column;
    const SLUG: Self::Column;
    const DESCRIPTION: Self::Column;
    const SEARCH_TEXT: Self::Column;
    /// Only categories form a tree.
    const PARENT: Option<Self::Column>;
    const MODIFIED_AT: Self::Column;
    type Links: Link<Target = Self>;
    /// The table with the number of published, listed events of each term. Its columns are `target_id` and `event_count`.
    type EventCounts: EntityTrait;
}

/// The columns of a term.
#[derive(Clone, Debug, Default)]
pub struct TermColumns {
    pub id: i64,
    pub version: i64,
    /// The last write, in seconds since 1970 UTC.
    pub modified_at: i64,
    pub name: String,
    pub name_key: String,
    pub slug: String,
    pub description: String,
    pub search_text: String,
    /// The ID of the parent; 0 without one and for tags.
    pub parent: i64,
}

/// A row of a table of terms.
pub trait TermRow: Clone + Send + Sync {
    fn common_columns(&self) -> TermColumns;
    fn from_columns(columns: TermColumns) -> Self;
}

macro_rules! term {
    ($module:ident, $links:ident, $counts:ident, $kind:expr, $parent:expr, {$($field:ident),*}) => {
        impl Term for $module::Entity {
            const KIND: Kind = $kind;
            const ID: Self::Column = $module::Column::Id;
            const NAME_KEY: Self::Column = $module::Column::NameKey;
            const SLUG: Self::Column = $module::Column::Slug;
            const DESCRIPTION: Self::Column = $module::Column::Description;
            const SEARCH_TEXT: Self::Column = $module::Column::SearchText;
            const PARENT: Option<Self::Column> = $parent;
            const MODIFIED_AT: Self::Column = $module::Column::ModifiedAt;
            type Links = $links::Entity;
            type EventCounts = $counts::Entity;
        }

        impl TermRow for $module::Model {
            #[allow(clippy::needless_update, reason = "a tag has no parent")]
            fn common_columns(&self) -> TermColumns {
                TermColumns { $($field: self.$field.clone(),)* ..TermColumns::default() }
            }

            fn from_columns(columns: TermColumns) -> Self {
                Self { $($field: columns.$field,)* }
            }
        }
    };
}

term!(category, event_category, category_event_count, Kind::Category, Some(category::Column::Parent),
    {id, version, modified_at, name, name_key, slug, description, search_text, parent});
term!(tag, event_tag, tag_event_count, Kind::Tag, None,
    {id, version, modified_at, name, name_key, slug, description, search_text});

/// Reads the parent of each term. Tags have none.
pub(crate) async fn parents<E: Term>(database: &impl ReadConnection) -> Result<HashMap<i64, i64>, DbErr> {
    let Some(parent) = E::PARENT else {
        return Ok(HashMap::new());
    };
    let parents = E::find().select_only().columns([E::ID, parent]);
    let rows: Vec<[i64; 2]> = database.rows(&parents.into_query()).await?;
    Ok(rows.into_iter().map(<(i64, i64)>::from).collect())
}

/// Returns the IDs of these terms and of all their descendants.
pub(crate) async fn with_descendants<E: Term>(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<i64>, DbErr> {
    let parents = parents::<E>(database).await?;
    let mut all = ids.to_vec();
    let mut next = 0;
    while let Some(parent) = all.get(next).copied() {
        let children = parents
            .iter()
            .filter(|(_, above)| **above == parent)
            .map(|(child, _)| *child);
        for child in children {
            if !all.contains(&child) {
                all.push(child);
            }
        }
        next += 1;
    }
    Ok(all)
}

/// Finds the term with this ID.
pub(crate) async fn find<E: Term>(database: &impl ReadConnection, id: i64) -> Result<Option<E::Model>, DbErr> {
    Ok(database.models(E::find().filter(E::ID.eq(id))).await?.pop())
}

/// Finds the terms with these IDs, in no particular order.
pub(crate) async fn find_all<E: Term>(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<E::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    database
        .models(E::find().filter(E::ID.is_in(ids.iter().copied())))
        .await
}

/// Finds the term with this ID for a write. On PostgreSQL the row, and the category tree, stay locked until the transaction
/// ends.
pub(crate) async fn find_for_update<E: Term>(
    transaction: &impl WriteConnection,
    id: i64,
) -> Result<Option<E::Model>, DbErr> {
    if E::PARENT.is_some() {
        locks::take(transaction, [AdvisoryLock::CategoryTree]).await?;
    }
    transaction
        .model(E::find().filter(E::ID.eq(id)).lock(locks::row_lock(E::KIND)))
        .await
}

/// Finds the term with this slug.
pub async fn find_by_slug<E: Term>(database: &impl ReadConnection, slug: &str) -> Result<Option<E::Model>, DbErr> {
    Ok(database.models(E::find().filter(E::SLUG.eq(slug))).await?.pop())
}

/// Finds the term with this folded name that has the lowest ID, below `parent` if that is given.
pub async fn find_by_name<E: Term>(
    database: &impl ReadConnection,
    name_key: &str,
    parent: Option<i64>,
) -> Result<Option<E::Model>, DbErr> {
    let under = match (E::PARENT, parent) {
        (Some(column), Some(parent)) => Condition::all().add(column.eq(parent)),
        _ => Condition::all(),
    };
    let select = E::find()
        .filter(E::NAME_KEY.eq(name_key))
        .filter(under)
        .order_by_asc(E::ID);
    database.model(select).await
}

/// Finds the IDs of the terms that the references name, as [`find_referenced`] does.
pub async fn resolve<E: Term>(
    database: &impl ReadConnection,
    references: &[TermReference],
) -> Result<Vec<Option<i64>>, DbErr> {
    let terms = find_referenced::<E>(database, references).await?;
    Ok(terms.into_iter().map(|term| term.map(|term| term.id)).collect())
}

/// Finds the terms that the references name, in the order of the references, with `None` where no term matches. Of
/// several terms with the same name it takes the one with the lowest ID.
pub(crate) async fn find_referenced<E: Term>(
    database: &impl ReadConnection,
    references: &[TermReference],
) -> Result<Vec<Option<TermColumns>>, DbErr> {
    static TEXTS: StatementTexts<(Kind, usize, usize)> = StatementTexts::new();
    if references.is_empty() {
        return Ok(Vec::new());
    }
    let ids = references.iter().filter_map(TermReference::id).count();
    let key = (E::KIND, ids, references.len());
    let select = || referenced::<E>(references).order_by_asc(E::ID).into_query();
    let statement = TEXTS.statement(database.backend(), key, values_of_referenced(references), select);
    let terms: Vec<E::Model> = database.models_of(statement).await?;
    let terms: Vec<TermColumns> = terms.iter().map(TermRow::common_columns).collect();
    let keys: Vec<TermKey> = terms.iter().map(TermKey::of).collect();
    let keys: Vec<&TermKey> = keys.iter().collect();
    let find = |reference: &TermReference| {
        let key = matching(&keys, reference)?;
        terms.iter().find(|term| term.id == key.id).cloned()
    };
    Ok(references.iter().map(find).collect())
}

/// The columns of a term with which references are compared.
#[derive(Debug)]
pub(super) struct TermKey {
    pub id: i64,
    pub name_key: String,
    pub slug: String,
}

impl TermKey {
    fn of(columns: &TermColumns) -> Self {
        Self {
            id: columns.id,
            name_key: columns.name_key.clone(),
            slug: columns.slug.clone(),
        }
    }
}

/// Finds the term that the reference names. The terms are sorted by ID.
pub(super) fn matching<'a>(terms: &[&'a TermKey], reference: &TermReference) -> Option<&'a TermKey> {
    let (id, slug, name_key) = (reference.id(), slug_of(reference), name_key_of(reference));
    let find = |matches: &dyn Fn(&TermKey) -> bool| terms.iter().copied().find(|term| matches(term));
    find(&|term| Some(term.id) == id)
        .or_else(|| find(&|term| term.slug == slug))
        .or_else(|| find(&|term| term.name_key == name_key))
}

/// Selects the terms that the references may name.
pub(super) fn referenced<E: Term>(references: &[TermReference]) -> Select<E> {
    let mut ids = references.iter().filter_map(TermReference::id).peekable();
    // A list without items would prevent the use of the indexes.
    let has_ids = ids.peek().is_some();
    let has_id = has_ids.then(|| E::ID.is_in(ids));
    let matches = Condition::any()
        .add_option(has_id)
        .add(E::SLUG.is_in(references.iter().map(slug_of)))
        .add(E::NAME_KEY.is_in(references.iter().map(name_key_of)));
    E::find().filter(matches)
}

/// The values of the statement of [`referenced`].
pub(super) fn values_of_referenced(references: &[TermReference]) -> Vec<Value> {
    let ids = references.iter().filter_map(TermReference::id).map(Value::from);
    let slugs = references.iter().map(slug_of).map(Value::from);
    let names = references.iter().map(name_key_of).map(Value::from);
    ids.chain(slugs).chain(names).collect()
}

fn slug_of(reference: &TermReference) -> String {
    decoded(&reference.to_string())
}

fn name_key_of(reference: &TermReference) -> String {
    fold(&reference.to_string())
}

/// Inserts the term and returns it with its new ID.
pub(crate) async fn insert<E: Term>(
    transaction: &impl WriteConnection,
    columns: TermColumns,
) -> Result<E::Model, DbErr> {
    transaction
        .insert_row(rows::new_row(E::Model::from_columns(columns).into_active_model()))
        .await
}

/// Inserts the term with its own ID. Fails if another one has it.
pub(crate) async fn insert_with_id<E: Term>(
    transaction: &impl WriteConnection,
    columns: TermColumns,
) -> Result<E::Model, DbErr> {
    transaction
        .insert_row(E::Model::from_columns(columns).into_active_model().reset_all())
        .await
}

/// Writes the changed columns of a term, sets its modification time and increments its version.
pub(crate) async fn update<E: Term>(
    transaction: &impl WriteConnection,
    before: &E::Model,
    mut after: TermColumns,
    now: i64,
) -> Result<E::Model, DbErr> {
    after.version = before.common_columns().version + 1;
    after.modified_at = now;
    transaction
        .update_row(rows::difference(
            before.clone().into_active_model(),
            E::Model::from_columns(after).into_active_model(),
        ))
        .await
}

/// Deletes the term and its links, and moves its children to its parent.
///
/// The ID is appended to the name of a child if another child of the parent has the same name.
pub(crate) async fn delete<E: Term>(
    transaction: &impl WriteConnection,
    term: &TermColumns,
    now: i64,
) -> Result<(), DbErr> {
    if let Some(parent) = E::PARENT {
        let children = transaction.models(E::find().filter(parent.eq(term.id))).await?;
        for child in children {
            let mut columns = child.common_columns();
            columns.parent = term.parent;
            let namesake = find_by_name::<E>(transaction, &columns.name_key, Some(term.parent)).await?;
            if namesake.is_some_and(|namesake| namesake.common_columns().id != term.id) {
                columns.name = format!("{} ({})", columns.name, columns.id);
                columns.name_key = fold(&columns.name);
            }
            // A child may take over the name of the term, which is deleted last.
            if columns.name_key == term.name_key {
                let mut renamed = term.clone();
                renamed.name_key = format!("{} #{}", term.name_key, term.id);
                let row = find::<E>(transaction, term.id).await?;
                if let Some(row) = row {
                    update::<E>(transaction, &row, renamed, now).await?;
                }
            }
            update::<E>(transaction, &child, columns, now).await?;
        }
    }
    transaction.run(E::delete_many().filter(E::ID.eq(term.id))).await?;
    Ok(())
}
