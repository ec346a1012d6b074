//! Databases full of events.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use chrono::{NaiveDate, Utc};
use sea_orm::{ConnectionTrait, Database as Connect};
use tempfile::TempDir;

use crate::{
    cluster::{Afterwards, Cluster, programs},
    server_process, size,
};

/// The settings of the private cluster that are not PostgreSQL's own: its shared buffers, which are made for the
/// smallest of machines, are those of a machine with some gigabytes.
pub const SETTINGS: &[&str] = &["shared_buffers=1GB"];

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Where databases are made.
pub struct DatabaseProvider {
    backend: Backend,
    folder: PathBuf,
    /// Such as `postgres://postgres@127.0.0.1:5432`, without the name of a database.
    server: String,
    is_kept: bool,
    /// The demo's events lie around today.
    today: NaiveDate,
    // Dropped in this order.
    _cluster: Option<Cluster>,
    _temporary: Option<TempDir>,
}

/// A database that has its events.
pub struct FilledDatabase {
    pub url: String,
    /// The administrator's application password.
    pub password: String,
    /// How long the events took.
    pub load_duration: Duration,
    /// What the command said about them.
    pub load_output: String,
}

impl DatabaseProvider {
    /// Databases are kept in the folder; without one they go with this program. `postgres` is the address of a
    /// server to be used instead of a private cluster.
    pub fn new(backend: Backend, keep: Option<&Path>, postgres: Option<&str>) -> Result<Self> {
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
            (None, None) => unreachable!("one of them is there"),
        };
        let mut cluster = None;
        let server = match (backend, postgres) {
            (Backend::Sqlite, _) => String::new(),
            (Backend::Postgres, Some(url)) => url.trim_end_matches('/').to_owned(),
            (Backend::Postgres, None) => {
                let started = start_cluster(&folder, keep.is_some())?;
                let port = cluster.insert(started).port;
                format!("postgres://postgres@127.0.0.1:{port}")
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

    /// A database of so many events: the one that was kept, or a new one.
    pub fn fill(&self, events: u64) -> Result<FilledDatabase> {
        let name = format!("almanac_{}_{}", size::label(events), self.today)
            .replace('-', "_")
            .to_lowercase();
        let note = self.folder.join(format!("{name}.{:?}.json", self.backend));
        let url = match self.backend {
            Backend::Sqlite => format!("sqlite://{}", self.sqlite_file(&name).display()),
            Backend::Postgres => format!("{}/{name}", self.server),
        };
        let (load_duration, load_output) = match read_note(&note)? {
            Some(noted) => noted,
            None => {
                let filled = self.create(&name, &url, events)?;
                write_note(&note, &filled)?;
                filled
            }
        };
        let password = server_process::run(&["user", "password", "admin", "--database-url", &url])?;
        Ok(FilledDatabase {
            url,
            password: password.trim().to_owned(),
            load_duration,
            load_output,
        })
    }

    /// Lets go of a database, unless they are kept.
    pub fn remove(&self, filled: FilledDatabase) -> Result<()> {
        if self.is_kept {
            return Ok(());
        }
        match self.backend {
            Backend::Sqlite => remove_sqlite(Path::new(filled.url.trim_start_matches("sqlite://"))),
            Backend::Postgres => {
                let name = filled.url.rsplit('/').next().unwrap_or_default();
                self.administer(&[format!("DROP DATABASE {name}")])
            }
        }
    }

    fn create(&self, name: &str, url: &str, events: u64) -> Result<(Duration, String)> {
        match self.backend {
            // What a run left behind that did not get to its end.
            Backend::Sqlite => remove_sqlite(&self.sqlite_file(name))?,
            Backend::Postgres => self.administer(&[
                format!("DROP DATABASE IF EXISTS {name}"),
                format!("CREATE DATABASE {name}"),
            ])?,
        }
        let started = Instant::now();
        let load_output = server_process::run(&["demo", "--events", &events.to_string(), "--database-url", url])?;
        let load_duration = started.elapsed();
        if self.backend == Backend::Postgres {
            // What a server does by itself within a minute, which should not be the minute of a measurement.
            execute(url, &["VACUUM (ANALYZE)".to_owned()])?;
        }
        Ok((load_duration, load_output))
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
        // The temporary folder is this user's alone, and the cluster may be another's.
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

/// Notes that a database is complete, and how that went.
fn write_note(file: &Path, (load_duration, load_output): &(Duration, String)) -> Result<()> {
    let note = serde_json::json!({"seconds": load_duration.as_secs_f64(), "output": load_output});
    Ok(fs::write(file, note.to_string())?)
}

fn read_note(file: &Path) -> Result<Option<(Duration, String)>> {
    if !file.exists() {
        return Ok(None);
    }
    let note: serde_json::Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let seconds = note["seconds"].as_f64().context("the note tells how long it took")?;
    let load_output = note["output"].as_str().unwrap_or_default().to_owned();
    Ok(Some((Duration::from_secs_f64(seconds), load_output)))
}
