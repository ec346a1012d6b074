//! The compile-time options of the bundled SQLite. `.cargo/config.toml` sets them, and cargo does not read that file when
//! it builds from another directory, as `cargo install --path` does.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

/// An option, and whether SQLite must have it.
const EXPECTED: [(&str, bool); 3] = [
    ("ENABLE_QPSG", true),
    ("ENABLE_MEMORY_MANAGEMENT", false),
    ("DEFAULT_MEMSTATUS=0", true),
];

/// Logs a warning if SQLite was built with other options, which only cost speed.
pub(super) async fn check(database: &impl ConnectionTrait) -> Result<(), DbErr> {
    let differences = differences(&compile_options(database).await?);
    if !differences.is_empty() {
        tracing::warn!(
            "SQLite was built with other options than .cargo/config.toml sets ({}), and is slower: build in the \
             directory of the source code, or set LIBSQLITE3_FLAGS as in that file",
            differences.join(", ")
        );
    }
    Ok(())
}

async fn compile_options(database: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let statement = Statement::from_string(DbBackend::Sqlite, "PRAGMA compile_options");
    let rows = database.query_all_raw(statement).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// The expected options that are missing, and those that must be absent.
fn differences(options: &[String]) -> Vec<String> {
    EXPECTED
        .iter()
        .filter(|(name, is_expected)| options.iter().any(|option| option == name) != *is_expected)
        .map(|(name, is_expected)| match is_expected {
            true => format!("without {name}"),
            false => format!("with {name}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use sea_orm::Database;

    use super::*;

    fn differences_of(options: &[&str]) -> Vec<String> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        differences(&options)
    }

    #[test]
    fn other_options_are_found() {
        let none: [&str; 0] = [];
        assert_eq!(
            differences_of(&["DEFAULT_MEMSTATUS=0", "ENABLE_QPSG", "THREADSAFE=1"]),
            none
        );
        assert_eq!(
            differences_of(&["ENABLE_MEMORY_MANAGEMENT", "THREADSAFE=1"]),
            [
                "without ENABLE_QPSG",
                "with ENABLE_MEMORY_MANAGEMENT",
                "without DEFAULT_MEMSTATUS=0"
            ]
        );
    }

    #[tokio::test]
    async fn this_build_has_the_options() {
        let database = Database::connect("sqlite::memory:").await.expect("a database");
        let options = compile_options(&database).await.expect("options");
        assert_eq!(differences(&options), [""; 0]);
    }
}
