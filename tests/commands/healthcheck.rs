//! `almanac healthcheck`.

use std::net::TcpListener;

use crate::support::program::{ServerProcess, program, run, stderr};

#[test]
fn running_server_is_healthy() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&[]);
    let port = server.address.rsplit(':').next().expect("a port");
    for listen in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}")] {
        let output = program(&["healthcheck"])
            .env("ALMANAC_LISTEN", &listen)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{listen}: {output:?}");
    }
    let ready = run(&["healthcheck", &format!("{}/readyz", server.address)]);
    assert!(ready.status.success(), "{ready:?}");
}

#[test]
fn error_status_is_unhealthy() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&[]);
    let url = format!("{}/absent", server.address);
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
