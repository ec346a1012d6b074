//! The targets for the server as a whole: instructions, memory, start and bulk load.

use super::{Verdict, at_least, at_most, either, with_size};
use crate::{
    command_figures::CommandFigures,
    database::Backend,
    memory::CONNECTIONS,
    report::{format_megabytes, format_milliseconds},
    results::{DatabaseFigures, Results},
    site_import, slow_feed,
    transfer_times::TransferTimes,
};

/// The maximum growth of memory between the two halves of a minute, relative to its peak.
const MAX_MEMORY_GROWTH: f64 = 0.1;
/// The maximum of the instructions per request at the largest size, relative to the smallest one.
const MAX_INSTRUCTION_GROWTH: f64 = 1.3;
/// The maximum growth of memory while a feed is read slowly, in megabytes.
const MAX_FEED_MEMORY: f64 = 24.0;
/// The minimum of the rate of other clients while a feed is read slowly, relative to that without.
const MIN_RATE_BESIDE_FEED: f64 = 0.9;
/// The minimum rates of the bulk load in events per second, on SQLite and on PostgreSQL.
const MIN_LOAD_RATES: (f64, f64) = (25_000.0, 15_000.0);
/// The minimum rates of an export and of an import into SQLite, in events per second.
const MIN_EXPORT_RATE: f64 = 30_000.0;
const MIN_IMPORT_RATE: f64 = 3_000.0;
/// The maximum memory of each of them, and of the import of a site, beyond that of an idle server, in megabytes.
const MAX_TRANSFER_MEMORY: f64 = 150.0;

pub(super) fn instruction_growth(results: &Results, database: Backend) -> Verdict {
    let counted = results
        .figures(database)
        .filter(|figures| !figures.instructions.is_empty());
    let counted: Vec<_> = counted.collect();
    let pairs = match counted.as_slice() {
        [small, .., large] => small.instructions.iter().zip(&large.instructions).collect(),
        _ => Vec::new(),
    };
    let ratios = pairs.into_iter().map(|((name, small), (_, large))| {
        let ratio = *large as f64 / *small as f64;
        (ratio, format!("{ratio:.2} × ({name})"))
    });
    at_most(
        "one event and default list, again: instructions at the largest size relative to the smallest",
        MAX_INSTRUCTION_GROWTH,
        "",
        ratios.max_by(|one, other| one.0.total_cmp(&other.0)),
    )
}

/// Start-up time, memory, and size of the program.
pub(super) fn process_figures(results: &Results, largest: Option<&DatabaseFigures>) -> Vec<Verdict> {
    let start = largest.map(|figures| {
        let seconds = figures.time_to_first_response.as_secs_f64();
        (seconds * 1e3, format_milliseconds(figures.time_to_first_response))
    });
    let idle = largest.map(|figures| (figures.idle as f64 / 1e6, format_megabytes(figures.idle)));
    let program = (results.program as f64 / 1e6, format_megabytes(results.program));
    let under_load = largest.and_then(|figures| figures.under_load);
    let max = under_load.map(|under_load| (under_load.max as f64 / 1e6, format_megabytes(under_load.max)));
    let growth = under_load.map(|under_load| {
        let ratio = under_load.growth as f64 / under_load.max as f64;
        (ratio, format!("{ratio:.3}"))
    });
    let start_title = with_size("start to first response", largest.map(|figures| figures.events));
    vec![
        at_most(&start_title, 150.0, " ms", start),
        at_most("idle resident memory", 60.0, " MB", idle),
        at_most("program, stripped", 30.0, " MB", Some(program)),
        at_most(
            &format!("peak resident memory in a minute with {CONNECTIONS} connections"),
            256.0,
            " MB",
            max,
        ),
        at_most(
            "growth of memory from the first half of the minute to the second, relative to the peak",
            MAX_MEMORY_GROWTH,
            "",
            growth,
        ),
    ]
}

/// Memory while a feed is read slowly, and the rate of other clients.
pub(super) fn slow_feed(results: &Results, database: Backend) -> [Verdict; 2] {
    let measured = results.figures(database).find_map(|figures| figures.slow_feed);
    let growth = measured.map(|measured| (measured.growth() as f64 / 1e6, format_megabytes(measured.growth())));
    let ratio = measured.map(|measured| (measured.rate_ratio, format!("{:.2} ×", measured.rate_ratio)));
    let (connections, events) = (slow_feed::CONNECTIONS, Some(slow_feed::EVENTS));
    let memory = "growth of resident memory while a feed of all events is read slowly";
    let rate = format!(
        "default list of 10, again, {connections} connections: rate while a feed of all events is read slowly, \
         relative to before and after"
    );
    [
        at_most(&with_size(memory, events), MAX_FEED_MEMORY, " MB", growth),
        at_least(&with_size(&rate, events), MIN_RATE_BESIDE_FEED, "", ratio),
    ]
}

pub(super) fn bulk_load(database: Backend, largest: Option<&DatabaseFigures>) -> Verdict {
    let events = largest.map(|figures| figures.events);
    let rate = largest.and_then(DatabaseFigures::load_rate_without_search);
    at_least(
        &with_size("bulk load without the search index", events),
        either(database, MIN_LOAD_RATES),
        " events/s",
        rate.map(|rate| (rate, format!("{rate:.0} events/s"))),
    )
}

/// Rates and memory of an export, and of its import into SQLite.
pub(super) fn transfer(results: &Results, database: Backend) -> [Verdict; 4] {
    let measured = results
        .figures(database)
        .find_map(|figures| Some((figures, figures.transfer?)));
    let events = measured.map(|(figures, _)| figures.events);
    let rate = |process: fn(TransferTimes) -> CommandFigures| {
        measured.map(|(figures, times)| {
            let rate = figures.events as f64 / process(times).duration.as_secs_f64();
            (rate, format!("{rate:.0} events/s"))
        })
    };
    let memory = |process: fn(TransferTimes) -> CommandFigures| {
        measured.map(|(figures, times)| {
            let memory = process(times).memory.saturating_sub(figures.idle);
            (memory as f64 / 1e6, format_megabytes(memory))
        })
    };
    let title = |text: &str| with_size(text, events);
    [
        at_least(
            &title("export as ndjson"),
            MIN_EXPORT_RATE,
            " events/s",
            rate(|times| times.export),
        ),
        at_least(
            &title("import of it into SQLite, with all derived data"),
            MIN_IMPORT_RATE,
            " events/s",
            rate(|times| times.import),
        ),
        at_most(
            &title("peak resident memory of the export, beyond that of an idle server"),
            MAX_TRANSFER_MEMORY,
            " MB",
            memory(|times| times.export),
        ),
        at_most(
            &title("peak resident memory of the import, beyond that of an idle server"),
            MAX_TRANSFER_MEMORY,
            " MB",
            memory(|times| times.import),
        ),
    ]
}

/// Memory during the import of a site. Its speed is reported, and depends on that of the site.
pub(super) fn site_import(results: &Results, database: Backend, idle: Option<&DatabaseFigures>) -> Verdict {
    let measured = results.site_imports.iter().find(|import| import.database == database);
    let growth = measured.zip(idle).map(|(import, figures)| {
        let growth = import.figures.memory.saturating_sub(figures.idle);
        let text = format!("{}, {:.0} events/s", format_megabytes(growth), import.rate());
        (growth as f64 / 1e6, text)
    });
    at_most(
        &with_size(
            "import of a site: peak resident memory beyond that of an idle server",
            Some(site_import::EVENTS),
        ),
        MAX_TRANSFER_MEMORY,
        " MB",
        growth,
    )
}
