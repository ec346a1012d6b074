//! Rows as JSON objects, one member for each column.

use std::collections::HashMap;

use sea_orm::{IdenStatic, Iterable, ModelTrait, Value, sea_query::ArrayType};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{Contents, TransferError, kinds::Record};

/// The columns of the records of a table.
pub(super) fn columns<E: Record>(contents: Contents) -> Vec<E::Column> {
    let is_contained = |column: &E::Column| {
        let name = column.as_str();
        !E::DERIVED.contains(&name) && (contents == Contents::Backup || !E::SECRET.contains(&name))
    };
    E::Column::iter().filter(is_contained).collect()
}

/// Begins the line of a row: all columns, without the closing brace.
pub(super) fn begin<E: Record>(line: &mut Vec<u8>, row: &E::Model, columns: &[E::Column]) -> Result<(), TransferError> {
    line.extend_from_slice(format!("{{\"kind\":\"{}\"", E::KIND.name()).as_bytes());
    for column in columns {
        // Names of columns need no escapes.
        line.extend_from_slice(format!(",\"{}\":", column.as_str()).as_bytes());
        write_value(line, &row.get(*column))?;
    }
    Ok(())
}

/// Adds a member with a list.
pub(super) fn add_list(line: &mut Vec<u8>, name: &str, list: &impl serde::Serialize) -> Result<(), TransferError> {
    line.extend_from_slice(format!(",\"{name}\":").as_bytes());
    Ok(serde_json::to_writer(line, list)?)
}

/// Ends a line.
pub(super) fn end(line: &mut Vec<u8>) {
    line.extend_from_slice(b"}\n");
}

/// Columns have the types that [`crate::store::row`] reads.
fn write_value(line: &mut Vec<u8>, value: &Value) -> Result<(), TransferError> {
    match value {
        Value::Bool(Some(flag)) => serde_json::to_writer(line, flag)?,
        Value::BigInt(Some(number)) => serde_json::to_writer(line, number)?,
        Value::Double(Some(number)) => serde_json::to_writer(line, number)?,
        Value::String(Some(text)) => serde_json::to_writer(line, text)?,
        _ => line.extend_from_slice(b"null"),
    }
    Ok(())
}

/// The members of a line that have not been read yet.
pub(super) struct Members<'a>(HashMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    /// Parses a line.
    pub(super) fn parse(line: &'a str) -> Result<Self, String> {
        let members = serde_json::from_str(line);
        members
            .map(Self)
            .map_err(|error| format!("must be a JSON object: {error}"))
    }

    /// Reads a member. `expected` says what its value must be.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str, expected: &str) -> Result<T, String> {
        let value = self
            .0
            .remove(name)
            .ok_or_else(|| format!("the member {name} is missing"))?;
        serde_json::from_str(value.get()).map_err(|_| format!("the member {name} must be {expected}"))
    }

    /// Reads a row. Returns all errors of its members.
    pub(super) fn row<E: Record>(&mut self, columns: &[E::Column], errors: &mut Vec<String>) -> E::Model {
        let mut row = E::Model::default();
        for column in columns {
            let name = column.as_str();
            if E::LATER.contains(&name) && !self.0.contains_key(name) {
                continue;
            }
            let value = self.value(name, &E::Model::get_value_type(*column));
            let set = value.and_then(|value| {
                row.try_set(*column, value)
                    .map_err(|_| format!("the member {name} must not be null"))
            });
            errors.extend(set.err());
        }
        row
    }

    fn value(&mut self, name: &str, column: &ArrayType) -> Result<Value, String> {
        Ok(match column {
            ArrayType::Bool => self.take::<Option<bool>>(name, "true or false")?.into(),
            ArrayType::BigInt => self.take::<Option<i64>>(name, "an integer")?.into(),
            ArrayType::Double => self.double(name)?.into(),
            _ => {
                let text = self.take::<Option<String>>(name, "a text")?;
                // PostgreSQL can't store it.
                if text.as_ref().is_some_and(|text| text.contains('\0')) {
                    return Err(format!("the member {name} must not have the character U+0000"));
                }
                text.into()
            }
        })
    }

    /// Reads a number as the standard library does. serde_json may deviate in the last digit.
    fn double(&mut self, name: &str) -> Result<Option<f64>, String> {
        let text: Box<RawValue> = self.take(name, "a number")?;
        if text.get() == "null" {
            return Ok(None);
        }
        let number = text.get().parse().ok().filter(|number: &f64| number.is_finite());
        number
            .map(Some)
            .ok_or_else(|| format!("the member {name} must be a number"))
    }

    /// The errors for members that have not been read.
    pub(super) fn unknown(&self) -> Vec<String> {
        let mut names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
            .iter()
            .map(|name| format!("the member {name} is unknown"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::entity::venue;

    fn line(row: &venue::Model) -> String {
        let mut line = Vec::new();
        begin::<venue::Entity>(&mut line, row, &columns::<venue::Entity>(Contents::Export)).unwrap();
        end(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn row_is_read_as_written() {
        let row = venue::Model {
            id: 7,
            version: 3,
            title: "Hall \"A\"\n".to_owned(),
            // Numbers that a lossy parser changes.
            geo_lat: Some(54.323_292_999_999_99),
            geo_lng: Some(-0.1 + -0.2),
            trashed_at: Some(-5),
            show_map: true,
            ..venue::Model::default()
        };
        let written = line(&row);
        let mut members = Members::parse(&written).unwrap();
        assert_eq!(members.take::<String>("kind", "a kind").unwrap(), "venue");
        let mut errors = Vec::new();
        let read = members.row::<venue::Entity>(&columns::<venue::Entity>(Contents::Export), &mut errors);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(members.unknown(), Vec::<String>::new());
        assert_eq!(read, row);
    }

    #[test]
    fn errors_name_members() {
        let written = line(&venue::Model::default());
        let wrong = written
            .replace("\"id\":0", "\"id\":\"x\"")
            .replace("\"slug\":\"\"", "\"slug\":null")
            .replace("\"geo_lat\":null", "\"geo_lat\":1e999")
            .replace("\"zip\":\"\"", "\"zap\":\"\"");
        let mut members = Members::parse(&wrong).unwrap();
        let mut errors = Vec::new();
        members.row::<venue::Entity>(&columns::<venue::Entity>(Contents::Export), &mut errors);
        errors.extend(members.unknown());
        let expected = [
            "the member id must be an integer",
            "the member slug must not be null",
            "the member zip is missing",
            "the member geo_lat must be a number",
            "the member kind is unknown",
            "the member zap is unknown",
        ];
        assert_eq!(errors, expected);
    }
}
