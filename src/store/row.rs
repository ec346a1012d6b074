//! Rows of statements, as the two drivers return them.

use std::borrow::Cow;

use sea_orm::{DbErr, EntityTrait, ModelTrait, QueryResult, Value, sea_query::ArrayType};

use super::sqlite;

/// A row.
#[derive(Debug)]
pub enum Row<'a> {
    /// A row of sqlx.
    Sqlx(&'a QueryResult),
    /// A row of rusqlite.
    Rusqlite(&'a rusqlite::Row<'a>),
}

impl Row<'_> {
    /// The number of columns.
    fn len(&self) -> usize {
        match self {
            Self::Sqlx(row) => row.column_names().len(),
            Self::Rusqlite(row) => row.as_ref().column_count(),
        }
    }

    /// An integer that is not null.
    pub fn integer(&self, index: usize) -> Result<i64, DbErr> {
        match self {
            Self::Sqlx(row) => row.try_get_by_index(index),
            Self::Rusqlite(row) => sqlite::get(row, index),
        }
    }

    /// A floating-point number that is not null.
    pub(super) fn real(&self, index: usize) -> Result<f64, DbErr> {
        match self {
            Self::Sqlx(row) => row.try_get_by_index(index),
            Self::Rusqlite(row) => sqlite::get(row, index),
        }
    }

    /// A text, unless it is null.
    pub(crate) fn text(&self, index: usize) -> Result<Option<String>, DbErr> {
        match self {
            Self::Sqlx(row) => row.try_get_by_index(index),
            Self::Rusqlite(row) => sqlite::get(row, index),
        }
    }

    /// A text that is not null, without a copy on SQLite.
    pub(crate) fn text_ref(&self, index: usize) -> Result<Cow<'_, str>, DbErr> {
        match self {
            Self::Sqlx(row) => row.try_get_by_index(index).map(Cow::Owned),
            Self::Rusqlite(row) => sqlite::text(row, index).map(Cow::Borrowed),
        }
    }

    /// Returns true if a column of integers is null in this row.
    pub(crate) fn is_null(&self, index: usize) -> Result<bool, DbErr> {
        Ok(self.value(index, &ArrayType::BigInt)? == Value::BigInt(None))
    }

    /// Reads a model from these columns, which begin at the index `first`.
    pub(crate) fn model<M: ModelTrait + Default>(
        &self,
        first: usize,
        columns: impl Iterator<Item = <M::Entity as EntityTrait>::Column>,
    ) -> Result<M, DbErr> {
        let mut model = M::default();
        for (index, column) in (first..).zip(columns) {
            model.try_set(column, self.value(index, &M::get_value_type(column))?)?;
        }
        Ok(model)
    }

    /// The value of a column of a model with this type.
    fn value(&self, index: usize, column: &ArrayType) -> Result<Value, DbErr> {
        let row = match self {
            Self::Sqlx(row) => row,
            Self::Rusqlite(row) => return sqlite::column_value(row, index, column),
        };
        Ok(match column {
            ArrayType::Bool => row.try_get_by_index::<Option<bool>>(index)?.into(),
            ArrayType::BigInt => row.try_get_by_index::<Option<i64>>(index)?.into(),
            ArrayType::Double => row.try_get_by_index::<Option<f64>>(index)?.into(),
            ArrayType::String => row.try_get_by_index::<Option<String>>(index)?.into(),
            ArrayType::Bytes => row.try_get_by_index::<Option<Vec<u8>>>(index)?.into(),
            other => return Err(unexpected_type(other)),
        })
    }
}

/// The error for a column whose type no table has.
pub(super) fn unexpected_type(column: &ArrayType) -> DbErr {
    DbErr::Type(format!("no column has the type {column:?}"))
}

/// A row as values.
pub trait FromRow: Sized + Send {
    /// Converts a row.
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr>;
}

/// A collection of the rows of a statement, which are added one after the other.
pub trait FromRows: Default + Send {
    /// Adds a row.
    fn add(&mut self, row: &Row<'_>) -> Result<(), DbErr>;
}

impl<R: FromRow> FromRows for Vec<R> {
    fn add(&mut self, row: &Row<'_>) -> Result<(), DbErr> {
        self.push(R::from_row(row)?);
        Ok(())
    }
}

impl<const N: usize> FromRow for [i64; N] {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let mut values = [0; N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = row.integer(index)?;
        }
        Ok(values)
    }
}

impl FromRow for i64 {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        row.integer(0)
    }
}

impl FromRow for String {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(row.text_ref(0)?.into_owned())
    }
}

impl<const N: usize> FromRow for [String; N] {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let mut values = [const { String::new() }; N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = row.text_ref(index)?.into_owned();
        }
        Ok(values)
    }
}

/// A row of which only its existence matters.
impl FromRow for () {
    fn from_row(_: &Row<'_>) -> Result<Self, DbErr> {
        Ok(())
    }
}

/// A text and a number.
impl FromRow for (String, i64) {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok((row.text_ref(0)?.into_owned(), row.integer(1)?))
    }
}

/// An ID and a text.
impl FromRow for (i64, String) {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok((row.integer(0)?, row.text_ref(1)?.into_owned()))
    }
}

impl FromRow for Vec<i64> {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        (0..row.len()).map(|index| row.integer(index)).collect()
    }
}

impl FromRow for bool {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        match row {
            Row::Sqlx(row) => row.try_get_by_index(0),
            Row::Rusqlite(row) => sqlite::get(row, 0),
        }
    }
}
