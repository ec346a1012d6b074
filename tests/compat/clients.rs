//! Unmodified third-party clients against the real program.
//!
//! CI installs them. `ALMANAC_TEST_CLIENTS_FOLDER` is the directory with `node_modules` and `venv`.

use std::{env, path::PathBuf, process::Command};

use crate::support::{program::ServerProcess, skipped::skip};

/// If `required`, the tests fail if the clients are not installed.
const REQUIRED: &str = "ALMANAC_TEST_CLIENTS";
/// The directory of the clients.
const FOLDER: &str = "ALMANAC_TEST_CLIENTS_FOLDER";

#[test]
fn gatsby_source_tribe_events() {
    run("node", "gatsby.js");
}

#[test]
fn wpapi() {
    run("node", "wpapi.js");
}

#[test]
fn api_fetch() {
    run("node", "api_fetch.js");
}

#[test]
fn wordpress_api() {
    run("venv/bin/python", "wordpress_api.py");
}

/// Runs a script that uses a client against the demo calendar.
fn run(interpreter: &str, script: &str) {
    let Some(clients) = folder() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    let serving = ServerProcess::start(&["--demo", "--database-url", &url]);
    let interpreter = match interpreter {
        "node" => PathBuf::from("node"),
        inside => clients.join(inside),
    };
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/compat/clients");
    let output = Command::new(interpreter)
        .arg(scripts.join(script))
        .env("NODE_PATH", clients.join("node_modules"))
        .env("ALMANAC_ADDRESS", &serving.address)
        .env("ALMANAC_PASSWORD", serving.password())
        .output()
        .expect("the interpreter starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {stderr}");
    // Some clients log failures and go on.
    assert!(stderr.is_empty(), "{script}: {stderr}");
}

fn folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER) {
        return Some(folder.into());
    }
    assert!(
        env::var(REQUIRED).as_deref() != Ok("required"),
        "the clients are required, but {FOLDER} is not set"
    );
    skip(&format!(
        "the Node and Python clients are not installed; set {FOLDER}, as .ci/run does"
    ));
    None
}
