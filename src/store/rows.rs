//! Helpers for rows of any table.

use sea_orm::{ActiveModelTrait, EntityTrait, Iterable};

/// Returns `after` with only the changed columns set, so that an update writes nothing else.
pub(crate) fn difference<A: ActiveModelTrait>(before: A, mut after: A) -> A {
    for column in <A::Entity as EntityTrait>::Column::iter() {
        let old = before.get(column).into_value();
        if let Some(new) = after.get(column).into_value()
            && old.as_ref() != Some(&new)
        {
            after.set(column, new);
        }
    }
    after
}

/// Sets all columns of a row for an insertion, except the primary key, which the database assigns.
pub(crate) fn new_row<A: ActiveModelTrait>(row: A) -> A {
    use sea_orm::PrimaryKeyToColumn;
    let mut row = row.reset_all();
    for key in <A::Entity as EntityTrait>::PrimaryKey::iter() {
        row.not_set(key.into_column());
    }
    row
}
