//! `almanac export`.

use std::{
    io::{self, BufWriter, ErrorKind, Write},
    sync::Arc,
};

use clap::{Args, ValueEnum};

use super::{CommandError, output::print_error_line, progress};
use crate::{
    Almanac,
    calendar::Kind,
    config::{DatabaseArgs, Settings},
    error::Problem,
    feeds::export::SelectedEvents,
    store::{self, Store},
    transfer::{
        Contents, Progress, TransferError,
        csv::{self, CsvLosses},
        export,
    },
};

/// The buffer of standard output, in bytes.
const BUFFER: usize = 256 * 1024;

/// A format of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// All of the calendar as lines of JSON, for `almanac import ndjson`
    Ndjson,
    /// The objects of one kind, in the columns that the importer of The Events Calendar reads
    Csv,
    /// Events as iCalendar
    Ics,
}

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportKind {
    Events,
    Venues,
    Organizers,
    Categories,
    Tags,
}

impl ExportKind {
    fn kind(self) -> Kind {
        match self {
            Self::Events => Kind::Event,
            Self::Venues => Kind::Venue,
            Self::Organizers => Kind::Organizer,
            Self::Categories => Kind::Category,
            Self::Tags => Kind::Tag,
        }
    }
}

/// The flags of `almanac export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Format of the output
    #[arg(long, default_value = "ndjson", value_name = "FORMAT")]
    pub format: ExportFormat,

    /// Kind of the objects in a CSV file
    #[arg(long, required_if_eq("format", "csv"), value_name = "KIND")]
    pub kind: Option<ExportKind>,

    /// Only events that match, in csv and ics, with the parameters of lists of events, such as
    /// "categories=jazz&start_date=2027-01-01&status=any" (default: all published, listed events)
    #[arg(long, value_name = "QUERY")]
    pub query: Option<String>,

    /// Read everything, and write nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten, next_help_heading = "Settings of the server")]
    pub settings: Settings,
}

/// What is written.
enum Selection {
    Everything,
    Calendar,
    Events,
    Others(Kind),
}

impl ExportArgs {
    /// Checks that the flags fit together.
    fn selection(&self) -> Result<Selection, CommandError> {
        let selection = match (self.format, self.kind.map(ExportKind::kind)) {
            (ExportFormat::Csv, Some(Kind::Event)) => Selection::Events,
            (ExportFormat::Csv, Some(kind)) => Selection::Others(kind),
            (ExportFormat::Csv, None) => return Err(refused("--format csv requires --kind, such as --kind events")),
            (_, Some(_)) => return Err(refused("--kind is only for --format csv")),
            (ExportFormat::Ndjson, None) => Selection::Everything,
            (ExportFormat::Ics, None) => Selection::Calendar,
        };
        let has_query = matches!(selection, Selection::Calendar | Selection::Events);
        if self.query.is_some() && !has_query {
            return Err(refused(
                "--query selects events, in --format ics and in --format csv --kind events; other exports are complete",
            ));
        }
        Ok(selection)
    }
}

fn refused(message: &str) -> CommandError {
    CommandError::Refused(message.to_owned())
}

/// Writes the calendar, or a part of it, to standard output.
pub(crate) async fn run(arguments: ExportArgs) -> Result<(), CommandError> {
    let selection = arguments.selection()?;
    let store = store::open_to_read(&arguments.database.database_url).await?;
    let progress = Arc::new(Progress::default());
    let mut output = output(arguments.dry_run);
    let query = arguments.query.unwrap_or_default();
    let settings = arguments.settings;
    let exporting = async {
        match selection {
            Selection::Everything => {
                let (mut output, counts) = export(&store, Contents::Export, output, &progress).await?;
                output.flush()?;
                let listed: Vec<String> = counts.iter().map(|(table, count)| format!("{count} {table}")).collect();
                return Ok(format!("exported {}", listed.join(", ")));
            }
            Selection::Calendar => {
                let events = select(&store, settings, &query, &progress).await?;
                let write =
                    async |part: String, count: usize| write_part(&mut output, part.as_bytes(), count, &progress);
                events.write_calendar(write).await?;
            }
            Selection::Events => {
                let site = settings.site.zone;
                let events = select(&store, settings, &query, &progress).await?;
                let snapshot = store.snapshot().await?;
                let write = async |part: Vec<u8>, count: usize| write_part(&mut output, &part, count, &progress);
                report(csv::write_events(&snapshot, events.ids(), &site, write).await?);
            }
            Selection::Others(kind) => {
                progress.begin("exporting rows", 0);
                let snapshot = store.snapshot().await?;
                let write = async |part: Vec<u8>, count: usize| write_part(&mut output, &part, count, &progress);
                csv::write_others(&snapshot, kind, &progress, write).await?;
            }
        }
        output.flush()?;
        Ok(format!("exported {} objects", progress.done()))
    };
    let exported = progress::run(&progress, exporting).await;
    store.close().await?;
    match exported {
        Ok(summary) => {
            print_error_line(summary);
            Ok(())
        }
        Err(error) => as_closed_pipe(error),
    }
}

fn output(is_dry_run: bool) -> Box<dyn Write + Send> {
    match is_dry_run {
        true => Box::new(io::sink()),
        false => Box::new(BufWriter::with_capacity(BUFFER, io::stdout())),
    }
}

/// Selects events by a query.
async fn select(
    store: &Store,
    settings: Settings,
    query: &str,
    progress: &Progress,
) -> Result<SelectedEvents, TransferError> {
    progress.begin("selecting events", 0);
    let almanac = Arc::new(Almanac::new(store.clone(), settings));
    let events = SelectedEvents::of(&almanac, query).await?;
    progress.begin("exporting events", events.ids().len() as u64);
    Ok(events)
}

fn write_part(output: &mut impl Write, part: &[u8], count: usize, progress: &Progress) -> Result<(), TransferError> {
    progress.check()?;
    output.write_all(part)?;
    progress.add(count as u64);
    Ok(())
}

fn report(losses: CsvLosses) {
    let CsvLosses {
        events_with_several_venues,
    } = losses;
    if events_with_several_venues > 0 {
        print_error_line(format_args!(
            "events with several venues, of which CSV has the first: {events_with_several_venues}"
        ));
    }
}

impl From<Problem> for TransferError {
    /// The reasons of invalid parameters, instead of the codes of the interface.
    fn from(problem: Problem) -> Self {
        let body = problem.body();
        let params = body.data.params.unwrap_or_default();
        let reasons: Vec<String> = params
            .iter()
            .map(|(name, reason)| format!("{name}: {reason}"))
            .collect();
        match reasons.is_empty() {
            true => Self::Query(problem.to_string()),
            false => Self::Query(format!("--query: {}", reasons.join("; "))),
        }
    }
}

/// A closed pipe is not an error: `head` closes it after its last line.
fn as_closed_pipe(error: TransferError) -> Result<(), CommandError> {
    match error {
        TransferError::Io(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        TransferError::Io(error) => Err(CommandError::Print(error)),
        error => Err(error.into()),
    }
}
