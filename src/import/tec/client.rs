//! Requests to a site with The Events Calendar: waits between requests, and repeats those that fail for a while.

use std::{cell::Cell, time::Duration};

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};
use url::Url;

use super::{
    super::{
        ImportError,
        http::{Client, Credentials, FetchError, Response},
        run::Progress,
    },
    discovery::{Root, at_host_of, candidates, is_index, site_name},
};

/// Attempts per request.
const ATTEMPTS: u32 = 6;
/// The pause after the first failed attempt. Doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a site may demand.
const MAX_PAUSE: Duration = Duration::from_secs(120);

/// A site.
pub(crate) struct Site<'a> {
    /// Sends no credentials.
    open: Client,
    /// Sends the credentials, to the interface only.
    client: Client,
    progress: &'a dyn Progress,
    /// The time between two requests.
    interval: Duration,
    next: Cell<Instant>,
    /// The root of the interface.
    root: Root,
    /// The address of the site, after redirects.
    pub home: Url,
    pub has_credentials: bool,
}

/// A list of objects.
#[derive(Debug)]
pub(super) struct List {
    pub items: Vec<Value>,
    pub total: u64,
    pub pages: u64,
}

impl<'a> Site<'a> {
    /// Finds the interface of the site at this address.
    pub(crate) async fn find(
        client: Client,
        address: &Url,
        credentials: Option<Credentials>,
        interval: Duration,
        progress: &'a dyn Progress,
    ) -> Result<Self, ImportError> {
        let mut site = Self {
            open: client.clone(),
            client,
            progress,
            interval,
            next: Cell::new(Instant::now()),
            root: Root::parse(address),
            home: address.clone(),
            has_credentials: false,
        };
        progress.begin("looking for the interface of The Events Calendar", None);
        let page = site.fetch(&site.open, address).await?;
        site.home = page.url.clone();
        let mut tried = Vec::new();
        let mut obstacle = None;
        for candidate in candidates(&page) {
            // Requests go to the host of the site only.
            let Some(candidate) = at_host_of(candidate, &site.home) else {
                continue;
            };
            let root = Root::parse(&candidate);
            let index = root.url("/", &[]);
            if tried.contains(&index) {
                continue;
            }
            match site.fetch(&site.open, &index).await {
                Ok(response) if is_index(&response) => {
                    site.root = root;
                    if let Some(credentials) = credentials {
                        site.authenticate(address, credentials)?;
                    }
                    return Ok(site);
                }
                Ok(response) => {
                    if response.status.is_success() {
                        obstacle = obstacle.or(json(&response).err());
                    }
                    tried.push(index);
                }
                Err(ImportError::Stopped) => return Err(ImportError::Stopped),
                Err(error) => {
                    obstacle = obstacle.or(Some(error));
                    tried.push(index);
                }
            }
        }
        let tried: Vec<&str> = tried.iter().map(Url::as_str).collect();
        Err(ImportError::Source(format!(
            "{address} does not seem to be a site with The Events Calendar, or its REST interface is switched off or \
             blocked; tried {}{}",
            tried.join(", "),
            obstacle.map(|error| format!("; {error}")).unwrap_or_default()
        )))
    }

    /// Sends the credentials from now on, unless the site is not the one that the operator has named.
    fn authenticate(&mut self, address: &Url, credentials: Credentials) -> Result<(), ImportError> {
        let home = &self.home;
        if site_name(address) != site_name(home) {
            return Err(ImportError::Source(format!(
                "{address} redirects to {home}, to which the password is not sent; pass that address if it is meant"
            )));
        }
        if home.scheme() != "https" {
            self.progress
                .tell("the address does not begin with https, so that the password is sent unencrypted");
        }
        self.client = self.open.clone().with_credentials(credentials);
        self.has_credentials = true;
        Ok(())
    }

    /// Reads a page of a list. A list without objects is empty, whatever status the site sends for it.
    pub(super) async fn list(
        &self,
        path: &str,
        member: &str,
        parameters: &[(&str, String)],
    ) -> Result<List, ImportError> {
        let url = self.root.url(path, parameters);
        let response = self.fetch(&self.client, &url).await?;
        let body = json(&response)?;
        if response.status == StatusCode::NOT_FOUND && is_empty_list(&body) {
            return Ok(List {
                items: Vec::new(),
                total: 0,
                pages: 0,
            });
        }
        if !response.status.is_success() {
            return Err(refused(&response, &body));
        }
        let items = match &body[member] {
            Value::Array(items) => items.clone(),
            _ => {
                return Err(ImportError::Source(format!(
                    "the response of {} has no list \"{member}\"",
                    response.url
                )));
            }
        };
        let number = |name: &str, header: &str| {
            let value = body[name].as_u64();
            value
                .or_else(|| body[name].as_str()?.parse().ok())
                .or_else(|| response.header(header).parse().ok())
        };
        let total = number("total", "x-tec-total").unwrap_or(items.len() as u64);
        let pages = number("total_pages", "x-tec-totalpages").unwrap_or(1);
        Ok(List { items, total, pages })
    }

    /// Reads one object. None if it does not exist, or may not be read.
    pub(super) async fn object(&self, path: &str) -> Result<Option<Value>, ImportError> {
        let response = self.fetch(&self.client, &self.root.url(path, &[])).await?;
        let body = json(&response)?;
        match response.status {
            StatusCode::OK => Ok(Some(body)),
            StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            _ => Err(refused(&response, &body)),
        }
    }

    /// Reads the feed of these events. None if the site has none.
    pub(super) async fn feed(&self, events: &[String]) -> Result<Option<String>, ImportError> {
        let mut url = self.home.clone();
        url.query_pairs_mut()
            .append_pair("ical", "1")
            .append_pair("event_ids", &events.join(","));
        let response = self.fetch(&self.open, &url).await?;
        let is_calendar = response.status == StatusCode::OK && response.body.starts_with(b"BEGIN:VCALENDAR");
        Ok(is_calendar.then(|| String::from_utf8_lossy(&response.body).into_owned()))
    }

    /// Reads a file of the site, such as an image.
    pub(super) async fn file(&self, url: &Url) -> Result<Response, ImportError> {
        self.fetch(&self.open, url).await
    }

    /// Sends a request, and repeats it while the site is overloaded or can't be reached.
    async fn fetch(&self, client: &Client, url: &Url) -> Result<Response, ImportError> {
        let mut attempt = 0;
        loop {
            if self.progress.is_stopped() {
                return Err(ImportError::Stopped);
            }
            sleep_until(self.next.get()).await;
            self.next.set(Instant::now() + self.interval);
            attempt += 1;
            let result = client.get(url, &[("accept", "application/json, */*;q=0.1")]).await;
            let demanded = match &result {
                Ok(response) if is_overloaded(response.status) => retry_after(response),
                Ok(_) => return Ok(result?),
                Err(FetchError {
                    is_temporary: false, ..
                }) => return Ok(result?),
                Err(_) => None,
            };
            let reason = match result {
                Ok(response) => format!("{} responds with status {}", response.url, response.status.as_u16()),
                Err(error) => error.message,
            };
            if attempt >= ATTEMPTS {
                return Err(ImportError::Source(format!("{reason}, also after {ATTEMPTS} attempts")));
            }
            let pause = demanded.unwrap_or(FIRST_PAUSE * 2_u32.pow(attempt - 1)).min(MAX_PAUSE);
            self.progress
                .tell(&format!("{reason}; waiting {:.1} s", pause.as_secs_f32()));
            self.pause(pause).await?;
        }
    }

    /// Waits, unless the import is stopped.
    async fn pause(&self, pause: Duration) -> Result<(), ImportError> {
        let end = Instant::now() + pause;
        while Instant::now() < end {
            if self.progress.is_stopped() {
                return Err(ImportError::Stopped);
            }
            sleep(Duration::from_millis(100).min(end - Instant::now())).await;
        }
        Ok(())
    }
}

fn is_overloaded(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

/// The pause that the site demands, in seconds or until a date (RFC 9110, section 10.2.3).
fn retry_after(response: &Response) -> Option<Duration> {
    pause(response.header("retry-after").trim(), Utc::now())
}

fn pause(demanded: &str, now: DateTime<Utc>) -> Option<Duration> {
    if let Ok(seconds) = demanded.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let end = DateTime::parse_from_rfc2822(demanded).ok()?;
    Some((end.to_utc() - now).to_std().unwrap_or_default())
}

/// The body as JSON.
fn json(response: &Response) -> Result<Value, ImportError> {
    serde_json::from_slice(&response.body).map_err(|_| {
        let start = String::from_utf8_lossy(&response.body[..response.body.len().min(500)]).to_lowercase();
        let (url, status) = (&response.url, response.status.as_u16());
        ImportError::Source(match start.contains("<html") || start.contains("<!doctype") {
            true => format!(
                "{url} responds with an HTML page instead of JSON (status {status}): probably a protection against \
                 robots, a login or a maintenance page; allow this address in the site's firewall, and try again"
            ),
            false => format!("the response of {url} is not JSON (status {status})"),
        })
    })
}

/// Whether the body says that a list has no page with this number.
fn is_empty_list(body: &Value) -> bool {
    let code = body["code"].as_str().unwrap_or_default();
    code.ends_with("-archive-page-not-found") || code.ends_with("-not-found")
}

fn refused(response: &Response, body: &Value) -> ImportError {
    let message = body["message"].as_str().unwrap_or("no message");
    let hint = match response.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "; check the user name and the application password, and that the user may edit events"
        }
        _ => "",
    };
    ImportError::Source(format!(
        "{} responds with status {}: {message}{hint}",
        response.url,
        response.status.as_u16()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_that_sites_demand() {
        let now = DateTime::parse_from_rfc3339("2026-11-24T02:00:00Z")
            .expect("a time")
            .to_utc();
        for (demanded, seconds) in [
            ("7", Some(7)),
            ("Tue, 24 Nov 2026 02:00:30 GMT", Some(30)),
            ("Tue, 24 Nov 2026 01:00:00 GMT", Some(0)),
            ("soon", None),
        ] {
            assert_eq!(pause(demanded, now), seconds.map(Duration::from_secs), "{demanded}");
        }
    }
}
