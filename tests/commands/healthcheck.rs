//! `almanac healthcheck`.

use std::net::TcpListener;

use crate::support::program::{ServerProcess, program, run, stderr};

/// A server on a new database in a temporary directory.
fn serving() -> (ServerProcess, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    (ServerProcess::start(&["--database-url", &url]), folder)
}

#[test]
fn running_server_is_healthy() {
    let (serving, _folder) = serving();
    let port = serving.address.rsplit(':').next().expect("a port");
    for listen in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}")] {
        let output = program(&["healthcheck"])
            .env("ALMANAC_LISTEN", &listen)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{listen}: {output:?}");
    }
    let ready = run(&["healthcheck", &format!("{}/readyz", serving.address)]);
    assert!(ready.status.success(), "{ready:?}");
}

#[test]
fn error_status_is_unhealthy() {
    let (serving, _folder) = serving();
    let url = format!("{}/absent", serving.address);
    let output = run(&["healthcheck", &url]);
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(error.contains(&url) && error.contains("404"), "{error}");
}

#[test]
fn unreachable_server_is_unhealthy() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let output = run(&["healthcheck", "--listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&address), "{}", stderr(&output));
}

#[test]
fn silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let output = run(&["healthcheck", "--timeout", "200ms", "--listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("200ms"), "{}", stderr(&output));
}
