//! The names of the objects to which filters refer.

use std::{collections::HashMap, iter::zip, sync::Arc};

use super::{address::CalendarAddress, choices::Choices};
use crate::{
    auth::Caller,
    calendar::TermReference,
    error::Problem,
    store::{
        Publishable, Snapshot,
        entity::{organizer, tag, venue},
        publishable::{self, PublishableRow},
        series::{self, Series},
        term,
    },
};

/// The names of the objects to which filters refer.
pub(super) struct Names {
    choices: Arc<Choices>,
    /// The names of what is not among the choices, by parameter and value.
    others: HashMap<(&'static str, String), String>,
}

impl Names {
    pub(super) async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        address: &CalendarAddress,
        choices: Arc<Choices>,
    ) -> Result<Self, Problem> {
        let mut names = Self {
            choices,
            others: HashMap::new(),
        };
        names.add::<venue::Entity>(caller, snapshot, address, "venue").await?;
        names
            .add::<organizer::Entity>(caller, snapshot, address, "organizer")
            .await?;
        names.add_tags(snapshot, address).await?;
        names.add_series(caller, snapshot, address).await?;
        Ok(names)
    }

    /// Adds the titles of the series to which a parameter refers by ID.
    async fn add_series(
        &mut self,
        caller: &Caller,
        snapshot: &Snapshot,
        address: &CalendarAddress,
    ) -> Result<(), Problem> {
        let ids: Vec<i64> = values(address, "series")
            .filter_map(|value| value.parse().ok())
            .collect();
        for row in series::find_all(snapshot, &ids).await? {
            let columns = Series::of(row)?.common_columns();
            if caller.identity.may_see(&columns, caller.timestamp()) {
                self.others.insert(("series", columns.id.to_string()), columns.title);
            }
        }
        Ok(())
    }

    /// Adds the names of the venues or organizers to which a parameter refers by ID.
    async fn add<E: Publishable>(
        &mut self,
        caller: &Caller,
        snapshot: &Snapshot,
        address: &CalendarAddress,
        parameter: &'static str,
    ) -> Result<(), Problem> {
        let unknown = values(address, parameter).filter(|value| self.name(parameter, value).is_none());
        let ids: Vec<i64> = unknown.filter_map(|value| value.parse().ok()).collect();
        for row in publishable::find_all::<E>(snapshot, &ids).await? {
            let columns = row.common_columns();
            if caller.identity.may_see(&columns, caller.timestamp()) {
                self.others.insert((parameter, columns.id.to_string()), columns.title);
            }
        }
        Ok(())
    }

    async fn add_tags(&mut self, snapshot: &Snapshot, address: &CalendarAddress) -> Result<(), Problem> {
        let values: Vec<&str> = values(address, "tags").collect();
        let reference = |value: &&str| match value.parse() {
            Ok(id) => TermReference::Id(id),
            Err(_) => TermReference::Name((*value).to_owned()),
        };
        let references: Vec<TermReference> = values.iter().map(reference).collect();
        let tags = term::find_referenced::<tag::Entity>(snapshot, &references).await?;
        for (value, tag) in zip(values, tags) {
            if let Some(tag) = tag {
                self.others.insert(("tags", value.to_owned()), tag.name);
            }
        }
        Ok(())
    }

    /// The name of a value of a parameter.
    fn name(&self, parameter: &'static str, value: &str) -> Option<&str> {
        let found = match parameter {
            "categories" => self.choices.category(value).map(|category| category.name.as_str()),
            "venue" => self.choices.venue(value).map(|venue| venue.name.as_str()),
            _ => None,
        };
        found.or_else(|| self.others.get(&(parameter, value.to_owned())).map(String::as_str))
    }

    /// The names of a comma-separated list of values, or the values themselves.
    pub(super) fn label(&self, parameter: &'static str, values: &str) -> String {
        let labels = values.split(',').map(|value| {
            let value = value.trim();
            self.name(parameter, value).unwrap_or(value)
        });
        labels.collect::<Vec<_>>().join(", ")
    }
}

/// The values of a parameter whose values are lists.
fn values<'a>(address: &'a CalendarAddress, parameter: &'a str) -> impl Iterator<Item = &'a str> {
    let filters = address.filters.iter().filter(move |(name, _)| name == parameter);
    filters.flat_map(|(_, value)| value.split(',').map(str::trim))
}
