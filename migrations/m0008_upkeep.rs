//! The triggers that keep what is derived true.

use sea_orm_migration::prelude::*;

use super::{
    derived::{EVENT_SLOTS, HOSTS, IS_MAPPED, LISTED, LISTINGS, SECTIONS, TERMS, is_listed, is_located, listed_values},
    trigger::{Trigger, lock},
};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        copies(manager).await?;
        slots(manager).await?;
        terms(manager).await?;
        hosts(manager).await?;
        located(manager).await?;
        paths(manager).await?;
        uprooted(manager).await?;
        sections(manager).await
    }
}

async fn create(
    manager: &SchemaManager<'_>,
    name: impl Into<String>,
    event: &'static str,
    table: &'static str,
    body: Vec<String>,
) -> Result<(), DbErr> {
    let trigger = Trigger {
        name: name.into(),
        event: event.to_owned(),
        table,
        body,
    };
    trigger.create(manager).await
}

/// Links carry the listing of their event.
async fn copies(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let columns = LISTED.join(", ");
    let body = LISTINGS.map(|link| {
        format!(
            "UPDATE {link} SET ({columns}) = (SELECT {}) WHERE event_id = NEW.id",
            listed_values("NEW.")
        )
    });
    create(
        manager,
        "events_to_links",
        "UPDATE OF status, published_at, starts_at, ends_at, hide_from_listings, featured, \
         ticketed, located",
        "events",
        body.into(),
    )
    .await?;
    for link in LISTINGS {
        let mut body = Vec::new();
        if link == "event_venues" {
            body.push(format!(
                "UPDATE events SET located = TRUE WHERE id = NEW.event_id AND NOT located \
                 AND EXISTS (SELECT 1 FROM venues WHERE venues.id = NEW.target_id AND {IS_MAPPED})"
            ));
        }
        body.push(format!(
            "UPDATE {link} SET ({columns}) = \
             (SELECT {} FROM events WHERE events.id = NEW.event_id) \
             WHERE event_id = NEW.event_id AND target_id = NEW.target_id",
            listed_values("events.")
        ));
        create(manager, format!("{link}_from_event"), "INSERT", link, body).await?;
    }
    Ok(())
}

/// How many events start when.
async fn slots(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let add = |row: &str, amount: &str| {
        let values: Vec<String> = EVENT_SLOTS
            .keys
            .iter()
            .map(|key| match *key {
                "slot" => format!("{row}.starts_at >> 16"),
                key => format!("{row}.{key}"),
            })
            .collect();
        EVENT_SLOTS.add(manager, &values, amount, "TRUE")
    };
    for (name, event, body) in [
        ("events_counted", "INSERT", add("NEW", "1")),
        (
            "events_recounted",
            "UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located",
            [add("OLD", "-1"), add("NEW", "1")].concat(),
        ),
        ("events_discounted", "DELETE", add("OLD", "-1")),
    ] {
        create(manager, name, event, "events", body).await?;
    }
    Ok(())
}

/// How many events each category and tag has. A new link is counted when it gets its event's publication.
async fn terms(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (link, term, tally) in TERMS {
        let (old, new) = (is_listed("OLD."), is_listed("NEW."));
        let difference = format!("CASE WHEN {new} THEN 1 ELSE -1 END");
        let target = ["OLD.target_id".to_owned()];
        let body = tally.add(manager, &target, &difference, &format!("{old} <> {new}"));
        create(
            manager,
            format!("{link}_recounted"),
            "UPDATE OF published_at, hide_from_listings",
            link,
            body,
        )
        .await?;
        // Where the term itself goes, its links go after it on PostgreSQL.
        let still = format!("{old} AND EXISTS (SELECT 1 FROM {term} WHERE id = OLD.target_id)");
        let body = tally.add(manager, &target, "-1", &still);
        create(manager, format!("{link}_discounted"), "DELETE", link, body).await?;
        let body = vec![format!("DELETE FROM {} WHERE target_id = OLD.id", tally.table)];
        create(manager, format!("{term}_forgotten"), "DELETE", term, body).await?;
    }
    Ok(())
}

/// When the last published event of each venue and organizer ends.
///
/// A writer that lowers it looks through all links, so it waits for those that add some, and they for it.
async fn hosts(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (link, host) in HOSTS {
        let lower = |condition: &str| {
            let condition = format!("OLD.published_at IS NOT NULL AND {condition}");
            let host_of_link = format!("id = OLD.target_id AND {condition}");
            let mut body = lock(manager, "UPDATE", host, &host_of_link);
            body.push(format!(
                "UPDATE {host} SET last_ends_at = (SELECT MAX(ends_at) FROM {link} \
                 WHERE target_id = OLD.target_id AND published_at IS NOT NULL) \
                 WHERE last_ends_at = OLD.ends_at AND {host_of_link}"
            ));
            body
        };
        let host_of_link = "id = NEW.target_id AND NEW.published_at IS NOT NULL";
        let mut body = lock(manager, "KEY SHARE", host, host_of_link);
        body.push(format!(
            "UPDATE {host} SET last_ends_at = NEW.ends_at WHERE {host_of_link} \
             AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at)"
        ));
        body.extend(lower("(NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at)"));
        create(
            manager,
            format!("{link}_prolonged"),
            "UPDATE OF ends_at, published_at",
            link,
            body,
        )
        .await?;
        create(manager, format!("{link}_shortened"), "DELETE", link, lower("TRUE")).await?;
    }
    Ok(())
}

/// Whether an event has a venue on the map.
async fn located(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let is_located = is_located();
    let body = vec![format!(
        "UPDATE events SET located = {is_located} WHERE id = OLD.event_id AND located"
    )];
    create(manager, "event_venues_unlocated", "DELETE", "event_venues", body).await?;
    // Waits for writers that link to the venue, and they for this one.
    let mut body = lock(manager, "UPDATE", "venues", "id = NEW.id");
    body.push(format!(
        "UPDATE events SET located = {is_located} \
         WHERE id IN (SELECT event_id FROM event_venues WHERE target_id = NEW.id) \
         AND located <> {is_located}"
    ));
    create(
        manager,
        "venues_located",
        "UPDATE OF status, geo_lat, geo_lng",
        "venues",
        body,
    )
    .await
}

/// What is above each category. The path of a parent is there before its children.
async fn paths(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let body = vec![
        "INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, NEW.id".to_owned(),
        "INSERT INTO category_paths (category_id, ancestor_id) \
         SELECT NEW.id, ancestor_id FROM category_paths WHERE category_id = NEW.parent"
            .to_owned(),
    ];
    create(manager, "categories_planted", "INSERT", "categories", body).await?;
    let below = "SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id";
    let events = format!("SELECT event_id FROM event_categories WHERE target_id IN ({below})");
    let body = vec![
        format!(
            "DELETE FROM category_paths \
             WHERE category_id IN ({below}) AND ancestor_id NOT IN ({below})"
        ),
        "INSERT INTO category_paths (category_id, ancestor_id) \
         SELECT below.category_id, above.ancestor_id \
         FROM category_paths AS below, category_paths AS above \
         WHERE below.ancestor_id = NEW.id AND above.category_id = NEW.parent"
            .to_owned(),
        format!(
            "DELETE FROM {SECTIONS} WHERE event_id IN ({events}) AND NOT {}",
            is_in_section(SECTIONS)
        ),
        format!(
            "INSERT INTO {SECTIONS} (event_id, target_id) SELECT DISTINCT event_id, ancestor_id \
             FROM event_categories JOIN category_paths ON category_id = target_id \
             WHERE event_id IN ({events}) ON CONFLICT DO NOTHING"
        ),
    ];
    create(manager, "categories_moved", "UPDATE OF parent", "categories", body).await
}

/// Nothing is left of a category that goes.
async fn uprooted(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let body = vec![
        "DELETE FROM category_paths WHERE category_id = OLD.id OR ancestor_id = OLD.id".to_owned(),
        format!("DELETE FROM {SECTIONS} WHERE target_id = OLD.id"),
    ];
    create(manager, "categories_uprooted", "DELETE", "categories", body).await
}

/// Whether the event of a section has the category or one below it.
fn is_in_section(section: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM event_categories \
         JOIN category_paths ON category_id = event_categories.target_id \
         WHERE event_categories.event_id = {section}.event_id AND ancestor_id = {section}.target_id)"
    )
}

/// The sections of events.
async fn sections(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let body = vec![format!(
        "INSERT INTO {SECTIONS} (event_id, target_id) \
         SELECT NEW.event_id, ancestor_id FROM category_paths WHERE category_id = NEW.target_id \
         ON CONFLICT DO NOTHING"
    )];
    create(
        manager,
        "event_categories_sectioned",
        "INSERT",
        "event_categories",
        body,
    )
    .await?;
    let body = vec![format!(
        "DELETE FROM {SECTIONS} WHERE event_id = OLD.event_id AND NOT {}",
        is_in_section(SECTIONS)
    )];
    create(
        manager,
        "event_categories_unsectioned",
        "DELETE",
        "event_categories",
        body,
    )
    .await
}
