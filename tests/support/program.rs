//! Runs the program as a process of its own.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use tempfile::NamedTempFile;

use super::Client;

/// The program, without the environment's own settings.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_almanac"));
    for (name, _) in std::env::vars() {
        if name.starts_with("ALMANAC_") || name == "NOTIFY_SOCKET" {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

/// The program with so many open files at most. What it writes to standard error is appended to the log.
pub fn with_open_files(files: u32, log: &Path, arguments: &[&str]) -> Command {
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

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program starts")
}

/// Runs it, which must succeed, and returns the lines that it printed.
pub fn stdout_lines(arguments: &[&str]) -> Vec<String> {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// What the program wrote to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server as a process of its own.
pub struct ServerProcess {
    process: Child,
    output: Option<BufReader<ChildStdout>>,
    /// What it printed up to its address.
    pub startup_lines: Vec<String>,
    pub address: String,
    pub log: Log,
}

/// What a server writes to standard error. It outlives the server.
#[derive(Clone)]
pub struct Log(Arc<NamedTempFile>);

impl Log {
    fn new() -> Self {
        Self(Arc::new(NamedTempFile::new().expect("a temporary file")))
    }

    /// Where the server writes to.
    fn sink(&self) -> Stdio {
        Stdio::from(self.0.reopen().expect("the file is there"))
    }

    /// What is written so far.
    pub fn text(&self) -> String {
        let bytes = fs::read(self.0.path()).expect("the file is there");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The first line that contains all of these texts, as soon as it is written.
    pub fn line(&self, texts: &[&str]) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text();
            let mut lines = text.lines();
            if let Some(line) = lines.find(|line| texts.iter().all(|text| line.contains(text))) {
                return line.to_owned();
            }
            assert!(begun.elapsed() < LOG_PATIENCE, "no line has {texts:?}: {text}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// How long a line of the log may take to be written, on a busy machine.
const LOG_PATIENCE: Duration = Duration::from_secs(20);

impl ServerProcess {
    /// Starts it on a free port and waits for its address.
    pub fn start(arguments: &[&str]) -> Self {
        Self::spawn(program(&["serve", "--listen", "127.0.0.1:0"]).args(arguments))
    }

    /// Waits for the address that a command prints.
    pub fn spawn(command: &mut Command) -> Self {
        let log = Log::new();
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(log.sink())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut startup_lines = Vec::new();
        let address = loop {
            let mut line = String::new();
            let read = output.read_line(&mut line).expect("text");
            assert!(read > 0, "it ended: {startup_lines:?} {}", log.text());
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

    pub fn anonymous(&self) -> Client {
        Client::new(&self.address)
    }

    /// The administrator's application password, as the first start prints it.
    pub fn password(&self) -> &str {
        let line = self
            .startup_lines
            .iter()
            .find(|line| line.starts_with("administrator: "));
        line.and_then(|line| line.split_once("password: "))
            .map(|(_, password)| password)
            .expect("the first start prints a password")
    }

    /// The ID of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill starts").success());
    }

    /// Waits until it ends, at most so long. Returns its exit code and what it printed after its address.
    pub fn wait(mut self, patience: Duration) -> (Option<i32>, String) {
        let mut output = self.output.take().expect("it ends once");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // The pipe closes when the process ends.
            let mut rest = String::new();
            let _ = output.read_to_string(&mut rest);
            let _ = sender.send(rest);
        });
        let rest = receiver.recv_timeout(patience);
        let rest = rest.expect("the server ends in time");
        let status = self.process.wait().expect("a child can be waited for");
        (status.code(), rest)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
