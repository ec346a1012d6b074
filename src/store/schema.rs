//! Which steps of the schema a database has.

use std::collections::HashSet;

use sea_orm_migration::MigratorTrait;

use crate::migrations::Migrations;

/// The names of the steps that have run.
pub const APPLIED_STEPS: &str = "SELECT version FROM migrations ORDER BY version";

fn known_steps() -> HashSet<String> {
    let steps = Migrations::migrations();
    steps.iter().map(|step| step.name().to_owned()).collect()
}

/// A step that this version does not know.
pub fn newer_step(applied: &[String]) -> Option<String> {
    let known = known_steps();
    applied.iter().find(|step| !known.contains(*step)).cloned()
}

/// Whether some version of this program made the schema.
pub fn is_ours(applied: &[String]) -> bool {
    let known = known_steps();
    applied.iter().any(|step| known.contains(step))
}
