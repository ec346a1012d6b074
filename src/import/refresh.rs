//! Addresses of iCalendar data that are imported again and again, with conditional requests, each by one server.

use std::{panic::AssertUnwindSafe, time::Duration};

use chrono::{Months, Utc};
use futures_util::FutureExt;
use reqwest::StatusCode;
use url::Url;

use super::{
    Format, ImportError, WriteOptions,
    http::{Client, origin},
    ics::{self, IcsOptions},
    run::{Progress, Report, Run, Silent},
};
use crate::{
    calendar::zone::Zone,
    egress::AllowedNetworks,
    store::{
        Store,
        entity::import_source,
        imports::{self, Attempt},
    },
};

/// How often a server looks for sources that are due.
const INTERVAL: Duration = Duration::from_secs(5);
/// The longest time between two attempts after a failure, in seconds.
const MAX_BACKOFF: i64 = 24 * 60 * 60;

/// The response of an address.
pub(crate) enum Fetched {
    /// It is the same as last time.
    Unchanged,
    Content {
        body: Vec<u8>,
        etag: Option<String>,
        last_modified: Option<String>,
    },
}

/// Parses an address. `webcal` stands for `https`.
pub(crate) fn address(text: &str) -> Option<Url> {
    let url = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("webcal") => Url::parse(&format!("https://{rest}")),
        _ => Url::parse(text),
    };
    url.ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// An address as `almanac source list` shows it: its password is a secret.
pub(crate) fn shown_address(text: &str) -> String {
    match address(text) {
        Some(mut url) if url.password().is_some() => {
            // URLs with a host can have a password.
            _ = url.set_password(Some("***"));
            url.into()
        }
        Some(url) => url.into(),
        None => text.to_owned(),
    }
}

/// The networks in the options of a source. Invalid ones were refused when it was added.
fn allowed(options: &IcsOptions) -> AllowedNetworks {
    let networks = options.allow.iter().filter_map(|network| network.parse().ok());
    AllowedNetworks::from(networks.collect::<Vec<_>>())
}

/// Fetches an address. With the validators of an earlier response, it may be unchanged.
pub(crate) async fn fetch(
    url: &Url,
    options: &IcsOptions,
    etag: Option<&str>,
    last_modified: Option<&str>,
) -> Result<Fetched, ImportError> {
    let client = Client::new(url, &allowed(options))?;
    let mut headers = vec![("accept", "text/calendar, */*;q=0.1")];
    headers.extend(etag.map(|etag| ("if-none-match", etag)));
    headers.extend(last_modified.map(|time| ("if-modified-since", time)));
    let response = client.get(url, &headers).await?;
    let header = |name: &str| Some(response.header(name).to_owned()).filter(|value| !value.is_empty());
    match response.status {
        StatusCode::NOT_MODIFIED => Ok(Fetched::Unchanged),
        StatusCode::OK => Ok(Fetched::Content {
            etag: header("etag"),
            last_modified: header("last-modified"),
            body: response.body,
        }),
        status => Err(ImportError::Source(format!(
            "{} responds with status {}",
            origin(url),
            status.as_u16()
        ))),
    }
}

/// Imports an address now, and stores the outcome with its source. None if it is unchanged.
pub(crate) async fn refresh(
    store: &Store,
    source: &import_source::Model,
    site: Zone,
    horizon: Months,
    progress: &dyn Progress,
) -> Result<Option<Report>, ImportError> {
    let result = import(store, source, site, horizon, progress).await;
    let attempt = match &result {
        Ok((_, attempt)) => attempt.clone(),
        // It continues with the next attempt.
        Err(ImportError::Stopped) => return Err(ImportError::Stopped),
        Err(error) => Attempt::Failure(error.to_string()),
    };
    let transaction = store.begin().await?;
    imports::note_attempt(&transaction, source.id, attempt, Utc::now().timestamp()).await?;
    transaction.commit().await?;
    result.map(|(report, _)| report)
}

async fn import(
    store: &Store,
    source: &import_source::Model,
    site: Zone,
    horizon: Months,
    progress: &dyn Progress,
) -> Result<(Option<Report>, Attempt), ImportError> {
    let options: IcsOptions = serde_json::from_str(&source.options)
        .map_err(|error| ImportError::Source(format!("the options of the source can't be read: {error}")))?;
    let url = address(&source.address)
        .ok_or_else(|| ImportError::Source("the source has no http or https address".to_owned()))?;
    // The validators are those of a complete import.
    let is_complete = imports::unfinished_run(store.reader(), source.id).await?.is_none();
    let etag = source.etag.as_deref().filter(|_| is_complete);
    let last_modified = source.last_modified.as_deref().filter(|_| is_complete);
    let (body, etag, last_modified) = match fetch(&url, &options, etag, last_modified).await? {
        Fetched::Unchanged => return Ok((None, Attempt::Complete)),
        Fetched::Content {
            body,
            etag,
            last_modified,
        } => (body, etag, last_modified),
    };
    let write = WriteOptions {
        authority: options.authority,
        renumber: false,
        author: options.author,
        site,
        horizon,
        dry_run: false,
    };
    let run = Run::begin(store, Format::Ics, &source.address, &options, write, progress).await?;
    let report = ics::import(run, &body, &options, true).await?;
    Ok((Some(report), Attempt::Response { etag, last_modified }))
}

/// Imports the sources that are due, until the task is aborted.
pub(crate) async fn run(store: Store, site: Zone, horizon: Months) {
    loop {
        if let Err(error) = import_due(&store, site, horizon).await {
            tracing::warn!(%error, "can't read the sources of imports");
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn import_due(store: &Store, site: Zone, horizon: Months) -> Result<(), ImportError> {
    for source in imports::due(store.reader(), Utc::now().timestamp()).await? {
        let Some(every) = source.every_seconds else {
            continue;
        };
        let now = Utc::now().timestamp();
        let pause = match &source.failure {
            Some(_) => (every * 2).min(MAX_BACKOFF).max(every),
            None => every,
        };
        let transaction = store.begin().await?;
        let is_claimed = imports::claim(&transaction, &source, now + pause).await?;
        transaction.commit().await?;
        if !is_claimed {
            continue;
        }
        let origin = &*address(&source.address).map(|url| origin(&url)).unwrap_or_default();
        // A defect that the data of one source bring to light must not end the imports of all.
        let attempt = AssertUnwindSafe(refresh(store, &source, site, horizon, &Silent)).catch_unwind();
        let Ok(result) = attempt.await else {
            tracing::error!(source = source.id, origin, "the import of a source has panicked");
            continue;
        };
        match result {
            Ok(Some(report)) => tracing::info!(
                source = source.id,
                origin,
                created = report.counts.created,
                updated = report.counts.updated,
                "imported a source"
            ),
            Ok(None) => tracing::debug!(source = source.id, origin, "a source is unchanged"),
            Err(error) => tracing::warn!(source = source.id, origin, %error, "can't import a source"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("webcal://example.org/a.ics", Some("https://example.org/a.ics")),
            ("http://127.0.0.1:8080/a.ics", Some("http://127.0.0.1:8080/a.ics")),
            ("file:///etc/passwd", None),
            ("events.ics", None),
        ] {
            assert_eq!(address(text).as_ref().map(Url::as_str), expected, "{text}");
        }
    }

    #[test]
    fn list_shows_no_password() {
        for (text, expected) in [
            (
                "https://ann:secret@example.org/a.ics",
                "https://ann:***@example.org/a.ics",
            ),
            ("https://example.org/a.ics?b=c", "https://example.org/a.ics?b=c"),
            ("files", "files"),
        ] {
            assert_eq!(shown_address(text), expected);
        }
    }
}
