//! Pagination of lists: page sizes, totals and links.

use reqwest::Url;
use serde_json::json;

use crate::{
    assertions::{assert_rejected, names},
    fixtures::{create_event, create_event_at, name_field},
    on_both_databases,
    support::{Client, Response},
};

/// Each list, with the error code of a page past the end.
const LISTS: [(&str, &str); 5] = [
    ("events", "event-archive-page-not-found"),
    ("venues", "venue-archive-page-not-found"),
    ("organizers", "organizer-archive-page-not-found"),
    ("categories", "term-archive-page-not-found"),
    ("tags", "term-archive-page-not-found"),
];

/// Creates this many items for each list, all with the same start or publication date. Venues and organizers are
/// created in reverse, because their lists start with the highest ID.
async fn create_items(client: &Client, items: usize) {
    let names = item_names(items);
    for (name, linked) in names.iter().zip(names.iter().rev()) {
        let fields = json!({
            "categories": [name], "tags": [name],
            "venue": {"venue": linked, "date": "2020-01-01 00:00:00"},
            "organizer": {"organizer": linked, "date": "2020-01-01 00:00:00"},
        });
        create_event(client, name, fields).await;
    }
}

/// The names of the items that [`create_items`] creates.
fn item_names(items: usize) -> Vec<String> {
    (0..items).map(|number| format!("Item-{number:03}")).collect()
}

/// The link in this member of the body.
fn link<'a>(response: &'a Response, member: &str) -> Option<&'a str> {
    let body = response.body.as_object().expect("an object");
    body.get(member).map(|url| url.as_str().expect("absent, not null"))
}

/// The URL with this relation in the `Link` header.
fn header_link<'a>(response: &'a Response, relation: &str) -> Option<&'a str> {
    let end = format!(">; rel=\"{relation}\"");
    let links = response.header("link").split(", ");
    links
        .filter_map(|link| link.strip_prefix('<')?.strip_suffix(end.as_str()))
        .next()
}

/// The query parameters of a URL except `page`, sorted, and the value of `page`.
fn parameters(url: &str) -> (Vec<(String, String)>, Option<String>) {
    let url = Url::parse(url).expect("an absolute URL");
    let pairs = url.query_pairs().into_owned();
    let (mut pages, mut others): (Vec<_>, Vec<_>) = pairs.partition(|(name, _)| name == "page");
    others.sort();
    assert!(pages.len() <= 1, "repeated page: {url}");
    (others, pages.pop().map(|(_, page)| page))
}

/// Follows the links from `path` to the last page and back, and returns the names on each page.
async fn walk(client: &Client, list: &str, path: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut next = Some(path.to_owned());
    let mut last = String::new();
    while let Some(url) = next {
        let response = client.get(&url).await.is(200);
        pages.push(response.texts(list, name_field(list)));
        assert!(pages.len() <= 100, "endless next links");
        next = link(&response, "next_rest_url").map(str::to_owned);
        last = url;
    }
    let mut back = Vec::new();
    let mut previous = Some(last);
    while let Some(url) = previous {
        let response = client.get(&url).await.is(200);
        back.insert(0, response.texts(list, name_field(list)));
        assert!(back.len() <= 100, "endless previous links");
        previous = link(&response, "previous_rest_url").map(str::to_owned);
    }
    assert_eq!(pages, back, "forwards and backwards from {path}");
    pages
}

on_both_databases! {
    async fn links_visit_each_item_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_items(&admin, 7).await;
        for (list, _) in LISTS {
            for (per_page, sizes) in
                [(1, vec![1; 7]), (2, vec![2, 2, 2, 1]), (3, vec![3, 3, 1]), (7, vec![7]), (8, vec![7])]
            {
                let pages = walk(&server.anonymous(), list, &format!("/{list}?per_page={per_page}")).await;
                assert_eq!(pages.concat(), item_names(7), "{list} by {per_page}");
                assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), sizes, "{list} by {per_page}");
            }
        }
    }

    async fn events_ordered_by_instant_then_id(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        for (title, start, zone) in [
            ("Last", "2098-03-01 10:00:00", "America/New_York"),
            ("Tie", "2098-03-01 09:00:00", "UTC"),
            ("Tied", "2098-03-01 10:00:00", "Europe/Berlin"),
            ("First", "2098-03-01 14:00:00", "Asia/Kolkata"),
            ("Also-tied", "2098-03-01 14:30:00", "Asia/Kolkata"),
        ] {
            let times = json!({"start_date": start, "end_date": "2098-03-02 20:00:00", "timezone": zone});
            create_event(&admin, title, times).await;
        }
        let pages = walk(&admin, "events", "/events?starts_after=2001-01-01&per_page=2").await;
        assert_eq!(pages.concat(), ["First", "Tie", "Tied", "Also-tied", "Last"]);
    }

    async fn default_page_size_by_variant(database) {
        for (variant, size) in [("a", 10), ("b", 5)] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            create_items(&admin, 11).await;
            for (list, _) in LISTS {
                for path in [format!("/{list}"), format!("/{list}?per_page="), format!("/{list}?page=1")] {
                    let response = admin.get(&path).await.is(200);
                    assert_eq!(response.texts(list, name_field(list)), item_names(size), "{path}");
                    assert_eq!(response.body["total"], 11);
                    assert_eq!(response.body["total_pages"], 11_usize.div_ceil(size));
                }
            }
        }
    }

    async fn per_page_is_capped(database) {
        let server = database.server(&["--max-per-page", "2"]).await;
        let admin = server.administrator().await;
        create_items(&admin, 5).await;
        for (list, _) in LISTS {
            for size in ["3", "5", "1000", "99999999999999999999"] {
                let path = format!("/{list}?per_page={size}");
                let response = admin.get(&path).await.is(200);
                assert_eq!(response.body["total_pages"], 3, "{path}");
                assert_eq!(response.header("x-tec-totalpages"), "3", "{path}");
                let pages = walk(&admin, list, &path).await;
                assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1], "{path}");
                assert_eq!(pages.concat(), item_names(5), "{path}");
            }
            // The default page size is capped, too.
            assert_eq!(admin.get(&format!("/{list}")).await.is(200).body["total_pages"], 3);
        }
    }

    async fn default_cap_is_100(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let (names, last) = (item_names(101), item_names(101).split_off(100));
        create_event(&admin, "Event", json!({"tags": names[..100]})).await;
        create_event(&admin, "Other", json!({"tags": last})).await;
        let pages = walk(&admin, "tags", "/tags?per_page=101").await;
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [100, 1]);
        assert_eq!(pages.concat(), item_names(101));
    }

    async fn page_past_end_is_404(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, code) in LISTS {
            let response = admin.get(&format!("/{list}")).await.is(200);
            assert_eq!(response.body[list], json!([]));
            assert_eq!(response.body["total"], 0);
            assert_eq!(response.body["total_pages"], 0);
            assert_eq!(link(&response, "next_rest_url"), None);
            assert_eq!(link(&response, "previous_rest_url"), None);
            for page in ["2", "99999999999999999999"] {
                admin.get(&format!("/{list}?page={page}")).await.is_error(404, code);
            }
        }
        create_items(&admin, 3).await;
        for (list, code) in LISTS {
            admin.get(&format!("/{list}?per_page=2&page=2")).await.is(200);
            for query in [
                "per_page=2&page=3",
                "page=2",
                "per_page=3&page=2",
                "search=nothing&page=2",
                "page=9223372036854775807",
                "page=18446744073709551616",
            ] {
                admin.get(&format!("/{list}?{query}")).await.is_error(404, code);
            }
            admin.get(&format!("/{list}?search=nothing&page=1")).await.is(200);
        }
    }

    async fn huge_page_number_is_404(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let tag = admin.create_id("/tags", json!({"name": "Tag"})).await;
        let fields = json!({"tags": [tag], "venue": {"venue": "Hall", "geo_lat": 52, "geo_lng": 13}});
        let id = create_event(&admin, "Event", fields).await;
        for filter in [
            "search=event", &format!("include={id}"), "geoloc=true", "geoloc_lat=52&geoloc_lng=13",
            &format!("tags={tag}"),
        ] {
            let path = format!("/events?start_date=2000-01-01&{filter}");
            admin.get(&path).await.is(200);
            let beyond = format!("{path}&page=9223372036854775807");
            admin.get(&beyond).await.is_error(404, "event-archive-page-not-found");
        }
    }

    async fn page_and_per_page_must_be_positive(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let reader = server.anonymous();
            for (list, _) in LISTS {
                for name in ["page", "per_page"] {
                    for value in ["0", "-1", "-99999999999999999999", "two", "1.5", "1e2", "0x1", "1,2"] {
                        assert_rejected(&reader, list, &[(&format!("{name}={value}"), name)]).await;
                    }
                }
                let response = reader.get(&format!("/{list}?page=0&per_page=0")).await;
                assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), ["page", "per_page"]);
            }
        }
    }

    async fn count_and_link_headers(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_items(&admin, 5).await;
        for (list, _) in LISTS {
            for (page, has_previous, has_next) in [(1, false, true), (2, true, true), (3, true, false)] {
                let response = admin.get(&format!("/{list}?per_page=2&page={page}")).await.is(200);
                let totals = (response.body["total"].as_i64(), response.body["total_pages"].as_i64());
                assert_eq!(totals, (Some(5), Some(3)));
                for (header, value) in
                    [("x-tec-total", "5"), ("x-tec-totalpages", "3"), ("x-wp-total", "5"), ("x-wp-totalpages", "3")]
                {
                    assert_eq!(response.header(header), value, "{header}");
                }
                assert_eq!(link(&response, "previous_rest_url").is_some(), has_previous);
                assert_eq!(link(&response, "next_rest_url").is_some(), has_next);
                assert_eq!(header_link(&response, "prev"), link(&response, "previous_rest_url"));
                assert_eq!(header_link(&response, "next"), link(&response, "next_rest_url"));
                for (relation, expected) in [("first", item_names(2)), ("last", vec![item_names(5)[4].clone()])] {
                    let url = header_link(&response, relation).expect("a link").to_owned();
                    let target = admin.get(&url).await.is(200);
                    assert_eq!(target.texts(list, name_field(list)), expected, "{relation}");
                }
                let url = link(&response, "rest_url").expect("a link").to_owned();
                assert_eq!(admin.get(&url).await.is(200).body, response.body, "{url}");
            }
        }
    }

    async fn empty_list_headers(database) {
        let server = database.server(&[]).await;
        let reader = server.anonymous();
        for (list, _) in LISTS {
            let response = reader.get(&format!("/{list}")).await.is(200);
            for header in ["x-tec-total", "x-tec-totalpages", "x-wp-total", "x-wp-totalpages"] {
                assert_eq!(response.header(header), "0", "{header}");
            }
            assert_eq!(header_link(&response, "prev"), None);
            assert_eq!(header_link(&response, "next"), None);
            for relation in ["first", "last"] {
                if let Some(url) = header_link(&response, relation) {
                    reader.get(url).await.is(200);
                }
            }
        }
    }

    async fn event_links_keep_filters(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let category = admin.create_id("/categories", json!({"name": "Fine & Art"})).await;
        let tags = [
            admin.create_id("/tags", json!({"name": "T1"})).await,
            admin.create_id("/tags", json!({"name": "T2"})).await,
        ];
        let venue = admin.create_id("/venues", json!({"venue": "Venue", "geo_lat": 10, "geo_lng": 20})).await;
        let organizer = admin.create_id("/organizers", json!({"organizer": "Organizer"})).await;
        let mut ids = Vec::new();
        for number in 0..3 {
            let fields = json!({
                "start_date": "2098-03-01 10:00:00", "end_date": "2098-03-01 11:00:00",
                "description": "R&B 100% jazz+soul = größer #1",
                "categories": [category], "tags": [tags[number % 2]], "venue": [venue], "organizer": [organizer],
                "featured": true, "ticketed": true, "post_parent": 7, "status": "draft",
            });
            ids.push(create_event(&admin, &format!("Item-{number:03}"), fields).await.to_string());
        }
        // An event that no filter matches, so that a lost filter shows.
        create_event_at(&admin, "Other", "2098-03-01 10:00:00", "2098-03-01 11:00:00").await;
        let [one, two] = tags;
        let include = ids.join(",");
        for query in [
            format!("start_date=2098-03-01&end_date=2098-03-01&venue={venue}&status=draft"),
            "starts_before=2098-03-01&starts_after=2098-02-28&\
             ends_before=2098-03-01&ends_after=2098-02-28&status=draft".to_owned(),
            "strict_dates=1&starts_after=2098-03-01T11:59:59%2B02:00&\
             ends_before=2098-03-01T13:00:01%2B02:00&status=any&featured=1".to_owned(),
            // An unencoded plus.
            "strict_dates=1&starts_after=2098-03-01T11:59:59+02:00&status=draft".to_owned(),
            "starts_after=%2B1 day&status=draft".to_owned(),
            "search=r%26b%20100%25%20jazz%2Bsoul%20%3D%20gr%C3%B6%C3%9Fer%20%231&\
             starts_after=2098-01-01&status=draft".to_owned(),
            "search=R%26B+GROSSER&starts_after=2098-01-01&status=draft,publish".to_owned(),
            format!("tags={one},{two}&starts_after=2098-01-01&status=draft"),
            format!("tags={one}&tags={two}&starts_after=2098-01-01&status=draft"),
            format!("tags[]={one}&tags[]={two}&starts_after=2098-01-01&status=draft"),
            format!("tags%5B0%5D={one}&tags%5B1%5D={two}&starts_after=2098-01-01&status=draft"),
            "categories=fine-art&tags=t1,t2&starts_after=2098-01-01&status=draft".to_owned(),
            format!("categories[]={category}&organizer[]={organizer}&venue[]={venue}&\
                 starts_after=2098-01-01&status=draft"),
            format!("include={include}&featured=yes&ticketed=on&post_parent=7&geoloc=true&status=draft"),
            format!("geoloc_lat=10.0&geoloc_lng=20&include[]={}&status=draft", ids.join("&include[]=")),
            "featured=0&featured=1&starts_after=2098-01-01&status=draft&_locale=user".to_owned(),
        ] {
            let path = format!("/events?{query}&per_page=2");
            let pages = walk(&admin, "events", &path).await;
            assert_eq!(pages.concat(), item_names(3), "{path}");
            let response = admin.get(&path).await.is(200);
            let given = parameters(&format!("{}/calendar/events/v1{path}", server.address));
            let next = link(&response, "next_rest_url").expect("a second page");
            assert_eq!(parameters(next), (given.0, Some("2".to_owned())), "{path}");
        }
    }

    async fn other_links_keep_filters(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_items(&admin, 3).await;
        let everything = create_event(
            &admin,
            "Everything",
            json!({
                "venue": admin.get("/venues").await.each("venues", "id"),
                "organizer": admin.get("/organizers").await.each("organizers", "id"),
                "categories": item_names(3), "tags": item_names(3),
            }),
        )
        .await;
        for list in ["venues", "organizers"] {
            admin.create(&format!("/{list}"), json!({name_field(list): "Other"})).await;
        }
        for list in ["categories", "tags"] {
            let other = admin.create_id(&format!("/{list}"), json!({"name": "Item-other"})).await;
            let path = format!(
                "/{list}?search=item&hide_empty=0&exclude[]={other}&exclude[]=999&\
                 orderby=slug&order=desc&event={everything}&per_page=2"
            );
            let pages = walk(&admin, list, &path).await;
            assert_eq!(pages.concat(), ["Item-002", "Item-001", "Item-000"], "{path}");
        }
        for list in ["venues", "organizers"] {
            let path = format!(
                "/{list}?search=item&event={everything}&has_events=1&only_with_upcoming=yes&status=any&per_page=2"
            );
            let pages = walk(&admin, list, &path).await;
            assert_eq!(pages.concat(), item_names(3), "{path}");
        }
    }

    async fn links_use_base_url(database) {
        let server = database.server(&["--base-url", "https://calendar.example.org/sub"]).await;
        let admin = server.administrator().await;
        create_items(&admin, 2).await;
        for (list, _) in LISTS {
            let response = admin.get(&format!("/{list}?per_page=1&search=item")).await.is(200);
            assert_eq!(names(list, &response), "Item-000");
            let base = format!("https://calendar.example.org/sub/calendar/events/v1/{list}?");
            for url in [link(&response, "rest_url"), link(&response, "next_rest_url"), header_link(&response, "last")] {
                let url = url.expect("a link");
                assert!(url.starts_with(&base), "{url}");
            }
        }
    }
}
