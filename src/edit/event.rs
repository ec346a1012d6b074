//! The fields of an event.

use super::{
    Edit, Edited, following,
    publication::{self, Publication, keep_or_resolve},
    references::{self, Hosts},
};
use crate::{
    api::described::EventFields,
    auth::Caller,
    calendar::{
        date::{When, instant_at},
        text::{fold, strip},
        zone::Zone,
    },
    store::{
        Transaction,
        entity::{category, event, event_category, event_organizer, event_tag, event_venue, tag},
        links::{self, LinkedIds},
        post::{Frame, PostRow},
    },
    wire::{Fault, Field, Problem, flag::Flag, numbers::Id, texts::ZoneName},
};

/// What an event is to link to; nothing is said where absent.
#[derive(Debug, Default)]
pub struct EventLinks {
    before: LinkedIds,
    venues: Option<Hosts>,
    organizers: Option<Hosts>,
    categories: Option<Vec<i64>>,
    tags: Option<Vec<i64>>,
}

impl Edited for event::Entity {
    type Fields = EventFields;
    type Links = EventLinks;

    fn blank(caller: &Caller) -> event::Model {
        let identity = caller.identity;
        let mut row = event::Model {
            id: publication::NEW,
            version: 1,
            status: String::new(),
            trashed_status: None,
            trashed_at: None,
            slug: String::new(),
            published_at: 0,
            modified_at: 0,
            title: String::new(),
            description: String::new(),
            search_text: String::new(),
            author_id: None,
            image_id: None,
            excerpt: String::new(),
            starts_at: 0,
            ends_at: 0,
            timezone: caller.almanac.settings.site.zone.name(),
            cost: String::new(),
            website: String::new(),
            custom_fields: "{}".to_owned(),
            post_parent: None,
            all_day: false,
            show_map: false,
            show_map_link: false,
            hide_from_listings: false,
            sticky: false,
            featured: false,
            ticketed: false,
            located: false,
        };
        row.set_frame(publication::blank(
            caller.timestamp(),
            identity.user(),
            identity.may_publish(),
        ));
        row
    }

    async fn apply(
        edit: &mut Edit<'_>,
        row: &mut event::Model,
        fields: EventFields,
    ) -> Result<EventLinks, Problem> {
        // Taken apart, so that no field can be forgotten here.
        let EventFields {
            author,
            date,
            date_utc,
            title,
            description,
            slug,
            excerpt,
            status,
            timezone,
            all_day,
            start_date,
            end_date,
            image,
            cost,
            website,
            show_map,
            show_map_link,
            hide_from_listings,
            sticky,
            featured,
            categories,
            tags,
            venue,
            organizer,
            post_parent,
            ticketed,
            custom_fields,
        } = fields;
        let publication = Publication {
            author,
            date,
            date_utc,
            title,
            description,
            slug,
            status,
            image,
        };
        let mut frame = row.frame();
        publication::apply::<event::Entity>(edit, &mut frame, publication).await?;
        row.set_frame(frame);
        apply_times(edit, row, timezone, all_day, start_date, end_date);
        excerpt.map(String::from).write_to(&mut row.excerpt);
        cost.map(String::from).write_to(&mut row.cost);
        website.map(String::from).write_to(&mut row.website);
        apply_parent(edit, row, post_parent);
        match custom_fields {
            Field::Absent => {}
            Field::Cleared => row.custom_fields = "{}".to_owned(),
            Field::Given(fields) => {
                row.custom_fields = serde_json::Value::Object(fields.0).to_string();
            }
        }
        for (field, place) in [
            (show_map, &mut row.show_map),
            (show_map_link, &mut row.show_map_link),
            (hide_from_listings, &mut row.hide_from_listings),
            (sticky, &mut row.sticky),
            (featured, &mut row.featured),
            (ticketed, &mut row.ticketed),
        ] {
            field.map(|flag| flag.0).write_to(place);
        }
        row.search_text = search_text(&row.title, &row.description);
        let says_nothing = venue.is_absent()
            && organizer.is_absent()
            && categories.is_absent()
            && tags.is_absent();
        let before = match row.id == publication::NEW || says_nothing {
            true => LinkedIds::default(),
            false => links::of_events(edit.transaction, &[row.id]).await?,
        };
        let venues = before.of_event::<event_venue::Entity>(row.id);
        let organizers = before.of_event::<event_organizer::Entity>(row.id);
        Ok(EventLinks {
            before,
            venues: references::hosts::<event_venue::Entity>(edit, row, &venues, venue).await?,
            organizers: references::hosts::<event_organizer::Entity>(
                edit,
                row,
                &organizers,
                organizer,
            )
            .await?,
            categories: references::terms::<category::Entity>(edit, categories).await?,
            tags: references::terms::<tag::Entity>(edit, tags).await?,
        })
    }

    async fn pass_on(
        transaction: &Transaction,
        before: &Frame,
        after: &Frame,
        now: i64,
    ) -> Result<(), Problem> {
        following::pass_on(transaction, before, after, now).await
    }

    async fn save_links(edit: &Edit<'_>, id: i64, to: EventLinks) -> Result<bool, Problem> {
        let EventLinks {
            before,
            venues,
            organizers,
            categories,
            tags,
        } = to;
        let transaction = edit.transaction;
        let mut changed = false;
        changed |=
            references::save_hosts::<event_venue::Entity>(transaction, id, &before, venues).await?;
        changed |=
            references::save_hosts::<event_organizer::Entity>(transaction, id, &before, organizers)
                .await?;
        changed |=
            links::replace::<event_category::Entity>(transaction, id, &before, categories).await?;
        changed |= links::replace::<event_tag::Entity>(transaction, id, &before, tags).await?;
        Ok(changed)
    }
}

/// What a search of events looks through.
pub fn search_text(title: &str, description: &str) -> String {
    fold(&format!("{title}\n{}", strip(description)))
}

/// The parent, which need not exist. A number that was too large to be read stands as the largest one: stored, it
/// would be another than was sent.
fn apply_parent(edit: &mut Edit<'_>, row: &mut event::Model, post_parent: Field<Id>) {
    if post_parent.as_given() == Some(&Id(i64::MAX)) {
        let fault = Fault::invalid("is larger than any ID");
        edit.faults.add("post_parent", fault);
        return;
    }
    post_parent
        .map(|id| id.0)
        .write_to_option(&mut row.post_parent);
}

/// Start and end. Each given one counts in the new zone; one that is not given keeps its local time.
fn apply_times(
    edit: &mut Edit<'_>,
    row: &mut event::Model,
    timezone: Field<ZoneName>,
    all_day: Field<Flag>,
    start_date: Field<When>,
    end_date: Field<When>,
) {
    let site = &edit.caller.almanac.settings.site.zone;
    // Only names that parse are stored; a zone that the time-zone data no longer has reads as the site's.
    let old = Zone::parse(&row.timezone).unwrap_or(*site);
    let zone = match timezone {
        Field::Absent => old,
        Field::Cleared => *site,
        Field::Given(zone) => zone.0,
    };
    let moved = zone != old;
    let now = edit.caller.now;
    let resolve = |date: Field<When>, stored: i64| match date.given() {
        Some(date) if moved => date.resolve(&zone, now).instant.timestamp(),
        Some(date) => keep_or_resolve(&date, &zone, stored, now),
        None if moved => zone
            .to_instant(old.to_local(instant_at(stored)))
            .timestamp(),
        None => stored,
    };
    row.starts_at = resolve(start_date, row.starts_at);
    row.ends_at = resolve(end_date, row.ends_at);
    row.timezone = zone.name();
    all_day.map(|flag| flag.0).write_to(&mut row.all_day);
    if row.all_day {
        let first = zone.to_local(instant_at(row.starts_at)).date();
        let last = zone.to_local(instant_at(row.ends_at)).date();
        row.starts_at = zone.day_start(first).timestamp();
        row.ends_at = match last.and_hms_opt(23, 59, 59) {
            Some(local) => zone.to_instant(local).timestamp(),
            None => row.ends_at,
        };
    }
    let is_known = !edit.faults.has("start_date") && !edit.faults.has("end_date");
    if is_known && row.ends_at < row.starts_at {
        let fault = Fault::invalid("must not be before start_date");
        edit.faults.add("end_date", fault);
    }
}
