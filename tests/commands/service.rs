//! The systemd unit: its command line, its environment, and notifications to the service manager.

use std::{
    fs,
    os::unix::net::UnixDatagram,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use tempfile::TempDir;

use crate::support::program::{ServerProcess, program};

const UNIT: &str = include_str!("../../deploy/almanac.service");
/// The state directory of the unit.
const STATE: &str = "/var/lib/almanac";
/// Timeout for a notification, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The values of this setting in the unit.
fn settings(name: &str) -> Vec<&'static str> {
    UNIT.lines()
        .filter_map(|line| line.strip_prefix(name)?.strip_prefix('='))
        .collect()
}

/// A service manager that runs the unit in a temporary directory.
struct Manager {
    directory: TempDir,
    socket: UnixDatagram,
}

impl Manager {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let socket = UnixDatagram::bind(directory.path().join("notify")).expect("a socket");
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Self { directory, socket }
    }

    fn state(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    /// The command that the unit runs, with its environment and on a free port.
    fn command(&self) -> Command {
        let [line] = settings("ExecStart")[..] else {
            panic!("not exactly one command");
        };
        let mut words = line.split(' ');
        let program_path = words.next().map(Path::new);
        assert_eq!(program_path, Some(Path::new("/usr/local/bin/almanac")));
        fs::create_dir(self.state()).expect("a folder");
        let mut command = program(&words.collect::<Vec<_>>());
        for setting in settings("Environment") {
            let (name, value) = setting.split_once('=').expect("a variable");
            let state = self.state().display().to_string();
            command.env(name, value.replace(STATE, &state));
        }
        command
            .current_dir(self.state())
            .env("ALMANAC_LISTEN", "127.0.0.1:0")
            .env("NOTIFY_SOCKET", self.directory.path().join("notify"));
        command
    }

    /// Waits for this notification.
    fn expect(&self, message: &str) {
        let mut buffer = [0; 1024];
        loop {
            let received = self.socket.recv(&mut buffer);
            let received = received.unwrap_or_else(|error| panic!("no {message}: {error}"));
            let text = String::from_utf8_lossy(&buffer[..received]);
            if text.lines().any(|line| line == message) {
                return;
            }
        }
    }
}

#[test]
fn service_manager_is_notified() {
    assert_eq!(settings("Type"), ["notify"]);
    let manager = Manager::new();
    let server = ServerProcess::spawn(&mut manager.command());
    manager.expect("READY=1");
    server.signal("TERM");
    manager.expect("STOPPING=1");
    assert_eq!(server.wait(PATIENCE).0, Some(0));
    for file in ["almanac.db", "admin-password"] {
        assert!(manager.state().join(file).exists(), "{file}");
    }
}

#[test]
fn watchdog_is_fed() {
    assert_eq!(settings("WatchdogSec").len(), 1);
    let manager = Manager::new();
    let mut command = manager.command();
    let _serving = ServerProcess::spawn(command.env("WATCHDOG_USEC", "100000"));
    for _ in 0..3 {
        manager.expect("WATCHDOG=1");
    }
}

#[test]
fn starts_without_service_manager() {
    let manager = Manager::new();
    let mut command = manager.command();
    let server = ServerProcess::spawn(command.env("NOTIFY_SOCKET", "/nowhere"));
    server.log.line(&["NOTIFY_SOCKET"]);
    server.signal("TERM");
    assert_eq!(server.wait(PATIENCE).0, Some(0));
}
