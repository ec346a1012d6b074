//! The times of an event: the local times are stored as they were given, and the instants are derived from them.

use chrono::{FixedOffset, NaiveDateTime};

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryOrder, QuerySelect};

use super::entity::event;
use crate::calendar::{
    date::instant_at,
    local_time::{EventTimes, LocalTime},
    tzdb,
    zone::Zone,
};

impl event::Model {
    /// When it is, as it is shown. A zone that the rules in use lack reads as the site's, by the instants, and so do
    /// events of which nothing but the instants is known.
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

    /// Takes over the times, and the instants that the rules in use derive from them.
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

/// The local time so many seconds after 1970-01-01 00:00:00 on the same clock, as local times are stored.
fn local_at(seconds: i64) -> NaiveDateTime {
    instant_at(seconds).naive_utc()
}

/// The releases by which events were derived, oldest first, with the number of events of each.
pub async fn releases(database: &impl ConnectionTrait) -> Result<Vec<(String, i64)>, DbErr> {
    event::Entity::find()
        .select_only()
        .column(event::Column::TzRelease)
        .column_as(event::Column::TzRelease.count(), "events")
        .group_by(event::Column::TzRelease)
        .order_by_asc(event::Column::TzRelease)
        .into_tuple()
        .all(database)
        .await
}

/// The names of the zones that events are in.
pub async fn zones(database: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    event::Entity::find()
        .select_only()
        .column(event::Column::Timezone)
        .distinct()
        .order_by_asc(event::Column::Timezone)
        .into_tuple()
        .all(database)
        .await
}
