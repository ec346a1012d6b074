//! The metadata of a feed, in all formats.

use sha2::{Digest, Sha256};

use crate::{auth::Caller, config::Branding};

/// A feed.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    /// The UUID of the calendar.
    pub calendar: String,
    pub title: String,
    pub description: String,
    /// The URL of the feed itself.
    pub url: String,
    /// The URL of the page with the same events.
    pub page_url: String,
    /// The last change of the calendar, in seconds since 1970 UTC.
    pub changed_at: i64,
}

impl Feed {
    /// A feed of the calendar. `names` are those of the objects by which it is filtered, `page_url` is the page of the
    /// first of them.
    pub(super) fn new(
        caller: &Caller,
        calendar: String,
        changed_at: i64,
        names: &[String],
        page_url: Option<String>,
    ) -> Self {
        let base = &caller.address.base;
        let path_and_query = caller.uri.path_and_query().map_or("/", |path| path.as_str());
        let Branding {
            site_name,
            site_description,
            ..
        } = &caller.almanac.settings.branding;
        let title = match names {
            [] => site_name.clone(),
            names => format!("{} – {site_name}", names.join(", ")),
        };
        let description = site_description.as_ref().filter(|text| !text.is_empty());
        Self {
            calendar,
            // RSS requires one.
            description: description.unwrap_or(&title).clone(),
            title,
            url: format!("{base}{path_and_query}"),
            page_url: page_url.unwrap_or_else(|| format!("{base}/events")),
            changed_at,
        }
    }

    /// The identifier of the feed, as a URN.
    pub(super) fn urn(&self) -> String {
        // Without the host, which may change.
        let path = self.url.splitn(4, '/').nth(3).unwrap_or_default();
        urn(&format!("{}/{path}", self.calendar))
    }

    /// The identifier of an event in the feed, as a URN.
    pub(super) fn urn_of(&self, event: i64) -> String {
        urn(&format!("{event}@{}", self.calendar))
    }
}

/// A UUID of version 8 (RFC 9562, section 5.8): the SHA-256 of the name.
fn urn(name: &str) -> String {
    let digest = Sha256::digest(name.as_bytes());
    let mut bytes: [u8; 16] = std::array::from_fn(|index| digest[index]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex = hex::encode(bytes);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("urn:uuid:{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::urn;

    #[test]
    fn urns_are_stable_uuids() {
        let found = urn("1@a");
        assert_eq!(found, urn("1@a"));
        assert_ne!(found, urn("2@a"));
        let parts: Vec<&str> = found.trim_start_matches("urn:uuid:").split('-').collect();
        assert_eq!(
            parts.iter().map(|part| part.len()).collect::<Vec<_>>(),
            [8, 4, 4, 4, 12]
        );
        assert!(
            parts[2].starts_with('8') && parts[3].starts_with(['8', '9', 'a', 'b']),
            "{found}"
        );
    }
}
