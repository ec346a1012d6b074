//! Clients that others have written, unmodified, against the real program.
//!
//! They are installed by CI. `ALMANAC_TEST_CLIENTS_FOLDER` names the folder with `node_modules` and `venv`.

use std::{env, path::PathBuf, process::Command};

use crate::support::program::Serving;

/// Set to `required` where the tests must fail if the clients are not installed.
const REQUIRED: &str = "ALMANAC_TEST_CLIENTS";
/// The folder in which they are.
const FOLDER: &str = "ALMANAC_TEST_CLIENTS_FOLDER";

#[test]
fn gatsby_source_tribe_events_finds_everything() {
    run("node", "gatsby.js");
}

#[test]
fn wpapi_discovers_lists_writes_and_pages() {
    run("node", "wpapi.js");
}

#[test]
fn api_fetch_reads_and_writes_by_method_override() {
    run("node", "api_fetch.js");
}

#[test]
fn wordpress_api_lists_and_creates() {
    run("venv/bin/python", "wordpress_api.py");
}

/// Runs a script with a client in it against the calendar of a city.
fn run(interpreter: &str, script: &str) {
    let Some(clients) = folder() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    let serving = Serving::start(&["--demo", "--database-url", &url]);
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
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {told}");
    // A client that swallows its failures still tells of them.
    assert!(told.is_empty(), "{script}: {told}");
}

fn folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER) {
        return Some(folder.into());
    }
    assert!(
        env::var(REQUIRED).as_deref() != Ok("required"),
        "the clients are required, and {FOLDER} does not say where they are"
    );
    eprintln!("left out: {FOLDER} does not say where Node and Python clients are installed");
    None
}
