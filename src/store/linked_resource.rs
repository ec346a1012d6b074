//! Venues and organizers.

use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Value,
    sea_query::{CaseStatement, Expr, ExprTrait, Order, Query},
};

use super::{
    Page, PageRequest, Publishable,
    batch::Batch,
    count,
    entity::{event, organizer, venue},
    events::in_span,
    links::Link,
    pagination,
    read_connection::ReadConnection,
    search::{force_custom_plan, matches, split_search},
    statement_texts::StatementTexts,
    visibility::Visibility,
};
use crate::calendar::{Kind, search::Search, status::Status, window::Span};

/// A table of venues or organizers.
pub trait LinkedResource: Publishable {
    /// The folded name.
    const NAME_KEY: Self::Column;
    /// The latest end of its published events.
    const LAST_ENDS_AT: Self::Column;
    /// The event whose status and publication date it inherits.
    const FOLLOWS_EVENT_ID: Self::Column;

    /// The folded name of the row.
    fn name_key(row: &Self::Model) -> &str;

    /// Returns true for a published venue with coordinates. Its events are located.
    fn is_located(row: &Self::Model) -> bool;

    /// Sets the latest end of its published events in a row that is not stored yet. Triggers maintain it in stored rows.
    fn set_last_ends_at(row: &mut Self::Model, last: Option<i64>);
}

impl LinkedResource for venue::Entity {
    const NAME_KEY: Self::Column = venue::Column::NameKey;
    const LAST_ENDS_AT: Self::Column = venue::Column::LastEndsAt;
    const FOLLOWS_EVENT_ID: Self::Column = venue::Column::FollowsEventId;

    fn name_key(row: &venue::Model) -> &str {
        &row.name_key
    }

    fn is_located(row: &venue::Model) -> bool {
        row.status == Status::Publish.as_str() && row.geo_lat.is_some() && row.geo_lng.is_some()
    }

    fn set_last_ends_at(row: &mut venue::Model, last: Option<i64>) {
        row.last_ends_at = last;
    }
}

impl LinkedResource for organizer::Entity {
    const NAME_KEY: Self::Column = organizer::Column::NameKey;
    const LAST_ENDS_AT: Self::Column = organizer::Column::LastEndsAt;
    const FOLLOWS_EVENT_ID: Self::Column = organizer::Column::FollowsEventId;

    fn name_key(row: &organizer::Model) -> &str {
        &row.name_key
    }

    fn is_located(_: &organizer::Model) -> bool {
        false
    }

    fn set_last_ends_at(row: &mut organizer::Model, last: Option<i64>) {
        row.last_ends_at = last;
    }
}

/// The filters of a list of venues or organizers. They combine with AND.
#[derive(Clone, Debug)]
pub struct LinkedResourceFilter {
    /// Which rows the reader may see.
    pub visibility: Visibility,
    /// Substrings that the text must and must not contain.
    pub search: Search,
    /// IDs of events, one of which links to the venue or organizer.
    pub events: Option<Vec<i64>>,
    /// Whether a published event links to it.
    pub has_events: Option<bool>,
    /// Whether to require a published event that has not ended.
    pub only_with_upcoming: bool,
    /// The range of the last write.
    pub modified: Span,
    /// The name of another system, and the ID there; None for any ID.
    pub external: Option<(String, Option<String>)>,
}

/// Reads one page of venues or organizers, sorted by publication date and ID in descending order.
pub async fn list<L>(
    database: &impl ReadConnection,
    filter: &LinkedResourceFilter,
    request: PageRequest,
) -> Result<Page<<L::Target as EntityTrait>::Model>, DbErr>
where
    L: Link<Target: LinkedResource>,
{
    // Destructured, so that a new filter can't be forgotten here.
    let LinkedResourceFilter {
        visibility,
        search,
        events,
        has_events,
        only_with_upcoming,
        modified,
        external,
    } = filter;
    let now = visibility.now;
    force_custom_plan(database, search).await?;
    let (found, remaining) = split_search::<L::Target>(database, search).await?;
    let condition = Condition::all()
        .add(visibility.condition::<L::Target>())
        .add_option(found.map(|rows| L::Target::ID.in_subquery(rows.into_ids())))
        .add(matches(&L::Target::SEARCH_TEXT.into_expr(), &remaining))
        .add_option(events.as_ref().map(|events| {
            let linked = L::find()
                .select_only()
                .column(L::TARGET_ID)
                .filter(L::EVENT_ID.is_in(events.iter().copied()))
                .into_query();
            L::Target::ID.in_subquery(linked)
        }))
        .add_option(has_events.map(|wanted| {
            let has_any = has_public_events::<L>(now, None);
            if wanted { has_any } else { has_any.not() }
        }))
        .add_option(only_with_upcoming.then(|| has_public_events::<L>(now, Some(now))))
        .add(in_span(L::Target::MODIFIED_AT.into_expr(), *modified))
        .add_option(external.as_ref().map(|(source, id)| {
            Condition::all()
                .add(L::Target::EXTERNAL_SOURCE.eq(source.as_str()))
                .add_option(id.as_ref().map(|id| L::Target::EXTERNAL_ID.eq(id.as_str())))
        }));
    let order = |select: Select<L::Target>| {
        select
            .order_by_desc(L::Target::PUBLISHED_AT)
            .order_by_desc(L::Target::ID)
    };
    let matching = L::Target::find().filter(condition);
    let total = pagination::count(database, matching.clone()).await?;
    // Other columns are read for the rows of this page only.
    let ids = request.limit(order(matching)).select_only();
    let on_page = L::Target::ID.in_subquery(ids.column(L::Target::ID).into_query());
    let rows = match request.offset() < total {
        true => database.models(order(L::Target::find().filter(on_page))).await?,
        false => Vec::new(),
    };
    Ok(Page { rows, total, request })
}

/// Whether the venue or organizer has a published event that, if an instant is given, ends at it or later. The
/// denormalised latest end is sufficient unless it may be that of a scheduled event.
fn has_public_events<L: Link<Target: LinkedResource>>(now: i64, instant: Option<i64>) -> Condition {
    let last = L::Target::LAST_ENDS_AT.into_expr();
    let has_matching_end = match instant {
        Some(instant) => last.clone().gte(instant),
        None => last.clone().is_not_null(),
    };
    let link = |column: event::Column| Expr::col((L::default(), column));
    let ends_of_scheduled = L::find()
        .select_only()
        .column(L::TARGET_ID)
        .expr(link(event::Column::EndsAt))
        .filter(link(event::Column::PublishedAt).gt(now))
        .into_query();
    // Starts with the latest events, which are the most likely to match.
    let public_event = Query::select()
        .expr(Expr::val(1))
        .from(L::default())
        .and_where(L::TARGET_ID.into_expr().eq(L::Target::ID.into_expr()))
        .and_where(link(event::Column::PublishedAt).lte(now))
        .and_where_option(instant.map(|instant| link(event::Column::EndsAt).gte(instant)))
        .order_by((L::default(), event::Column::StartsAt), Order::Desc)
        .limit(1)
        .to_owned();
    // SQLite evaluates `NOT IN` of several columns by reading all rows of the subquery.
    let is_public: Expr = CaseStatement::new()
        .case(
            Expr::tuple([L::Target::ID.into_expr(), last]).in_subquery(ends_of_scheduled),
            count::subquery(public_event).is_not_null(),
        )
        .finally(true)
        .into();
    Condition::all().add(has_matching_end).add(is_public)
}

/// Finds the venues or organizers with this folded name that are published or belong to the author, sorted by ID.
pub async fn find_by_name<E: LinkedResource>(
    transaction: &impl ReadConnection,
    name_key: &str,
    author: i64,
    now: i64,
) -> Result<Vec<E::Model>, DbErr> {
    static TEXTS: StatementTexts<Kind> = StatementTexts::new();
    let names = [name_key.to_owned()];
    let select = || named::<E>(&names, author, now).order_by_asc(E::ID).into_query();
    let values = values_of_named(&names, author, now);
    let statement = TEXTS.statement(transaction.backend(), E::KIND, values, select);
    transaction.models_of(statement).await
}

/// Selects the venues or organizers with these folded names that are published or belong to the author.
pub(super) fn named<E: LinkedResource>(name_keys: &[String], author: i64, now: i64) -> Select<E> {
    let own_or_published = Condition::any().add(Visibility::published(now).condition::<E>()).add(
        Condition::all()
            .add(E::AUTHOR_ID.eq(author))
            .add(E::STATUS.ne(Status::Trash.as_str())),
    );
    E::find().filter(E::NAME_KEY.is_in(name_keys)).filter(own_or_published)
}

/// The values of the statement of [`named`].
pub(super) fn values_of_named(name_keys: &[String], author: i64, now: i64) -> Vec<Value> {
    let published = [Status::Publish.as_str().into(), now.into()];
    let own = [author.into(), Status::Trash.as_str().into()];
    let names = name_keys.iter().map(|name_key| name_key.as_str().into());
    names.chain(published).chain(own).collect()
}

/// Adds the statement that makes these venues or organizers inherit the status and publication date of the event.
pub(crate) fn set_following<E: LinkedResource>(batch: &mut Batch, event: i64, ids: &[i64]) {
    if !ids.is_empty() {
        let update = E::update_many()
            .col_expr(E::FOLLOWS_EVENT_ID, Expr::val(event))
            .filter(E::ID.is_in(ids.iter().copied()));
        batch.add(update.as_query());
    }
}

/// Finds and locks the unpublished venues or organizers that inherit from the event, sorted by ID.
pub async fn followers<E: LinkedResource>(
    transaction: &impl ReadConnection,
    event: i64,
    now: i64,
) -> Result<Vec<E::Model>, DbErr> {
    let select = E::find()
        .filter(E::FOLLOWS_EVENT_ID.eq(event))
        .filter(E::PUBLISHED_AT.gt(now))
        .order_by_asc(E::ID)
        .lock_exclusive();
    transaction.models(select).await
}
