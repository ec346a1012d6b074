//! `almanac import`: what its subcommands share, and the subcommands for files.

use std::{fs, path::PathBuf, time::Duration};

use clap::{ArgAction, Args, Subcommand};
use ipnet::IpNet;

use super::{
    CommandError, duration, import_ndjson,
    import_progress::CommandProgress,
    import_tec::{self, TecArgs},
    import_undo,
    output::print_line,
    user::find_user,
};
use crate::{
    auth::Role,
    calendar::status::Status,
    config::{DatabaseArgs, SeriesArgs, Site, network},
    import::{
        Authority, Format, ImportError, WHOLE, WriteOptions,
        csv::{self, CsvOptions, DateOrder, TableKind},
        http::MAX_BODY,
        ics::{self, IcsOptions},
        printable, refresh,
        run::{Progress, Report, Run},
    },
    store::{self, Store, imports, users},
};

/// The subcommands of `almanac import`.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import a site with The Events Calendar for WordPress, or compare it with the calendar
    Tec(Box<TecArgs>),
    /// Import a table with the columns of The Events Calendar's importer
    Csv(CsvArgs),
    /// Import an iCalendar file or address
    Ics(IcsArgs),
    /// Load a file of `almanac export` into an empty database
    Ndjson(import_ndjson::ImportNdjsonArgs),
    /// Move what an import has created, and nobody has changed since, to the trash
    Undo(import_undo::UndoArgs),
}

/// The flags that all imports share.
#[derive(Args, Clone, Debug)]
pub struct ImportArgs {
    /// User who becomes the author of the imported objects (default: the first administrator)
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,

    /// Report what the import would do, and store nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub site: Site,

    #[command(flatten)]
    pub series: SeriesArgs,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// The flags of `almanac import csv`.
#[derive(Args, Debug)]
pub struct CsvArgs {
    /// What the table contains
    pub kind: TableKind,

    /// CSV file in UTF-8, whose first line has the names of the columns
    pub file: PathBuf,

    /// Order of dates that are not written like 2027-03-31
    #[arg(long, value_name = "ORDER")]
    pub date_order: Option<DateOrder>,

    /// Create venues and organizers that events name and that do not exist
    #[arg(long)]
    pub create_missing: bool,

    /// Leave out lines with errors, and import the others
    #[arg(long)]
    pub skip_faulty: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// The flags of `almanac import ics`.
#[derive(Args, Debug)]
pub struct IcsArgs {
    /// File, or address that begins with https://, http:// or webcal://
    #[arg(value_name = "FILE|URL")]
    pub from: String,

    /// Let servers import the address again at this interval, such as 1h; `almanac source` manages such addresses
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub every: Option<Duration>,

    /// Which side wins when an event is imported again
    #[arg(long, default_value = "source", value_name = "SIDE")]
    pub authority: Authority,

    /// Category of all events, in addition to their own; can be repeated
    #[arg(long = "category", value_name = "NAME", action = ArgAction::Append)]
    pub categories: Vec<String>,

    /// Status of new events
    #[arg(
        long,
        default_value = "publish",
        value_name = "STATUS",
        value_parser = ["publish", "draft", "pending", "private"]
    )]
    pub status: String,

    /// Private network that names and redirects may lead to, such as 10.0.0.0/8; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = network, action = ArgAction::Append)]
    pub allow: Vec<IpNet>,

    #[command(flatten)]
    pub import: ImportArgs,
}

fn interval(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        every if every < Duration::from_secs(1) => Err("must be at least 1s".to_owned()),
        every => Ok(every),
    }
}

/// Runs the subcommand.
pub(crate) async fn run(command: ImportCommand) -> Result<(), CommandError> {
    match command {
        ImportCommand::Tec(arguments) => import_tec::run(*arguments).await,
        ImportCommand::Csv(arguments) => import_csv(arguments).await,
        ImportCommand::Ics(arguments) => import_ics(arguments).await,
        ImportCommand::Ndjson(arguments) => import_ndjson::run(&arguments).await,
        ImportCommand::Undo(arguments) => import_undo::run(&arguments).await,
    }
}

/// The ID of the author of imported objects.
pub(super) async fn author(store: &Store, name: Option<&str>) -> Result<Option<i64>, CommandError> {
    Ok(match name {
        Some(name) => Some(find_user(store.reader(), name).await?.id),
        None => users::first_with_role(store.reader(), Role::Administrator.name())
            .await?
            .map(|user| user.id),
    })
}

/// Reads a file within the limit on size.
pub(super) fn read_file(file: &std::path::Path) -> Result<Vec<u8>, CommandError> {
    let failed = |error: std::io::Error| CommandError::Refused(format!("can't read {}: {error}", file.display()));
    if fs::metadata(file).map_err(failed)?.len() > MAX_BODY as u64 {
        let megabytes = MAX_BODY / 1024 / 1024;
        return Err(CommandError::Refused(format!(
            "{} is larger than {megabytes} MB; divide it",
            file.display()
        )));
    }
    fs::read(file).map_err(failed)
}

/// Prints what an import has done.
pub(super) fn print_report(report: &Report, dry_run: bool) -> Result<(), CommandError> {
    for (kind, key, text) in &report.notes {
        let (key, text) = (printable(key), printable(text));
        match key.as_str() {
            WHOLE => print_line(format_args!("note: {text}"))?,
            _ => print_line(format_args!("{kind} {key}: {text}"))?,
        }
    }
    let counts = report.counts;
    print_line(format_args!(
        "{}{} created, {} updated, {} unchanged, {} kept as changed here",
        if dry_run { "dry run: " } else { "" },
        counts.created,
        counts.updated,
        counts.unchanged,
        counts.kept
    ))?;
    if report.is_continued {
        print_line("this includes what the run had imported before it was stopped")?;
    }
    match dry_run {
        true => Ok(()),
        false => print_line(format_args!(
            "run {}; `almanac import undo {}` reverts it",
            report.run, report.run
        )),
    }
}

async fn import_csv(arguments: CsvArgs) -> Result<(), CommandError> {
    let CsvArgs {
        kind,
        file,
        date_order,
        create_missing,
        skip_faulty,
        import,
    } = arguments;
    let content = read_file(&file)?;
    let store = store::open(&import.database.database_url, true).await?;
    let write = WriteOptions {
        // A line with the identity of an object is an update of it.
        authority: Authority::Source,
        renumber: false,
        author: author(&store, import.author.as_deref()).await?,
        site: import.site.zone,
        horizon: import.series.recurrence_horizon.months(),
        dry_run: import.dry_run,
    };
    let options = CsvOptions {
        kind,
        date_order,
        create_missing,
        skip_faulty,
    };
    let progress = CommandProgress::start()?;
    let result = async {
        let no_options = serde_json::json!({});
        let run = Run::begin(&store, Format::Csv, kind.address(), &no_options, write, &progress).await?;
        csv::import(run, &content, options).await
    };
    let result = result.await;
    progress.finish();
    print_report(&result?, import.dry_run)?;
    store.close().await?;
    Ok(())
}

async fn import_ics(arguments: IcsArgs) -> Result<(), CommandError> {
    let IcsArgs {
        from,
        every,
        authority,
        categories,
        status,
        allow,
        import,
    } = arguments;
    let url = from.contains("://").then(|| refresh::address(&from));
    if url == Some(None) {
        return Err(CommandError::Refused(format!(
            "{} is not an address that begins with https://, http:// or webcal://",
            printable(&from)
        )));
    }
    let url = url.flatten();
    if every.is_some() && url.is_none() {
        return Err(CommandError::Refused(
            "--every requires an address; a file is imported once".to_owned(),
        ));
    }
    let store = store::open(&import.database.database_url, true).await?;
    let status: Status = status.parse().unwrap_or_default();
    let options = IcsOptions {
        authority,
        categories,
        status: status.stored().to_owned(),
        author: author(&store, import.author.as_deref()).await?,
        allow: allow.iter().map(IpNet::to_string).collect(),
    };
    let write = WriteOptions {
        authority,
        renumber: false,
        author: options.author,
        site: import.site.zone,
        horizon: import.series.recurrence_horizon.months(),
        dry_run: import.dry_run,
    };
    let progress = CommandProgress::start()?;
    let result = match url {
        None => import_file(&store, &from, &options, write, &progress).await,
        Some(url) if import.dry_run => try_address(&store, &url, &options, write, &progress).await,
        Some(url) => import_address(&store, &url, &options, every, write, &progress).await,
    };
    progress.finish();
    match result? {
        Some(report) => print_report(&report, import.dry_run)?,
        None => print_line("unchanged since the last import")?,
    }
    store.close().await?;
    Ok(())
}

async fn import_file(
    store: &Store,
    file: &str,
    options: &IcsOptions,
    write: WriteOptions,
    progress: &dyn Progress,
) -> Result<Option<Report>, CommandError> {
    let content = read_file(file.as_ref())?;
    let run = Run::begin(store, Format::Ics, ics::FILES, options, write, progress).await?;
    Ok(Some(ics::import(run, &content, options, false).await?))
}

/// Imports an address without storing anything.
async fn try_address(
    store: &Store,
    url: &url::Url,
    options: &IcsOptions,
    write: WriteOptions,
    progress: &dyn Progress,
) -> Result<Option<Report>, CommandError> {
    let refresh::Fetched::Content { body, .. } = refresh::fetch(url, options, None, None).await? else {
        return Ok(None);
    };
    let run = Run::begin(store, Format::Ics, url.as_str(), options, write, progress).await?;
    Ok(Some(ics::import(run, &body, options, true).await?))
}

/// Imports an address, and keeps it as a source with an interval.
async fn import_address(
    store: &Store,
    url: &url::Url,
    options: &IcsOptions,
    every: Option<Duration>,
    write: WriteOptions,
    progress: &dyn Progress,
) -> Result<Option<Report>, CommandError> {
    progress.begin("reading the address", None);
    let text = serde_json::to_string(options).unwrap_or_default();
    let transaction = store.begin().await?;
    let mut source = imports::save_source(&transaction, Format::Ics.name(), url.as_str(), &text).await?;
    transaction.commit().await?;
    // Options may have changed, so that the response is read even if it is the same.
    (source.etag, source.last_modified) = (None, None);
    let report = refresh::refresh(store, &source, write.site, write.horizon, progress).await?;
    // An address that can't be read at all is not kept.
    if let Some(every) = every {
        let seconds = every.as_secs().cast_signed();
        let transaction = store.begin().await?;
        imports::set_interval(&transaction, source.id, Some(seconds), Some(super::now() + seconds)).await?;
        transaction.commit().await?;
    }
    Ok(report)
}

impl From<ImportError> for CommandError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Database(error) => Self::Database(error),
            // Messages may contain texts of the source.
            error => Self::Refused(error.to_string().lines().map(printable).collect::<Vec<_>>().join("\n")),
        }
    }
}
