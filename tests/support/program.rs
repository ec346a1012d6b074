//! Runs the program as a child process.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use tempfile::{NamedTempFile, TempDir};

use super::Client;

/// A command for the program, without settings from the environment.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_almanac"));
    for (name, _) in std::env::vars() {
        if name.starts_with("ALMANAC_") || name == "NOTIFY_SOCKET" {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

/// The program with a limit on open files. Its standard error is appended to the log.
pub(crate) fn with_open_files(files: u32, log: &Path, arguments: &[&str]) -> Command {
    let program = program(arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", r#"ulimit -n "$1"; log=$2; shift 2; exec "$0" "$@" 2>>"$log""#])
        .arg(program.get_program())
        .arg(files.to_string())
        .arg(log)
        .args(program.get_args());
    for (name, _) in program.get_envs() {
        command.env_remove(name);
    }
    command
}

/// Runs the program and waits for it.
pub(crate) fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program starts")
}

/// Runs the program, which must succeed, and returns the lines of its standard output.
pub(crate) fn stdout_lines(arguments: &[&str]) -> Vec<String> {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// The standard error of the program.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The URL of a SQLite database in this directory.
pub(crate) fn sqlite_url(directory: &Path) -> String {
    format!("sqlite://{}/almanac.db", directory.display())
}

/// A server as a child process.
pub(crate) struct ServerProcess {
    process: Child,
    output: Option<BufReader<ChildStdout>>,
    /// The lines of its standard output before the address.
    pub startup_lines: Vec<String>,
    /// Such as `http://127.0.0.1:12345`.
    pub address: String,
    pub log: Log,
}

/// The standard error of a server. It is readable after the server has ended.
#[derive(Clone)]
pub(crate) struct Log(Arc<NamedTempFile>);

impl Log {
    fn new() -> Self {
        Self(Arc::new(NamedTempFile::new().expect("a temporary file")))
    }

    fn stdio(&self) -> Stdio {
        Stdio::from(self.0.reopen().expect("the file exists"))
    }

    /// The text so far.
    pub(crate) fn text(&self) -> String {
        let bytes = fs::read(self.0.path()).expect("the file exists");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits for a line that contains all of these texts, and returns the first.
    pub(crate) fn line(&self, texts: &[&str]) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text();
            let mut lines = text.lines();
            if let Some(line) = lines.find(|line| texts.iter().all(|text| line.contains(text))) {
                return line.to_owned();
            }
            assert!(begun.elapsed() < LOG_TIMEOUT, "no line contains {texts:?}: {text}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Timeout for a line of the log, on a busy machine.
const LOG_TIMEOUT: Duration = Duration::from_secs(20);

impl ServerProcess {
    /// Starts a server with these arguments on a free port, and waits for its address.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::spawn(program(&["serve", "--listen", "127.0.0.1:0"]).args(arguments))
    }

    /// Starts a server on a new SQLite database in a temporary directory.
    pub(crate) fn start_in_temporary_directory(arguments: &[&str]) -> (Self, TempDir) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let url = sqlite_url(directory.path());
        (Self::start(&[&["--database-url", &url], arguments].concat()), directory)
    }

    /// Starts a server with this command, and waits for its address.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let log = Log::new();
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(log.stdio())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut startup_lines = Vec::new();
        let address = loop {
            let mut line = String::new();
            let read = output.read_line(&mut line).expect("text");
            assert!(read > 0, "the server has ended: {startup_lines:?} {}", log.text());
            if let Some(address) = line.trim().strip_prefix("listening on ") {
                break address.to_owned();
            }
            startup_lines.push(line.trim().to_owned());
        };
        Self {
            process,
            output: Some(output),
            startup_lines,
            address,
            log,
        }
    }

    pub(crate) fn anonymous(&self) -> Client {
        Client::new(&self.address)
    }

    /// The administrator's application password, which the first start prints.
    pub(crate) fn password(&self) -> &str {
        let line = self
            .startup_lines
            .iter()
            .find(|line| line.starts_with("administrator: "));
        line.and_then(|line| line.split_once("password: "))
            .map(|(_, password)| password)
            .expect("a password in the output of the first start")
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a signal, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill starts").success());
    }

    /// Stops the server with SIGINT: after SIGTERM, it waits up to three seconds for clients to close their connections.
    pub(crate) fn stop(self) {
        self.signal("INT");
        let (code, _) = self.wait(Duration::from_secs(30));
        assert_eq!(code, Some(0));
    }

    /// Waits until the server ends, with this timeout. Returns its exit code and its output after the address.
    pub(crate) fn wait(mut self, timeout: Duration) -> (Option<i32>, String) {
        let mut output = self.output.take().expect("not waited for yet");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // The pipe is closed when the process ends.
            let mut rest = String::new();
            let _ = output.read_to_string(&mut rest);
            let _ = sender.send(rest);
        });
        let rest = receiver.recv_timeout(timeout);
        let rest = rest.expect("the server ends in time");
        let status = self.process.wait().expect("an exit status");
        (status.code(), rest)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
