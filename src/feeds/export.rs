//! The events of a list for `almanac export`: whoever may read the database may export unpublished events, too.

use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use poem::Request;

use super::{events, feed::Feed, ical::CalendarWriter};
use crate::{
    Almanac,
    api::{events::EventQuery, unknown_names},
    auth::{Caller, Identity, Role},
    calendar::{
        Variant,
        date::CacheLifetime,
        window::{DefaultWindow, Window},
    },
    error::Problem,
    extract::Params,
    store::{
        Snapshot, calendar_state,
        events::{Outline, outline},
        visibility::Visibility,
    },
};

/// An ID that no user has.
const NOBODY: i64 = 0;

/// The events of a list. Their rows are read in batches.
pub(crate) struct SelectedEvents {
    caller: Caller,
    visibility: Visibility,
    outline: Outline,
    feed: Feed,
}

impl SelectedEvents {
    /// Selects events by the parameters of lists, such as `categories=jazz&status=any`. Without dates, those of all
    /// times are selected. Unknown parameters are errors.
    pub(crate) async fn of(almanac: &Arc<Almanac>, query: &str) -> Result<Self, Problem> {
        let mut request = Request::builder().header("prefer", "handling=strict").finish();
        *request.uri_mut() = address(query).parse().map_err(Problem::internal)?;
        request.set_data(almanac.clone());
        request.set_data(Variant::B);
        unknown_names::collect(&mut request);
        let params: Params<EventQuery> = Params::of(&request).map_err(Problem::internal)?;
        let mut caller = Caller::anonymous(&request)?;
        caller.identity = Identity::User {
            id: NOBODY,
            role: Role::Administrator,
        };
        let select = |snapshot: Arc<Snapshot>| {
            let (params, caller) = (params.clone(), &caller);
            async move {
                let all = DefaultWindow::Other(Window::default(), CacheLifetime::Unlimited);
                let Params { query, errors, .. } = params;
                let (_, query, _) = query.resolve(caller, &*snapshot, errors, all).await?;
                let state = calendar_state::read(&*snapshot, caller.timestamp()).await?;
                let outline = outline(&*snapshot, &query).await?;
                Ok::<_, Problem>((query.visibility, state, outline))
            }
        };
        let (visibility, state, outline) = caller.read(select).await?;
        let feed = Feed::new(&caller, state.uuid, state.changed_at, &[], None);
        Ok(Self {
            caller,
            visibility,
            outline,
            feed,
        })
    }

    /// The IDs of the events, sorted by start.
    pub(crate) fn ids(&self) -> &[i64] {
        &self.outline.ids
    }

    /// Passes the parts of a calendar of the events to `send`, with the number of events in the part.
    pub(crate) async fn write_calendar<E: From<Problem>>(
        &self,
        mut send: impl AsyncFnMut(String, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut writer = CalendarWriter::begin(&self.caller, &self.feed, &self.outline);
        for batch in events::batches(&self.caller, &self.outline.ids) {
            let read = |snapshot: Arc<Snapshot>| async move {
                events::read(&self.caller, &snapshot, &self.visibility, batch).await
            };
            writer.write(&self.caller.read(read).await?);
            send(writer.take(), batch.len()).await?;
        }
        send(writer.finish(), 0).await
    }
}

/// The address of the calendar with a query, in which a shell may have left spaces and letters outside ASCII.
fn address(query: &str) -> String {
    let query = utf8_percent_encode(query, UNQUERYABLE);
    format!("/events.ics?{query}")
}

/// What a query can't contain (<https://url.spec.whatwg.org/#query-percent-encode-set>).
const UNQUERYABLE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_of_a_shell_is_encoded() {
        for query in [
            "search=open air&categories=jazz",
            "search=größe",
            "search=\"a\"#<>",
            "search=a%20b",
            "",
        ] {
            let uri: poem::http::Uri = address(query).parse().expect(query);
            assert_eq!(uri.path(), "/events.ics");
        }
        assert_eq!(address("search=a%20b c"), "/events.ics?search=a%20b%20c");
    }
}
