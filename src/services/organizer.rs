//! The fields of an organizer.

use sea_orm::DbErr;

use super::{
    Writable, WriteContext, name_reuse,
    publication::{self, Publication},
};
use crate::{
    api::described::OrganizerFields,
    auth::Caller,
    calendar::text::{fold, searched},
    error::Problem,
    extract::ApplyTo,
    store::{
        Transaction,
        entity::organizer,
        publishable::{Key, PublishableRow},
    },
};

impl Writable for organizer::Entity {
    type Fields = OrganizerFields;
    type Links = ();

    async fn lock_before(
        _transaction: &Transaction,
        _key: Option<&Key>,
        _fields: Option<&OrganizerFields>,
    ) -> Result<(), DbErr> {
        Ok(())
    }

    fn blank(caller: &Caller) -> organizer::Model {
        let identity = caller.identity;
        let mut row = organizer::Model {
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
            name_key: String::new(),
            phone: String::new(),
            website: String::new(),
            email: String::new(),
            follows_event_id: None,
            last_ends_at: None,
        };
        row.set_common_columns(publication::blank(
            caller.timestamp(),
            identity.user(),
            identity.may_publish(),
        ));
        row
    }

    async fn reuse(
        context: &mut WriteContext<'_>,
        fields: &OrganizerFields,
    ) -> Result<Option<organizer::Model>, Problem> {
        name_reuse::reuse::<organizer::Entity>(context, fields).await
    }

    async fn apply(
        context: &mut WriteContext<'_>,
        row: &mut organizer::Model,
        fields: OrganizerFields,
    ) -> Result<(), Problem> {
        // Taken apart, so that no field can be forgotten here.
        let OrganizerFields {
            author,
            date,
            date_utc,
            organizer,
            description,
            slug,
            status,
            phone,
            website,
            email,
            image,
        } = fields;
        let publication = Publication {
            author,
            date,
            date_utc,
            title: organizer,
            description,
            slug,
            status,
            image,
        };
        let mut columns = row.common_columns();
        publication::apply::<organizer::Entity>(context, &mut columns, publication).await?;
        row.set_common_columns(columns);
        phone.map_value(String::from).apply_to(&mut row.phone);
        website.map_value(String::from).apply_to(&mut row.website);
        email.map_value(String::from).apply_to(&mut row.email);
        derive(row);
        Ok(())
    }

    async fn save_links(_context: &WriteContext<'_>, _id: i64, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

/// What follows from the other fields, and is stored beside them: what searches compare.
pub fn derive(row: &mut organizer::Model) {
    row.name_key = fold(&row.title);
    row.search_text = searched(&[
        row.title.as_str(),
        &row.phone,
        &row.website,
        &row.email,
        // Last, because the index may cut off its end.
        &row.description_text(),
    ]);
}
