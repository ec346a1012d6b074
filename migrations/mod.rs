//! The steps that bring a database to the current schema, oldest first. README.md explains how to add one.

use std::time::SystemTime;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{DatabaseTransaction, DbBackend},
};

/// All steps, in the order in which they run.
struct Migrations;

impl MigratorTrait for Migrations {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        STEPS
            .iter()
            .map(|step| Box::new(*step) as Box<dyn MigrationTrait>)
            .collect()
    }

    fn migration_table_name() -> DynIden {
        "migrations".into_iden()
    }
}

const STEPS: &[Step] = &[
    Step {
        name: BASELINE,
        sqlite: &[
            include_str!("m0020_baseline/sqlite/tables.sql"),
            include_str!("m0020_baseline/sqlite/triggers.sql"),
            include_str!("m0020_baseline/sqlite/change_log.sql"),
            include_str!("m0020_baseline/sqlite/statistics.sql"),
        ],
        postgres: &[
            include_str!("m0020_baseline/postgres/tables.sql"),
            include_str!("m0020_baseline/postgres/triggers.sql"),
            include_str!("m0020_baseline/postgres/change_log.sql"),
        ],
    },
    Step {
        name: "m0021_standard_names",
        sqlite: &[
            include_str!("m0021_standard_names/sqlite/rename.sql"),
            include_str!("m0021_standard_names/sqlite/triggers.sql"),
            include_str!("m0021_standard_names/sqlite/change_log.sql"),
            include_str!("m0021_standard_names/sqlite/statistics.sql"),
        ],
        postgres: &[
            include_str!("m0021_standard_names/postgres/rename.sql"),
            include_str!("m0021_standard_names/postgres/triggers.sql"),
            include_str!("m0021_standard_names/postgres/change_log.sql"),
        ],
    },
    Step {
        name: "m0022_list_indexes",
        sqlite: &[include_str!("m0022_list_indexes/sqlite/indexes.sql")],
        postgres: &[include_str!("m0022_list_indexes/postgres/indexes.sql")],
    },
    Step {
        name: "m0023_cheaper_writes",
        sqlite: &[
            include_str!("m0023_cheaper_writes/sqlite/links.sql"),
            include_str!("m0023_cheaper_writes/sqlite/full_text.sql"),
        ],
        postgres: &[include_str!("m0023_cheaper_writes/postgres/links.sql")],
    },
    Step {
        name: "m0024_more_filters",
        sqlite: &[include_str!("m0024_more_filters/sqlite/more_filters.sql")],
        postgres: &[include_str!("m0024_more_filters/postgres/more_filters.sql")],
    },
    Step {
        name: "m0025_feeds",
        sqlite: &[include_str!("m0025_feeds/sqlite/feeds.sql")],
        postgres: &[include_str!("m0025_feeds/postgres/feeds.sql")],
    },
    Step {
        name: "m0026_former_slugs",
        sqlite: &[include_str!("m0026_former_slugs/sqlite/former_slugs.sql")],
        postgres: &[include_str!("m0026_former_slugs/postgres/former_slugs.sql")],
    },
    Step {
        name: "m0027_search_words",
        sqlite: &[include_str!("m0027_search_words/sqlite/search_words.sql")],
        postgres: &[include_str!("m0027_search_words/postgres/search_words.sql")],
    },
    Step {
        name: "m0028_series",
        sqlite: &[include_str!("m0028_series/sqlite/series.sql")],
        postgres: &[include_str!("m0028_series/postgres/series.sql")],
    },
    Step {
        name: "m0029_imports",
        sqlite: &[include_str!("m0029_imports/sqlite/imports.sql")],
        postgres: &[include_str!("m0029_imports/postgres/imports.sql")],
    },
    Step {
        name: "m0030_changes",
        sqlite: &[include_str!("m0030_changes/sqlite/changes.sql")],
        postgres: &[include_str!("m0030_changes/postgres/changes.sql")],
    },
    Step {
        name: "m0031_webhooks",
        sqlite: &[include_str!("m0031_webhooks/sqlite/webhooks.sql")],
        postgres: &[include_str!("m0031_webhooks/postgres/webhooks.sql")],
    },
    Step {
        name: "m0032_idempotency",
        sqlite: &[include_str!("m0032_idempotency/sqlite/idempotency.sql")],
        postgres: &[include_str!("m0032_idempotency/postgres/idempotency.sql")],
    },
    Step {
        name: "m0033_external_ids",
        sqlite: &[include_str!("m0033_external_ids/sqlite/external_ids.sql")],
        postgres: &[include_str!("m0033_external_ids/postgres/external_ids.sql")],
    },
    Step {
        name: "m0034_series_uid",
        sqlite: &[include_str!("m0034_series_uid/sqlite/series_uid.sql")],
        postgres: &[include_str!("m0034_series_uid/postgres/series_uid.sql")],
    },
    Step {
        name: "m0035_fewer_logged_changes",
        // SQLite appends its rows at little cost: they have no index.
        sqlite: &[],
        postgres: &[include_str!("m0035_fewer_logged_changes/postgres/change_log.sql")],
    },
    Step {
        name: "m0036_very_long_events",
        sqlite: &[include_str!("m0036_very_long_events/sqlite/very_long_events.sql")],
        postgres: &[include_str!("m0036_very_long_events/postgres/very_long_events.sql")],
    },
    Step {
        name: "m0037_fewer_count_rows",
        sqlite: &[include_str!("m0037_fewer_count_rows/sqlite/time_buckets.sql")],
        postgres: &[
            include_str!("m0037_fewer_count_rows/postgres/time_buckets.sql"),
            include_str!("m0037_fewer_count_rows/postgres/term_counts.sql"),
        ],
    },
    Step {
        name: "m0038_statement_triggers",
        // SQLite has no statement-level triggers.
        sqlite: &[],
        postgres: &[include_str!("m0038_statement_triggers/postgres/inserts.sql")],
    },
    Step {
        name: "m0039_search_dates",
        // Only the IDs can be read from SQLite's full-text index.
        sqlite: &[],
        postgres: &[include_str!("m0039_search_dates/postgres/search_dates.sql")],
    },
];

/// A step. The scripts of a database run in the given order.
#[derive(Clone, Copy)]
struct Step {
    name: &'static str,
    sqlite: &'static [&'static str],
    postgres: &'static [&'static str],
}

impl MigrationName for Step {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let scripts = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres,
            _ => self.sqlite,
        };
        for script in scripts {
            manager.get_connection().execute_unprepared(script).await?;
        }
        Ok(())
    }
}

/// The step that replaced the steps of [`SQUASHED`].
const BASELINE: &str = "m0020_baseline";

/// Former steps. The baseline creates the schema that they produced.
const SQUASHED: [&str; 18] = [
    "m0001_users",
    "m0002_images",
    "m0003_terms",
    "m0004_venues_and_organizers",
    "m0005_events",
    "m0006_links",
    "m0007_listing",
    "m0008_upkeep",
    "m0009_search",
    "m0010_statistics",
    "m0011_changes",
    "m0012_long_events",
    "m0013_turns_at_the_tree",
    "m0014_around_a_place",
    "m0015_description_texts",
    "m0016_local_times",
    "m0017_trash_and_following",
    "m0019_lock_order",
];

/// How the steps that were applied to a database relate to those of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SchemaState {
    /// No step was applied.
    Empty,
    /// All steps were applied.
    Current,
    /// The first steps were applied, or exactly those of [`SQUASHED`]. [`migrate`] applies the others.
    Outdated,
    /// Only some steps of [`SQUASHED`] were applied. This one is missing, and only an older program can apply it.
    Squashed(&'static str),
    /// This step of a newer program was applied.
    Newer(String),
    /// Besides steps of this program, this one was applied, which no release has.
    Diverged(String),
    /// This step of another program was applied, and no step of this program.
    Foreign(String),
}

impl SchemaState {
    /// The state of a database with these steps, in any order.
    pub(crate) fn of(applied: &[String]) -> Self {
        let is_applied = |name: &str| applied.iter().any(|other| other == name);
        let is_known = |name: &str| SQUASHED.contains(&name) || STEPS.iter().any(|step| step.name == name);
        let unknown = applied.iter().find(|name| !is_known(name));
        let has_baseline = is_applied(BASELINE);
        match unknown {
            Some(step) if has_baseline || is_newer(step) => Self::Newer(step.clone()),
            Some(step) if applied.iter().any(|name| is_known(name)) => Self::Diverged(step.clone()),
            Some(step) => Self::Foreign(step.clone()),
            None if applied.is_empty() => Self::Empty,
            None if STEPS.iter().all(|step| is_applied(step.name)) => Self::Current,
            None if has_baseline => Self::Outdated,
            None => match SQUASHED.into_iter().find(|step| !is_applied(step)) {
                Some(step) => Self::Squashed(step),
                None => Self::Outdated,
            },
        }
    }
}

/// Whether the name has the form of a step and sorts after all of [`STEPS`]. A newer program may have another baseline.
fn is_newer(name: &str) -> bool {
    let number = name
        .strip_prefix('m')
        .and_then(|rest| rest.split_once('_'))
        .map(|(number, _)| number);
    let is_step = number.is_some_and(|number| number.len() == 4 && number.bytes().all(|digit| digit.is_ascii_digit()));
    is_step && STEPS.iter().all(|step| step.name < name)
}

/// Applies the pending steps to an empty or outdated database. The caller has to exclude concurrent migrations, and to
/// commit.
pub(crate) async fn migrate(transaction: &DatabaseTransaction) -> Result<(), DbErr> {
    Migrations::install(transaction).await?;
    adopt_baseline(transaction).await?;
    Migrations::up(transaction, None).await
}

/// Records the baseline in place of the squashed steps, if these were applied: the schema is the same.
async fn adopt_baseline(transaction: &DatabaseTransaction) -> Result<(), DbErr> {
    let squashed = Query::delete()
        .from_table(Migrations::migration_table_name())
        .and_where(Expr::col("version").is_in(SQUASHED))
        .to_owned();
    if transaction.execute(&squashed).await?.rows_affected() == 0 {
        return Ok(());
    }
    let applied_at = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let baseline = Query::insert()
        .into_table(Migrations::migration_table_name())
        .columns(["version", "applied_at"])
        .values_panic([BASELINE.into(), applied_at.as_secs().cast_signed().into()])
        .to_owned();
    transaction.execute(&baseline).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(applied: &[&str]) -> SchemaState {
        let applied: Vec<String> = applied.iter().map(|step| (*step).to_owned()).collect();
        SchemaState::of(&applied)
    }

    fn all_names() -> Vec<&'static str> {
        STEPS.iter().map(|step| step.name).collect()
    }

    #[test]
    fn names_of_steps_are_unique_and_ascend() {
        let names: Vec<&str> = SQUASHED.into_iter().chain(all_names()).collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
    }

    #[test]
    fn state_of_own_schemas() {
        assert_eq!(state(&[]), SchemaState::Empty);
        assert_eq!(state(&all_names()), SchemaState::Current);
        assert_eq!(state(&[BASELINE]), SchemaState::Outdated);
        assert_eq!(state(&SQUASHED), SchemaState::Outdated);
        assert_eq!(state(&SQUASHED[..17]), SchemaState::Squashed("m0019_lock_order"));
        assert_eq!(state(&SQUASHED[1..]), SchemaState::Squashed("m0001_users"));
    }

    #[test]
    fn state_of_newer_and_foreign_schemas() {
        let with = |steps: &[&'static str], step: &'static str| state(&[steps, &[step]].concat());
        for step in ["m9999_later", "2019"] {
            assert_eq!(with(&all_names(), step), SchemaState::Newer(step.to_owned()));
        }
        assert_eq!(
            state(&["m9999_baseline"]),
            SchemaState::Newer("m9999_baseline".to_owned())
        );
        assert_eq!(
            with(&SQUASHED, "m0018_trial"),
            SchemaState::Diverged("m0018_trial".to_owned())
        );
        assert_eq!(state(&["2019"]), SchemaState::Foreign("2019".to_owned()));
        assert_eq!(
            state(&["my_first_step"]),
            SchemaState::Foreign("my_first_step".to_owned())
        );
    }
}
