//! PostgreSQL through PgBouncer, configured as in `docs/running.md`.

use std::{
    io,
    net::TcpStream,
    os::unix::fs::chown,
    process::{Child, Stdio},
};

use almanac::testing::store::open;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tempfile::NamedTempFile;

use crate::support::{
    Database,
    cluster::{on_free_port, run_as, unprivileged, wait_for_listener},
    postgres::is_required,
    skipped::skip,
};

const RUNNING: &str = include_str!("../../docs/running.md");

/// A running PgBouncer, which stops when it is dropped.
struct Pooler {
    port: u16,
    process: Child,
    _settings: NamedTempFile,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // Errors can't be reported from here.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Pooler {
    /// Starts PgBouncer in front of the database at `url`, under the database name of the document. Returns `None` if it is
    /// not installed.
    fn start(url: &str) -> Option<Self> {
        on_free_port(|port| Self::start_on(port, url).transpose()).ok()
    }

    /// Starts PgBouncer on this port. `Ok(None)` if it ends at once, as it does if the port is not free.
    fn start_on(port: u16, url: &str) -> io::Result<Option<Self>> {
        let (_, at) = url.split_once('@').expect("a user");
        let (address, name) = at.split_once('/').expect("a name");
        let (_, server) = address.split_once(':').expect("a port");
        let (_, block) = RUNNING.split_once("```ini\n[databases]\n").expect("the settings");
        let (settings, _) = block.split_once("```").expect("their end");
        let settings = settings.replace(
            "host=127.0.0.1 port=5432",
            &format!("host=127.0.0.1 port={server} dbname={name} user=postgres"),
        );
        let settings = format!(
            "[databases]\n{settings}\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n\
             unix_socket_dir =\n"
        );
        let file = tempfile::Builder::new().suffix(".ini").tempfile().expect("a file");
        std::fs::write(file.path(), settings).expect("the settings are written");
        let owner = unprivileged();
        if let Some((user, group)) = owner {
            chown(file.path(), Some(user), Some(group)).expect("root may give the file away");
        }
        let mut process = run_as(owner, "pgbouncer".into())
            .arg("-q")
            .arg(file.path())
            .stderr(Stdio::null())
            .spawn()?;
        let is_listening = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        let is_running = wait_for_listener(&mut process, is_listening);
        let pooler = Self {
            port,
            process,
            _settings: file,
        };
        Ok(is_running.then_some(pooler))
    }
}

#[tokio::test]
async fn settings_apply_behind_pgbouncer() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let url = database.url().await;
    let Some(pooler) = Pooler::start(&url) else {
        assert!(!is_required(), "PgBouncer is required, and was not found");
        skip("PgBouncer is not installed");
        return;
    };
    let url = format!("postgres://postgres@127.0.0.1:{}/almanac", pooler.port);
    let store = open(&url, true).await.expect("it opens");
    for (setting, expected) in [
        ("default_transaction_read_only", "on"),
        ("default_transaction_isolation", "repeatable read"),
        ("statement_timeout", "25s"),
        ("jit", "off"),
    ] {
        let show = Statement::from_string(DbBackend::Postgres, format!("SHOW {setting}"));
        let row = store.reader().query_one_raw(show).await.expect("a row");
        let value: String = row.expect("one").try_get_by_index(0).expect("a text");
        assert_eq!(value, expected, "{setting}");
    }
}
