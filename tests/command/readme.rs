//! The README's commands work as they stand there.

use std::{env, process::Command};

use crate::support::program::Serving;

const README: &str = include_str!("../../README.md");

/// The shell blocks of the README. Those that call cargo are run by CI.
fn blocks() -> Vec<String> {
    README
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .filter(|block| !block.contains("cargo "))
        .collect()
}

#[tokio::test]
async fn each_command_of_the_readme_succeeds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    let serving = Serving::start(&["--demo", "--database-url", &url]);
    let address = serving.address.trim_start_matches("http://");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_almanac"));
    let programs = program.parent().expect("a program lies in a folder");
    let path = env::var("PATH").unwrap_or_default();
    assert!(
        blocks().len() >= 4,
        "the README shows how to use the server"
    );
    for block in blocks() {
        let script = block
            .replace("127.0.0.1:8080", address)
            .replace("$PASSWORD", serving.password());
        let output = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &script])
            .current_dir(&folder)
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("ALMANAC_DATABASE_URL", &url)
            .output()
            .expect("bash starts");
        assert!(output.status.success(), "{block}\n{output:?}");
    }
}
