//! The fields of an event.

use sea_orm::DbErr;

use super::{
    Edit, Edited, following,
    publication::{self, Publication},
    references::{self, Hosts},
};
use crate::{
    api::described::EventFields,
    auth::Caller,
    calendar::{
        date::{When, instant_at},
        local_time::{EventTimes, LocalTime},
        text::searched,
    },
    store::{
        Transaction,
        entity::{category, event, event_category, event_organizer, event_tag, event_venue, tag},
        links::{self, LinkedIds},
        locks,
        post::{Frame, Key, PostRow},
    },
    wire::{Fault, Field, Problem, flag::Flag, numbers::Id, texts::ZoneName},
};

/// What an event is to link to; nothing is said where absent.
#[derive(Debug, Default)]
pub struct EventLinks {
    is_new: bool,
    before: LinkedIds,
    venues: Option<Hosts>,
    organizers: Option<Hosts>,
    categories: Option<Vec<i64>>,
    tags: Option<Vec<i64>>,
}

impl Edited for event::Entity {
    type Fields = EventFields;
    type Links = EventLinks;

    async fn lock_before(
        transaction: &Transaction,
        _key: Option<&Key>,
        fields: Option<&EventFields>,
    ) -> Result<(), DbErr> {
        if fields.is_none_or(decide_about_lists) {
            locks::category_tree_shared(transaction).await?;
        }
        Ok(())
    }

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
            description_text: Some(String::new()),
            search_text: String::new(),
            author_id: None,
            image_id: None,
            excerpt: String::new(),
            starts_at: 0,
            ends_at: 0,
            timezone: String::new(),
            starts_local: 0,
            ends_local: 0,
            starts_offset: None,
            ends_offset: None,
            tz_release: String::new(),
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
        let zone = caller.almanac.settings.site.zone;
        let epoch = LocalTime::at(&zone, instant_at(0));
        row.set_times(&EventTimes {
            zone,
            start: epoch,
            end: epoch,
        });
        row
    }

    async fn apply(edit: &mut Edit<'_>, row: &mut event::Model, fields: EventFields) -> Result<EventLinks, Problem> {
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
        row.search_text = search_text(&row.title, &row.description_text());
        let says_nothing = venue.is_absent() && organizer.is_absent() && categories.is_absent() && tags.is_absent();
        let before = match row.id == publication::NEW || says_nothing {
            true => LinkedIds::default(),
            false => links::of_events(edit.transaction, &[row.id]).await?,
        };
        let venues = before.of_event::<event_venue::Entity>(row.id);
        let organizers = before.of_event::<event_organizer::Entity>(row.id);
        Ok(EventLinks {
            is_new: row.id == publication::NEW,
            before,
            venues: references::hosts::<event_venue::Entity>(edit, row, &venues, venue).await?,
            organizers: references::hosts::<event_organizer::Entity>(edit, row, &organizers, organizer).await?,
            categories: references::terms::<category::Entity>(edit, categories).await?,
            tags: references::terms::<tag::Entity>(edit, tags).await?,
        })
    }

    async fn pass_on(transaction: &Transaction, before: &Frame, after: &Frame, now: i64) -> Result<(), Problem> {
        following::pass_on(transaction, before, after, now).await
    }

    async fn save_links(edit: &Edit<'_>, id: i64, to: EventLinks) -> Result<bool, Problem> {
        let EventLinks {
            is_new,
            before,
            venues,
            organizers,
            categories,
            tags,
        } = to;
        let transaction = edit.transaction;
        if !is_new {
            lock_hosts(transaction, id, &before, venues.as_ref(), organizers.as_ref()).await?;
        }
        let mut changed = false;
        changed |= references::save_hosts::<event_venue::Entity>(transaction, id, &before, venues).await?;
        changed |= references::save_hosts::<event_organizer::Entity>(transaction, id, &before, organizers).await?;
        changed |= links::replace::<event_category::Entity>(transaction, id, &before, categories).await?;
        changed |= links::replace::<event_tag::Entity>(transaction, id, &before, tags).await?;
        Ok(changed)
    }
}

/// Where venues or organizers of an event are to be replaced, locks those it has and those it gets.
async fn lock_hosts(
    transaction: &Transaction,
    id: i64,
    before: &LinkedIds,
    venues: Option<&Hosts>,
    organizers: Option<&Hosts>,
) -> Result<(), DbErr> {
    let mut all_venues = before.of_event::<event_venue::Entity>(id);
    let mut all_organizers = before.of_event::<event_organizer::Entity>(id);
    let is_replaced = |old: &[i64], new: Option<&Hosts>| new.is_some_and(|hosts| hosts.ids() != old);
    if is_replaced(&all_venues, venues) || is_replaced(&all_organizers, organizers) {
        all_venues.extend(venues.into_iter().flat_map(Hosts::ids));
        all_organizers.extend(organizers.into_iter().flat_map(Hosts::ids));
        locks::targets::<event_venue::Entity>(transaction, all_venues).await?;
        locks::targets::<event_organizer::Entity>(transaction, all_organizers).await?;
    }
    Ok(())
}

/// Whether any of the fields may change which lists the event is in, or where in them.
fn decide_about_lists(fields: &EventFields) -> bool {
    let EventFields {
        date,
        date_utc,
        status,
        timezone,
        all_day,
        start_date,
        end_date,
        hide_from_listings,
        featured,
        ticketed,
        categories,
        venue,
        organizer,
        ..
    } = fields;
    [
        date.is_absent(),
        date_utc.is_absent(),
        status.is_absent(),
        timezone.is_absent(),
        all_day.is_absent(),
        start_date.is_absent(),
        end_date.is_absent(),
        hide_from_listings.is_absent(),
        featured.is_absent(),
        ticketed.is_absent(),
        categories.is_absent(),
        venue.is_absent(),
        organizer.is_absent(),
    ]
    .contains(&false)
}

/// The text of an event that is indexed for search.
pub fn search_text(title: &str, description_text: &str) -> String {
    searched(&[title, description_text])
}

/// The parent, which need not exist. A number that was too large to be read stands as the largest one: stored, it
/// would be another than was sent.
fn apply_parent(edit: &mut Edit<'_>, row: &mut event::Model, post_parent: Field<Id>) {
    if post_parent.as_given() == Some(&Id(i64::MAX)) {
        let fault = Fault::invalid("is larger than any ID");
        edit.faults.add("post_parent", fault);
        return;
    }
    post_parent.map(|id| id.0).write_to_option(&mut row.post_parent);
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
    let before = row.times(site);
    let zone = match timezone {
        Field::Absent => before.zone,
        Field::Cleared => *site,
        Field::Given(zone) => zone.0,
    };
    let is_moved = zone != before.zone;
    let now = edit.caller.now;
    let read = |date: Field<When>, stored: LocalTime| match date.given() {
        Some(date) => {
            let moment = date.resolve(&zone, now);
            // A local time that clocks show twice would become the first of the two.
            let is_stored = matches!(date, When::Local { .. }) && moment.local == stored.local;
            match is_stored && !is_moved {
                true => stored,
                false => LocalTime::at(&zone, moment.instant),
            }
        }
        None if is_moved => LocalTime::shown(&zone, stored.local),
        None => stored,
    };
    let mut after = EventTimes {
        zone,
        start: read(start_date, before.start),
        end: read(end_date, before.end),
    };
    all_day.map(|flag| flag.0).write_to(&mut row.all_day);
    if row.all_day {
        after = after.whole_days();
    }
    // Times that stay keep their instants, which a server with newer rules may have derived.
    if after != before || row.timezone != zone.name() {
        row.set_times(&after);
    }
    let is_known = !edit.faults.has("start_date") && !edit.faults.has("end_date");
    if is_known && row.ends_at < row.starts_at {
        let fault = Fault::invalid("must not be before start_date");
        edit.faults.add("end_date", fault);
    }
}
