//! Series of events.

use std::sync::Arc;

use almanac_derive::Parameters;
use poem_openapi::OpenApi;
use serde_json::json;

use super::{
    Tag,
    events::{EventPayload, EventQuery, list},
};
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{
        date::{CacheLifetime, DateTimeInput},
        status::Status,
        window::{DefaultWindow, Window},
    },
    error::Problem,
    extract::{
        Create, Fields, IdInPath, MaybeUndefined, Parameter, Parameters, Params, Payload, Update,
        lenient_bool::LenientBool, recurrence::RecurrenceLines, text::ZoneName,
    },
    response::{CachePolicy, Deleted, Found, ListedOfSeries, Previewed, Reply, UpdatedSeries},
    services::series as service,
    store::{
        Snapshot,
        entity::series as rows,
        series::{self, Series},
    },
    views::{
        event::EventView,
        list::EventList,
        series::{SeriesPreviewView, SeriesView, preview, represent},
    },
};

/// The endpoints of series.
pub(crate) struct SeriesApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Series")]
impl SeriesApi {
    /// Preview a series
    ///
    /// Returns what a rule means, without storing anything: the rule in words, and the first 50 events. The body may be
    /// that of a new event, of which only the times and the rule are used. No credentials are required.
    #[oai(path = "/series/preview", method = "post", operation_id = "previewSeries")]
    async fn preview(
        &self,
        reader: Reader,
        body: Create<PreviewPayload>,
    ) -> Result<Previewed<SeriesPreviewView>, Problem> {
        let (payload, errors) = body.read().await?;
        let service::Preview { shape, slots, total } = service::preview(&reader, payload.into(), errors)?;
        Ok(Reply::new(preview(&reader, &shape, &slots, total)))
    }

    /// Get a series
    ///
    /// Returns the rule, in words too, and the fields that the events of the series share.
    #[oai(path = "/series/:id", method = "get", operation_id = "getSeries")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the series.
        id: IdInPath,
        params: Params<(), SeriesView>,
    ) -> Result<Found<SeriesView>, Problem> {
        let read = |snapshot| read(&reader, snapshot, id.0, params.clone());
        reader.read(read).await
    }

    /// Update a series
    ///
    /// Changes the given fields of all its events, except for those that an event has changed on its own. `null` clears a
    /// field. POST, PUT and PATCH are equivalent. After a change of the rule or of the times, events keep their IDs if the
    /// new rule has their start or their day, and others go to the trash. A `status` other than `trash` restores a series
    /// from the trash. With `If-Match`, the update applies only to the version that you have read.
    #[oai(path = "/series/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the series.
        id: IdInPath,
        body: Update<SeriesPayload>,
    ) -> Result<UpdatedSeries<SeriesView>, Problem> {
        let represent = |snapshot, row| represent_written(&writer, snapshot, row);
        let (stored, view) = service::update_series(&writer, id.0, body, |body| body.0, represent).await?;
        Ok(Reply::new(view).with_version(stored.version))
    }

    /// Delete a series
    ///
    /// Moves it and all its events to the trash. A `status` in an update restores them. A second deletion returns 410.
    #[oai(path = "/series/:id", method = "delete", operation_id = "deleteSeries")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the series.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<Deleted<SeriesView>, Problem> {
        let represent = |snapshot, row| represent_written(&writer, snapshot, row);
        let (_, view) = service::delete_series(&writer, id.0, &params.errors, represent).await?;
        Ok(Reply::new(view))
    }

    /// List the events of a series
    ///
    /// Lists the events of a series like `/events` with the parameter `series`, but of all times unless the query has
    /// dates.
    #[oai(path = "/series/:id/events", method = "get", operation_id = "listSeriesEvents")]
    async fn events(
        &self,
        reader: Reader,
        /// ID of the series.
        id: IdInPath,
        params: Params<EventQuery, EventView>,
    ) -> Result<ListedOfSeries<EventList>, Problem> {
        let list = |snapshot: Arc<Snapshot>| {
            let params = params.clone();
            let reader = &reader;
            let id = id.0;
            async move {
                find(reader, &snapshot, id).await?;
                let all = DefaultWindow::Other(Window::default(), CacheLifetime::Unlimited);
                list(reader, snapshot, params, all, Some(id)).await
            }
        };
        reader.read(list).await
    }
}

/// The times and the rule of a series that is not stored.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct PreviewPayload {
    /// Time zone of the events, as for a new event. Default: the site's time zone.
    #[param(example = "Europe/Berlin")]
    pub timezone: MaybeUndefined<ZoneName>,
    /// Whether the events last all day.
    #[param(default = false, example = false)]
    pub all_day: MaybeUndefined<LenientBool>,
    /// Start of the first event, in its time zone and in the formats of a new event.
    #[param(required, example = "2027-05-07 19:30:00")]
    pub start_date: MaybeUndefined<DateTimeInput>,
    /// End of the first event, in its time zone and in the formats of a new event. Default: its start.
    #[param(not_clearable, example = "2027-05-07 22:00:00")]
    pub end_date: MaybeUndefined<DateTimeInput>,
    /// Rule of the series (RFC 5545), as for a new event: `RRULE`, `RDATE` and `EXDATE` lines, as a list or as one text.
    #[param(required, example = json!(["RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3"]))]
    pub recurrence: MaybeUndefined<RecurrenceLines>,
}

impl Payload for PreviewPayload {
    /// The body may be that of a new event, whose other fields are known.
    type Representation = EventView;

    const NAME: &'static str = "SeriesRule";
    const CREATE: &'static str = "The times of the first event of a series, and its rule.";
    const UPDATE: &'static str = Self::CREATE;
}

impl From<PreviewPayload> for service::PreviewTimes {
    fn from(payload: PreviewPayload) -> Self {
        let PreviewPayload {
            timezone,
            all_day,
            start_date,
            end_date,
            recurrence,
        } = payload;
        Self {
            timezone,
            all_day,
            start_date,
            end_date,
            recurrence,
        }
    }
}

/// The fields of a series: those of an event.
#[derive(Clone, Debug)]
pub(crate) struct SeriesPayload(pub EventPayload);

impl Parameters for SeriesPayload {
    fn parameters() -> &'static [Parameter] {
        EventPayload::parameters()
    }

    fn take(fields: &mut Fields) -> Self {
        Self(EventPayload::take(fields))
    }
}

impl Payload for SeriesPayload {
    type Representation = SeriesView;

    const NAME: &'static str = EventPayload::NAME;
    const CREATE: &'static str = EventPayload::CREATE;
    const UPDATE: &'static str = EventPayload::UPDATE;
}

async fn read(
    reader: &Caller,
    snapshot: Arc<Snapshot>,
    id: i64,
    params: Params<(), SeriesView>,
) -> Result<Found<SeriesView>, Problem> {
    let row = find(reader, &snapshot, id).await?;
    let version = row.version;
    let view = represent(reader, &snapshot, row).await?;
    params.errors.into_result()?;
    Ok(Reply::new(view)
        .in_media_type(reader.media_type)
        .with_version(version)
        .with_cache_policy(Some(CachePolicy::WITHOUT_EVENT_TEXTS))
        .with_fields(params.fields))
}

/// Finds a series that the reader may read.
async fn find(reader: &Caller, snapshot: &Snapshot, id: i64) -> Result<rows::Model, Problem> {
    let row = series::find(snapshot, id)
        .await?
        .ok_or_else(Problem::series_not_found)?;
    let columns = Series::columns_of(&row);
    match reader.identity.may_see(&columns, reader.timestamp()) {
        true => Ok(row),
        false if columns.status == Status::Trash => Err(Problem::series_no_longer_available()),
        false => Err(Problem::series_not_accessible()),
    }
}

async fn represent_written(writer: &Writer, snapshot: Arc<Snapshot>, row: rows::Model) -> Result<SeriesView, Problem> {
    represent(writer, &snapshot, row).await
}
