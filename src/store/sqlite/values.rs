//! Conversion of values between SeaORM and rusqlite.

use rusqlite::{
    Row, ToSql,
    types::{FromSql, ToSqlOutput, ValueRef},
};
use sea_orm::{DbErr, Value, sea_query::ArrayType};

use super::error::query_error;
use crate::store::row::unexpected_type;

/// A value to bind to a parameter.
pub(super) struct Parameter<'a>(pub &'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Bool(value) => value.map(|value| ValueRef::Integer(value.into())),
            Value::Int(value) => value.map(|value| ValueRef::Integer(value.into())),
            Value::BigInt(value) => value.map(ValueRef::Integer),
            Value::BigUnsigned(Some(value)) => {
                let value = i64::try_from(*value);
                Some(ValueRef::Integer(
                    value.map_err(|error| unsupported(error.to_string()))?,
                ))
            }
            Value::Double(value) => value.map(ValueRef::Real),
            Value::String(value) => value.as_ref().map(|text| ValueRef::Text(text.as_bytes())),
            Value::Bytes(value) => value.as_ref().map(|bytes| ValueRef::Blob(bytes)),
            other => return Err(unsupported(format!("no statement binds a value such as {other:?}"))),
        };
        Ok(ToSqlOutput::Borrowed(value.unwrap_or(ValueRef::Null)))
    }
}

fn unsupported(cause: String) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(cause.into())
}

/// The value at this index.
pub(in crate::store) fn get<T: FromSql>(row: &Row<'_>, index: usize) -> Result<T, DbErr> {
    row.get(index).map_err(query_error)
}

/// The text at this index, which is not null.
pub(in crate::store) fn text<'row>(row: &'row Row<'_>, index: usize) -> Result<&'row str, DbErr> {
    let value = row.get_ref(index).map_err(query_error)?;
    value.as_str().map_err(|error| query_error(error.into()))
}

/// The value at this index, for a column of a model with this type.
pub(in crate::store) fn column_value(row: &Row<'_>, index: usize, column: &ArrayType) -> Result<Value, DbErr> {
    Ok(match column {
        // SQLite stores booleans as integers.
        ArrayType::Bool => get::<Option<bool>>(row, index)?.into(),
        ArrayType::BigInt => get::<Option<i64>>(row, index)?.into(),
        ArrayType::Double => get::<Option<f64>>(row, index)?.into(),
        ArrayType::String => get::<Option<String>>(row, index)?.into(),
        ArrayType::Bytes => get::<Option<Vec<u8>>>(row, index)?.into(),
        other => return Err(unexpected_type(other)),
    })
}
