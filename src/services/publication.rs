//! Columns that events, venues and organizers share: author, publication date, status, slug and image.

use crate::{
    auth::Caller,
    calendar::{
        date::{DateTimeInput, format_local, instant_at},
        slug::{is_made_from, slugify},
        status::Status,
        zone::Zone,
    },
    error::{FieldError, Problem},
    extract::{
        MaybeUndefined,
        choice::StatusName,
        image::ImageReference,
        number::Id,
        text::{Html, Slug, Title},
    },
    store::{
        Publishable, Transaction, images,
        publishable::{self, CommonColumns, PublishableRow},
        slugs::{self, Slugs},
        users,
    },
};
use almanac_derive::Parameters;

use super::{
    Writable, WriteContext,
    external_id::{self, External},
};

/// Author and publication date, which the payloads of events, venues and organizers share.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct Authorship {
    /// ID of the author. Default on create: the user who sends the request. Only editors and administrators may set
    /// another user.
    #[param(example = 1)]
    pub author: MaybeUndefined<Id>,
    /// Publication date in the site's time zone. A date in the future turns `publish` into `future`. Default on create:
    /// now. Formats: `2027-03-01`, `2027-03-01 09:00`, `2027-03-01 09:00:00`, slashes instead of hyphens, `T` instead
    /// of the space, RFC 3339 with `Z` or an offset, or relative to today, such as `tomorrow 9am` or `next monday`.
    #[param(not_clearable, example = "2027-01-15 09:00:00")]
    pub date: MaybeUndefined<DateTimeInput>,
    /// Publication date in UTC, in the formats of `date`. One of the two is enough; different instants return 400.
    #[param(not_clearable, example = "2027-01-15 09:00:00")]
    pub date_utc: MaybeUndefined<DateTimeInput>,
}

/// The fields of a payload that are stored in [`CommonColumns`].
#[derive(Debug, Default)]
pub(crate) struct Publication {
    pub authorship: Authorship,
    pub title: MaybeUndefined<Title>,
    pub description: MaybeUndefined<Html>,
    pub slug: MaybeUndefined<Slug>,
    pub status: MaybeUndefined<StatusName>,
    pub image: MaybeUndefined<ImageReference>,
    pub external: External,
}

/// The ID of rows that are not stored yet.
pub(crate) const NEW: i64 = 0;

/// The columns of the blank row that a create starts from.
pub(crate) fn blank(caller: &Caller) -> CommonColumns {
    let now = caller.timestamp();
    CommonColumns {
        id: NEW,
        version: 1,
        status: default_status(caller.identity.may_publish()),
        published_at: now,
        modified_at: now,
        description_text: Some(String::new()),
        author_id: caller.identity.user(),
        ..CommonColumns::default()
    }
}

fn default_status(may_publish: bool) -> Status {
    if may_publish { Status::Publish } else { Status::Pending }
}

/// Stores the given fields in the columns.
pub(crate) async fn apply<E: Publishable>(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    publication: Publication,
) -> Result<(), Problem> {
    // Destructured so that the compiler reports unused fields.
    let Publication {
        authorship: Authorship { author, date, date_utc },
        title,
        description,
        slug,
        status,
        image,
        external,
    } = publication;
    if let MaybeUndefined::Value(title) = title {
        columns.title = title.0;
    }
    apply_description(columns, description);
    apply_author(context, columns, author).await?;
    apply_dates(context, columns, date, date_utc);
    let before = columns.status;
    apply_status(context, columns, status);
    apply_slug::<E>(context, columns, slug, before).await?;
    external_id::apply::<E>(context, columns, &external).await?;
    apply_image(context, columns, image).await
}

fn apply_description(columns: &mut CommonColumns, description: MaybeUndefined<Html>) {
    let Html { html, text } = match description {
        MaybeUndefined::Undefined => return,
        MaybeUndefined::Null => Html::default(),
        MaybeUndefined::Value(description) => description,
    };
    // An unmodified description changes nothing, even if its text has not been derived yet.
    if html != columns.description {
        columns.description = html;
        columns.description_text = Some(text);
    }
}

async fn apply_author(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    author: MaybeUndefined<Id>,
) -> Result<(), Problem> {
    let requested = match author {
        MaybeUndefined::Undefined => return Ok(()),
        // The default author of a new object is its writer.
        MaybeUndefined::Null if columns.id == NEW => return Ok(()),
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(id) => Some(id.0),
    };
    if requested == columns.author_id {
        return Ok(());
    }
    if let Some(id) = requested
        && !users::exists(context.transaction, id).await?
    {
        let error = FieldError::unknown_references("must be the ID of an existing user", &[id.to_string()]);
        context.errors.add("author", error);
        return Ok(());
    }
    if !context.caller.identity.may_set_author() {
        context.forbid("author", "can be set to another user only by editors");
    }
    columns.author_id = requested;
    Ok(())
}

fn apply_dates(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    date: MaybeUndefined<DateTimeInput>,
    date_utc: MaybeUndefined<DateTimeInput>,
) {
    let site = &context.caller.almanac.settings.site.zone;
    let now = context.caller.now;
    let local = date
        .take()
        .map(|date| keep_or_resolve(&date, site, columns.published_at, now));
    let utc = date_utc
        .take()
        .map(|date| date.resolve(&Zone::UTC, now).instant.timestamp());
    if let (Some(local), Some(utc)) = (local, utc) {
        // An ambiguous local time matches either instant.
        let format = |instant| format_local(site.to_local(instant_at(instant)));
        if local != utc && format(local) != format(utc) {
            let error = FieldError::invalid("must be the same instant as date; one of the two is enough");
            context.errors.add("date_utc", error);
        }
    }
    if let Some(instant) = utc.or(local) {
        columns.set_published_at(instant);
    }
}

/// Whether the given fields match an existing row. `new` is the row that the fields would create.
pub(crate) fn matches(
    caller: &Caller,
    publication: &Publication,
    existing: &CommonColumns,
    new: &CommonColumns,
) -> bool {
    let Publication {
        authorship: Authorship { author, date, date_utc },
        title: _,
        description,
        slug,
        status,
        image,
        external,
    } = publication;
    let site = &caller.almanac.settings.site.zone;
    let current = existing.published_at;
    let dates_match = match (date.value(), date_utc.value()) {
        (_, Some(date)) => date.resolve(&Zone::UTC, caller.now).instant.timestamp() == current,
        (Some(date), None) => keep_or_resolve(date, site, current, caller.now) == current,
        (None, None) => true,
    };
    dates_match
        && author
            .as_opt_ref()
            .is_none_or(|author| author.map(|id| id.0) == existing.author_id)
        && (description.is_undefined() || new.description == existing.description)
        && slug.as_opt_ref().is_none_or(|slug| match slug {
            Some(slug) => slug.0 == existing.slug,
            None => is_made_from(&existing.slug, &slugify(&existing.title)),
        })
        && status.as_opt_ref().is_none_or(|status| {
            let requested = requested_status(caller, existing.status, status.map(|status| status.0));
            requested.is_none_or(|requested| requested == existing.status)
        })
        && (image.is_undefined() || new.image_id == existing.image_id)
        && external.matches(existing.external.as_ref())
}

/// Resolves the date to an instant. Keeps the current instant if it has the same local time, because an ambiguous local
/// time (at the end of daylight saving time) would resolve to its first instant.
fn keep_or_resolve(date: &DateTimeInput, zone: &Zone, current: i64, now: chrono::DateTime<chrono::Utc>) -> i64 {
    let moment = date.resolve(zone, now);
    let is_local = matches!(date, DateTimeInput::Local { .. });
    if is_local && zone.to_local(instant_at(current)) == moment.local {
        current
    } else {
        moment.instant.timestamp()
    }
}

fn apply_status(context: &mut WriteContext<'_>, columns: &mut CommonColumns, status: MaybeUndefined<StatusName>) {
    let requested = match status {
        MaybeUndefined::Undefined => return,
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(status) => Some(status.0),
    };
    if requested == Some(Status::Trash) && columns.id == NEW {
        let error = FieldError::invalid("can't be trash for a new object");
        context.errors.add("status", error);
        return;
    }
    if let Some(status) = requested_status(context.caller, columns.status, requested) {
        columns.set_status(status, context.caller.timestamp());
    }
}

/// The status to store for the requested one, or for the default. `None` keeps the current status.
fn requested_status(caller: &Caller, current: Status, requested: Option<Status>) -> Option<Status> {
    let may_publish = caller.identity.may_publish();
    match requested.unwrap_or_else(|| default_status(may_publish)) {
        Status::Publish | Status::Private | Status::Future if !may_publish => {
            // Editing a published object without permission to publish does not unpublish it.
            (current != Status::Publish).then_some(Status::Pending)
        }
        // Stored as `publish`; the publication date distinguishes them.
        Status::Future => Some(Status::Publish),
        other => Some(other),
    }
}

async fn apply_slug<E: Publishable>(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    slug: MaybeUndefined<Slug>,
    before: Status,
) -> Result<(), Problem> {
    let is_new = columns.id == NEW;
    let is_restored = before == Status::Trash && columns.status != Status::Trash;
    // A client that sends back an imported slug, which may have other letters than made ones, changes nothing.
    let is_kept = |slug: &Slug| slug.0 == columns.slug || !is_new && slug.0 == slugify(&columns.slug);
    let (mut base, is_explicit) = match slug {
        MaybeUndefined::Value(slug) if !is_kept(&slug) => (slug.0, true),
        // A cleared slug is derived from the title again.
        MaybeUndefined::Null => (slugify(&columns.title), false),
        _ if is_new => (slugify(&columns.title), false),
        _ if is_restored => (columns.slug.clone(), false),
        _ => return Ok(()),
    };
    if base.is_empty() {
        if is_new {
            // Derived from the ID once the row is inserted.
            return Ok(());
        }
        base = format!("{}-{}", E::KIND.name(), columns.id);
    }
    // The insertion appends a number if necessary. In the trash, slugs need not be unique until the object is restored.
    if is_new || columns.status == Status::Trash {
        columns.slug = base;
        return Ok(());
    }
    slugs::lock_slug(context.transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_publishable(columns.id);
    if is_explicit && slugs.is_taken(context.transaction, &base).await? {
        return Err(Problem::slug_conflict(E::KIND, &base));
    }
    columns.slug = slugs.find_free(context.transaction, &base).await?;
    Ok(())
}

async fn apply_image(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    image: MaybeUndefined<ImageReference>,
) -> Result<(), Problem> {
    match image {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => columns.image_id = None,
        MaybeUndefined::Value(ImageReference::Id(id)) => {
            if images::exists(context.transaction, id).await? {
                columns.image_id = Some(id);
            } else {
                let error =
                    FieldError::unknown_references("must be a URL or the ID of an existing image", &[id.to_string()]);
                context.errors.add("image", error);
            }
        }
        MaybeUndefined::Value(ImageReference::Url(url)) => {
            let image = images::find_or_insert(context.transaction, &url).await?;
            columns.image_id = Some(image.id);
        }
    }
    Ok(())
}

/// Inserts one row like [`insert_all`].
pub(crate) async fn insert<E: Publishable>(transaction: &Transaction, row: E::Model) -> Result<E::Model, Problem> {
    let stored = insert_all::<E>(transaction, vec![row]).await?.pop();
    stored.ok_or_else(|| Problem::internal("an inserted row was not returned"))
}

/// Inserts rows, with a number appended to the slugs that other objects have. If a title yields no slug, the slug consists
/// of kind and ID. Returns them with their IDs, in the same order.
pub(crate) async fn insert_all<E: Publishable>(
    transaction: &Transaction,
    mut rows: Vec<E::Model>,
) -> Result<Vec<E::Model>, Problem> {
    let mut unnamed = Vec::new();
    for (index, row) in rows.iter_mut().enumerate() {
        let mut columns = row.common_columns();
        if columns.slug.is_empty() {
            columns.slug = slugs::temporary();
            row.set_common_columns(columns);
            unnamed.push(index);
        }
    }
    let mut stored = publishable::insert_with_free_slugs::<E>(transaction, rows).await?;
    for index in unnamed {
        if let Some(row) = stored.get_mut(index) {
            *row = name_after_id::<E>(transaction, row).await?;
        }
    }
    Ok(stored)
}

/// Makes the slug of a stored row from its kind and ID.
async fn name_after_id<E: Publishable>(transaction: &Transaction, stored: &E::Model) -> Result<E::Model, Problem> {
    let mut named = stored.clone();
    let mut columns = named.common_columns();
    let base = format!("{}-{}", E::KIND.name(), columns.id);
    slugs::lock_slug(transaction, E::KIND, &base).await?;
    let slugs = Slugs::<E>::of_publishable(columns.id);
    columns.slug = slugs.find_free(transaction, &base).await?;
    let now = columns.modified_at;
    named.set_common_columns(columns);
    Ok(publishable::update::<E>(transaction, stored, named, now).await?)
}

/// Updates a row, and the rows that follow its publication.
pub(crate) async fn update<E: Writable>(
    transaction: &Transaction,
    before: &E::Model,
    after: E::Model,
    now: i64,
) -> Result<E::Model, Problem> {
    let stored = publishable::update::<E>(transaction, before, after, now).await?;
    E::propagate_publication(transaction, &before.common_columns(), &stored.common_columns(), now).await?;
    Ok(stored)
}
