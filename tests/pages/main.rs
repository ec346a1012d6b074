//! The public pages over HTTP, on both databases.

#[path = "../support/mod.rs"]
mod support;

mod branding;
mod calendar;
mod embeds;
mod filters;
mod linked_data;
mod redirects;
mod resources;
mod series;
mod sitemap;
mod start;
mod status;

use serde_json::{Value, json};

use self::support::{Client, Response};

/// Requests a page as a browser does.
async fn browse(client: &Client, path: &str) -> Response {
    Response::fetch(client.request("GET", path).header("accept", "text/html,*/*;q=0.8")).await
}

/// The JSON-LD of a page.
fn json_ld(page: &str) -> Value {
    let start = "<script type=\"application/ld+json\">";
    let (_, rest) = page.split_once(start).expect("the page has JSON-LD");
    let (text, _) = rest.split_once("</script>").expect("the element ends");
    serde_json::from_str(text).expect("it is JSON")
}

/// Decodes the entities in a text.
fn unescaped(html: &str) -> String {
    let [lower, and, quote, apostrophe] = ["&#60;", "&#38;", "&#34;", "&#39;"];
    html.replace(lower, "<")
        .replace(quote, "\"")
        .replace(apostrophe, "'")
        .replace("&amp;", "&")
        .replace(and, "&")
}

fn url(object: &Value) -> &str {
    object["url"].as_str().expect("a URL")
}

/// The titles of the events that a page shows, in their order, each once.
fn titles(page: &str) -> Vec<String> {
    let items = json_ld(page)["itemListElement"].as_array().cloned().unwrap_or_default();
    let names = items
        .iter()
        .map(|item| item["item"]["name"].as_str().unwrap_or_default().to_owned());
    names.collect()
}

/// An event on these dates.
fn event(title: &str, start: &str, end: &str) -> Value {
    json!({"title": title, "start_date": start, "end_date": end})
}
