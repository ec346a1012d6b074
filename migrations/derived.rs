//! What is derived from events and their links, so that lists and totals cost the same however many there are.
//!
//! Triggers keep it true ([`super::m0008_upkeep`]); here it is computed as a whole, for rows that were there
//! before the triggers or were stored beside them.

use sea_orm_migration::prelude::*;

use super::tally::Tally;

/// What of an event decides which lists it is in: links carry a copy of it.
pub const LISTED: &[&str] = &[
    "starts_at",
    "ends_at",
    "published_at",
    "hide_from_listings",
    "featured",
    "ticketed",
    "located",
];

/// How many events there are of each kind that lists tell apart, by when they start: `slot` counts stretches of
/// 2^16 seconds since 1970 UTC.
pub const EVENT_SLOTS: Tally = Tally {
    table: "event_slots",
    keys: &[
        "status",
        "hide_from_listings",
        "slot",
        "featured",
        "ticketed",
        "located",
    ],
};

/// How many published, listed events each category has.
pub const CATEGORY_EVENTS: Tally = Tally {
    table: "category_events",
    keys: &["target_id"],
};

/// How many published, listed events each tag has.
pub const TAG_EVENTS: Tally = Tally {
    table: "tag_events",
    keys: &["target_id"],
};

/// The tables of links.
pub const LINKS: [&str; 4] = ["event_venues", "event_organizers", "event_categories", "event_tags"];

/// The categories of events with all those above them, once each: an event is in the list of each of these.
pub const SECTIONS: &str = "event_sections";

/// The tables whose rows have a copy of what decides about lists.
pub const LISTINGS: [&str; 5] = [LINKS[0], LINKS[1], LINKS[2], LINKS[3], SECTIONS];

pub const TERMS: [(&str, &str, Tally); 2] = [
    ("event_categories", "categories", CATEGORY_EVENTS),
    ("event_tags", "tags", TAG_EVENTS),
];
pub const HOSTS: [(&str, &str); 2] = [("event_venues", "venues"), ("event_organizers", "organizers")];

/// Whether the event of a link is in lists, once its publication has come.
pub fn is_listed(link: &str) -> String {
    format!("({link}published_at IS NOT NULL AND NOT {link}hide_from_listings)")
}

/// Whether a venue can be found on a map by everybody, once its publication has come.
pub const IS_MAPPED: &str = "venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL";

/// Whether the event around has a venue that can be found on a map.
pub fn is_located() -> String {
    format!(
        "EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id \
         WHERE event_venues.event_id = events.id AND {IS_MAPPED})"
    )
}

/// The columns of [`LISTED`] as links carry them: only what is published has a publication there.
pub fn listed_values(event: &str) -> String {
    let values: Vec<String> = LISTED
        .iter()
        .map(|column| match *column {
            "published_at" => {
                format!("CASE WHEN {event}status = 'publish' THEN {event}published_at END")
            }
            column => format!("{event}{column}"),
        })
        .collect();
    values.join(", ")
}

/// What is above each category, from the top of the tree down.
pub async fn fill_paths(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    database
        .execute_unprepared(
            "WITH RECURSIVE paths (category_id, ancestor_id) AS (\
             SELECT id, id FROM categories UNION ALL \
             SELECT paths.category_id, categories.parent FROM paths \
             JOIN categories ON categories.id = paths.ancestor_id WHERE categories.parent <> 0) \
             INSERT INTO category_paths (category_id, ancestor_id) \
             SELECT category_id, ancestor_id FROM paths",
        )
        .await?;
    Ok(())
}

/// The sections of all events, with what their links have copied.
pub async fn fill_sections(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    let columns = LISTED.join(", ");
    database
        .execute_unprepared(&format!(
            "INSERT INTO {SECTIONS} (event_id, target_id, {columns}) \
             SELECT DISTINCT event_id, ancestor_id, {columns} FROM event_categories \
             JOIN category_paths ON category_id = target_id"
        ))
        .await?;
    Ok(())
}

/// Which events have a venue on the map, and what their links copy.
pub async fn fill_links(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    let is_located = is_located();
    database
        .execute_unprepared(&format!(
            "UPDATE events SET located = {is_located} WHERE located <> {is_located}"
        ))
        .await?;
    let (columns, values) = (LISTED.join(", "), listed_values(""));
    for link in LINKS {
        database
            .execute_unprepared(&format!(
                "UPDATE {link} SET ({columns}) = \
                 (SELECT {values} FROM events WHERE id = event_id)"
            ))
            .await?;
    }
    Ok(())
}

/// The sums, and when the last event of each host ends. Reads what the links have copied.
pub async fn fill_sums(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    let keys = "status, hide_from_listings, starts_at >> 16, featured, ticketed, located";
    let slots = EVENT_SLOTS.keys.join(", ");
    let mut statements = vec![
        "DELETE FROM event_slots".to_owned(),
        format!(
            "INSERT INTO event_slots ({slots}, events) \
             SELECT {keys}, COUNT(*) FROM events GROUP BY {keys}"
        ),
    ];
    for (link, _, Tally { table, .. }) in TERMS {
        statements.push(format!("DELETE FROM {table}"));
        statements.push(format!(
            "INSERT INTO {table} (target_id, events) \
             SELECT target_id, COUNT(*) FROM {link} WHERE {} GROUP BY target_id",
            is_listed("")
        ));
    }
    for (link, host) in HOSTS {
        statements.push(format!(
            "UPDATE {host} SET last_ends_at = (SELECT MAX(ends_at) FROM {link} \
             WHERE target_id = {host}.id AND published_at IS NOT NULL)"
        ));
    }
    for statement in statements {
        database.execute_unprepared(&statement).await?;
    }
    Ok(())
}
