//! Measures the CPU time of writing and reading the most expensive descriptions.
//!
//! `cargo bench --bench texts` prints a table, and fails if an accepted text takes more than [`MAX_CPU_TIME`]. With
//! `-- NAME`, it measures only texts whose names contain NAME. The server runs in this process, on SQLite. The times
//! include all threads of the process, and therefore the database.

mod inputs;

use std::{
    env, fs,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use almanac::testing::{
    Almanac, auth::Role, commands::user, config::Settings, middleware::body_limit::BodyTimeout, server, store,
};
use anyhow::{Context, Result, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};
use clap::Parser;
use poem::{
    Endpoint, Request, Response,
    http::{Method, StatusCode, header},
};
use serde_json::{Value, json};

/// The maximum per request.
const MAX_CPU_TIME: Duration = Duration::from_millis(50);
/// The duration of each measurement: the kernel counts CPU time in steps of some milliseconds.
const MIN_MEASUREMENT_TIME: Duration = Duration::from_millis(400);

/// Rejected texts are shortened down to about this length.
const MIN_CHARACTERS: usize = 5_000;

#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    settings: Settings,
}

/// A server with the credentials of its administrator.
struct TestServer<E> {
    app: E,
    credentials: String,
}

fn main() -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(measure())
}

async fn measure() -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}/texts.db", folder.path().display());
    let store = store::open(&url, true).await?;
    let password = user::add(&store, "admin", Role::Administrator).await?;
    let settings = CommandLine::parse_from(["almanac", "--cache-size", "0"]).settings;
    let server = TestServer {
        app: server::app(Arc::new(Almanac::new(store, settings)), BodyTimeout::DEFAULT),
        credentials: format!("Basic {}", BASE64_STANDARD.encode(format!("admin:{password}"))),
    };
    // Warm-up: the first requests initialise state of the process.
    server.cpu_times("Any text").await?;
    println!(
        "CPU time in ms; the maximum for accepted texts is {}\n",
        MAX_CPU_TIME.as_millis()
    );
    println!(
        "{:<34} {:>10} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "description", "characters", "status", "write", "read", "compat", "page"
    );
    let mut is_slow = false;
    // cargo adds --bench.
    let only = env::args().skip(1).find(|argument| argument != "--bench");
    for (name, mut description) in inputs::descriptions() {
        if only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        // A rejected text is shortened until it is accepted.
        loop {
            let characters = description.chars().count();
            let cpu_times = server.cpu_times(&description).await?;
            is_slow |= cpu_times.iter().flatten().any(|cpu_time| *cpu_time > MAX_CPU_TIME);
            let is_accepted = cpu_times[1].is_some();
            let [write, read, compat, page] = cpu_times.map(|cpu_time| {
                cpu_time.map_or("-".to_owned(), |cpu_time| {
                    format!("{:.1}", cpu_time.as_secs_f64() * 1e3)
                })
            });
            let status = if is_accepted { 200 } else { 400 };
            println!("{name:<34} {characters:>10} {status:>6} {write:>8} {read:>8} {compat:>8} {page:>8}");
            if is_accepted || characters < MIN_CHARACTERS {
                break;
            }
            description = description.chars().take(characters / 10 * 7).collect();
        }
    }
    Ok(if is_slow { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl<E: Endpoint<Output = Response>> TestServer<E> {
    /// CPU times of writing the description, and of reading it from the native root, the compatibility root and the
    /// page. The last three are `None` if the description is rejected.
    async fn cpu_times(&self, description: &str) -> Result<[Option<Duration>; 4]> {
        let dates = json!({"title": "Event", "start_date": "2030-03-01", "end_date": "2030-03-02"});
        let (status, created) = self
            .send(Method::POST, "/calendar/events/v1/events", Some(&dates))
            .await?;
        ensure!(status == StatusCode::CREATED, "{created}");
        let id = created["id"].as_i64().context("no ID")?;
        let native = format!("/calendar/events/v1/events/{id}");
        // Alternates between two descriptions, so that each write is a change.
        let bodies = [json!({"description": description}), json!({"description": "short"})];
        let write = self.cpu_time(Method::PUT, &native, &bodies[..1]).await?;
        let (status, response) = self.send(Method::PUT, &native, Some(&bodies[0])).await?;
        if status == StatusCode::BAD_REQUEST {
            return Ok([Some(write), None, None, None]);
        }
        ensure!(status == StatusCode::OK, "{response}");
        let alternating = self.cpu_time(Method::PUT, &native, &bodies).await?;
        let write = write.max(alternating * 2);
        let slug = created["slug"].as_str().context("no slug")?;
        let compat = format!("/wp-json/tribe/events/v1/events/{id}");
        let page = format!("/event/{slug}");
        let mut cpu_times = [Some(write), None, None, None];
        for (cpu_time, path) in cpu_times[1..].iter_mut().zip([native, compat, page]) {
            *cpu_time = Some(self.cpu_time(Method::GET, &path, &[]).await?);
        }
        Ok(cpu_times)
    }

    /// The average CPU time of one request.
    async fn cpu_time(&self, method: Method, path: &str, bodies: &[Value]) -> Result<Duration> {
        let (started, before) = (Instant::now(), process_cpu_time()?);
        let mut requests = 0;
        while requests < 4 || started.elapsed() < MIN_MEASUREMENT_TIME {
            let body = bodies.get(requests as usize % bodies.len().max(1));
            self.send(method.clone(), path, body).await?;
            requests += 1;
        }
        Ok((process_cpu_time()? - before) / requests)
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<(StatusCode, Value)> {
        let mut request = Request::builder()
            .method(method.clone())
            .uri_str(path)
            .header(header::HOST, "localhost")
            .header(header::ACCEPT, "*/*");
        if method != Method::GET {
            request = request.header(header::AUTHORIZATION, &self.credentials);
        }
        let request = match body {
            Some(body) => request.content_type("application/json").body(body.to_string()),
            None => request.finish(),
        };
        let mut response = self.app.get_response(request).await;
        let bytes = response.take_body().into_bytes().await?;
        Ok((response.status(), serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

/// The CPU time of all threads of this process.
fn process_cpu_time() -> Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        let statistics = fs::read_to_string(thread?.path().join("schedstat"))?;
        let used = statistics.split(' ').next().context("no CPU time")?;
        nanoseconds += used.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}
