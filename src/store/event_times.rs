//! The times of events. Local times are stored as given, and instants are derived from them.

use chrono::{FixedOffset, NaiveDateTime};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryOrder, QuerySelect};

use super::{entity::event, read_connection::ReadConnection};
use crate::calendar::{
    date::instant_at,
    local_time::{EventTimes, LocalTime},
    tzdb,
    zone::Zone,
};

impl event::Model {
    /// Returns the times of the event. If the zone is unknown to the rules in use, they are computed from the instants in
    /// the site's zone. If only the instants are stored, they are computed in the event's zone.
    pub fn times(&self, site: &Zone) -> EventTimes {
        let zone = Zone::parse(&self.timezone);
        let is_stored = zone.is_ok() && !self.tz_release.is_empty();
        let zone = zone.unwrap_or(*site);
        let [start, end] = match is_stored {
            true => [
                stored(self.starts_local, self.starts_offset),
                stored(self.ends_local, self.ends_offset),
            ],
            false => [self.starts_at, self.ends_at].map(|second| LocalTime::at(&zone, instant_at(second))),
        };
        EventTimes { zone, start, end }
    }

    /// Sets the times, and the instants derived from them by the rules in use.
    pub fn set_times(&mut self, times: &EventTimes) {
        let EventTimes { zone, start, end } = times;
        self.timezone = zone.name();
        self.starts_at = start.instant(zone).timestamp();
        self.ends_at = end.instant(zone).timestamp();
        (self.starts_local, self.starts_offset) = columns(*start);
        (self.ends_local, self.ends_offset) = columns(*end);
        self.tz_release = tzdb::active().release().to_string();
    }
}

fn stored(local: i64, offset: Option<i64>) -> LocalTime {
    let offset = offset.and_then(|seconds| FixedOffset::east_opt(seconds.try_into().ok()?));
    LocalTime {
        local: local_at(local),
        offset,
    }
}

fn columns(time: LocalTime) -> (i64, Option<i64>) {
    let offset = time.offset.map(|offset| offset.local_minus_utc().into());
    (time.local.and_utc().timestamp(), offset)
}

/// Converts a stored local time, in seconds since 1970-01-01 00:00:00 on the local clock.
pub(crate) fn local_at(seconds: i64) -> NaiveDateTime {
    instant_at(seconds).naive_utc()
}

/// Counts events by the release of the time zone rules that their instants are derived from, oldest release first.
pub(crate) async fn releases(database: &impl ReadConnection) -> Result<Vec<(String, i64)>, DbErr> {
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::TzRelease)
        .column_as(event::Column::TzRelease.count(), "events")
        .group_by(event::Column::TzRelease)
        .order_by_asc(event::Column::TzRelease);
    database.selected(select).await
}

/// Reads the distinct time zones of events.
pub(crate) async fn zones(database: &impl ReadConnection) -> Result<Vec<String>, DbErr> {
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::Timezone)
        .distinct()
        .order_by_asc(event::Column::Timezone);
    database.selected(select).await
}
