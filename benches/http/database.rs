//! Creates databases and fills them with demo events.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use chrono::{NaiveDate, Utc};
use clap::ValueEnum;
use sea_orm::{ConnectionTrait, Database as Connect};
use tempfile::TempDir;

use crate::{
    cluster::{Afterwards, Cluster, programs},
    server_process::{self, PROGRAM},
    size,
};

/// Settings of the private cluster that differ from PostgreSQL's defaults, in which shared buffers are sized for very
/// small machines.
pub(crate) const SETTINGS: &[&str] = &["shared_buffers=1GB"];

/// A database backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Creates databases of one backend.
pub(crate) struct DatabaseProvider {
    backend: Backend,
    folder: PathBuf,
    /// A URL such as `postgres://postgres@127.0.0.1:5432`, without a database name.
    server: String,
    is_kept: bool,
    /// Demo events are spread around the current day.
    today: NaiveDate,
    // The cluster must be dropped before its folder.
    _cluster: Option<Cluster>,
    _temporary: Option<TempDir>,
}

/// A database filled with events.
pub(crate) struct FilledDatabase {
    /// The path of the program that has filled it.
    pub program: String,
    pub url: String,
    /// The application password of `admin`.
    pub password: String,
    /// Duration of `almanac demo`.
    pub load_duration: Duration,
    /// Output of `almanac demo`.
    pub load_output: String,
}

impl DatabaseProvider {
    /// `keep` is the folder in which databases are kept; without one, they are removed at the end. `postgres` is the
    /// URL of a server to use instead of a private cluster.
    pub(crate) fn new(backend: Backend, keep: Option<&Path>, postgres: Option<&str>) -> Result<Self> {
        let temporary = match keep {
            Some(_) => None,
            None => Some(tempfile::Builder::new().prefix("almanac-bench-").tempdir()?),
        };
        let folder = match (keep, &temporary) {
            (Some(folder), _) => {
                fs::create_dir_all(folder)?;
                fs::canonicalize(folder)?
            }
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => unreachable!("one of them is set"),
        };
        let mut cluster = None;
        let server = match (backend, postgres) {
            (Backend::Sqlite, _) => String::new(),
            (Backend::Postgres, Some(url)) => url.trim_end_matches('/').to_owned(),
            (Backend::Postgres, None) => {
                let started = start_cluster(&folder, keep.is_some())?;
                let port = cluster.insert(started).port;
                let server = format!("postgres://postgres@127.0.0.1:{port}");
                // A kept cluster refuses connections until it has started. The pool waits for that.
                execute(&format!("{server}/postgres"), &[])?;
                server
            }
        };
        Ok(Self {
            backend,
            folder,
            server,
            is_kept: keep.is_some(),
            today: Utc::now().date_naive(),
            _cluster: cluster,
            _temporary: temporary,
        })
    }

    /// Returns a kept database with this number of events, or creates one.
    pub(crate) fn fill(&self, events: u64) -> Result<FilledDatabase> {
        let name = self.name(events);
        let note = self.folder.join(format!("{name}.{:?}.json", self.backend));
        let load = match read_note(&note)? {
            Some(noted) => noted,
            None => {
                let load = self.create(PROGRAM, &name, events)?;
                write_note(&note, &load)?;
                load
            }
        };
        self.filled(PROGRAM, &name, load)
    }

    /// Creates a database with another program. It is never kept.
    pub(crate) fn fill_with(&self, program: &str, events: u64) -> Result<FilledDatabase> {
        let name = format!("{}_other", self.name(events));
        let load = self.create(program, &name, events)?;
        self.filled(program, &name, load)
    }

    /// Removes a database, unless databases are kept.
    pub(crate) fn remove(&self, filled: FilledDatabase) -> Result<()> {
        if self.is_kept && filled.program == PROGRAM {
            return Ok(());
        }
        let name = filled.url.rsplit('/').next().unwrap_or_default();
        self.drop(name.trim_end_matches(".db"))
    }

    fn drop(&self, name: &str) -> Result<()> {
        match self.backend {
            Backend::Sqlite => remove_sqlite(&self.sqlite_file(name)),
            Backend::Postgres => self.administer(&[format!("DROP DATABASE {name}")]),
        }
    }

    fn name(&self, events: u64) -> String {
        format!("almanac_{}_{}", size::label(events), self.today)
            .replace('-', "_")
            .to_lowercase()
    }

    fn url(&self, name: &str) -> String {
        match self.backend {
            Backend::Sqlite => format!("sqlite://{}", self.sqlite_file(name).display()),
            Backend::Postgres => format!("{}/{name}", self.server),
        }
    }

    fn filled(
        &self,
        program: &str,
        name: &str,
        (load_duration, load_output): (Duration, String),
    ) -> Result<FilledDatabase> {
        let url = self.url(name);
        let password = server_process::run(program, &["user", "password", "admin", "--database-url", &url])?;
        Ok(FilledDatabase {
            program: program.to_owned(),
            url,
            password: password.trim().to_owned(),
            load_duration,
            load_output,
        })
    }

    /// Creates a database without events, passes its URL to a measurement, and removes it.
    pub(crate) fn with_empty<T>(&self, measure: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let name = "almanac_empty";
        self.replace(name)?;
        let url = self.url(name);
        server_process::run(PROGRAM, &["migrate", "--database-url", &url])?;
        let measured = measure(&url)?;
        self.drop(name)?;
        Ok(measured)
    }

    /// Creates a database, in place of one that an interrupted run has left.
    fn replace(&self, name: &str) -> Result<()> {
        match self.backend {
            Backend::Sqlite => remove_sqlite(&self.sqlite_file(name)),
            Backend::Postgres => self.administer(&[
                format!("DROP DATABASE IF EXISTS {name}"),
                format!("CREATE DATABASE {name}"),
            ]),
        }
    }

    fn create(&self, program: &str, name: &str, events: u64) -> Result<(Duration, String)> {
        self.replace(name)?;
        let url = self.url(name);
        let started = Instant::now();
        let arguments = ["demo", "--events", &events.to_string(), "--database-url", &url];
        let load_output = server_process::run(program, &arguments)?;
        let load_duration = started.elapsed();
        self.run_maintenance(&url)?;
        Ok((load_duration, load_output))
    }

    /// Does what autovacuum and the checkpointer would otherwise do during a measurement.
    pub(crate) fn run_maintenance(&self, url: &str) -> Result<()> {
        match self.backend {
            Backend::Sqlite => Ok(()),
            Backend::Postgres => execute(url, &["VACUUM (ANALYZE)".to_owned(), "CHECKPOINT".to_owned()]),
        }
    }

    fn sqlite_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.db"))
    }

    fn administer(&self, statements: &[String]) -> Result<()> {
        execute(&format!("{}/postgres", self.server), statements)
    }
}

fn start_cluster(folder: &Path, is_kept: bool) -> Result<Cluster> {
    let programs = programs().context("PostgreSQL's server programs are not installed")?;
    let folder = folder.join("postgres");
    fs::create_dir_all(&folder)?;
    if !is_kept {
        // The cluster may run as another user, who needs access to the temporary folder.
        open_to_all(folder.parent().unwrap_or(&folder))?;
    }
    let afterwards = if is_kept { Afterwards::Keep } else { Afterwards::Remove };
    Ok(Cluster::start(&programs, &folder, SETTINGS, afterwards))
}

fn open_to_all(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?)
}

fn remove_sqlite(file: &Path) -> Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(suffix);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

fn execute(url: &str, statements: &[String]) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let database = Connect::connect(url).await?;
        for statement in statements {
            database.execute_unprepared(statement).await?;
        }
        Ok(database.close().await?)
    })
}

/// Marks a database as complete, and records the duration and the output of its load.
fn write_note(file: &Path, (load_duration, load_output): &(Duration, String)) -> Result<()> {
    let note = serde_json::json!({"seconds": load_duration.as_secs_f64(), "output": load_output});
    Ok(fs::write(file, note.to_string())?)
}

fn read_note(file: &Path) -> Result<Option<(Duration, String)>> {
    if !file.exists() {
        return Ok(None);
    }
    let note: serde_json::Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let seconds = note["seconds"].as_f64().context("the note has no duration")?;
    let load_output = note["output"].as_str().unwrap_or_default().to_owned();
    Ok(Some((Duration::from_secs_f64(seconds), load_output)))
}
