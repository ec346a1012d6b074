//! The record of an organizer.

use serde::Serialize;

use super::{Common, Record, StoredContext, filled};
use crate::{
    services,
    store::{entity::organizer, publishable::PublishableRow},
};

/// An organizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(in crate::import) struct OrganizerRecord {
    #[serde(flatten)]
    pub common: Common,
    pub phone: String,
    pub website: String,
    pub email: String,
}

impl Record for OrganizerRecord {
    type Entity = organizer::Entity;

    fn common(&self) -> &Common {
        &self.common
    }

    fn store(&self, row: &mut organizer::Model, now: i64) {
        let Self {
            common,
            phone,
            website,
            email,
        } = self;
        let mut columns = row.common_columns();
        common.store(&mut columns, now);
        row.set_common_columns(columns);
        row.phone.clone_from(phone);
        row.website.clone_from(website);
        row.email.clone_from(email);
        services::organizer::derive(row);
    }

    fn stored(row: &organizer::Model, context: &StoredContext<'_>, source: Option<&Self>) -> Self {
        Self {
            common: Common::stored(row, context, source.map(|source| &source.common)),
            phone: row.phone.clone(),
            website: row.website.clone(),
            email: row.email.clone(),
        }
    }

    fn fill(self, stored: &Self) -> Self {
        Self {
            common: self.common.fill(&stored.common),
            phone: filled(&stored.phone, self.phone),
            website: filled(&stored.website, self.website),
            email: filled(&stored.email, self.email),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_keeps_what_is_stored() {
        let stored = OrganizerRecord {
            phone: "1".to_owned(),
            ..OrganizerRecord::default()
        };
        let source = OrganizerRecord {
            phone: "2".to_owned(),
            email: "ann@example.org".to_owned(),
            ..OrganizerRecord::default()
        };
        let filled = source.fill(&stored);
        assert_eq!((filled.phone.as_str(), filled.email.as_str()), ("1", "ann@example.org"));
    }
}
