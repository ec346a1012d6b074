//! Looks up venues and organizers by name, and terms by ID, slug or name, with one statement. Finds which IDs exist.

use sea_orm::{
    DbErr, EntityTrait, QuerySelect, QueryTrait, Select, Value,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, UnionType},
};

use super::{
    Term,
    entity::{category, organizer, tag, venue},
    linked_resource::{self, LinkedResource},
    read_connection::ReadConnection,
    row::{FromRow, Row},
    statement_texts::StatementTexts,
    term::{self, TermKey},
};
use crate::calendar::{Kind, TermReference};

/// IDs per statement of [`existing`]: below the limits of both databases on parameters.
const IDS: usize = 500;

/// The names and references to look up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named<'a> {
    /// The folded names of venues.
    pub venues: &'a [String],
    /// The folded names of organizers.
    pub organizers: &'a [String],
    pub categories: &'a [TermReference],
    pub tags: &'a [TermReference],
}

/// The result of a lookup.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The IDs of the venues that are published or belong to the author.
    pub venues: Vec<i64>,
    /// The IDs of the organizers that are published or belong to the author.
    pub organizers: Vec<i64>,
    /// The IDs of the categories, in the order of the references.
    pub categories: Vec<Option<i64>>,
    /// The IDs of the tags, in the order of the references.
    pub tags: Vec<Option<i64>>,
}

/// A row of the statement. Only the ID of a venue or organizer is needed.
struct FoundRow {
    kind: i64,
    key: TermKey,
}

impl FromRow for FoundRow {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            kind: row.integer(0)?,
            key: TermKey {
                id: row.integer(1)?,
                name_key: row.text(2)?.unwrap_or_default(),
                slug: row.text(3)?.unwrap_or_default(),
            },
        })
    }
}

/// Finds the objects. `now` is in seconds since 1970 UTC.
pub(crate) async fn find(
    database: &impl ReadConnection,
    named: Named<'_>,
    author: i64,
    now: i64,
) -> Result<Found, DbErr> {
    static TEXTS: StatementTexts<[usize; 6]> = StatementTexts::new();
    let parts = [
        resources::<venue::Entity>(named.venues, author, now),
        resources::<organizer::Entity>(named.organizers, author, now),
        terms::<category::Entity>(named.categories),
        terms::<tag::Entity>(named.tags),
    ];
    let (selects, values): (Vec<SelectStatement>, Vec<Vec<Value>>) = parts.into_iter().flatten().unzip();
    let mut selects = selects.into_iter();
    let Some(first) = selects.next() else {
        return Ok(Found::default());
    };
    let ids = |references: &[TermReference]| references.iter().filter_map(TermReference::id).count();
    let key = [
        named.venues.len(),
        named.organizers.len(),
        named.categories.len(),
        ids(named.categories),
        named.tags.len(),
        ids(named.tags),
    ];
    let select = || {
        selects.fold(first, |mut union, select| {
            union.union(UnionType::All, select);
            union
        })
    };
    let statement = TEXTS.statement(database.backend(), key, values.concat(), select);
    let mut rows: Vec<FoundRow> = database.rows_of(statement).await?;
    rows.sort_unstable_by_key(|row| row.key.id);
    let keys_of = |kind: Kind| {
        rows.iter()
            .filter(move |row| row.kind == kind as i64)
            .map(|row| &row.key)
    };
    let term_ids = |kind, references: &[TermReference]| {
        let keys: Vec<&TermKey> = keys_of(kind).collect();
        let matching = |reference| term::matching(&keys, reference).map(|key| key.id);
        references.iter().map(matching).collect()
    };
    Ok(Found {
        venues: keys_of(Kind::Venue).map(|key| key.id).collect(),
        organizers: keys_of(Kind::Organizer).map(|key| key.id).collect(),
        categories: term_ids(Kind::Category, named.categories),
        tags: term_ids(Kind::Tag, named.tags),
    })
}

/// Those of the IDs that objects of a kind have, in the same order.
pub(crate) async fn existing(database: &impl ReadConnection, kind: Kind, ids: &[i64]) -> Result<Vec<i64>, DbErr> {
    let mut existing = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IDS) {
        let select = Query::select()
            .column("id")
            .from(kind.plural())
            .and_where(Expr::col("id").is_in(ids.iter().copied()))
            .to_owned();
        let found: Vec<i64> = database.rows(&select).await?;
        existing.extend(ids.iter().copied().filter(|id| found.contains(id)));
    }
    Ok(existing)
}

/// The part of the statement that finds venues or organizers, with its values.
fn resources<E: LinkedResource>(names: &[String], author: i64, now: i64) -> Option<(SelectStatement, Vec<Value>)> {
    if names.is_empty() {
        return None;
    }
    let select = linked_resource::named::<E>(names, author, now);
    let values = linked_resource::values_of_named(names, author, now);
    Some(part(E::KIND, select, [E::ID, E::NAME_KEY, E::NAME_KEY], values))
}

/// The part of the statement that finds terms, with its values.
fn terms<E: Term>(references: &[TermReference]) -> Option<(SelectStatement, Vec<Value>)> {
    if references.is_empty() {
        return None;
    }
    let select = term::referenced::<E>(references);
    let values = term::values_of_referenced(references);
    Some(part(E::KIND, select, [E::ID, E::NAME_KEY, E::SLUG], values))
}

fn part<E: EntityTrait>(
    kind: Kind,
    select: Select<E>,
    columns: [E::Column; 3],
    mut values: Vec<Value>,
) -> (SelectStatement, Vec<Value>) {
    let select = select
        .select_only()
        .expr(Expr::val(kind as i64))
        .columns(columns)
        .into_query();
    values.insert(0, Value::from(kind as i64));
    (select, values)
}
