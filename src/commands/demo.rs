//! `almanac demo`.

use chrono::Utc;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{CommandError, output::print_line, user};
use crate::{
    auth::Role,
    calendar::zone::Zone,
    config::DatabaseArgs,
    demo::{self, FillTimes, Size},
    store::{self, Store, users},
    tzdata::TzdataArgs,
};

/// The flags of `almanac demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Number of events
    #[arg(long, default_value_t = 2000, value_name = "NUMBER")]
    pub events: u64,

    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub rules: TzdataArgs,

    #[command(flatten)]
    pub administrator: user::AdministratorArgs,
}

/// Fills an empty database with sample events.
pub(crate) async fn run(arguments: &DemoArgs) -> Result<(), CommandError> {
    arguments.rules.install()?;
    let store = store::open_to_load(&arguments.database.database_url, true).await?;
    user::ensure_administrator(&store, &arguments.administrator).await?;
    let size = Size::for_events(arguments.events);
    let Some(filled) = fill(&store, &size, &Zone::UTC).await? else {
        return Err(CommandError::Refused(
            "the database already contains a calendar; the demo only fills an empty one".to_owned(),
        ));
    };
    let seconds = filled.rows.as_secs_f64();
    print_line(format_args!(
        "created {} events in {seconds:.1} s ({:.0} per second), and the search index in {:.1} s",
        size.events,
        size.events as f64 / seconds,
        filled.search.as_secs_f64()
    ))?;
    store.close().await?;
    Ok(())
}

/// Fills the store if it is empty, and shows a progress bar if standard error is a terminal.
pub(crate) async fn fill(store: &Store, size: &Size, site: &Zone) -> Result<Option<FillTimes>, CommandError> {
    let bar = ProgressBar::new(size.events);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} events, {eta} left") {
        bar.set_style(style);
    }
    let role = Role::Administrator.name();
    let author = users::first_with_role(store.reader(), role).await?;
    let author = author.map(|user| user.id);
    let filled = demo::fill(store, size, author, Utc::now(), site, |done| {
        bar.set_position(done);
    })
    .await?;
    bar.finish_and_clear();
    Ok(filled)
}
