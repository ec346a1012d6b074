//! Lists of events.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::{
    Page, PageRequest,
    entity::{
        event::{self, Column, Entity},
        event_category, event_organizer, event_tag, event_venue, venue,
    },
    links::Link,
    page,
    visibility::{Visibility, contains_words},
};
use crate::calendar::{
    globe,
    window::{Span, Window},
};

/// Around where a venue has to be.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    pub radius_in_km: f64,
}

/// What a list of events is narrowed to. Filters combine with AND; the values of one with OR.
#[derive(Clone, Debug)]
pub struct EventFilter {
    pub visibility: Visibility,
    /// Not looked at where `include` is given.
    pub window: Window,
    pub include: Option<Vec<i64>>,
    /// Folded words, all of which the text must contain.
    pub words: Vec<String>,
    pub categories: Option<Vec<i64>>,
    pub tags: Option<Vec<i64>>,
    pub venues: Option<Vec<i64>>,
    pub organizers: Option<Vec<i64>>,
    pub featured: Option<bool>,
    pub ticketed: Option<bool>,
    pub has_coordinates: Option<bool>,
    pub near: Option<Surroundings>,
    pub post_parent: Option<i64>,
}

impl EventFilter {
    /// Everything in the window that anybody may see.
    pub fn published(window: Window, now: i64) -> Self {
        Self {
            visibility: Visibility::published(now),
            window,
            include: None,
            words: Vec::new(),
            categories: None,
            tags: None,
            venues: None,
            organizers: None,
            featured: None,
            ticketed: None,
            has_coordinates: None,
            near: None,
            post_parent: None,
        }
    }
}

/// One page of events by their start, then by ID.
pub async fn list(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    request: PageRequest,
) -> Result<Page<event::Model>, DbErr> {
    let order = |select: Select<Entity>| {
        select
            .order_by_asc(Column::StartsAt)
            .order_by_asc(Column::Id)
    };
    page::fetch(database, select(filter), order, request).await
}

fn select(filter: &EventFilter) -> Select<Entity> {
    // Taken apart, so that no filter can be forgotten here.
    let EventFilter {
        visibility,
        window,
        include,
        words,
        categories,
        tags,
        venues,
        organizers,
        featured,
        ticketed,
        has_coordinates,
        near,
        post_parent,
    } = filter;
    let mut condition = Condition::all()
        .add(visibility.condition::<Entity>())
        .add(contains_words(Column::SearchText, words))
        .add_option(links_to::<event_category::Entity>(categories.as_deref()))
        .add_option(links_to::<event_tag::Entity>(tags.as_deref()))
        .add_option(links_to::<event_venue::Entity>(venues.as_deref()))
        .add_option(links_to::<event_organizer::Entity>(organizers.as_deref()))
        .add_option(featured.map(|featured| Column::Featured.eq(featured)))
        .add_option(ticketed.map(|ticketed| Column::Ticketed.eq(ticketed)))
        .add_option(has_coordinates.map(|wanted| has_located_venue(wanted, visibility.now)))
        .add_option(near.map(|near| has_venue_near(near, visibility.now)))
        .add_option(post_parent.map(|parent| Column::PostParent.eq(parent)));
    condition = match include {
        Some(ids) => condition.add(Column::Id.is_in(ids.iter().copied())),
        None => condition
            .add(Column::HideFromListings.eq(false))
            .add(within(Column::StartsAt, window.starts))
            .add(within(Column::EndsAt, window.ends)),
    };
    Entity::find().filter(condition)
}

fn within(column: Column, span: Span) -> Condition {
    Condition::all()
        .add_option(span.from.map(|from| column.gte(from)))
        .add_option(span.before.map(|before| column.lt(before)))
}

fn links_to<L: Link>(targets: Option<&[i64]>) -> Option<Condition> {
    let links = L::find()
        .select_only()
        .column(L::EVENT_ID)
        .filter(L::TARGET_ID.is_in(targets?.iter().copied()))
        .into_query();
    Some(Condition::all().add(Column::Id.in_subquery(links)))
}

fn has_located_venue(wanted: bool, now: i64) -> Condition {
    let located = events_with_venue(
        now,
        Condition::all()
            .add(venue::Column::GeoLat.is_not_null())
            .add(venue::Column::GeoLng.is_not_null()),
    );
    Condition::all().add(if wanted {
        Column::Id.in_subquery(located)
    } else {
        Column::Id.not_in_subquery(located)
    })
}

/// Kilometres between two degrees of latitude, and a little more.
const KM_PER_DEGREE: f64 = 111.0;

/// A box of latitudes, which an index can serve, and in it the circle.
fn has_venue_near(near: Surroundings, now: i64) -> Condition {
    let Surroundings {
        latitude,
        longitude,
        radius_in_km,
    } = near;
    let reach = radius_in_km / KM_PER_DEGREE;
    let center = globe::point(latitude, longitude);
    let product = [
        (venue::Column::GlobeX, center.x),
        (venue::Column::GlobeY, center.y),
        (venue::Column::GlobeZ, center.z),
    ]
    .map(|(column, value)| Expr::col(column.as_column_ref()).mul(value))
    .into_iter()
    .reduce(ExprTrait::add);
    let located = events_with_venue(
        now,
        Condition::all()
            .add(venue::Column::GeoLat.between(latitude - reach, latitude + reach))
            .add_option(product.map(|cosine| cosine.gte(globe::cosine_of_distance(radius_in_km)))),
    );
    Condition::all().add(Column::Id.in_subquery(located))
}

/// The events that have a venue which meets the condition and which all readers see.
fn events_with_venue(now: i64, condition: Condition) -> SelectStatement {
    let venues = venue::Entity::find()
        .select_only()
        .column(venue::Column::Id)
        .filter(Visibility::published(now).condition::<venue::Entity>())
        .filter(condition)
        .into_query();
    event_venue::Entity::find()
        .select_only()
        .column(event_venue::Column::EventId)
        .filter(event_venue::Column::TargetId.in_subquery(venues))
        .into_query()
}
