//! Lists of venues and organizers: both host events, and are listed alike.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{
    Page, PageRequest, Post,
    entity::{event, organizer, venue},
    links::Link,
    page,
    search::{by_index, contains_words},
    visibility::Visibility,
};
use crate::calendar::status::Status;

/// So many IDs are told to a statement, and more of them selected by it.
const FEW: usize = 1000;

/// A table of venues or organizers.
pub trait Host: Post {
    /// The name as it is compared.
    const NAME_KEY: Self::Column;
    /// When the last of its published events ends.
    const LAST_ENDS_AT: Self::Column;
    /// The index that finds words on SQLite.
    const SEARCH: &'static str;
}

impl Host for venue::Entity {
    const NAME_KEY: Self::Column = venue::Column::NameKey;
    const LAST_ENDS_AT: Self::Column = venue::Column::LastEndsAt;
    const SEARCH: &'static str = "venue_search";
}

impl Host for organizer::Entity {
    const NAME_KEY: Self::Column = organizer::Column::NameKey;
    const LAST_ENDS_AT: Self::Column = organizer::Column::LastEndsAt;
    const SEARCH: &'static str = "organizer_search";
}

/// What a list of venues or organizers is narrowed to.
#[derive(Clone, Debug)]
pub struct HostFilter {
    pub visibility: Visibility,
    /// Folded words, all of which the text must contain.
    pub words: Vec<String>,
    /// Linked to the event with this ID.
    pub event: Option<i64>,
    /// Whether a published event is linked to it.
    pub has_events: Option<bool>,
    /// Whether a published event that has not ended is linked to it.
    pub only_with_upcoming: bool,
}

/// One page of the hosts that `L` links events to: by publication, newest first, then by ID.
pub async fn list<L>(
    database: &impl ConnectionTrait,
    filter: &HostFilter,
    request: PageRequest,
) -> Result<Page<<L::Target as EntityTrait>::Model>, DbErr>
where
    L: Link<Target: Host>,
{
    // Taken apart, so that no filter can be forgotten here.
    let HostFilter {
        visibility,
        words,
        event,
        has_events,
        only_with_upcoming,
    } = filter;
    let now = visibility.now;
    let backend = database.get_database_backend();
    let (keys, words) = by_index(backend, L::Target::SEARCH, words);
    let with_events = match has_events {
        Some(_) => Some(have_events::<L>(database, now, None).await?),
        None => None,
    };
    let with_upcoming = match only_with_upcoming {
        true => Some(have_events::<L>(database, now, Some(now)).await?),
        false => None,
    };
    let condition = Condition::all()
        .add(visibility.condition::<L::Target>())
        .add_option(keys.map(|keys| L::Target::ID.in_subquery(keys)))
        .add(contains_words(L::Target::SEARCH_TEXT, &words))
        .add_option(event.map(|event| {
            let linked = L::find()
                .select_only()
                .column(L::TARGET_ID)
                .filter(L::EVENT_ID.eq(event))
                .into_query();
            L::Target::ID.in_subquery(linked)
        }))
        .add_option(with_events.map(|have_some| match has_events {
            Some(false) => have_some.not(),
            _ => have_some,
        }))
        .add_option(with_upcoming);
    let order = |select: Select<L::Target>| {
        select
            .order_by_desc(L::Target::PUBLISHED_AT)
            .order_by_asc(L::Target::ID)
    };
    let matching = L::Target::find().filter(condition);
    let total = page::count(database, matching.clone()).await?;
    let rows = match request.offset() < total {
        true => {
            // The rows themselves are read for this page only.
            let ids = request
                .of(order(matching))
                .select_only()
                .column(L::Target::ID);
            let page = L::Target::find().filter(L::Target::ID.in_subquery(ids.into_query()));
            order(page).all(database).await?
        }
        false => Vec::new(),
    };
    Ok(Page {
        rows,
        total,
        request,
    })
}

fn column<C: ColumnTrait>(column: C) -> Expr {
    Expr::col(column.as_column_ref())
}

/// Whether a host has a published event, or one that ends at the instant or later: by the last one that is kept, but
/// for the few hosts of which the publication of all such events is still to come.
async fn have_events<L: Link<Target: Host>>(
    database: &impl ConnectionTrait,
    now: i64,
    instant: Option<i64>,
) -> Result<Condition, DbErr> {
    let ends_late = |links: &'static str| {
        let ends_at = Expr::col((links, event::Column::EndsAt));
        instant.map(|instant| ends_at.gte(instant))
    };
    let published_at = |links: &'static str| Expr::col((links, event::Column::PublishedAt));
    let has_public_one = Query::select()
        .expr(Expr::val(1))
        .from_as(L::default(), "public")
        .and_where(Expr::col(("public", L::TARGET_ID)).equals(("planned", L::TARGET_ID)))
        .and_where(published_at("public").lte(now))
        .and_where_option(ends_late("public"))
        .to_owned();
    let with_planned_alone = Query::select()
        .distinct()
        .column(("planned", L::TARGET_ID))
        .from_as(L::default(), "planned")
        .and_where(published_at("planned").gt(now))
        .and_where_option(ends_late("planned"))
        .and_where(Expr::exists(has_public_one).not())
        .to_owned();
    let rows = database.query_all(&with_planned_alone).await?;
    let ids: Result<Vec<i64>, DbErr> = rows.iter().map(|row| row.try_get_by_index(0)).collect();
    let last = column(L::Target::LAST_ENDS_AT);
    Ok(Condition::all()
        .add(match instant {
            Some(instant) => last.gte(instant),
            None => last.is_not_null(),
        })
        .add(match ids? {
            few if few.len() <= FEW => L::Target::ID.is_not_in(few),
            _ => L::Target::ID.not_in_subquery(with_planned_alone),
        }))
}

/// The hosts with this name, however it is written, that are published or `author`'s own: by ID.
pub async fn find_by_name<E: Host>(
    transaction: &impl ConnectionTrait,
    name_key: &str,
    author: i64,
    now: i64,
) -> Result<Vec<E::Model>, DbErr> {
    let own_or_published = Condition::any()
        .add(Visibility::published(now).condition::<E>())
        .add(
            Condition::all()
                .add(E::AUTHOR_ID.eq(author))
                .add(E::STATUS.ne(Status::Trash.as_str())),
        );
    E::find()
        .filter(E::NAME_KEY.eq(name_key))
        .filter(own_or_published)
        .order_by_asc(E::ID)
        .all(transaction)
        .await
}
