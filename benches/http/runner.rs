//! Runs the measurements: for each backend, for each size.

use std::{fs, rc::Rc, sync::Arc, time::Duration};

use anyhow::Result;
use tempfile::TempDir;

use crate::{
    arguments::{Arguments, DatabaseChoice},
    database::{Backend, DatabaseProvider, FilledDatabase},
    dataset::Dataset,
    generator::{Generator, RequestNumbers},
    instructions,
    measurement::{Harness, Row, Trial},
    memory,
    operations::{
        self, CREATES_WITH_WEBHOOKS, Class, LIST_OF_OCCURRENCES, NewEvent, NewSeries, OLDER_CREATES, Operation,
        RAW_INSERTS,
    },
    raw_inserts::RawInserts,
    report,
    request::RequestSpec,
    results::{DatabaseFigures, Results},
    server_process::{PROGRAM, ServerProcess},
    site_import::{self, SiteImport},
    size,
    slow_feed::{self, SlowFeed},
    slow_receivers::SlowReceivers,
    transfer_times,
};

/// The median of this number of starts is reported.
const STARTS: usize = 3;
/// The number of events for updates.
const OWN_EVENTS: usize = 100;
/// The number of series for updates.
const OWN_SERIES: usize = 5;
/// The name of the memory measurement for `--only`. It is measured once, on the largest SQLite database.
const MEMORY: &str = "memory under load";
/// The name of another memory measurement for `--only`. It is measured at one size.
const SLOW_FEED: &str = "memory while a feed is read slowly";

/// Runs the requested measurements. Calls `on_progress` with the results so far after each size.
pub(crate) fn run_all(arguments: &Arguments, on_progress: impl Fn(&Results) -> Result<()>) -> Result<Results> {
    let runner = Runner {
        arguments,
        generator: Generator::new()?,
        numbers: Arc::new(RequestNumbers::new()),
        folder: tempfile::Builder::new().prefix("almanac-bench-").tempdir()?,
    };
    let mut results = Results {
        program: fs::metadata(PROGRAM)?.len(),
        ..Results::default()
    };
    let databases: &[Backend] = match arguments.database {
        DatabaseChoice::Sqlite => &[Backend::Sqlite],
        DatabaseChoice::Postgres => &[Backend::Postgres],
        DatabaseChoice::Both => &[Backend::Sqlite, Backend::Postgres],
    };
    let mut providers = Vec::new();
    for database in databases {
        let keep = arguments.keep.as_deref();
        let provider = DatabaseProvider::new(*database, keep, arguments.postgres_url.as_deref())?;
        for events in &arguments.sizes {
            runner.measure_size(*database, &provider, *events, &mut results)?;
            on_progress(&results)?;
        }
        providers.push((*database, provider));
    }
    // It takes long, so it is measured last, and only if it is asked for.
    let is_requested = |part: &String| site_import::NAME.contains(part.as_str());
    if arguments.full || arguments.only.iter().any(is_requested) {
        for (database, provider) in &providers {
            eprintln!("{}: measuring the {}", database.name(), site_import::NAME);
            results.site_imports.push(runner.site_import(*database, provider)?);
            on_progress(&results)?;
        }
    }
    Ok(results)
}

struct Runner<'a> {
    arguments: &'a Arguments,
    generator: Generator,
    numbers: Arc<RequestNumbers>,
    /// For logs and temporary files.
    folder: TempDir,
}

impl Runner<'_> {
    fn measure_size(
        &self,
        database: Backend,
        provider: &DatabaseProvider,
        events: u64,
        results: &mut Results,
    ) -> Result<()> {
        eprintln!(
            "{}: filling a database with {} events",
            database.name(),
            size::label(events)
        );
        let filled = provider.fill(events)?;
        let dataset = tokio::runtime::Runtime::new()?.block_on(Dataset::read(&filled.url))?;
        let dataset = Rc::new(dataset);
        let time_to_first_response = self.time_to_first_response(&filled)?;
        let process = self.start(&filled)?;
        let harness = Harness {
            database,
            events,
            process: &process,
            generator: &self.generator,
            numbers: &self.numbers,
            round: Duration::from_secs_f64(self.arguments.seconds),
            folder: self.folder.path(),
            sizes: &self.arguments.sizes,
            is_full: self.arguments.full,
        };
        let mut figures = DatabaseFigures {
            database,
            events,
            load: (filled.load_duration, filled.load_output.clone()),
            time_to_first_response,
            idle: process.memory()?,
            under_load: None,
            slow_feed: None,
            transfer: None,
            instructions: Vec::new(),
        };
        self.reads(&harness, &dataset, results)?;
        let is_largest = Some(&events) == self.arguments.sizes.last();
        if is_largest && self.arguments.selects(LIST_OF_OCCURRENCES) {
            eprintln!("creating as many events of series");
            self.occurrences(&harness, provider, results)?;
        }
        if database == Backend::Sqlite && is_largest && self.arguments.selects(MEMORY) {
            eprintln!("measuring {MEMORY} for a minute");
            let varied = operations::varied_reads(&dataset);
            figures.under_load = Some(memory::under_load(&harness, &varied)?);
        }
        if events == slow_feed::EVENTS && self.arguments.selects(SLOW_FEED) {
            eprintln!("measuring {SLOW_FEED} for a minute");
            figures.slow_feed = Some(self.slow_feed(&harness, &filled)?);
        }
        if is_largest && self.arguments.selects(transfer_times::NAME) {
            eprintln!("measuring {}", transfer_times::NAME);
            figures.transfer = Some(transfer_times::measure(&filled, self.folder.path())?);
        }
        let older = match &self.arguments.against {
            Some(program) if is_largest => Some(provider.fill_with(program, events)?),
            _ => None,
        };
        self.writes(&harness, &dataset, &filled, older.as_ref(), results)?;
        process.stop()?;
        figures.instructions = self.instructions(events, &filled, &dataset)?;
        results.figures.push(figures);
        for database in older.into_iter().chain([filled]) {
            provider.remove(database)?;
        }
        Ok(())
    }

    fn start(&self, filled: &FilledDatabase) -> Result<ServerProcess> {
        ServerProcess::start(filled, self.folder.path(), &[], &self.generator)
    }

    /// The median time from the start of a server to its first response.
    fn time_to_first_response(&self, filled: &FilledDatabase) -> Result<Duration> {
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            let process = self.start(filled)?;
            starts.push(process.time_to_first_response);
            process.stop()?;
        }
        starts.sort_unstable();
        Ok(starts[STARTS / 2])
    }

    fn reads(&self, harness: &Harness<'_>, dataset: &Rc<Dataset>, results: &mut Results) -> Result<()> {
        let fetch = |request: &RequestSpec| self.generator.fetch(&harness.process.destination, request);
        let token = operations::current_token(harness.process.destination.address)?;
        let mut operations = operations::reads(dataset, &token, &fetch)?;
        operations.retain(|operation| self.arguments.selects(&operation.name));
        for operation in operations {
            for connections in operation.class.connections(self.arguments) {
                let harness = harness.for_operation(&operation, connections);
                record(results, harness.measure(&operation, connections, &[])?);
            }
        }
        Ok(())
    }

    /// Measures the default list, and that of a database with as many events of series.
    fn occurrences(&self, harness: &Harness<'_>, provider: &DatabaseProvider, results: &mut Results) -> Result<()> {
        // They provide categories and tags.
        const OTHER_EVENTS: u64 = 100;
        let filled = provider.fill_with(PROGRAM, OTHER_EVENTS)?;
        let dataset = tokio::runtime::Runtime::new()?.block_on(Dataset::read(&filled.url))?;
        let folder = self.folder.path().join("occurrences");
        fs::create_dir_all(&folder)?;
        let process = ServerProcess::start(&filled, &folder, &[], &self.generator)?;
        let of_series = Harness {
            process: &process,
            ..*harness
        };
        for number in 0..harness.events.div_ceil(NewSeries::LONG) {
            of_series.written(&NewSeries::long(&dataset, number))?;
        }
        provider.run_maintenance(&filled.url)?;
        let list = operations::list_of_events();
        let of_occurrences = || harness.round(&process, &list, 1);
        let others: [(&str, Class, Trial<'_>); 1] = [(LIST_OF_OCCURRENCES, Class::ListOfOccurrences, &of_occurrences)];
        record(results, harness.measure(&list, 1, &others)?);
        process.stop()?;
        provider.remove(filled)
    }

    /// Measures on a server of its own, which has no free memory from other requests.
    fn slow_feed(&self, harness: &Harness<'_>, filled: &FilledDatabase) -> Result<SlowFeed> {
        let process = self.start(filled)?;
        let harness = Harness {
            process: &process,
            ..*harness
        };
        let measured = slow_feed::measure(&harness, &operations::cached_list())?;
        process.stop()?;
        Ok(measured)
    }

    /// Measures the import of a site into an empty database.
    fn site_import(&self, database: Backend, provider: &DatabaseProvider) -> Result<SiteImport> {
        let filled = provider.fill(site_import::EVENTS)?;
        let site = self.start(&filled)?;
        let measured = provider.with_empty(|url| site_import::measure(database, &site, url))?;
        site.stop()?;
        provider.remove(filled)?;
        Ok(measured)
    }

    /// Measures the writes. `older` is the database of an older program, with which creates are compared.
    fn writes(
        &self,
        harness: &Harness<'_>,
        dataset: &Rc<Dataset>,
        filled: &FilledDatabase,
        older: Option<&FilledDatabase>,
        results: &mut Results,
    ) -> Result<()> {
        let wanted = |operation: &Operation| self.arguments.selects(&operation.name);
        // The names are needed before the events for updates exist.
        if !operations::writes(dataset, "", &[], &[]).iter().any(wanted) {
            return Ok(());
        }
        // More than 500 objects are created after it.
        let token = operations::current_token(harness.process.destination.address)?;
        let own = self.own_events(harness, dataset)?;
        let raw = RawInserts::from_event(&filled.url, own[0])?;
        let older_folder = self.folder.path().join("older");
        fs::create_dir_all(&older_folder)?;
        let older = older.map(|older| ServerProcess::start(older, &older_folder, &[], &self.generator));
        let older = older.transpose()?;
        let receivers = SlowReceivers::start()?;
        let series = self.own_series(harness, dataset)?;
        let operations = operations::writes(dataset, &token, &own, &series);
        for operation in operations.iter().filter(|operation| wanted(operation)) {
            for connections in operation.class.connections(self.arguments) {
                let harness = &harness.for_operation(operation, connections);
                let inserts = || raw.drive(connections, harness.round, &self.numbers);
                // Both programs have generated the same IDs.
                let older_creates = older
                    .as_ref()
                    .map(|older| move || harness.round(older, operation, connections));
                let with_webhooks = || receivers.round(harness, dataset, operation, connections);
                let mut others: Vec<(&str, Class, Trial<'_>)> = Vec::new();
                if operation.class == Class::Creates {
                    others.push((CREATES_WITH_WEBHOOKS, Class::CreatesWithWebhooks, &with_webhooks));
                    others.push((RAW_INSERTS, Class::RawInserts, &inserts));
                    if let Some(creates) = &older_creates {
                        others.push((OLDER_CREATES, Class::OlderCreates, creates));
                    }
                }
                record(results, harness.measure(operation, connections, &others)?);
            }
        }
        if let Some(older) = older {
            older.stop()?;
        }
        Ok(())
    }

    /// Creates the events for updates, and returns their IDs.
    fn own_events(&self, harness: &Harness<'_>, dataset: &Dataset) -> Result<Vec<i64>> {
        let create = |_| harness.written(&NewEvent::request(dataset, self.numbers.next()));
        (0..OWN_EVENTS).map(create).collect()
    }

    /// Creates the series for updates, and returns the IDs of their first events.
    fn own_series(&self, harness: &Harness<'_>, dataset: &Dataset) -> Result<Vec<i64>> {
        let create = |_| harness.written(&NewSeries::request(dataset, self.numbers.next()));
        (0..OWN_SERIES).map(create).collect()
    }

    fn instructions(
        &self,
        events: u64,
        filled: &FilledDatabase,
        dataset: &Dataset,
    ) -> Result<Vec<(&'static str, u64)>> {
        let sizes = &self.arguments.sizes;
        let is_smallest_or_largest = sizes.first() == Some(&events) || sizes.last() == Some(&events);
        if !self.arguments.callgrind || !is_smallest_or_largest {
            return Ok(Vec::new());
        }
        if !instructions::is_valgrind_installed() {
            eprintln!("not counting instructions: valgrind is not installed");
            return Ok(Vec::new());
        }
        eprintln!("counting instructions");
        instructions::count(filled, dataset, self.folder.path(), &self.generator)
    }
}

fn record(results: &mut Results, rows: Vec<Row>) {
    for row in &rows {
        eprintln!("{}", report::table_row(row));
        if let Some(error) = &row.measured.error {
            eprintln!("  error: {error}");
        }
    }
    results.rows.extend(rows);
}
