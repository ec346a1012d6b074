//! A stub of a site with The Events Calendar, and of any other HTTP server.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use url::Url;

/// What a site has, and how it behaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    /// The objects of each list, by the name of the list. `SITE` in texts stands for the address of the stub.
    pub lists: HashMap<&'static str, Vec<Value>>,
    /// Events that no list has.
    pub hidden: Vec<Value>,
    /// The path before `/wp-json`, such as `/blog`.
    pub folder: &'static str,
    /// Only `?rest_route=` leads to the interface.
    pub is_query_only: bool,
    /// The maximum of `per_page`; 0 for none.
    pub max_per_page: usize,
    /// Each request with a number that this divides fails first.
    pub fails_every: u32,
    /// Responses of the interface are HTML pages.
    pub is_walled: bool,
    /// How long each response takes.
    pub delay: Duration,
    /// A part of the addresses that take ten seconds.
    pub slow: Option<&'static str>,
    /// The user name and password that show drafts.
    pub credentials: Option<&'static str>,
    /// Responses by path.
    pub files: HashMap<String, File>,
}

/// Status, headers and body of a response.
type File = (u16, Vec<(&'static str, String)>, Vec<u8>);

/// A running stub.
pub(crate) struct Stub {
    /// Such as `http://127.0.0.1:12345`.
    pub address: String,
    state: Arc<State>,
}

struct State {
    address: String,
    site: Mutex<Site>,
    with_credentials: Mutex<Vec<String>>,
    count: AtomicU32,
}

/// A response: status, headers and body.
type Response = (u16, Vec<(&'static str, String)>, Vec<u8>);

impl Stub {
    pub(crate) async fn start(site: Site) -> Self {
        Self::listen(site, None).await
    }

    /// Starts a stub whose address begins with `https://`.
    pub(crate) async fn start_with_tls(site: Site, tls: TlsAcceptor) -> Self {
        Self::listen(site, Some(tls)).await
    }

    async fn listen(site: Site, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State {
            address: address.clone(),
            site: Mutex::new(site),
            with_credentials: Mutex::default(),
            count: AtomicU32::new(0),
        });
        let serving = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, serving) = (tls.clone(), serving.clone());
                tokio::spawn(async move {
                    let Some(tls) = tls else {
                        return respond(stream, serving).await;
                    };
                    // The client may refuse the certificate.
                    if let Ok(stream) = tls.accept(stream).await {
                        respond(stream, serving).await;
                    }
                });
            }
        });
        Self { address, state }
    }

    /// The site, to change it.
    pub(crate) fn site(&self) -> MutexGuard<'_, Site> {
        self.state.site.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The paths and queries of the requests so far that had credentials.
    pub(crate) fn with_credentials(&self) -> Vec<String> {
        self.state
            .with_credentials
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn respond(mut stream: impl AsyncRead + AsyncWrite + Unpin, state: Arc<State>) {
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(&chunk[..read]),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.split(' ').nth(1).unwrap_or("/").to_owned();
    let site = state.site.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_slow = site.slow.is_some_and(|part| target.contains(part));
    let delay = if is_slow { Duration::from_secs(10) } else { site.delay };
    tokio::time::sleep(delay).await;
    if head.to_lowercase().contains("authorization:") {
        let mut targets = state.with_credentials.lock().unwrap_or_else(PoisonError::into_inner);
        targets.push(target.clone());
    }
    let number = state.count.fetch_add(1, Ordering::Relaxed) + 1;
    let (status, headers, body) = match site.fails_every {
        every @ 1.. if number.is_multiple_of(every) => match number / every % 2 {
            0 => (503, Vec::new(), b"overloaded".to_vec()),
            _ => (429, vec![("Retry-After", "0".to_owned())], Vec::new()),
        },
        _ => site.response(&state.address, &target, &head),
    };
    let mut response = format!(
        "HTTP/1.1 {status} Status\r\nContent-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        response += &format!("{name}: {value}\r\n");
    }
    response += "\r\n";
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.write_all(&body).await;
    let _ = stream.shutdown().await;
}

impl Site {
    /// A site with these objects in its lists.
    pub(crate) fn with(lists: &[(&'static str, Value)]) -> Self {
        let lists = lists
            .iter()
            .map(|(name, objects)| (*name, objects.as_array().cloned().unwrap_or_default()));
        Self {
            lists: lists.collect(),
            ..Self::default()
        }
    }

    fn response(&self, address: &str, target: &str, head: &str) -> Response {
        let url = Url::parse(&format!("{address}{target}")).expect("a URL");
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();
        if let Some((status, headers, body)) = self.files.get(url.path()) {
            let etag = headers
                .iter()
                .find(|(name, _)| *name == "ETag")
                .map(|(_, value)| value.clone());
            if etag.is_some_and(|etag| head.contains(&format!("if-none-match: {etag}"))) {
                return (304, Vec::new(), Vec::new());
            }
            return (*status, headers.clone(), body.clone());
        }
        let below = match query.get("rest_route") {
            Some(route) => route.strip_prefix("/tribe/events/v1"),
            None if self.is_query_only => None,
            None => url
                .path()
                .strip_prefix(&format!("{}/wp-json/tribe/events/v1", self.folder)),
        };
        match below {
            Some(_) if self.is_walled => html("Checking your browser"),
            Some(path) => self.interface(address, path.trim_end_matches('/'), &query, head),
            None if query.contains_key("ical") => self.feed(&query),
            None if url.path() == format!("{}/", self.folder) || url.path() == self.folder => html("A site"),
            None => (404, Vec::new(), b"<!DOCTYPE html><title>Not found</title>".to_vec()),
        }
    }

    fn interface(&self, address: &str, path: &str, query: &HashMap<String, String>, head: &str) -> Response {
        let may_see_drafts = self.credentials.is_some_and(|credentials| head.contains(credentials));
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match parts[..] {
            [""] => json_response(200, &json!({"namespace": "tribe/events/v1", "routes": {}}), address),
            [list] => self.list(address, list, query, may_see_drafts),
            [list, id] => {
                let hidden = self.hidden.iter().filter(|_| list == "events");
                let objects = self.lists.get(list).into_iter().flatten().chain(hidden);
                match objects
                    .into_iter()
                    .find(|object| object["id"].as_i64() == id.parse().ok())
                {
                    Some(object) => json_response(200, object, address),
                    None => json_response(404, &json!({"code": "event-not-found", "message": "none"}), address),
                }
            }
            _ => json_response(404, &json!({"code": "rest_no_route", "message": "none"}), address),
        }
    }

    fn list(&self, address: &str, list: &str, query: &HashMap<String, String>, may_see_drafts: bool) -> Response {
        let number = |name: &str| {
            query
                .get(name)
                .and_then(|value| value.parse::<usize>().ok())
                .unwrap_or(1)
        };
        let per_page = match self.max_per_page {
            0 => number("per_page"),
            most => number("per_page").min(most),
        };
        let is_published = |object: &Value| object["status"].as_str().is_none_or(|status| status == "publish");
        let is_visible = |object: &&Value| may_see_drafts || is_published(object);
        let objects: Vec<&Value> = self.lists.get(list).into_iter().flatten().filter(is_visible).collect();
        let page: Vec<&Value> = objects
            .iter()
            .skip((number("page") - 1) * per_page)
            .take(per_page)
            .copied()
            .collect();
        if page.is_empty() {
            let code = format!("{}-archive-page-not-found", list.trim_end_matches('s'));
            return json_response(404, &json!({"code": code, "message": "none"}), address);
        }
        // Only single objects have structured data.
        let mut page: Vec<Value> = page.into_iter().cloned().collect();
        for object in page.iter_mut().filter_map(Value::as_object_mut) {
            object.remove("json_ld");
        }
        let body = json!({
            list: page, "total": objects.len(), "total_pages": objects.len().div_ceil(per_page),
        });
        json_response(200, &body, address)
    }

    fn feed(&self, query: &HashMap<String, String>) -> Response {
        let ids = query.get("event_ids").map(String::as_str).unwrap_or_default();
        let events = ids
            .split(',')
            .map(|id| format!("BEGIN:VEVENT\r\nUID:{id}-feed@site.example\r\nEND:VEVENT\r\n"));
        let text = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n",
            events.collect::<String>()
        );
        (
            200,
            vec![("Content-Type", "text/calendar".to_owned())],
            text.into_bytes(),
        )
    }
}

fn html(title: &str) -> Response {
    let body = format!("<!DOCTYPE html><html><title>{title}</title></html>");
    (200, vec![("Content-Type", "text/html".to_owned())], body.into_bytes())
}

fn json_response(status: u16, body: &Value, address: &str) -> Response {
    let text = body.to_string().replace("SITE", address);
    (
        status,
        vec![("Content-Type", "application/json".to_owned())],
        text.into_bytes(),
    )
}

/// An event with these members besides those that all events have.
pub(crate) fn event(id: i64, members: &Value) -> Value {
    let mut event = json!({
        "id": id, "author": "1", "status": "publish", "date_utc": "2026-02-03 04:05:06",
        "modified_utc": "2026-02-04 04:05:06", "url": format!("SITE/event/event-{id}/"), "title": format!("Event {id}"),
        "description": "<p>Text</p>", "excerpt": "", "slug": format!("event-{id}"), "image": false, "all_day": false,
        "start_date": "2099-04-01 18:00:00", "end_date": "2099-04-01 20:30:00",
        "utc_start_date": "2099-04-01 22:00:00", "utc_end_date": "2099-04-02 00:30:00",
        "timezone": "America/New_York", "cost": "$25", "website": "", "show_map": true, "show_map_link": true,
        "hide_from_listings": false, "sticky": false, "featured": false, "categories": [], "tags": [], "venue": [],
        "organizer": [], "custom_fields": [],
    });
    for (name, value) in members.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    event
}

/// A venue or an organizer.
pub(crate) fn linked_resource(kind: &str, id: i64, name: &str) -> Value {
    json!({
        "id": id, "author": "1", "status": "publish", "date_utc": "2026-02-03 04:05:06",
        "modified_utc": "2026-02-04 04:05:06", "slug": format!("{kind}-{id}"), kind: name, "description": "",
    })
}
