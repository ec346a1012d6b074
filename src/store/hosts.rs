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
    search::contains_words,
    visibility::Visibility,
};
use crate::calendar::status::Status;

/// A table of venues or organizers.
pub trait Host: Post {
    /// The name as it is compared.
    const NAME_KEY: Self::Column;
}

impl Host for venue::Entity {
    const NAME_KEY: Self::Column = venue::Column::NameKey;
}

impl Host for organizer::Entity {
    const NAME_KEY: Self::Column = organizer::Column::NameKey;
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
    L: Link<Target: Post>,
{
    // Taken apart, so that no filter can be forgotten here.
    let HostFilter {
        visibility,
        words,
        event,
        has_events,
        only_with_upcoming,
    } = filter;
    let published = || published_event::<L>(visibility.now);
    let condition = Condition::all()
        .add(visibility.condition::<L::Target>())
        .add(contains_words(L::Target::SEARCH_TEXT, words))
        .add_option(event.map(|event| {
            let linked = L::find()
                .select_only()
                .column(L::TARGET_ID)
                .filter(L::EVENT_ID.eq(event))
                .into_query();
            L::Target::ID.in_subquery(linked)
        }))
        .add_option(has_events.map(|wanted| {
            let exists = Expr::exists(published().into_query());
            if wanted { exists } else { exists.not() }
        }))
        .add_option(only_with_upcoming.then(|| {
            let upcoming = published().filter(event::Column::EndsAt.gte(visibility.now));
            Expr::exists(upcoming.into_query())
        }));
    let order = |select: Select<L::Target>| {
        select
            .order_by_desc(L::Target::PUBLISHED_AT)
            .order_by_asc(L::Target::ID)
    };
    page::fetch(
        database,
        L::Target::find().filter(condition),
        order,
        request,
    )
    .await
}

/// A published event that is linked to the row of the query around.
fn published_event<L: Link<Target: Post>>(now: i64) -> Select<event::Entity> {
    let links = Query::select()
        .column(L::EVENT_ID.as_column_ref())
        .from(L::default())
        .and_where(Expr::col(L::TARGET_ID.as_column_ref()).equals(L::Target::ID.as_column_ref()))
        .to_owned();
    event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(Visibility::published(now).condition::<event::Entity>())
        .filter(event::Column::Id.in_subquery(links))
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
