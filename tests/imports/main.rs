//! Imports by the real program: from stubs of other programs, and from this program's own interface.

#[allow(dead_code, unused_imports, reason = "other test targets use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod csv;
mod ics;
mod ics_series;
mod recorded;
mod sites;
mod stub;
mod tec;

use std::process::Output;

use support::program::{program, stderr};

/// Runs `almanac import` with these arguments on the database.
async fn import(url: &str, arguments: &[&str]) -> Output {
    run(url, &[&["import"], arguments].concat()).await
}

/// Runs a command on the database, while this thread serves stubs.
async fn run(url: &str, arguments: &[&str]) -> Output {
    let mut command = program(&[arguments, &["--database-url", url]].concat());
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    output.expect("no panic").expect("the program starts")
}

/// The lines of the standard output of a command that has succeeded.
#[track_caller]
fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The standard error of a command that has failed.
#[track_caller]
fn failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    stderr(output)
}
