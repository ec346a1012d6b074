//! A private PostgreSQL cluster on a free port. It stops when this process ends, however that ends.

use std::{
    fs,
    net::TcpListener,
    os::unix::{fs::chown, net::UnixStream, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A running cluster. It is stopped on drop.
pub(crate) struct Cluster {
    pub port: u16,
    data: PathBuf,
    /// A shell that stops the cluster when its standard input, a pipe from this process, is closed. It ends when the
    /// cluster has stopped.
    child: Child,
}

/// What happens to the directory after the cluster was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterwards {
    Remove,
    #[allow(dead_code, reason = "the shared cluster of the tests is removed")]
    Keep,
}

/// The number of free ports that are tried.
const ATTEMPTS: usize = 5;

/// The directory of `initdb` and `postgres`, if PostgreSQL's server programs are installed.
pub(crate) fn programs() -> Option<PathBuf> {
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
        .find(|directory| directory.join("initdb").exists() && directory.join("postgres").exists())
}

impl Cluster {
    /// Starts a cluster with these settings (such as `fsync=off`) in an existing directory. A cluster that is already
    /// in the directory is started again.
    pub(crate) fn start(programs: &Path, directory: &Path, settings: &[&str], afterwards: Afterwards) -> Self {
        on_free_port(|port| Self::start_on(port, programs, directory, settings, afterwards))
    }

    /// Starts a cluster on this port. None if it ends at once, as it does if the port is not free.
    pub(crate) fn start_on(
        port: u16,
        programs: &Path,
        directory: &Path,
        settings: &[&str],
        afterwards: Afterwards,
    ) -> Option<Self> {
        let data = directory.join("data");
        let owner = unprivileged();
        if let Some((user, group)) = owner {
            chown(directory, Some(user), Some(group)).expect("root may change the owner");
        }
        if !data.exists() {
            initialise(owner, programs, &data, directory);
        }
        let script = r#"directory=$1; afterwards=$2; shift 2
            "$0" -D "$directory/data" -k "$directory" -h 127.0.0.1 "$@" >"$directory/log" 2>&1 &
            postgres=$!; exec 3<&0
            { read -r _ <&3; kill -INT "$postgres"; } &
            if wait "$postgres" && [ "$afterwards" = Remove ]; then rm -rf "$directory"; fi
            kill $!"#;
        let mut child = run_as(owner, PathBuf::from("sh"))
            .args(["-c", script])
            .arg(programs.join("postgres"))
            .arg(directory)
            .arg(format!("{afterwards:?}"))
            .args(["-p", &port.to_string()])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the cluster starts");
        // PostgreSQL listens there after it has begun to listen on the port, on which another process may listen.
        let socket = directory.join(format!(".s.PGSQL.{port}"));
        let is_running = wait_for_listener(&mut child, || UnixStream::connect(&socket).is_ok());
        is_running.then_some(Self { port, data, child })
    }

    /// Sends a signal, such as `STOP`, to each process of the cluster, since they are not one process group.
    pub(crate) fn signal(&self, name: &str) {
        let file = fs::read_to_string(self.data.join("postmaster.pid")).unwrap_or_default();
        let Some(postmaster) = file.lines().next() else {
            return;
        };
        let send = |ids: &[&str]| {
            let sent = Command::new("kill").args(["-s", name]).args(ids).status();
            sent.expect("kill starts");
        };
        // First, so that it starts no further processes.
        send(&[postmaster]);
        let children = Command::new("ps")
            .args(["-o", "pid=", "--ppid", postmaster])
            .output()
            .expect("ps starts");
        let children = String::from_utf8(children.stdout).expect("numbers");
        let children: Vec<&str> = children.split_whitespace().collect();
        if !children.is_empty() {
            send(&children);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A frozen cluster would not stop.
        self.signal("CONT");
        drop(self.child.stdin.take());
        // Errors cannot be reported here.
        let _ = self.child.wait();
    }
}

fn initialise(owner: Option<(u32, u32)>, programs: &Path, data: &Path, directory: &Path) {
    let output = run_as(owner, programs.join("initdb"))
        .args(["-A", "trust", "-U", "postgres", "-E", "UTF8"])
        .args(["--locale=C", "--no-sync"])
        .arg("-D")
        .arg(data)
        .current_dir(directory)
        .output()
        .expect("initdb starts");
    assert!(output.status.success(), "initdb failed: {output:?}");
}

/// Starts something on a free port. `start` returns None if another process has taken the port first; then another port
/// is tried.
pub(crate) fn on_free_port<T>(start: impl FnMut(u16) -> Option<T>) -> T {
    let started = (0..ATTEMPTS).map(|_| free_port()).find_map(start);
    started.expect("it starts on one of several free ports")
}

/// A port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address").port()
}

/// Waits until the child listens. Returns false if it has ended, as it does if its port is not free.
pub(crate) fn wait_for_listener(child: &mut Child, is_listening: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let is_listening = is_listening();
        if child.try_wait().expect("the state of the child").is_some() {
            return false;
        }
        if is_listening {
            return true;
        }
        assert!(Instant::now() < until, "the process does not listen");
        sleep(Duration::from_millis(20));
    }
}

/// If the current user is root, the user and group of PostgreSQL's package: neither PostgreSQL nor PgBouncer runs as
/// root.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
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

/// A command that runs as this user and group, or as the current user.
pub(crate) fn run_as(owner: Option<(u32, u32)>, program: PathBuf) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}
