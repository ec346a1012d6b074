//! Shows where the time of a request goes that is not in the response cache. See benches/README.md.
//!
//! `cargo bench --bench stages` runs the server in this process, sends it requests over one connection, and prints the
//! mean time of each stage.

#![allow(
    dead_code,
    unused_imports,
    reason = "the modules are shared with the benchmark `http`, which uses all of their items"
)]

#[path = "../../tests/support/cluster.rs"]
mod cluster;
mod database;
mod dataset;
mod generator;
mod machine;
mod markers;
mod operations;
mod request;
mod search_words;
mod server_process;
mod size;
mod stage_times;

use std::{
    fmt::Write as _,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use almanac::testing::{
    Almanac,
    config::Settings,
    listen::Limits,
    pages::health,
    server,
    store::{self, Store, read_connection::ReadConnection},
};
use anyhow::{Context, Result, ensure};
use clap::Parser;
use sea_orm::ConnectionTrait;
use tokio::runtime::Runtime;
use tracing_subscriber::{filter::LevelFilter, prelude::*};

use crate::{
    database::{Backend, DatabaseProvider},
    dataset::Dataset,
    generator::{Destination, Generator, Load, RequestNumbers},
    operations::Operation,
    server_process::basic,
    stage_times::{Stage, StageTimes},
};

/// The allocator of the released program.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The measured operations: a title, and the name in `operations`.
const OPERATIONS: [(&str, &str); 3] = [
    ("one event", "event by id, new"),
    ("default list", "events, new"),
    ("create", "create an event, its venue and its organizer"),
];
/// The number of statements with which a round trip is measured.
const ROUND_TRIPS: u32 = 5_000;

/// Measures where the time of uncached requests goes.
#[derive(Debug, Parser)]
#[command(name = "stages", max_term_width = 100)]
struct Arguments {
    /// Numbers of events in the databases, such as 1k,1m
    #[arg(long, default_value = "100k", value_delimiter = ',', value_parser = size::parse)]
    events: Vec<u64>,

    /// Databases to measure
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<Backend>,

    /// Duration of the measurement of each operation, in seconds
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,

    /// Write the tables between the markers of this name in benches/README.md, such as "now"
    #[arg(long, value_name = "NAME")]
    write: Option<String>,

    /// Keep the databases in this folder, and reuse those of the same day
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// The flags of `almanac serve`.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    settings: Settings,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if !arguments.bench {
        // `cargo test --all-targets` runs benchmarks without it.
        println!("nothing to do without --bench, which cargo bench passes");
        return Ok(());
    }
    let stage_times = StageTimes::default();
    // Log lines are formatted as by the program, but not written.
    let log = tracing_subscriber::fmt::layer().with_writer(io::sink);
    tracing_subscriber::registry()
        .with(log.with_filter(LevelFilter::INFO))
        .with(stage_times.clone().with_filter(stage_times::filter()))
        .try_init()?;
    health::start_recording();
    let mut text = format!("Measured on {}\n\n", machine::description("stages"));
    for backend in &arguments.database {
        let provider = DatabaseProvider::new(*backend, arguments.keep.as_deref(), None)?;
        for events in &arguments.events {
            eprintln!("{}, {} events", backend.name(), size::label(*events));
            let filled = provider.fill(*events)?;
            let measured = measure(&filled.url, &filled.password, &arguments, &stage_times)?;
            writeln!(text, "{}", table(*backend, *events, &measured))?;
            provider.remove(filled)?;
        }
    }
    println!("{text}");
    match &arguments.write {
        Some(name) => {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/README.md");
            markers::replace(&file, &format!("cargo bench --bench stages --write {name}"), &text)
        }
        None => Ok(()),
    }
}

/// The figures of one operation, as means per request.
struct Measured {
    title: &'static str,
    /// From the request of the client to the end of the response.
    total: Duration,
    stages: Vec<(f64, Duration)>,
    /// The time of a statement that does nothing, on a connection.
    round_trip: Duration,
}

fn measure(url: &str, password: &str, arguments: &Arguments, stage_times: &StageTimes) -> Result<Vec<Measured>> {
    let runtime = Runtime::new()?;
    let dataset = Rc::new(runtime.block_on(Dataset::read(url))?);
    let store = runtime.block_on(store::open(url, false))?;
    let round_trip = runtime.block_on(round_trip(&store))?;
    let generator = Generator::new()?;
    let destination = Destination {
        address: start(&runtime, &store)?,
        authorization: basic("admin", password)?,
    };
    let token = operations::current_token(destination.address)?;
    let mut operations = operations::reads(&dataset, &token, &|request| generator.fetch(&destination, request))?;
    operations.extend(operations::writes(&dataset, &token, &[], &[]));
    let numbers = RequestNumbers::new();
    let mut all = Vec::new();
    for (title, name) in OPERATIONS {
        let operation = operations.iter().find(|operation| operation.name == name);
        let operation = accepting_gzip(operation.with_context(|| format!("no operation {name}"))?);
        let drive = |seconds| {
            generator.drive(&Load {
                destination: &destination,
                connections: 1,
                duration: Duration::from_secs_f64(seconds),
                request: &*operation.request,
                write_before: None,
                numbers: &numbers,
                status: operation.status,
            })
        };
        // Fills the caches of the database and the statements.
        drive(arguments.seconds / 3.0)?;
        stage_times.take();
        let driven = drive(arguments.seconds)?;
        ensure!(driven.error.is_none(), "{name}: {driven:?}");
        let stages = stage_times.take();
        let requests = stages[Stage::Request as usize].count;
        ensure!(requests > 0, "{name}: the server's spans were not recorded");
        let mean = |stage: &stage_times::StageTime| {
            let elapsed = stage.elapsed.div_f64(requests as f64);
            (stage.count as f64 / requests as f64, elapsed)
        };
        all.push(Measured {
            title,
            total: Duration::from_secs_f64(1.0 / driven.rate),
            stages: stages.iter().map(mean).collect(),
            round_trip,
        });
    }
    runtime.block_on(store.close())?;
    Ok(all)
}

/// Starts a server, which runs until the runtime is dropped, and returns its address.
fn start(runtime: &Runtime, store: &Store) -> Result<SocketAddr> {
    let _guard = runtime.enter();
    let listener = server::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let address = listener.local_addr()?;
    let settings = Flags::parse_from(["almanac"]).settings;
    let limits = Limits::of(&settings);
    let almanac = Arc::new(Almanac::new(store.clone(), settings));
    runtime.spawn(server::serve(almanac, listener, limits, std::future::pending()));
    Ok(address)
}

fn accepting_gzip(operation: &Operation) -> Operation {
    let request = operation.request.clone();
    Operation {
        request: Rc::new(move |number| request::RequestSpec {
            accepts_gzip: true,
            ..request(number)
        }),
        ..operation.clone()
    }
}

/// The mean time of `SELECT 1` in a transaction: a hop to a thread of the driver and back on SQLite, and a round trip
/// to the server on PostgreSQL.
async fn round_trip(store: &Store) -> Result<Duration> {
    let snapshot = store.snapshot().await?;
    let statement = sea_orm::Statement::from_string(snapshot.backend(), "SELECT 1");
    let started = Instant::now();
    for _ in 0..ROUND_TRIPS {
        snapshot.rows_of::<()>(statement.clone()).await?;
    }
    Ok(started.elapsed() / ROUND_TRIPS)
}

/// A table with a row for each stage and a column for each operation.
fn table(backend: Backend, events: u64, measured: &[Measured]) -> String {
    let stage = |stage: Stage| move |measured: &Measured| measured.stages[stage as usize].1;
    let hops = |measured: &Measured| {
        let (count, elapsed) = measured.stages[Stage::Statement as usize];
        measured.round_trip.mul_f64(count).min(elapsed)
    };
    let in_server = |measured: &Measured| measured.stages.iter().map(|(_, elapsed)| *elapsed).sum::<Duration>();
    let hops_title = match backend {
        Backend::Sqlite => "statements: hops to the threads of the driver",
        Backend::Postgres => "statements: round trips",
    };
    type Figure<'a> = &'a dyn Fn(&Measured) -> Duration;
    let rows: [(&str, Figure<'_>); 12] = [
        ("statements: execution", &|measured| {
            stage(Stage::Statement)(measured).saturating_sub(hops(measured))
        }),
        (hops_title, &hops),
        ("statements on the calling thread", &stage(Stage::InlineStatement)),
        ("begin, commit and rollback", &stage(Stage::Transaction)),
        ("waiting for the connection pool", &stage(Stage::Pool)),
        ("change log", &stage(Stage::ChangeLog)),
        ("rows to views", &stage(Stage::Views)),
        ("JSON", &stage(Stage::Json)),
        ("gzip", &stage(Stage::Compression)),
        ("layers, routing, parameters, and other work", &stage(Stage::Request)),
        ("connection, client", &|measured| {
            measured.total.saturating_sub(in_server(measured))
        }),
        ("**total**", &|measured| measured.total),
    ];
    let line = |title: &str, cell: &dyn Fn(&Measured) -> String| {
        let cells: Vec<String> = measured.iter().map(cell).collect();
        format!("| {title} | {} |\n", cells.join(" | "))
    };
    let heading = format!("{}, {} events", backend.name(), size::label(events));
    let mut text = line(&heading, &|measured| measured.title.to_owned());
    text += &format!("|---{}|\n", "|---:".repeat(measured.len()));
    let count = |stages: &'static [Stage]| {
        move |measured: &Measured| {
            let count: f64 = stages.iter().map(|stage| measured.stages[*stage as usize].0).sum();
            format!("{count:.1}")
        }
    };
    text += &line(
        "number of statements",
        &count(&[Stage::Statement, Stage::InlineStatement]),
    );
    text += &line("number of connections taken from the pool", &count(&[Stage::Pool]));
    for (title, figure) in rows {
        text += &line(title, &|measured| {
            format!("{:.0} µs", figure(measured).as_secs_f64() * 1e6)
        });
    }
    text
}
