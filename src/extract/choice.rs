//! Values of which there are a few.

use super::{FromInput, InputValue, number::each_once};
use crate::error::FieldError;
use crate::{calendar::status::Status, store::term_list::TermOrder};

/// Reads one of a few words.
fn one_of<T: Copy>(raw: InputValue<'_>, choices: &[(&str, T)]) -> Result<T, FieldError> {
    let text = raw.text().unwrap_or_default().trim();
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
pub struct StatusName(pub Status);

impl FromInput for StatusName {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(raw, &statuses()).map(Self)
    }
}

/// Statuses of a list: names with commas between them; `any` is all but `trash`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusList(pub Vec<Status>);

impl FromInput for StatusList {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let mut list = Vec::new();
        for value in raw.items() {
            let text = value.as_str().unwrap_or_default().trim();
            if text == "any" {
                list.extend(Status::ALL.iter().filter(|status| **status != Status::Trash));
            } else {
                let source = raw.source;
                let value = &value;
                let status = one_of(InputValue { value, source }, &statuses()).map_err(|error| {
                    FieldError::invalid(format!("{}, or any, with commas between them", error.message))
                })?;
                list.push(status);
            }
        }
        Ok(Self(each_once(list)))
    }
}

/// The direction of an order, in any letter case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderDirection {
    Ascending,
    Descending,
}

impl FromInput for OrderDirection {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let lower = raw.text().unwrap_or_default().to_ascii_lowercase();
        let value = &lower.into();
        let source = raw.source;
        one_of(
            InputValue { value, source },
            &[("asc", Self::Ascending), ("desc", Self::Descending)],
        )
    }
}

impl FromInput for TermOrder {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(
            raw,
            &[
                ("name", Self::Name),
                ("id", Self::Id),
                ("slug", Self::Slug),
                ("count", Self::Count),
                ("description", Self::Description),
                ("include", Self::Include),
                ("parent", Self::Parent),
            ],
        )
    }
}

/// For what the index is asked. The answer is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexContext {
    View,
    Embed,
    Edit,
}

impl FromInput for IndexContext {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(
            raw,
            &[("view", Self::View), ("embed", Self::Embed), ("edit", Self::Edit)],
        )
    }
}
