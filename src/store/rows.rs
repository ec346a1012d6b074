//! What all tables have in common.

use sea_orm::{ActiveModelTrait, ActiveValue, EntityTrait, Iterable};

/// The difference between two states of a row: only what changed will be written.
pub fn difference<A: ActiveModelTrait>(before: A, mut after: A) -> A {
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

/// A whole row that is to be inserted. Its key is left to the database.
pub fn new_row<A: ActiveModelTrait>(row: A) -> A {
    use sea_orm::PrimaryKeyToColumn;
    let mut row = row.reset_all();
    for key in <A::Entity as EntityTrait>::PrimaryKey::iter() {
        row.not_set(key.into_column());
    }
    row
}

/// Whether anything is to be written.
pub fn is_changed<A: ActiveModelTrait>(row: &A) -> bool {
    <A::Entity as EntityTrait>::Column::iter().any(|column| matches!(row.get(column), ActiveValue::Set(_)))
}
