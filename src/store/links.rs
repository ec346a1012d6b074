//! Links of events to venues, organizers, categories and tags.

mod targets;

use std::{cmp::Reverse, iter, num::ParseIntError, ops::Deref};

use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, Iterable, QueryFilter, QuerySelect, QueryTrait, Select, Value,
    sea_query::{Expr, SelectStatement, UnionType},
};

pub(crate) use self::targets::TargetIds;
use super::{
    batch::Batch,
    denormalised,
    entity::{category, event, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue},
    id_lists::padded,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    statement_texts::StatementTexts,
};

/// Links per statement. Its parameters must not exceed the limits of the databases (32,766 and 65,535).
const MAX_INSERTED: usize = 3000;

/// A table of links from events to another kind of object.
pub trait Link: EntityTrait {
    /// The kind of object that events link to.
    const KIND: LinkKind;
    /// The column of the event's ID.
    const EVENT_ID: Self::Column;
    /// The column of the linked object's ID.
    const TARGET_ID: Self::Column;
    /// The column of the position among the links of the event.
    const POSITION: Self::Column;
    /// Whether the order of an event's links is significant. Terms are sorted by name instead.
    const IS_ORDERED: bool;
    /// The entity that events link to.
    type Target: EntityTrait;
    /// The column of the entity's ID.
    const TARGET_KEY: <Self::Target as EntityTrait>::Column;
    /// A link of the event, with the event's values in the denormalised columns.
    fn row(event: &event::Model, target_id: i64, position: i64) -> Self::ActiveModel;
}

macro_rules! link {
    ($link:ident, $target:ident, $kind:ident, $is_ordered:literal) => {
        impl Link for $link::Entity {
            const KIND: LinkKind = LinkKind::$kind;
            const EVENT_ID: Self::Column = $link::Column::EventId;
            const TARGET_ID: Self::Column = $link::Column::TargetId;
            const POSITION: Self::Column = $link::Column::Position;
            const IS_ORDERED: bool = $is_ordered;
            type Target = $target::Entity;
            const TARGET_KEY: $target::Column = $target::Column::Id;

            fn row(event: &event::Model, target_id: i64, position: i64) -> Self::ActiveModel {
                $link::ActiveModel {
                    event_id: Set(event.id),
                    target_id: Set(target_id),
                    position: Set(position),
                    starts_at: Set(event.starts_at),
                    ends_at: Set(event.ends_at),
                    published_at: Set(denormalised::published_at(event)),
                    hide_from_listings: Set(event.hide_from_listings),
                    featured: Set(event.featured),
                    ticketed: Set(event.ticketed),
                    located: Set(event.located),
                }
            }
        }
    };
}

link!(event_venue, venue, Venue, true);
link!(event_organizer, organizer, Organizer, true);
link!(event_category, category, Category, false);
link!(event_tag, tag, Tag, false);

/// The IDs of the objects that several events link to.
#[derive(Debug, Default)]
pub struct LinkedIds {
    by_table: [Vec<(i64, i64)>; 4],
}

impl LinkedIds {
    /// The links of one kind as pairs of the event's and the target's ID, sorted by event, then by position if their
    /// order is significant.
    pub fn of<L: Link>(&self) -> &[(i64, i64)] {
        &self.by_table[L::KIND as usize]
    }

    /// Takes the links from these events.
    pub fn from_events(events: &[LinkedEvent]) -> Self {
        let mut linked = Self::default();
        for (index, links) in linked.by_table.iter_mut().enumerate() {
            let pairs = |event: &LinkedEvent| {
                let id = event.id;
                event.targets[index]
                    .iter()
                    .map(move |target| (id, *target))
                    .collect::<Vec<_>>()
            };
            links.extend(events.iter().flat_map(pairs));
            // Stable: keeps the positions.
            links.sort_by_key(|(event, _)| *event);
        }
        linked
    }

    /// The links of one event.
    pub(crate) fn from_targets(event: i64, targets: &TargetIds) -> Self {
        let TargetIds {
            venues,
            organizers,
            categories,
            tags,
        } = targets;
        let by_table = [venues, organizers, categories, tags];
        Self {
            by_table: by_table.map(|ids| ids.iter().map(|id| (event, *id)).collect()),
        }
    }

    /// The IDs of the targets of one event, sorted by position.
    pub fn of_event<L: Link>(&self, event: i64) -> Vec<i64> {
        let links = self.of::<L>().iter().filter(|(from, _)| *from == event);
        links.map(|(_, target)| *target).collect()
    }

    /// The distinct IDs of the targets of one kind.
    pub fn targets<L: Link>(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.of::<L>().iter().map(|(_, target)| *target).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// The kinds of links.
#[derive(Clone, Copy, Debug)]
pub enum LinkKind {
    Venue,
    Organizer,
    Category,
    Tag,
}

impl LinkKind {
    const ALL: [Self; 4] = [Self::Venue, Self::Organizer, Self::Category, Self::Tag];

    /// The name of the column of a [`LinkedEvent`].
    fn name(self) -> &'static str {
        match self {
            Self::Venue => "venue_ids",
            Self::Organizer => "organizer_ids",
            Self::Category => "category_ids",
            Self::Tag => "tag_ids",
        }
    }
}

/// Reads all links of the events with these IDs with one statement.
pub async fn of_events(database: &impl ReadConnection, events: &[i64]) -> Result<LinkedIds, DbErr> {
    static TEXTS: StatementTexts<usize> = StatementTexts::new();
    if events.is_empty() {
        return Ok(LinkedIds::default());
    }
    let events = &padded(events);
    let values_of = |kind| iter::once(kind as i64).chain(events.iter().copied());
    let values = LinkKind::ALL.into_iter().flat_map(values_of).map(Value::from);
    let select = || {
        let mut union = select_links::<event_venue::Entity>(events);
        for other in [
            select_links::<event_organizer::Entity>(events),
            select_links::<event_category::Entity>(events),
            select_links::<event_tag::Entity>(events),
        ] {
            union.union(UnionType::All, other);
        }
        union
    };
    let statement = TEXTS.statement(database.backend(), events.len(), values.collect(), select);
    let mut linked = LinkedIds::default();
    let mut rows: Vec<[i64; 4]> = database.rows_of(statement).await?;
    rows.sort_unstable();
    for [kind, event, _, target] in rows {
        if let Some(links) = usize::try_from(kind)
            .ok()
            .and_then(|kind| linked.by_table.get_mut(kind))
        {
            links.push((event, target));
        }
    }
    Ok(linked)
}

/// An event with the IDs of the objects that it links to.
#[derive(Clone, Debug)]
pub struct LinkedEvent {
    /// If it was read, without `search_text`, which is as long as all other texts together and which no representation
    /// contains.
    pub row: event::Model,
    /// The IDs of its venues and organizers, each sorted by position, and of its categories and tags.
    targets: [Vec<i64>; 4],
}

impl Deref for LinkedEvent {
    type Target = event::Model;

    fn deref(&self) -> &event::Model {
        &self.row
    }
}

impl LinkedEvent {
    /// The IDs of the targets of one kind, sorted by position if their order is significant.
    pub(crate) fn targets<L: Link>(&self) -> &[i64] {
        &self.targets[L::KIND as usize]
    }

    /// Runs a statement that selects events, and reads their links with it.
    pub(crate) async fn all(database: &impl ReadConnection, events: Select<event::Entity>) -> Result<Vec<Self>, DbErr> {
        database.rows(&Self::select(events)).await
    }

    /// Selects the columns and the links of events.
    pub(crate) fn select(events: Select<event::Entity>) -> SelectStatement {
        events
            .select_only()
            .columns(Self::columns())
            .expr_as(target_ids::<event_venue::Entity>(), LinkKind::Venue.name())
            .expr_as(target_ids::<event_organizer::Entity>(), LinkKind::Organizer.name())
            .expr_as(target_ids::<event_category::Entity>(), LinkKind::Category.name())
            .expr_as(target_ids::<event_tag::Entity>(), LinkKind::Tag.name())
            .into_query()
    }

    /// An event, or the template of a series, with the links to these targets.
    pub(crate) fn new(row: event::Model, targets: TargetIds) -> Self {
        let TargetIds {
            venues,
            organizers,
            categories,
            tags,
        } = targets;
        Self {
            row,
            targets: [venues, organizers, categories, tags],
        }
    }

    /// The columns that are read.
    fn columns() -> impl Iterator<Item = event::Column> {
        event::Column::iter().filter(|column| !matches!(column, event::Column::SearchText))
    }
}

impl FromRow for LinkedEvent {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let event = row.model(0, Self::columns())?;
        let first = Self::columns().count();
        let mut targets: [Vec<i64>; 4] = Default::default();
        for kind in LinkKind::ALL {
            let ids = row.text(first + kind as usize)?.unwrap_or_default();
            targets[kind as usize] = parse_targets(&ids).map_err(|error| DbErr::Type(error.to_string()))?;
        }
        Ok(Self { row: event, targets })
    }
}

/// The IDs of the targets of one kind, comma-separated; null if there are none. If the order of the targets is significant,
/// each ID has its position in front, because SQLite sorts them more slowly than [`parse_targets`].
fn target_ids<L: Link>() -> Expr {
    let links = L::default().table_name().to_owned();
    let target = match L::IS_ORDERED {
        true => "CAST(position AS text) || ' ' || CAST(target_id AS text)",
        false => "CAST(target_id AS text)",
    };
    Expr::cust(format!(
        "(SELECT string_agg({target}, ',') FROM {links} WHERE event_id = events.id)"
    ))
}

/// Parses the result of [`target_ids`].
fn parse_targets(ids: &str) -> Result<Vec<i64>, ParseIntError> {
    let parse = |target: &str| match target.split_once(' ') {
        Some((position, id)) => Ok((position.parse()?, id.parse()?)),
        None => Ok((0, target.parse()?)),
    };
    let mut targets: Vec<(i64, i64)> = ids.split_terminator(',').map(parse).collect::<Result<_, _>>()?;
    targets.sort_unstable();
    Ok(targets.into_iter().map(|(_, id)| id).collect())
}

fn select_links<L: Link>(events: &[i64]) -> SelectStatement {
    L::find()
        .select_only()
        .expr(Expr::val(L::KIND as i64))
        .column(L::EVENT_ID)
        .column(L::POSITION)
        .column(L::TARGET_ID)
        .filter(L::EVENT_ID.is_in(events.iter().copied()))
        .into_query()
}

/// Adds the statements that link new events to their targets.
pub(crate) fn insert_all<'a>(
    batch: &mut Batch,
    events: impl Iterator<Item = (&'a event::Model, &'a TargetIds)> + Clone,
) {
    let links = |targets: fn(&TargetIds) -> &[i64]| {
        let of_event = move |(event, ids)| NewLink::all(event, targets(ids));
        events.clone().flat_map(of_event).collect()
    };
    insert::<event_venue::Entity>(batch, links(|ids| &ids.venues));
    insert::<event_organizer::Entity>(batch, links(|ids| &ids.organizers));
    insert::<event_category::Entity>(batch, links(|ids| &ids.categories));
    insert::<event_tag::Entity>(batch, links(|ids| &ids.tags));
}

/// A link to be inserted.
struct NewLink<'a> {
    event: &'a event::Model,
    target: i64,
    position: i64,
}

impl<'a> NewLink<'a> {
    /// The links of the event to these targets, in this order.
    fn all(event: &'a event::Model, targets: &'a [i64]) -> impl Iterator<Item = Self> {
        let link = move |(target, position): (&i64, i64)| Self {
            event,
            target: *target,
            position,
        };
        targets.iter().zip(0..).map(link)
    }
}

/// Adds the statements that insert the links.
fn insert<L: Link>(batch: &mut Batch, mut links: Vec<NewLink<'_>>)
where
    L::ActiveModel: ActiveModelTrait<Entity = L> + Send,
{
    // Triggers lock the targets in the order of the rows (see `locks`). The latest event of a target is first: a trigger
    // writes the end of its last event only if it changes.
    links.sort_by_key(|link| (link.target, Reverse(link.event.ends_at)));
    for links in links.chunks(MAX_INSERTED) {
        let rows = links.iter().map(|link| L::row(link.event, link.target, link.position));
        batch.add(L::insert_many(rows).as_query());
    }
}

/// Adds the statements that replace the links of the stored event by links to the `wanted` targets, in this order. `None`
/// keeps them. Returns whether the links change.
pub(crate) fn replace<L: Link>(
    batch: &mut Batch,
    event: &event::Model,
    before: &LinkedIds,
    wanted: Option<Vec<i64>>,
) -> bool
where
    L::ActiveModel: ActiveModelTrait<Entity = L> + Send,
{
    let before = before.of_event::<L>(event.id);
    let Some(targets) = changed::<L>(wanted, &before) else {
        return false;
    };
    if !before.is_empty() {
        batch.add(L::delete_many().filter(L::EVENT_ID.eq(event.id)).as_query());
    }
    insert::<L>(batch, NewLink::all(event, &targets).collect());
    true
}

/// The new targets, unless they are the same as before.
pub(crate) fn changed<L: Link>(new: Option<Vec<i64>>, before: &[i64]) -> Option<Vec<i64>> {
    new.filter(|new| !are_equal::<L>(new, before))
}

fn are_equal<L: Link>(targets: &[i64], before: &[i64]) -> bool {
    if L::IS_ORDERED {
        return targets == before;
    }
    let sorted = |ids: &[i64]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    sorted(targets) == sorted(before)
}
