//! A private PostgreSQL cluster on a free port, one for each test program. It ends with the program.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

/// Set to `required` where the tests must fail if there is no PostgreSQL.
const REQUIRED: &str = "ALMANAC_TEST_POSTGRES";

/// A running cluster.
pub struct Cluster {
    pub port: u16,
    /// Closed with the program, which tells the cluster to end.
    _alive: ChildStdin,
}

/// The cluster of this program; none where PostgreSQL's server programs are not installed.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(new_cluster).as_ref()
}

/// A cluster in which nobody else writes; none where PostgreSQL's server programs are not installed.
pub fn new_cluster() -> Option<Cluster> {
    match programs() {
        Some(programs) => Some(start(&programs)),
        None if std::env::var(REQUIRED).as_deref() == Ok("required") => {
            panic!("PostgreSQL's server programs are required, and initdb was not found")
        }
        None => {
            eprintln!("left out on PostgreSQL: its server programs are not installed");
            None
        }
    }
}

/// The folder with `initdb` and `postgres`.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut debian: Vec<PathBuf> = debian
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .collect();
    debian.sort();
    debian.reverse();
    debian
        .into_iter()
        .chain(std::env::split_paths(&path))
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

#[allow(clippy::zombie_processes, reason = "the cluster outlives this program")]
fn start(programs: &Path) -> Cluster {
    let folder = tempfile::Builder::new()
        .prefix("almanac-postgres-")
        .tempdir()
        .expect("a temporary folder")
        .keep();
    let data = folder.join("data");
    let port = free_port();
    let initialise = [
        "-A",
        "trust",
        "-U",
        "postgres",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ];
    let owner = unprivileged();
    if let Some((user, group)) = owner {
        chown(&folder, Some(user), Some(group)).expect("root may give the folder away");
    }
    let output = run_as(owner, programs.join("initdb"))
        .args(initialise)
        .arg("-D")
        .arg(&data)
        .current_dir(&folder)
        .output()
        .expect("initdb starts");
    assert!(output.status.success(), "initdb failed: {output:?}");
    // The shell ends the cluster when this program, and with it the pipe, is gone.
    let script = r#""$0" -D "$1" -k "$2" -h 127.0.0.1 -p "$3" -c fsync=off -c max_connections=300 -c autovacuum=off \
        >"$2/log" 2>&1 & read -r _; kill -INT $!; wait; rm -rf "$2""#;
    let mut child = run_as(owner, PathBuf::from("sh"))
        .args(["-c", script])
        .arg(programs.join("postgres"))
        .arg(&data)
        .arg(&folder)
        .arg(port.to_string())
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the cluster starts");
    let until = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "the cluster does not listen");
        sleep(Duration::from_millis(20));
    }
    Cluster {
        port,
        _alive: child.stdin.take().expect("the input is a pipe"),
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address").port()
}

/// PostgreSQL refuses to run as root. Its package makes a user for it.
fn unprivileged() -> Option<(u32, u32)> {
    let number = |arguments: [&str; 2]| -> Option<u32> {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    let own = Command::new("id").arg("-u").output().ok()?;
    if own.stdout != b"0\n" {
        return None;
    }
    Some((number(["-u", "postgres"])?, number(["-g", "postgres"])?))
}

fn run_as(owner: Option<(u32, u32)>, program: PathBuf) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}
