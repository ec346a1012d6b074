//! What events, venues and organizers share: author, publication, status, slug, image.

use crate::{
    calendar::{
        date::{When, format_local, instant_at},
        slug::slugify,
        status::Status,
        zone::Zone,
    },
    store::{
        Post, Transaction, images,
        post::{self, Frame, Key, PostRow},
        slugs::{self, Slugs},
        users,
    },
    wire::{
        Fault, Field, Problem,
        choice::StatusName,
        images::ImageReference,
        numbers::Id,
        texts::{Html, Slug, Title},
    },
};

use super::{Edit, Edited};

/// The fields of a [`Frame`], as they come in.
#[derive(Debug, Default)]
pub struct Publication {
    pub author: Field<Id>,
    pub date: Field<When>,
    pub date_utc: Field<When>,
    pub title: Field<Title>,
    pub description: Field<Html>,
    pub slug: Field<Slug>,
    pub status: Field<StatusName>,
    pub image: Field<ImageReference>,
}

/// A row that is not stored yet has this ID.
pub const NEW: i64 = 0;

/// The frame that a create begins with.
pub fn blank(edit_now: i64, author: Option<i64>, may_publish: bool) -> Frame {
    Frame {
        id: NEW,
        version: 1,
        status: default_status(may_publish),
        trashed_status: None,
        trashed_at: None,
        slug: String::new(),
        published_at: edit_now,
        modified_at: edit_now,
        title: String::new(),
        description: String::new(),
        description_text: Some(String::new()),
        search_text: String::new(),
        author_id: author,
        image_id: None,
        follows_event_id: None,
    }
}

fn default_status(may_publish: bool) -> Status {
    if may_publish { Status::Publish } else { Status::Pending }
}

/// Puts the fields that are given into the frame.
pub async fn apply<E: Post>(edit: &mut Edit<'_>, frame: &mut Frame, publication: Publication) -> Result<(), Problem> {
    // Taken apart, so that no field can be forgotten here.
    let Publication {
        author,
        date,
        date_utc,
        title,
        description,
        slug,
        status,
        image,
    } = publication;
    if let Field::Given(title) = title {
        frame.title = title.0;
    }
    apply_description(frame, description);
    apply_author(edit, frame, author).await?;
    apply_dates(edit, frame, date, date_utc);
    let before = frame.status;
    apply_status(edit, frame, status);
    apply_slug::<E>(edit, frame, slug, before).await?;
    apply_image(edit, frame, image).await
}

fn apply_description(frame: &mut Frame, description: Field<Html>) {
    let Html { html, text } = match description {
        Field::Absent => return,
        Field::Cleared => Html::default(),
        Field::Given(description) => description,
    };
    // Sent back as it was read, it is no change, even if its text has not been filled in yet.
    if html != frame.description {
        frame.description = html;
        frame.description_text = Some(text);
    }
}

async fn apply_author(edit: &mut Edit<'_>, frame: &mut Frame, author: Field<Id>) -> Result<(), Problem> {
    let wanted = match author {
        Field::Absent => return Ok(()),
        // A new object whose author is left open is its writer's.
        Field::Cleared if frame.id == NEW => return Ok(()),
        Field::Cleared => None,
        Field::Given(id) => Some(id.0),
    };
    if wanted == frame.author_id {
        return Ok(());
    }
    if let Some(id) = wanted
        && !users::exists(edit.transaction, id).await?
    {
        let fault = Fault::invalid(format!("must be the ID of a user, and {id} is none"));
        edit.faults.add("author", fault);
        return Ok(());
    }
    if !edit.caller.identity.may_set_author() {
        edit.forbid("author", "may be set to another user by editors only");
    }
    frame.author_id = wanted;
    Ok(())
}

fn apply_dates(edit: &mut Edit<'_>, frame: &mut Frame, date: Field<When>, date_utc: Field<When>) {
    let site = &edit.caller.almanac.settings.site.zone;
    let now = edit.caller.now;
    let local = date
        .given()
        .map(|date| keep_or_resolve(&date, site, frame.published_at, now));
    let utc = date_utc
        .given()
        .map(|date| date.resolve(&Zone::UTC, now).instant.timestamp());
    if let (Some(local), Some(utc)) = (local, utc) {
        // A local time that comes twice names either instant.
        let told = |instant| format_local(site.to_local(instant_at(instant)));
        if local != utc && told(local) != told(utc) {
            let fault = Fault::invalid("must be the same instant as date; one of the two is enough");
            edit.faults.add("date_utc", fault);
        }
    }
    if let Some(instant) = utc.or(local) {
        frame.set_published_at(instant);
    }
}

/// The instant that the date means. Where it reads as the present one does, the present one stays: a local time
/// that comes twice, on the night when clocks go back, would become the first of the two.
fn keep_or_resolve(date: &When, zone: &Zone, present: i64, now: chrono::DateTime<chrono::Utc>) -> i64 {
    let moment = date.resolve(zone, now);
    let is_local = matches!(date, When::Local { .. });
    if is_local && zone.to_local(instant_at(present)) == moment.local {
        present
    } else {
        moment.instant.timestamp()
    }
}

fn apply_status(edit: &mut Edit<'_>, frame: &mut Frame, status: Field<StatusName>) {
    let may_publish = edit.caller.identity.may_publish();
    let wanted = match status {
        Field::Absent => return,
        Field::Cleared => default_status(may_publish),
        Field::Given(status) => status.0,
    };
    let status = match wanted {
        Status::Trash if frame.id == NEW => {
            let fault = Fault::invalid("can't be trash for a new object");
            edit.faults.add("status", fault);
            return;
        }
        Status::Trash => Status::Trash,
        Status::Publish | Status::Private | Status::Future if !may_publish => {
            // What is published already stays so under a hand that may edit, but not publish.
            if frame.status == Status::Publish {
                return;
            }
            Status::Pending
        }
        // Stored as one; the publication date tells them apart.
        Status::Future => Status::Publish,
        other => other,
    };
    frame.set_status(status, edit.caller.timestamp());
}

async fn apply_slug<E: Post>(
    edit: &mut Edit<'_>,
    frame: &mut Frame,
    slug: Field<Slug>,
    before: Status,
) -> Result<(), Problem> {
    let is_new = frame.id == NEW;
    let is_restored = before == Status::Trash && frame.status != Status::Trash;
    let (mut base, is_explicit) = match slug {
        Field::Given(slug) if slug.0 != frame.slug => (slug.0, true),
        // Cleared, it is made anew from the title.
        Field::Cleared => (slugify(&frame.title), false),
        _ if is_new => (slugify(&frame.title), false),
        _ if is_restored => (frame.slug.clone(), false),
        _ => return Ok(()),
    };
    if base.is_empty() {
        if is_new {
            // Made from the ID, once there is one.
            return Ok(());
        }
        base = format!("{}-{}", E::KIND.name(), frame.id);
    }
    if frame.status == Status::Trash {
        // It does not count until the object is restored.
        frame.slug = base;
        return Ok(());
    }
    slugs::take_turns_for_slug(edit.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_posts(frame.id);
    if is_explicit && !is_new && slugs.has(edit.transaction, &base).await? {
        return Err(Problem::slug_conflict(E::KIND, &base));
    }
    frame.slug = slugs.free(edit.transaction, &base).await?;
    Ok(())
}

async fn apply_image(edit: &mut Edit<'_>, frame: &mut Frame, image: Field<ImageReference>) -> Result<(), Problem> {
    match image {
        Field::Absent => {}
        Field::Cleared => frame.image_id = None,
        Field::Given(ImageReference::Id(id)) => {
            if images::exists(edit.transaction, id).await? {
                frame.image_id = Some(id);
            } else {
                let fault = Fault::invalid(format!("must be a URL or the ID of an image, and {id} is none"));
                edit.faults.add("image", fault);
            }
        }
        Field::Given(ImageReference::Url(url)) => {
            let image = images::find_or_insert(edit.transaction, &url).await?;
            frame.image_id = Some(image.id);
        }
    }
    Ok(())
}

/// Stores a new row, whose slug is its kind and ID where its title leaves nothing.
pub async fn insert<E: Post>(edit: &Edit<'_>, mut row: E::Model) -> Result<E::Model, Problem> {
    let mut frame = row.frame();
    let is_nameless = frame.slug.is_empty();
    if is_nameless {
        // Nobody sees it: the transaction ends with another one.
        frame.slug = format!("{:032x}", rand::random::<u128>());
        row.set_frame(frame);
    }
    let stored = post::insert::<E>(edit.transaction, row).await?;
    if !is_nameless {
        return Ok(stored);
    }
    let mut named = stored.clone();
    let mut frame = named.frame();
    let base = format!("{}-{}", E::KIND.name(), frame.id);
    slugs::take_turns_for_slug(edit.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_posts(frame.id);
    frame.slug = slugs.free(edit.transaction, &base).await?;
    let (id, now) = (frame.id, frame.modified_at);
    named.set_frame(frame);
    post::update::<E>(edit.transaction, &stored, named, now).await?;
    let found = post::find::<E>(edit.transaction, &Key::Id(id)).await?;
    found.ok_or_else(|| Problem::internal("a row that was just stored is gone"))
}

/// Stores a changed row, and what follows from its publication in other rows.
pub async fn update<E: Edited>(
    transaction: &Transaction,
    before: &E::Model,
    after: E::Model,
    now: i64,
) -> Result<E::Model, Problem> {
    let stored = post::update::<E>(transaction, before, after, now).await?;
    E::pass_on(transaction, &before.frame(), &stored.frame(), now).await?;
    Ok(stored)
}
