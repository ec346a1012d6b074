//! Runs a command of the program, and measures its duration and its peak memory.

use std::{
    fs,
    io::{Read, Seek},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::server_process::PROGRAM;

/// The interval at which the peak memory of a process is read.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// A process from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandFigures {
    pub duration: Duration,
    /// Peak resident memory, in bytes.
    pub memory: u64,
}

/// Runs the program with these arguments until it exits. Fails if the command does, with its messages.
pub(crate) fn run(arguments: &[&str], output: Stdio) -> Result<CommandFigures> {
    let mut messages = tempfile::tempfile()?;
    let started = Instant::now();
    let mut process = Command::new(PROGRAM)
        .args(arguments)
        .stdout(output)
        .stderr(messages.try_clone()?)
        .spawn()?;
    let status = format!("/proc/{}/status", process.id());
    let mut memory = 0;
    let exit = loop {
        if let Some(exit) = process.try_wait()? {
            break exit;
        }
        memory = peak(&status).unwrap_or(memory);
        thread::sleep(SAMPLE_INTERVAL);
    };
    if !exit.success() {
        let mut text = Vec::new();
        messages.rewind()?;
        messages.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        bail!("`almanac {}` failed: {exit}\n{text}", arguments[0]);
    }
    Ok(CommandFigures {
        duration: started.elapsed(),
        memory,
    })
}

/// The peak resident memory so far, in bytes. None if the process has ended.
fn peak(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
