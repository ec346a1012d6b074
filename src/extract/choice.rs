//! Enumerations.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};

use super::{FromInput, InputValue, number::deduplicate, parameters::reference};
use crate::{
    calendar::{event_status::EventStatus, status::Status},
    error::FieldError,
};

/// Declares an enumeration as a named schema, so that client generators create one type for it.
pub(crate) fn enumeration<T>(
    registry: &mut Registry,
    name: &str,
    description: &'static str,
    choices: &[(&'static str, T)],
) -> MetaSchema {
    let schema = MetaSchema {
        description: Some(description),
        enum_items: choices.iter().map(|(name, _)| (*name).into()).collect(),
        example: choices.first().map(|(name, _)| (*name).into()),
        ..MetaSchema::new("string")
    };
    registry.schemas.insert(name.to_owned(), schema);
    reference(name)
}

/// Parses one of the choices.
pub(crate) fn one_of<T: Copy>(input: InputValue<'_>, choices: &[(&str, T)]) -> Result<T, FieldError> {
    let text = input.text().unwrap_or_default().trim();
    choices
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, value)| *value)
        .ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            FieldError::invalid(format!("must be one of {}", names.join(", ")))
        })
}

fn statuses() -> Vec<(&'static str, Status)> {
    Status::ALL.iter().map(|status| (status.as_str(), *status)).collect()
}

/// The status of an event, venue or organizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatusName(pub Status);

impl FromInput for StatusName {
    fn schema(registry: &mut Registry) -> MetaSchema {
        let status = enumeration(
            registry,
            "PublicationStatus",
            "The publication status of an event, venue or organizer. The fields describe the values.",
            &statuses(),
        );
        MetaSchema {
            description: Some(
                "Publication status. `publish`: visible to everybody. `future`: visible to everybody from the \
                 publication date on. `draft`, `pending` (awaits review) and `private`: visible to its author and \
                 editors. `trash`: in the trash; not on create, and on update only with permission to delete; any \
                 other status restores it. Default on create: `publish`. For contributors, any status except `draft` \
                 becomes `pending`.",
            ),
            ..status
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &statuses()).map(Self)
    }
}

/// Declares a status as a string with a pattern. Client generators handle a shared enumeration inconsistently if only
/// some of its fields are nullable.
pub(crate) fn status_as_text(_schema: MetaSchema) -> MetaSchema {
    let names: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
    MetaSchema {
        pattern: Some(format!("^({})$", names.join("|"))),
        ..MetaSchema::new("string")
    }
}

/// The `status` filter of a list: names separated by commas. `any` means all except `trash`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusList(pub Vec<Status>);

impl FromInput for StatusList {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        let names: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
        let name = format!("({}|any)", names.join("|"));
        MetaSchema {
            description: Some(
                "Statuses to list: one, several separated by commas, or `any`. Values: `publish`, `draft`, `pending`, \
                 `private`, `future` and `trash`. Anything but `publish` requires credentials: editors and \
                 administrators see everything, authors and contributors their own and what is published; for others, \
                 the response is 403.",
            ),
            pattern: Some(format!("^{name}(,{name})*$")),
            default: Some(Status::Publish.as_str().into()),
            example: Some(Status::Publish.as_str().into()),
            ..MetaSchema::new("string")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let mut list = Vec::new();
        for value in input.items() {
            let text = value.as_str().unwrap_or_default().trim();
            if text == "any" {
                list.extend(Status::ALL.iter().filter(|status| **status != Status::Trash));
            } else {
                let format = input.format;
                let value = &value;
                let status = one_of(InputValue { value, format }, &statuses()).map_err(|error| {
                    FieldError::invalid(format!("{}, or any; separate several by commas", error.message))
                })?;
                list.push(status);
            }
        }
        Ok(Self(deduplicate(list)))
    }
}

fn event_statuses() -> Vec<(&'static str, EventStatus)> {
    let statuses = EventStatus::ALL.iter();
    statuses.map(|status| (status.as_str(), *status)).collect()
}

/// The status of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventStatusName(pub EventStatus);

impl FromInput for EventStatusName {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "EventStatus",
            "Whether an event takes place as planned: `scheduled`, `canceled`, `postponed` to a date that is not yet \
             known, or `moved_online`.",
            &event_statuses(),
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &event_statuses()).map(Self)
    }
}

/// The `event_status` filter of a list: names separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventStatusList(pub Vec<EventStatus>);

impl FromInput for EventStatusList {
    fn schema(registry: &mut Registry) -> MetaSchema {
        EventStatusName::schema(registry);
        let item = MetaSchemaRef::Reference("EventStatus".to_owned());
        MetaSchema {
            items: Some(Box::new(item)),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let format = input.format;
        let items = input.items();
        let statuses = items.iter().map(|value| {
            let status = one_of(InputValue { value, format }, &event_statuses());
            status.map_err(|error| FieldError::invalid(format!("{}; separate several by commas", error.message)))
        });
        Ok(Self(deduplicate(statuses.collect::<Result<_, _>>()?)))
    }
}

/// A sort direction, in any letter case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderDirection {
    Ascending,
    Descending,
}

impl OrderDirection {
    const CHOICES: [(&'static str, Self); 2] = [("asc", Self::Ascending), ("desc", Self::Descending)];
}

impl FromInput for OrderDirection {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "OrderDirection",
            "Sort direction: ascending or descending.",
            &Self::CHOICES,
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let lower = input.text().unwrap_or_default().to_ascii_lowercase();
        let value = &lower.into();
        let format = input.format;
        one_of(InputValue { value, format }, &Self::CHOICES)
    }
}
