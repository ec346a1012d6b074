//! Lists of resources.

use std::rc::Rc;

use anyhow::{Context, Result};
use chrono::{Days, NaiveDate, Utc};

use super::{Class, Operation, cached_list, hash, pick};
use crate::{dataset::Dataset, generator::FetchedResponse, request::RequestSpec, server_process::default_list};

/// Lists of events, with the page size that is the default of variant A. With a million events, the default window then
/// has more than 30,000 pages.
const LIST: &str = "/events?per_page=10";
/// The number of most popular resources that count as head.
const HEAD_SIZE: usize = 5;

/// Pages of the default window. Deep pages vary over the following 1,000 pages.
pub(super) fn pages(fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<Vec<Operation>> {
    let first: serde_json::Value = serde_json::from_slice(&fetch(&default_list())?.body)?;
    let all = first["total_pages"].as_u64().context("the list has no total_pages")?;
    let mut operations = vec![
        cached_list(),
        Operation::unique("events", Class::DefaultListNew, |_| default_list()),
    ];
    for (order, page, class) in [
        ("", 1_000, Class::MiddlePage),
        ("", 30_000, Class::DeepPage),
        ("&order=desc", 30_000, Class::Untargeted),
        ("&orderby=title", 1_000, Class::Untargeted),
    ] {
        if all < page {
            continue;
        }
        let span = (all - page + 1).min(1_000);
        let name = format!("events{}, page {page}", order.replace('&', ", "));
        operations.push(Operation::unique(&name, class, move |number| {
            RequestSpec::get(&format!("{LIST}{order}&page={}", page + hash(number) % span))
        }));
    }
    Ok(operations)
}

/// One list for each filter.
pub(super) fn filters(dataset: &Rc<Dataset>) -> Vec<Operation> {
    let one = |name: &str, filter: Filter| one_filter(name, Class::OneFilter, dataset, filter);
    let search = |name: &str, class, filter: Filter| one_filter(name, class, dataset, filter);
    let mut operations = vec![
        one("category, head", |dataset, number| {
            format!("categories={}", head(&dataset.categories, number))
        }),
        one("category, rare", |dataset, number| {
            format!("categories={}", rare(&dataset.categories, number))
        }),
        one("tag, head", |dataset, number| {
            format!("tags={}", head(&dataset.tags, number))
        }),
        one("tag, rare", |dataset, number| {
            format!("tags={}", rare(&dataset.tags, number))
        }),
        one("venue, head", |dataset, number| {
            format!("venue={}", head(&dataset.venues, number))
        }),
        one("venue, rare", |dataset, number| {
            format!("venue={}", rare(&dataset.venues, number))
        }),
        one("organizer, head", |dataset, number| {
            format!("organizer={}", head(&dataset.organizers, number))
        }),
        one("organizer, rare", |dataset, number| {
            format!("organizer={}", rare(&dataset.organizers, number))
        }),
        one("featured", |_, _| "featured=true".to_owned()),
        one("not featured", |_, _| "featured=false".to_owned()),
        one("status", |_, _| "status=publish".to_owned()),
        one("start_date and end_date", |_, number| {
            let (from, until) = span(number);
            format!("start_date={from}&end_date={until}")
        }),
        one("starts_after", |_, number| format!("starts_after={}", day(number))),
        one("starts_before", |_, number| format!("starts_before={}", day(number))),
        one("ends_after", |_, number| format!("ends_after={}", day(number))),
        one("ends_before", |_, number| format!("ends_before={}", day(number))),
        one("strict_dates", |_, number| {
            let (from, until) = span(number);
            let hour = hash(number) % 24;
            format!("strict_dates=true&start_date={from}T{hour:02}:30:00&end_date={until}T{hour:02}:30:00")
        }),
        one("geoloc", |_, _| "geoloc=true".to_owned()),
        one("geoloc, none", |_, _| "geoloc=false".to_owned()),
        one_filter("geo radius", Class::GeoRadius, dataset, geo_query),
        one("include", |dataset, number| {
            let ids = (0..10).map(|index| pick(&dataset.events, number * 10 + index).0);
            let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
            format!("include={}", ids.join(","))
        }),
        one("ticketed", |_, _| "ticketed=false".to_owned()),
    ];
    if !dataset.festivals.is_empty() {
        operations.push(one("post_parent", |dataset, number| {
            format!("post_parent={}", pick(&dataset.festivals, number))
        }));
    }
    if !dataset.words.rare.is_empty() {
        let filter: Filter = |dataset, number| search_query(pick::<String>(&dataset.words.rare, number));
        operations.push(search("search, one word", Class::Search, filter));
    }
    if !dataset.words.pairs.is_empty() {
        let filter: Filter = |dataset, number| search_query(pick::<String>(&dataset.words.pairs, number));
        operations.push(search("search, two words", Class::Search, filter));
    }
    if !dataset.words.common.is_empty() {
        let filter: Filter = |dataset, number| search_query(pick::<String>(&dataset.words.common, number));
        let name = "search, a word of many events";
        operations.push(search(name, Class::Untargeted, filter));
    }
    let filter: Filter = |_, number| {
        let letter = |index: u64| char::from(b'a' + (hash(number + index) % 26) as u8);
        format!("search={}{}", letter(0), letter(1))
    };
    operations.push(search("search, two letters", Class::Untargeted, filter));
    operations
}

/// Several filters at once.
pub(super) fn combinations(dataset: &Rc<Dataset>) -> Vec<Operation> {
    let several = |name: &str, filter: Filter| one_filter(name, Class::SeveralFilters, dataset, filter);
    vec![
        several("category, featured", |dataset, number| {
            format!("categories={}&featured=true", head(&dataset.categories, number))
        }),
        several("category, tag, dates", |dataset, number| {
            let (category, tag) = (head(&dataset.categories, number), head(&dataset.tags, number / 5));
            let (from, until) = span(number);
            format!("categories={category}&tags={tag}&start_date={from}&end_date={until}")
        }),
        several("category, organizer, venue", |dataset, number| {
            let category = head(&dataset.categories, number);
            let (organizer, venue) = (
                head(&dataset.organizers, number / 5),
                head(&dataset.venues, number / 25),
            );
            format!("categories={category}&organizer={organizer}&venue={venue}")
        }),
        several("tag, geo radius", |dataset, number| {
            format!("tags={}&{}", head(&dataset.tags, number), geo_query(dataset, number))
        }),
        several("rare category, geo radius, featured", |dataset, number| {
            let category = rare(&dataset.categories, number);
            format!("categories={category}&featured=true&{}", geo_query(dataset, number))
        }),
        several("category, search", |dataset, number| {
            let word = match dataset.words.rare.as_slice() {
                [] => "jazz",
                rare => pick::<String>(rare, number),
            };
            format!(
                "categories={}&{}",
                head(&dataset.categories, number),
                search_query(word)
            )
        }),
    ]
}

/// Lists of venues and organizers.
pub(super) fn linked_resources() -> Vec<Operation> {
    let list = |plural: &str, suffix: &str, class, query: &str| {
        let name = format!("{plural}{suffix}");
        let request = RequestSpec::get(&format!("/{plural}?per_page=10{query}"));
        Operation::unique(&name, class, move |_| request.clone())
    };
    let mut operations = Vec::new();
    for plural in ["venues", "organizers"] {
        let (upcoming, class) = (", only_with_upcoming", Class::LinkedResources);
        operations.push(list(plural, "", Class::Untargeted, ""));
        operations.push(list(plural, ", has_events", class, "&has_events=true"));
        operations.push(list(plural, upcoming, class, "&only_with_upcoming=true"));
        operations.push(list(plural, ", search", Class::Untargeted, "&search=har"));
        let (modified, query) = (", modified_after, a month", "&modified_after=-30%20days");
        operations.push(list(plural, modified, Class::Untargeted, query));
    }
    operations
}

/// Lists of categories and tags.
pub(super) fn terms() -> Vec<Operation> {
    let list = |name: &str, path: &str| {
        let request = RequestSpec::get(path);
        Operation::unique(name, Class::Untargeted, move |_| request.clone())
    };
    vec![
        Operation::repeated(
            "categories",
            Class::Untargeted,
            RequestSpec::get("/categories?per_page=10"),
        ),
        list("categories", "/categories?per_page=10"),
        list(
            "categories by count",
            "/categories?per_page=10&orderby=count&order=desc",
        ),
        list(
            "categories, modified_after, a month",
            "/categories?per_page=10&modified_after=-30%20days",
        ),
        list("tags", "/tags?per_page=10"),
        list("tags by count", "/tags?per_page=10&orderby=count&order=desc"),
        list(
            "tags, modified_after, a month",
            "/tags?per_page=10&modified_after=-30%20days",
        ),
    ]
}

/// Builds the query string of the request with this number.
pub(super) type Filter = fn(&Dataset, u64) -> String;

pub(super) fn one_filter(name: &str, class: Class, dataset: &Rc<Dataset>, filter: Filter) -> Operation {
    let dataset = Rc::clone(dataset);
    let name = format!("events: {name}");
    Operation::unique(&name, class, move |number| {
        RequestSpec::get(&format!("{LIST}&{}", filter(&dataset, number)))
    })
}

/// One of the most popular.
pub(super) fn head(ids: &[i64], number: u64) -> i64 {
    *pick(&ids[..ids.len().min(HEAD_SIZE)], number)
}

/// One of the less popular half.
fn rare(ids: &[i64], number: u64) -> i64 {
    *pick(&ids[ids.len() / 2..], number)
}

fn search_query(word: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("search", word).finish()
}

/// A day in the next two years.
pub(super) fn day(number: u64) -> NaiveDate {
    Utc::now().date_naive() + Days::new(hash(number) % 730)
}

/// A range of days, between a week and a year long.
fn span(number: u64) -> (NaiveDate, NaiveDate) {
    let from = day(number);
    (from, from + Days::new(7 + hash(number / 2) % 358))
}

/// The query of a position near a venue.
pub(super) fn geo_query(dataset: &Dataset, number: u64) -> String {
    let (latitude, longitude) = place(dataset, number);
    let shift = |number: u64| (hash(number) % 8_000) as f64 / 10_000.0 - 0.4;
    let (latitude, longitude) = (latitude + shift(number), longitude + shift(!number));
    format!("geoloc_lat={latitude:.4}&geoloc_lng={longitude:.4}")
}

/// The coordinates of a venue.
pub(super) fn place(dataset: &Dataset, number: u64) -> (f64, f64) {
    match dataset.coordinates.as_slice() {
        [] => (0.0, 0.0),
        places => *pick(places, number),
    }
}
