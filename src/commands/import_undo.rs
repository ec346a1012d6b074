//! `almanac import undo`.

use clap::Args;

use super::{CommandError, output::print_line};
use crate::{
    config::{DatabaseArgs, Site},
    import::undo,
    store,
};

/// The flags of `almanac import undo`.
#[derive(Args, Debug)]
pub struct UndoArgs {
    /// Number of the run, which each import prints at its end
    pub run: i64,

    /// Report what would be moved to the trash, and store nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub site: Site,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Undoes a run.
pub(super) async fn run(arguments: &UndoArgs) -> Result<(), CommandError> {
    let UndoArgs {
        run,
        dry_run,
        site,
        database,
    } = arguments;
    let store = store::open(&database.database_url, true).await?;
    let undo::Undone {
        events,
        venues,
        organizers,
        changed,
        terms,
        ends_interval,
    } = undo::undo(&store, *run, site.zone, *dry_run).await?;
    let moved = if *dry_run { "would move" } else { "moved" };
    print_line(format_args!(
        "{moved} {events} events, {venues} venues and {organizers} organizers to the trash"
    ))?;
    if changed > 0 {
        print_line(format_args!(
            "{changed} objects were changed since they were imported, and stay"
        ))?;
    }
    if ends_interval {
        print_line("servers no longer import the address at an interval; --every lets them begin again")?;
    }
    if terms > 0 {
        print_line(format_args!(
            "{terms} categories and tags stay: there is no trash for them"
        ))?;
    }
    store.close().await?;
    Ok(())
}
