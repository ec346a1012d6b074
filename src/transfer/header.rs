//! The first and the last line of a file.

use std::collections::BTreeMap;

use sea_orm::{DbBackend, DbErr, Statement};
use serde::{Deserialize, Serialize};

use super::{
    Contents,
    kinds::RecordKind,
    tables::{PLAIN_TABLES, PlainTable},
};
use crate::store::{read_connection::ReadConnection, write_connection::WriteConnection};

/// The version of the format. A program that can't read it refuses the file.
pub(super) const FORMAT: u32 = 1;

/// The number of rows of each table.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    kind: String,
    pub format: u32,
    contents: String,
    /// The UUID of the calendar, which is part of the identifiers of events in feeds.
    pub uuid: String,
    /// The highest ID that a row of each table has had: IDs are never used again.
    pub last_ids: BTreeMap<String, i64>,
}

/// The last line. A file without it is incomplete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    kind: String,
    pub counts: Counts,
}

const CALENDAR: &str = "calendar";
pub(super) const END: &str = "end";
/// The kind of a row of a table without a kind of record.
pub(super) const ROW: &str = "row";

impl Contents {
    fn name(self) -> &'static str {
        match self {
            Self::Export => "export",
            Self::Backup => "backup",
        }
    }

    /// The tables without kinds of records that a file contains.
    pub(super) fn plain_tables(self) -> impl Iterator<Item = &'static PlainTable> {
        PLAIN_TABLES.iter().filter(move |_| self == Self::Backup)
    }

    /// The tables whose rows have IDs from a sequence.
    fn numbered_tables(self) -> impl Iterator<Item = &'static str> {
        let plain = self
            .plain_tables()
            .filter(|table| table.is_numbered())
            .map(|table| table.name);
        RecordKind::ALL.into_iter().map(RecordKind::table).chain(plain)
    }
}

impl Header {
    /// Reads the header of the calendar.
    pub(super) async fn of(database: &impl ReadConnection, contents: Contents) -> Result<Self, DbErr> {
        let backend = database.backend();
        let uuid = Statement::from_string(backend, "SELECT id, uuid FROM calendar_identity");
        let uuid: Vec<(i64, String)> = database.rows_of(uuid).await?;
        let (_, uuid) = uuid
            .into_iter()
            .next()
            .ok_or_else(|| DbErr::RecordNotFound("the identity of the calendar".to_owned()))?;
        let mut last_ids = BTreeMap::new();
        for table in contents.numbered_tables() {
            last_ids.insert(table.to_owned(), last_id(database, table).await?);
        }
        Ok(Self {
            kind: CALENDAR.to_owned(),
            format: FORMAT,
            contents: contents.name().to_owned(),
            uuid,
            last_ids,
        })
    }

    /// Parses the first line of a file with these contents.
    pub(super) fn parse(line: &str, contents: Contents) -> Result<Self, String> {
        let header: Self = serde_json::from_str(line).map_err(|error| {
            format!("must be the header that `almanac export` writes, with kind \"calendar\": {error}")
        })?;
        if header.kind != CALENDAR {
            return Err("must be the header that `almanac export` writes, with kind \"calendar\"".to_owned());
        }
        if header.format != FORMAT {
            let format = header.format;
            return Err(format!(
                "has format {format}, and this version of Almanac reads format {FORMAT}; use the version that wrote it"
            ));
        }
        if header.contents != contents.name() {
            let (found, expected) = (&header.contents, contents.name());
            return Err(format!("has the contents {found:?}, and {expected:?} are expected"));
        }
        let is_uuid = |text: &str| {
            let parts: Vec<usize> = text.split('-').map(str::len).collect();
            parts == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
        };
        if !is_uuid(&header.uuid) {
            return Err("the member uuid must be a UUID".to_owned());
        }
        let is_table = |name: &String| contents.numbered_tables().any(|table| table == name);
        if !header.last_ids.keys().all(is_table) || header.last_ids.values().any(|id| *id < 0) {
            return Err("the member last_ids must have an integer for each table of the calendar".to_owned());
        }
        Ok(header)
    }
}

impl End {
    pub(super) fn new(counts: Counts) -> Self {
        Self {
            kind: END.to_owned(),
            counts,
        }
    }
}

/// The highest ID that a row of the table has had. 0 if there was none.
async fn last_id(database: &impl ReadConnection, table: &str) -> Result<i64, DbErr> {
    let backend = database.backend();
    // The row may have been stored with its ID, which does not change a sequence of PostgreSQL.
    let highest = format!("COALESCE((SELECT MAX(id) FROM {table}), 0)");
    let select = match backend {
        DbBackend::Postgres => format!(
            "SELECT GREATEST(COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', 'id') AS \
             regclass)), 0), {highest})"
        ),
        _ => {
            format!("SELECT MAX(COALESCE((SELECT MAX(seq) FROM sqlite_sequence WHERE name = '{table}'), 0), {highest})")
        }
    };
    let rows: Vec<[i64; 1]> = database.rows_of(Statement::from_string(backend, select)).await?;
    Ok(rows.first().map_or(0, |[id]| *id))
}

/// Continues the IDs of a table after this one. On PostgreSQL, a rollback does not revert it.
pub(super) async fn set_last_id(transaction: &impl WriteConnection, table: &str, id: i64) -> Result<(), DbErr> {
    if id == 0 {
        return Ok(());
    }
    match transaction.backend() {
        DbBackend::Postgres => {
            let set = format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), {id})");
            transaction.execute_unprepared(&set).await?;
        }
        _ => {
            let set = format!(
                "DELETE FROM sqlite_sequence WHERE name = '{table}'; \
                 INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', {id})"
            );
            transaction.execute_unprepared(&set).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_checked() {
        let header = Header {
            kind: CALENDAR.to_owned(),
            format: FORMAT,
            contents: "export".to_owned(),
            uuid: "0c0c0a3e-7b55-4b7c-8a33-2f0f6a5b9d11".to_owned(),
            last_ids: BTreeMap::from([("events".to_owned(), 7)]),
        };
        let line = serde_json::to_string(&header).unwrap();
        assert_eq!(Header::parse(&line, Contents::Export), Ok(header));
        for (text, wrong, expected) in [
            ("\"format\":1", "\"format\":2", "has format 2"),
            ("\"calendar\"", "\"event\"", "must be the header"),
            ("\"export\"", "\"backup\"", "has the contents \"backup\""),
            ("0c0c0a3e-", "0c0c0a3e", "must be a UUID"),
            ("\"events\":7", "\"tokens\":7", "last_ids"),
            ("\"events\":7", "\"events\":-7", "last_ids"),
            ("}}", "}", "must be the header"),
        ] {
            let error = Header::parse(&line.replace(text, wrong), Contents::Export).expect_err(wrong);
            assert!(error.contains(expected), "{wrong}: {error}");
        }
    }
}
