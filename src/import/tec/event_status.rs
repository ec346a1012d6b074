//! Whether events take place: lists of The Events Calendar do not say so, but single events do, as structured data.

use chrono::Utc;
use clap::ValueEnum;
use serde_json::Value;

use super::{super::ImportError, client::Site, read};

/// The events that are read one by one, for which sites take as long as for a whole page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatusOf {
    /// Events that have not ended
    Upcoming,
    /// All events
    All,
}

impl StatusOf {
    /// Whether the event is one of them.
    pub(super) fn includes(self, event: &Value) -> bool {
        match self {
            Self::Upcoming => read::utc(&event["utc_end_date"]).is_none_or(|end| end > Utc::now().timestamp()),
            Self::All => true,
        }
    }
}

/// Adds the structured data to events of a list.
pub(super) async fn complete(site: &Site<'_>, events: &mut [Value], which: StatusOf) -> Result<(), ImportError> {
    for event in events {
        if !event["json_ld"].is_null() || !which.includes(event) {
            continue;
        }
        let Some(id) = read::id(event) else {
            continue;
        };
        if let Some(mut single) = site.object(&format!("/events/{id}")).await? {
            event["json_ld"] = single["json_ld"].take();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn past_events() {
        let (past, upcoming) = (
            json!({"utc_end_date": "2001-01-01 00:00:00"}),
            json!({"utc_end_date": "2999-01-01 00:00:00"}),
        );
        assert!(!StatusOf::Upcoming.includes(&past));
        assert!(StatusOf::Upcoming.includes(&upcoming));
        assert!(StatusOf::Upcoming.includes(&json!({})));
        assert!(StatusOf::All.includes(&past));
    }
}
