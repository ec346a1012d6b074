//! Updates many events with few statements.

use sea_orm::{
    ActiveModelTrait, ActiveValue, DbErr, IdenStatic, IntoActiveModel, Iterable, Value,
    sea_query::{Expr, ExprTrait, Query, UpdateStatement},
};

use super::SharedField;
use crate::store::{
    Transaction,
    batch::Batch,
    entity::{
        event::{self, Column},
        event_category, event_organizer, event_tag, event_venue,
    },
    links::{self, LinkedIds, TargetIds},
    rows,
    write_connection::WriteConnection,
};

/// Events per statement, or per message with one statement for each, to limit its size.
const BATCH: usize = 100;

/// The columns that differ between the events of a series: short values, which may become part of the text of a
/// statement.
const OWN_COLUMNS: [Column; 11] = [
    Column::StartsAt,
    Column::EndsAt,
    Column::Timezone,
    Column::StartsLocal,
    Column::EndsLocal,
    Column::StartsOffset,
    Column::EndsOffset,
    Column::TzRelease,
    Column::RecurrenceId,
    Column::Slug,
    Column::Overridden,
];

/// Changed columns with their values.
type Changes = Vec<(Column, Value)>;

/// Writes the changed columns of events, sets their modification time and increments their versions. Events without a
/// change are not written. The events are given before and after the change.
pub(crate) async fn update_events(
    transaction: &Transaction,
    events: &[(event::Model, event::Model)],
    now: i64,
) -> Result<(), DbErr> {
    let mut groups: Vec<(Changes, Vec<i64>)> = Vec::new();
    let mut individual = Vec::new();
    for (before, after) in events {
        let (own, shared) = changes(before, after);
        let is_grouped = !shared.is_empty();
        if is_grouped {
            match groups.iter_mut().find(|(changes, _)| are_equal(changes, &shared)) {
                Some((_, ids)) => ids.push(before.id),
                None => groups.push((shared, vec![before.id])),
            }
        }
        if !own.is_empty() {
            individual.push((before.id, own, is_grouped));
        }
    }
    // First, since the slugs of restored events must be free when their status changes.
    for events in individual.chunks(BATCH) {
        let mut batch = Batch::new(transaction);
        for (id, changes, has_version) in events {
            let mut update = Query::update();
            update
                .table(event::Entity)
                .values(
                    changes
                        .iter()
                        .map(|(column, value)| (*column, Expr::val(value.clone()))),
                )
                .and_where(Expr::col(Column::Id).eq(*id));
            if !has_version {
                set_version(&mut update, now);
            }
            batch.add(&update);
        }
        batch.run(transaction).await?;
    }
    for (changes, ids) in groups {
        for ids in ids.chunks(BATCH) {
            let mut update = Query::update();
            update
                .table(event::Entity)
                .values(
                    changes
                        .iter()
                        .map(|(column, value)| (*column, Expr::val(value.clone()))),
                )
                .and_where(Expr::col(Column::Id).is_in(ids.iter().copied()));
            set_version(&mut update, now);
            transaction.execute(&update).await?;
        }
    }
    Ok(())
}

/// Sets the modification time of events of which only links have changed, and increments their versions.
pub(crate) async fn touch_events(transaction: &Transaction, events: &[i64], now: i64) -> Result<(), DbErr> {
    for ids in events.chunks(BATCH) {
        let mut update = Query::update();
        update
            .table(event::Entity)
            .and_where(Expr::col(Column::Id).is_in(ids.iter().copied()));
        set_version(&mut update, now);
        transaction.execute(&update).await?;
    }
    Ok(())
}

fn set_version(update: &mut UpdateStatement, now: i64) {
    update
        .value(Column::Version, Expr::col(Column::Version).add(1))
        .value(Column::ModifiedAt, Expr::val(now));
}

/// The changed columns: those that differ between the events, and the others.
fn changes(before: &event::Model, after: &event::Model) -> (Changes, Changes) {
    let after = rows::difference(before.clone().into_active_model(), after.clone().into_active_model());
    let changed = Column::iter().filter_map(|column| match after.get(column) {
        ActiveValue::Set(value) => Some((column, value)),
        _ => None,
    });
    changed
        .filter(|(column, _)| !matches!(column, Column::Version | Column::ModifiedAt))
        .partition(|(column, _)| OWN_COLUMNS.iter().any(|own| own.as_str() == column.as_str()))
}

fn are_equal(one: &Changes, other: &Changes) -> bool {
    let is_equal = |((column, value), (other, expected)): (&(Column, Value), &(Column, Value))| {
        column.as_str() == other.as_str() && value == expected
    };
    one.len() == other.len() && one.iter().zip(other).all(is_equal)
}

/// The IDs of what an event will link to. None keeps the links of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewTargets {
    pub venues: Option<Vec<i64>>,
    pub organizers: Option<Vec<i64>>,
    pub categories: Option<Vec<i64>>,
    pub tags: Option<Vec<i64>>,
}

impl NewTargets {
    /// The links that replace others.
    pub(crate) fn changed(before: &TargetIds, new: TargetIds) -> Self {
        let TargetIds {
            venues,
            organizers,
            categories,
            tags,
        } = new;
        let new = Self {
            venues: Some(venues),
            organizers: Some(organizers),
            categories: Some(categories),
            tags: Some(tags),
        };
        new.changing(before)
    }

    /// Those that differ from the links before.
    pub(crate) fn changing(self, before: &TargetIds) -> Self {
        let Self {
            venues,
            organizers,
            categories,
            tags,
        } = self;
        Self {
            venues: links::changed::<event_venue::Entity>(venues, &before.venues),
            organizers: links::changed::<event_organizer::Entity>(organizers, &before.organizers),
            categories: links::changed::<event_category::Entity>(categories, &before.categories),
            tags: links::changed::<event_tag::Entity>(tags, &before.tags),
        }
    }

    /// The fields of the links that are replaced.
    pub(crate) fn fields(&self) -> Vec<SharedField> {
        let Self {
            venues,
            organizers,
            categories,
            tags,
        } = self;
        [
            (SharedField::Venue, venues),
            (SharedField::Organizer, organizers),
            (SharedField::Categories, categories),
            (SharedField::Tags, tags),
        ]
        .into_iter()
        .filter_map(|(field, targets)| targets.is_some().then_some(field))
        .collect()
    }
}

/// Replaces links of events, which are given with their new targets.
pub(crate) async fn replace_links(
    transaction: &Transaction,
    events: &[(event::Model, NewTargets)],
    before: &LinkedIds,
) -> Result<(), DbErr> {
    for events in events.chunks(BATCH) {
        let mut batch = Batch::new(transaction);
        for (event, targets) in events {
            let NewTargets {
                venues,
                organizers,
                categories,
                tags,
            } = targets.clone();
            links::replace::<event_venue::Entity>(&mut batch, event, before, venues);
            links::replace::<event_organizer::Entity>(&mut batch, event, before, organizers);
            links::replace::<event_category::Entity>(&mut batch, event, before, categories);
            links::replace::<event_tag::Entity>(&mut batch, event, before, tags);
        }
        batch.run(transaction).await?;
    }
    Ok(())
}
