//! Lists.

use std::rc::Rc;

use anyhow::{Context, Result};
use chrono::{Days, NaiveDate, Utc};

use super::{Class, Operation, pick, scatter};
use crate::{ask::Ask, calendar::Calendar, generator::Answer, process::default_list};

/// Items on each page of events: as many as the older variant of the interface has by default. All pages of the
/// default window together are more than 30,000 where there are a million events.
const LIST: &str = "/events?per_page=10";
/// Of what is ordered by popularity, so many are the heavy head.
const HEAD: usize = 5;

/// Pages of the default window. For the deep ones, always another one of those that follow.
pub fn pages(fetch: &dyn Fn(&Ask) -> Result<Answer>) -> Result<Vec<Operation>> {
    let first: serde_json::Value = serde_json::from_slice(&fetch(&default_list())?.body)?;
    let all = first["total_pages"].as_u64().context("a list tells its pages")?;
    let mut operations = vec![
        Operation::again("events", Class::DefaultList, "/events?per_page=10"),
        Operation::unasked("events", Class::PageOne, |_| LIST.to_owned()),
    ];
    for (page, class) in [(1_000, Class::Told), (30_000, Class::DeepPage)] {
        if all < page {
            continue;
        }
        let span = (all - page + 1).min(1_000);
        let name = format!("events, page {page}");
        operations.push(Operation::unasked(&name, class, move |number| {
            format!("{LIST}&page={}", page + scatter(number) % span)
        }));
    }
    Ok(operations)
}

/// One list for each filter.
pub fn filters(calendar: &Rc<Calendar>) -> Vec<Operation> {
    let one = |name: &str, filter: Filter| one_filter(name, Class::OneFilter, calendar, filter);
    let search = |name: &str, class, filter: Filter| one_filter(name, class, calendar, filter);
    let mut operations = vec![
        one("category, head", |calendar, number| {
            format!("categories={}", head(&calendar.categories, number))
        }),
        one("category, rare", |calendar, number| {
            format!("categories={}", rare(&calendar.categories, number))
        }),
        one("tag, head", |calendar, number| {
            format!("tags={}", head(&calendar.tags, number))
        }),
        one("tag, rare", |calendar, number| {
            format!("tags={}", rare(&calendar.tags, number))
        }),
        one("venue, head", |calendar, number| {
            format!("venue={}", head(&calendar.venues, number))
        }),
        one("venue, rare", |calendar, number| {
            format!("venue={}", rare(&calendar.venues, number))
        }),
        one("organizer, head", |calendar, number| {
            format!("organizer={}", head(&calendar.organizers, number))
        }),
        one("organizer, rare", |calendar, number| {
            format!("organizer={}", rare(&calendar.organizers, number))
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
            let hour = scatter(number) % 24;
            format!("strict_dates=true&start_date={from}T{hour:02}:30:00&end_date={until}T{hour:02}:30:00")
        }),
        one("geoloc", |_, _| "geoloc=true".to_owned()),
        one("geoloc, none", |_, _| "geoloc=false".to_owned()),
        one("geo radius", near),
        one("include", |calendar, number| {
            let ids = (0..10).map(|place| pick(&calendar.events, number * 10 + place).0);
            let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
            format!("include={}", ids.join(","))
        }),
        one("ticketed", |_, _| "ticketed=false".to_owned()),
    ];
    if !calendar.festivals.is_empty() {
        operations.push(one("post_parent", |calendar, number| {
            format!("post_parent={}", pick(&calendar.festivals, number))
        }));
    }
    if !calendar.words.rare.is_empty() {
        let filter: Filter = |calendar, number| searched(pick::<String>(&calendar.words.rare, number));
        operations.push(search("search, one word", Class::Search, filter));
    }
    if !calendar.words.pairs.is_empty() {
        let filter: Filter = |calendar, number| searched(pick::<String>(&calendar.words.pairs, number));
        operations.push(search("search, two words", Class::Search, filter));
    }
    if !calendar.words.common.is_empty() {
        let filter: Filter = |calendar, number| searched(pick::<String>(&calendar.words.common, number));
        let name = "search, a word of many events";
        operations.push(search(name, Class::Told, filter));
    }
    let filter: Filter = |_, number| {
        let letter = |place: u64| char::from(b'a' + (scatter(number + place) % 26) as u8);
        format!("search={}{}", letter(0), letter(1))
    };
    operations.push(search("search, two letters", Class::Told, filter));
    operations
}

/// Several filters at once.
pub fn combinations(calendar: &Rc<Calendar>) -> Vec<Operation> {
    let several = |name: &str, filter: Filter| one_filter(name, Class::SeveralFilters, calendar, filter);
    vec![
        several("category, featured", |calendar, number| {
            format!("categories={}&featured=true", head(&calendar.categories, number))
        }),
        several("category, tag, dates", |calendar, number| {
            let (category, tag) = (head(&calendar.categories, number), head(&calendar.tags, number / 5));
            let (from, until) = span(number);
            format!("categories={category}&tags={tag}&start_date={from}&end_date={until}")
        }),
        several("category, organizer, venue", |calendar, number| {
            let category = head(&calendar.categories, number);
            let (organizer, venue) = (
                head(&calendar.organizers, number / 5),
                head(&calendar.venues, number / 25),
            );
            format!("categories={category}&organizer={organizer}&venue={venue}")
        }),
        several("tag, geo radius", |calendar, number| {
            format!("tags={}&{}", head(&calendar.tags, number), near(calendar, number))
        }),
        several("rare category, geo radius, featured", |calendar, number| {
            let category = rare(&calendar.categories, number);
            format!("categories={category}&featured=true&{}", near(calendar, number))
        }),
        several("category, search", |calendar, number| {
            let word = match calendar.words.rare.as_slice() {
                [] => "jazz",
                rare => pick::<String>(rare, number),
            };
            format!("categories={}&{}", head(&calendar.categories, number), searched(word))
        }),
    ]
}

/// Venues and organizers.
pub fn hosts() -> Vec<Operation> {
    let list = |hosts: &'static str, what: &str, query: &'static str| {
        let name = format!("{hosts}{what}");
        Operation::unasked(&name, Class::Told, move |_| format!("/{hosts}?per_page=10{query}"))
    };
    let mut operations = Vec::new();
    for hosts in ["venues", "organizers"] {
        operations.push(list(hosts, "", ""));
        operations.push(list(hosts, ", has_events", "&has_events=true"));
        operations.push(list(hosts, ", only_with_upcoming", "&only_with_upcoming=true"));
        operations.push(list(hosts, ", search", "&search=har"));
    }
    operations
}

/// Categories and tags.
pub fn terms() -> Vec<Operation> {
    let list = |name: &str, path: &'static str| Operation::unasked(name, Class::Told, move |_| path.to_owned());
    vec![
        Operation::again("categories", Class::Told, "/categories?per_page=10"),
        list("categories", "/categories?per_page=10"),
        list(
            "categories by count",
            "/categories?per_page=10&orderby=count&order=desc",
        ),
        list("tags", "/tags?per_page=10"),
        list("tags by count", "/tags?per_page=10&orderby=count&order=desc"),
    ]
}

/// What comes behind the question mark, by the number of the request.
type Filter = fn(&Calendar, u64) -> String;

fn one_filter(name: &str, class: Class, calendar: &Rc<Calendar>, filter: Filter) -> Operation {
    let calendar = Rc::clone(calendar);
    let name = format!("events: {name}");
    Operation::unasked(&name, class, move |number| {
        format!("{LIST}&{}", filter(&calendar, number))
    })
}

/// One of those with most events.
fn head(ids: &[i64], number: u64) -> i64 {
    *pick(&ids[..ids.len().min(HEAD)], number)
}

/// One of the half with fewest events.
fn rare(ids: &[i64], number: u64) -> i64 {
    *pick(&ids[ids.len() / 2..], number)
}

fn searched(word: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("search", word).finish()
}

/// A day of the two years to come.
fn day(number: u64) -> NaiveDate {
    Utc::now().date_naive() + Days::new(scatter(number) % 730)
}

/// A day, and another one a week to a year later.
fn span(number: u64) -> (NaiveDate, NaiveDate) {
    let from = day(number);
    (from, from + Days::new(7 + scatter(number / 2) % 358))
}

/// Somewhere around a venue.
fn near(calendar: &Calendar, number: u64) -> String {
    let (latitude, longitude) = match calendar.places.as_slice() {
        [] => (0.0, 0.0),
        places => *pick(places, number),
    };
    let shift = |number: u64| (scatter(number) % 8_000) as f64 / 10_000.0 - 0.4;
    let (latitude, longitude) = (latitude + shift(number), longitude + shift(!number));
    format!("geoloc_lat={latitude:.4}&geoloc_lng={longitude:.4}")
}
