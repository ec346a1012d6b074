//! The UUID of the calendar, and the identifiers of events that it is part of.

use sea_orm::{DbErr, Statement};
use tokio::sync::OnceCell;

use super::{entity::event, read_connection::ReadConnection};

/// The UUID of the calendar, once it has been needed. It does not change while there are events.
#[derive(Debug, Default)]
pub(crate) struct CalendarUuid(OnceCell<String>);

impl CalendarUuid {
    /// The UUID, which is read by the first call.
    pub(crate) async fn get(&self, database: &impl ReadConnection) -> Result<&str, DbErr> {
        let uuid = self.0.get_or_try_init(|| read(database)).await?;
        Ok(uuid.as_str())
    }
}

async fn read(database: &impl ReadConnection) -> Result<String, DbErr> {
    let select = "SELECT uuid FROM calendar_identity";
    let statement = Statement::from_string(database.backend(), select);
    let rows: Vec<String> = database.rows_of(statement).await?;
    let first = rows.into_iter().next();
    first.ok_or_else(|| DbErr::RecordNotFound("the identity of the calendar".to_owned()))
}

/// The identifier of an event in feeds, which never changes. Imported events have that of their source.
pub(crate) fn event_uid(calendar: &str, row: &event::Model) -> String {
    match &row.uid {
        Some(uid) => uid.clone(),
        None => format!("{}@{calendar}", row.id),
    }
}
