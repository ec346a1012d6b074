//! A private PostgreSQL cluster on a free port. It stops when this process ends, however that ends.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A running cluster. It is stopped on drop.
pub(crate) struct Cluster {
    pub port: u16,
    data: PathBuf,
    /// A shell that stops the cluster when its standard input, a pipe from this process, is closed.
    child: Child,
}

/// What happens to the directory after the cluster has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterwards {
    Remove,
    #[allow(dead_code, reason = "the shared cluster of the tests is removed")]
    Keep,
}

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
        Self::start_on(free_port(), programs, directory, settings, afterwards)
    }

    /// Starts a cluster on this port, which must be free.
    pub(crate) fn start_on(
        port: u16,
        programs: &Path,
        directory: &Path,
        settings: &[&str],
        afterwards: Afterwards,
    ) -> Self {
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
            read -r _; kill -INT $!; wait
            if [ "$afterwards" = Remove ]; then rm -rf "$directory"; fi"#;
        let child = run_as(owner, PathBuf::from("sh"))
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
        wait_for_listener(port);
        Self { port, data, child }
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

/// A free port.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address").port()
}

/// Waits until a process listens on this port.
pub(crate) fn wait_for_listener(port: u16) {
    let until = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "no process listens on port {port}");
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
