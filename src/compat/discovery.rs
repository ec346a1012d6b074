//! How libraries find the interface: the link to `/wp-json/`, the index there, and what each address takes.

use chrono::Utc;
use poem::{
    Endpoint, Request, Response, Result,
    endpoint::BoxEndpoint,
    http::{HeaderValue, Method},
};
use serde_json::{Map, Value, json};

use super::{
    answer,
    asked::Asked,
    outside::readdressed,
    place::{NAMESPACES, PREFIX},
};
use crate::{calendar::zone::Zone, view::ROOT, wire::Problem};

/// What WordPress libraries look for.
const RELATION: &str = "https://api.w.org/";
/// Items on a page, where nothing is said.
const PER_PAGE: u64 = 10;

/// Where the interface is.
pub fn link(base: &str) -> HeaderValue {
    HeaderValue::from_str(&format!("<{base}{PREFIX}/>; rel=\"{RELATION}\""))
        .unwrap_or_else(|_| HeaderValue::from_static("</wp-json/>; rel=\"https://api.w.org/\""))
}

/// The index of the site.
pub async fn site(native: &BoxEndpoint<'static>, request: Request, asked: &Asked) -> Response {
    let zone = super::almanac(&request).map_or(Zone::UTC, |almanac| almanac.settings.timezone);
    let now = Utc::now();
    let offset = zone.to_local(now) - now.naive_utc();
    let index = match native_index(native, request).await {
        Ok(index) => index,
        Err(error) => return answer::translate(Err(error), asked).await,
    };
    let mut routes = Map::new();
    for namespace in NAMESPACES {
        routes.extend(routes_of(&index, namespace, &asked.base));
    }
    respond(&json!({
        "name": "Almanac",
        "description": "",
        "url": asked.base,
        "home": asked.base,
        "gmt_offset": offset.num_minutes() as f64 / 60.0,
        "timezone_string": zone.name(),
        "namespaces": NAMESPACES,
        "authentication": [],
        "routes": routes,
        "_links": {"help": [{"href": "https://developer.wordpress.org/rest-api/"}]},
    }))
}

/// The index of the namespace that was asked.
pub async fn index(native: &BoxEndpoint<'static>, request: Request, asked: &Asked) -> Response {
    match native_index(native, request).await {
        Ok(index) => respond(&json!({
            "namespace": asked.path.namespace,
            "routes": routes_of(&index, asked.path.namespace, &asked.base),
            "_links": {"up": [{"href": format!("{}{PREFIX}/", asked.base)}]},
        })),
        Err(error) => answer::translate(Err(error), asked).await,
    }
}

/// What the address takes.
pub async fn options(native: &BoxEndpoint<'static>, request: Request, asked: &Asked) -> Response {
    let path = request.uri().path().trim_end_matches('/').to_owned();
    let index = match native_index(native, request).await {
        Ok(index) => index,
        Err(error) => return answer::translate(Err(error), asked).await,
    };
    let routes = routes_of(&index, asked.path.namespace, &asked.base);
    let path = path.strip_prefix(PREFIX).unwrap_or_default();
    match routes.iter().find(|(pattern, _)| fits(pattern, path)) {
        Some((_, route)) => respond(route),
        None => answer::translate(Err(Problem::no_route().into()), asked).await,
    }
}

/// The native index, or why there is none.
async fn native_index(native: &BoxEndpoint<'static>, mut request: Request) -> Result<Value> {
    request.set_method(Method::GET);
    if let Some(uri) = readdressed(request.uri(), ROOT, "") {
        *request.uri_mut() = uri;
    }
    let mut response = native.call(request).await?;
    let index = answer::body(&mut response).await;
    Ok(index.ok_or_else(|| Problem::internal("an index that is no JSON"))?)
}

/// The routes of the native index under a namespace of the compatibility root.
fn routes_of(index: &Value, namespace: &str, base: &str) -> Map<String, Value> {
    let routes = index["routes"].as_object().into_iter().flatten();
    routes
        .map(|(pattern, route)| {
            let mut route = route.clone();
            let rest = pattern
                .strip_prefix(ROOT)
                .unwrap_or(pattern)
                .trim_end_matches('/');
            let pattern = format!("/{namespace}{rest}");
            route["namespace"] = namespace.into();
            let endpoints = route["endpoints"].as_array().into_iter().flatten();
            route["endpoints"] = endpoints.flat_map(each_its_own).collect();
            for endpoint in route["endpoints"].as_array_mut().into_iter().flatten() {
                for (argument, value) in [
                    ("/args/per_page/default", json!(PER_PAGE)),
                    ("/args/namespace/default", json!(namespace)),
                ] {
                    if let Some(default) = endpoint.pointer_mut(argument) {
                        *default = value;
                    }
                }
            }
            if route.get("_links").is_some() {
                route["_links"] = json!({"self": [{"href": format!("{base}{PREFIX}{pattern}")}]});
            }
            (pattern, route)
        })
        .collect()
}

/// WordPress has an endpoint each for reading and deleting, also where they take the same.
fn each_its_own(endpoint: &Value) -> Vec<Value> {
    if endpoint["methods"] != json!(["GET", "DELETE"]) {
        return vec![endpoint.clone()];
    }
    let of = |method: &str| json!({"methods": [method], "args": endpoint["args"]});
    vec![of("GET"), of("DELETE")]
}

/// Whether a path is one of those that a pattern stands for.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (parts(pattern), parts(path));
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(path)
            .all(|(pattern, part)| match *pattern {
                r"(?P<id>\d+)" => part.bytes().all(|byte| byte.is_ascii_digit()),
                pattern => pattern.starts_with("(?P<") || pattern == part,
            })
}

/// The parts between slashes. A group may hold a slash itself.
fn parts(path: &str) -> Vec<&str> {
    match path.split_once("(?P<slug>") {
        Some((before, _)) => before
            .split('/')
            .chain(["(?P<slug>"])
            .filter(|part| !part.is_empty())
            .collect(),
        None => path.split('/').filter(|part| !part.is_empty()).collect(),
    }
}

fn respond(body: &Value) -> Response {
    Response::builder().body(body.to_string())
}
