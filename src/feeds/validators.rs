//! The validators of a feed, which are known before it is written (RFC 9110, section 8.8).

use poem::http::{HeaderMap, HeaderValue, header};

use crate::{
    auth::Caller,
    calendar::{
        date::{CacheLifetime, instant_at},
        tzdb,
        window::start_of_today,
    },
    response::entity_tag,
    store::calendar_state::{CalendarState, CalendarVersion},
};

/// A change becomes visible up to this long after its time, in seconds: with the commit of its transaction.
const TRANSACTION_TIME: i64 = 5;

/// The entity tag and the date of the last change. None for a feed that depends on the time of day.
pub(super) struct Validators(Option<(HeaderValue, HeaderValue)>);

impl Validators {
    /// The validators of all feeds of a state, at the day of the caller's time.
    pub(super) fn new(caller: &Caller, state: &CalendarState, cache_lifetime: CacheLifetime) -> Self {
        if cache_lifetime == CacheLifetime::Uncacheable {
            return Self(None);
        }
        let settings = &caller.almanac.settings;
        let site = &settings.site.zone;
        let day = start_of_today(site, caller.now);
        let CalendarVersion(version) = &state.version;
        // A feed also depends on other things: this program and its settings, the time zone rules, and the caller.
        let parts = format!(
            "{version:?} {day} {} {} {} {} {:?} {:?} {} {:?}",
            env!("CARGO_PKG_VERSION"),
            tzdb::active().release(),
            site.name(),
            settings.language.tag(),
            settings.branding.site_name,
            settings.branding.site_description,
            caller.address.base,
            caller.identity.user(),
        );
        // A client that has read the feed within the second of a change, or before its commit, must not miss the change.
        let changed_at = state.changed_at.max(day).min(caller.timestamp() - TRANSACTION_TIME);
        // Weak: the bytes of a stream are not compared.
        let entity_tag = HeaderValue::from_str(&format!("W/{}", entity_tag(None, parts.as_bytes())));
        let last_modified = HeaderValue::from_str(&http_date(changed_at));
        Self(entity_tag.ok().zip(last_modified.ok()))
    }

    /// The headers of a stream, whose bytes are not known in advance.
    pub(super) fn of_stream(&self) -> HeaderMap {
        let mut headers = self.of_body();
        let entity_tag = self.0.as_ref().map(|(entity_tag, _)| entity_tag.clone());
        headers.extend(entity_tag.map(|tag| (header::ETAG, tag)));
        headers
    }

    /// The headers of a body of known length, to which a layer adds a strong entity tag.
    pub(super) fn of_body(&self) -> HeaderMap {
        let last_modified = self.0.as_ref().map(|(_, last_modified)| last_modified.clone());
        last_modified
            .map(|date| (header::LAST_MODIFIED, date))
            .into_iter()
            .collect()
    }
}

/// A date of HTTP (RFC 9110, section 5.6.7), from seconds since 1970 UTC.
fn http_date(second: i64) -> String {
    instant_at(second).format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use super::http_date;

    #[test]
    fn http_dates() {
        assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
