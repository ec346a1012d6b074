//! Queries of lists of events whose plans are checked.

use almanac::testing::{
    calendar::{
        event_status::EventStatus,
        search::Search,
        window::{Span, Window},
    },
    store::{
        entity::event,
        events::{Direction, EventFilter, EventOrder, EventQuery, GeoBox, GeoCircle, Scope, SortKey},
    },
};

pub(crate) const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;

/// A query with each window and each filter, and one with several.
pub(crate) fn queries() -> Vec<(&'static str, EventQuery)> {
    let year = |from: Option<i64>, before: Option<i64>| Span {
        from: from.map(|days| NOW + days * DAY),
        before: before.map(|days| NOW + days * DAY),
    };
    let during = |starts, ends| EventQuery::published(Window { starts, ends }, NOW);
    let default = || during(year(Some(0), None), year(None, Some(730)));
    let by = |filter| default().with(filter);
    let parent = || EventFilter::Equals(event::Column::PostParent, 1_i64.into());
    let title = || EventFilter::Equals(event::Column::TitleKey, "choir".into());
    let external = |id: Option<&str>| EventFilter::External {
        source: "league".to_owned(),
        id: id.map(str::to_owned),
    };
    let next = |query: &EventQuery| EventFilter::NextOfSeries(query.visibility.clone(), query.scope.clone());
    let ordered = |query: EventQuery, key| EventQuery {
        order: EventOrder {
            key,
            direction: Direction::Backward,
        },
        ..query
    };
    let open = Span::default();
    let mut include = default();
    include.scope = Scope::Ids(vec![1, 2, 3]);
    vec![
        ("default", default()),
        ("all", during(open, open)),
        ("ends after", during(open, year(Some(0), None))),
        ("ends before", during(open, year(None, Some(0)))),
        ("starts before", during(year(None, Some(0)), open)),
        ("starts after", during(year(Some(0), None), open)),
        ("featured", by(EventFilter::Featured(true))),
        ("located", by(EventFilter::Located(false))),
        ("category", by(EventFilter::Categories(vec![1]))),
        ("categories", by(EventFilter::Categories(vec![1, 2, 3]))),
        ("tag", by(EventFilter::Tags(vec![1]))),
        ("venue", by(EventFilter::Venues(vec![1]))),
        ("organizer", by(EventFilter::Organizers(vec![1]))),
        ("words", by(EventFilter::Search(Search::parse("jazz \"night\" -rock")))),
        (
            "phrase",
            by(EventFilter::Search(Search::parse("\"hip-hop night\" jazz"))),
        ),
        ("include", include),
        ("parent", by(parent())),
        ("near", by(EventFilter::Near(NEAR))),
        ("box", by(EventFilter::InBox(BOX))),
        ("author", by(EventFilter::Authors(vec![1]))),
        ("authors", by(EventFilter::Authors(vec![1, 2]))),
        ("status", by(EventFilter::EventStatuses(vec![EventStatus::Canceled]))),
        ("free", by(EventFilter::Free(true))),
        ("cost", by(EventFilter::CostFrom(100)).with(EventFilter::CostTo(200))),
        ("title", by(title())),
        ("series", by(EventFilter::Series(vec![1, 2]))),
        ("external source", by(external(None))),
        ("external ID", by(external(Some("4711")))),
        ("next of series", by(next(&default()))),
        ("modified", by(EventFilter::Modified(year(Some(-7), None)))),
        (
            "free in category",
            by(EventFilter::Free(true)).with(EventFilter::Categories(vec![1])),
        ),
        ("title in category", by(title()).with(EventFilter::Categories(vec![1]))),
        ("by start, reversed", ordered(default(), SortKey::Start)),
        ("by title", ordered(default(), SortKey::Title)),
        (
            "category by title",
            ordered(by(EventFilter::Categories(vec![1])), SortKey::Title),
        ),
        ("free by title", ordered(by(EventFilter::Free(true)), SortKey::Title)),
        (
            "words by title",
            ordered(by(EventFilter::Search(Search::parse("jazz"))), SortKey::Title),
        ),
        ("by modification", ordered(default(), SortKey::Modified)),
        ("near by title", ordered(by(EventFilter::Near(NEAR)), SortKey::Title)),
        (
            "by distance",
            ordered(by(EventFilter::Near(NEAR)), SortKey::Distance(NEAR)),
        ),
        (
            "several",
            by(EventFilter::Featured(true))
                .with(EventFilter::Search(Search::parse("jazz")))
                .with(EventFilter::Categories(vec![1, 2]))
                .with(EventFilter::Tags(vec![1]))
                .with(EventFilter::Venues(vec![1]))
                .with(EventFilter::Organizers(vec![1]))
                .with(parent()),
        ),
    ]
}

const BOX: GeoBox = GeoBox {
    west: 10.0,
    south: 54.0,
    east: 10.2,
    north: 54.5,
};

pub(crate) const NEAR: GeoCircle = GeoCircle {
    latitude: 54.3,
    longitude: 10.1,
    radius_in_km: 5.0,
};
