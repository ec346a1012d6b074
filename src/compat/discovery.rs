//! API discovery as in WordPress: the link to `/wp-json/`, the indexes, and the description of a route (`OPTIONS`).

use chrono::Utc;
use poem::{
    Endpoint, Request, Result,
    http::{HeaderMap, HeaderValue, Method, header},
};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::{
    Native,
    request::CompatRequest,
    response,
    rewrite::with_path_and_query,
    route::{NAMESPACES, PREFIX, RouteEndpoint},
};
use crate::{
    Almanac,
    api::operations::matches,
    error::Problem,
    pages::{DeveloperLink, HeadElement, PageAdditions},
    views::ROOT,
};

/// The link relation of the WordPress REST API.
const RELATION: &str = "https://api.w.org/";
/// The default of `per_page`.
const PER_PAGE: u64 = 10;

/// The `Link` to the index of the site.
pub(super) fn api_link(base: &str) -> HeaderValue {
    HeaderValue::from_str(&format!("<{base}{PREFIX}/>; rel=\"{RELATION}\""))
        .unwrap_or_else(|_| HeaderValue::from_static("</wp-json/>; rel=\"https://api.w.org/\""))
}

/// The head elements by which clients detect The Events Calendar, and the link on the page for developers.
pub(super) fn page_additions(base: &str) -> PageAdditions {
    let element = |name, attributes: [(&'static str, &str); 2]| HeadElement {
        name,
        attributes: attributes.map(|(name, value)| (name, value.to_owned())),
    };
    let site = format!("{base}{PREFIX}/");
    let namespace = format!("{site}{}/", NAMESPACES[0]);
    PageAdditions {
        head: vec![
            element("link", [("rel", RELATION), ("href", &site)]),
            element("meta", [("name", "tec-api-version"), ("content", "v1")]),
            element("meta", [("name", "tec-api-origin"), ("content", base)]),
            element("link", [("rel", "alternate"), ("href", &namespace)]),
        ],
        links: vec![DeveloperLink {
            path: "/wp-json/",
            name: "WordPress API",
            description: "The same calendar for clients of The Events Calendar for WordPress",
        }],
    }
}

/// Adds the headers by which clients detect The Events Calendar to the response for a page.
pub(super) fn add_headers(headers: &mut HeaderMap, base: &str) {
    headers.append(header::LINK, api_link(base));
    let root = format!("{base}{PREFIX}/{}/", NAMESPACES[0]);
    for (name, value) in [
        ("x-tec-api-version", "v1"),
        ("x-tec-api-root", &root),
        ("x-tec-api-origin", base),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
}

/// The index of the site.
pub(super) async fn site_index(native: &Native, request: Request, compat: &CompatRequest) -> Result<Value> {
    let zone = Almanac::of(&request)?.settings.site.zone;
    let now = Utc::now();
    let offset = zone.to_local(now) - now.naive_utc();
    let index = native_index(native, request).await?;
    let mut routes = Map::new();
    for namespace in NAMESPACES {
        routes.extend(routes_of(&index, namespace, &compat.base));
    }
    Ok(json!({
        "name": "Almanac",
        "description": "",
        "url": compat.base,
        "home": compat.base,
        "gmt_offset": offset.num_minutes() as f64 / 60.0,
        "timezone_string": zone.name(),
        "namespaces": NAMESPACES,
        // That page explains how to get a password.
        "authentication": {"application-passwords": {"endpoints": {
            "authorization": format!("{}/developers", compat.base),
        }}},
        "routes": routes,
        "_links": {"help": [{"href": "https://developer.wordpress.org/rest-api/"}]},
    }))
}

/// The index of the requested namespace.
pub(super) async fn namespace_index(native: &Native, request: Request, compat: &CompatRequest) -> Result<Value> {
    let namespace = compat.route.namespace;
    let is_other = |name: &str| {
        let name = name.trim_matches('/');
        !name.is_empty() && !name.eq_ignore_ascii_case(namespace)
    };
    let wanted = form_urlencoded::parse(compat.query.as_bytes())
        .filter(|(name, _)| name == "namespace")
        .last();
    if wanted.is_some_and(|(_, name)| is_other(&name)) {
        return Err(Problem::no_route().into());
    }
    let index = native_index(native, request).await?;
    Ok(json!({
        "namespace": namespace,
        "routes": routes_of(&index, namespace, &compat.base),
        "_links": {"up": [{"href": format!("{}{PREFIX}/", compat.base)}]},
    }))
}

/// The description of the requested route: its methods and their arguments.
pub(super) async fn describe_route(native: &Native, request: Request, compat: &CompatRequest) -> Result<Value> {
    let namespace = compat.route.namespace;
    let path = match &compat.route.endpoint {
        RouteEndpoint::NamespaceIndex => format!("/{namespace}"),
        RouteEndpoint::Native { path, .. } => format!("/{namespace}{path}"),
        RouteEndpoint::SiteIndex | RouteEndpoint::CurrentUser | RouteEndpoint::NotFound => {
            return Err(Problem::no_route().into());
        }
    };
    let index = native_index(native, request).await?;
    let mut routes = routes_of(&index, namespace, &compat.base).into_iter();
    let route = routes.find(|(pattern, _)| matches(&path_template(pattern), &path));
    Ok(route.map(|(_, route)| route).ok_or_else(Problem::no_route)?)
}

/// Converts a route pattern to a path template of the OpenAPI document.
fn path_template(pattern: &str) -> String {
    pattern
        .replace(r"(?P<id>\d+)", "{id}")
        .replace(r"(?P<delivery>\d+)", "{delivery}")
        .replace("(?P<slug>[^/]+)", "{slug}")
}

async fn native_index(native: &Native, mut request: Request) -> Result<Value> {
    request.set_method(Method::GET);
    if let Some(uri) = with_path_and_query(request.uri(), ROOT, "") {
        *request.uri_mut() = uri;
    }
    let mut response = native.call(request).await?;
    let index = response::take_json(&mut response).await;
    Ok(index.ok_or_else(|| Problem::internal("the native index is not JSON"))?)
}

/// The routes of the native index, moved to a namespace of the compatibility root.
fn routes_of(index: &Value, namespace: &str, base: &str) -> Map<String, Value> {
    let routes = index["routes"].as_object().into_iter().flatten();
    routes
        // See `Route::of`.
        .filter(|(pattern, _)| !pattern.contains("/by-external-id/"))
        .map(|(pattern, route)| {
            let mut route = route.clone();
            let rest = pattern.strip_prefix(ROOT).unwrap_or(pattern).trim_end_matches('/');
            let pattern = format!("/{namespace}{rest}");
            route["namespace"] = namespace.into();
            if let Some(endpoints) = route["endpoints"].as_array_mut() {
                endpoints.sort_by_key(rank);
                let methods = endpoints.iter().filter_map(|endpoint| endpoint["methods"].as_array());
                let methods: Value = methods.flatten().cloned().collect();
                route["methods"] = methods;
            }
            for endpoint in route["endpoints"].as_array_mut().into_iter().flatten() {
                if let Some(arguments) = endpoint["args"].as_object_mut() {
                    arguments.shift_remove("fields");
                }
                for (argument, value) in [
                    ("/args/per_page/default", json!(PER_PAGE)),
                    ("/args/namespace/default", json!(namespace)),
                    ("/args/namespace/enum", json!([namespace])),
                ] {
                    if let Some(present) = endpoint.pointer_mut(argument) {
                        *present = value;
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

/// WordPress describes GET first, then DELETE, then writes.
fn rank(endpoint: &Value) -> u8 {
    match endpoint["methods"][0].as_str() {
        Some("GET") => 0,
        Some("DELETE") => 1,
        _ => 2,
    }
}
