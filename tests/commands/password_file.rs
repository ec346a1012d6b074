//! `--admin-password-file`.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use crate::{
    on_both_databases,
    support::program::{ServerProcess, run, stderr, stdout_lines},
};

const PASSWORD: &str = "abcdefghijkl0123456789XY";

on_both_databases! {
    async fn existing_file_supplies_password(database) {
        let url = database.url().await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("password");
        fs::write(&file, format!("{PASSWORD}\n")).expect("a password file");
        let path = file.to_str().expect("text");
        let server = ServerProcess::start(&["--database-url", &url, "--admin-password-file", path]);
        let admin = server.anonymous().with_password("admin", PASSWORD);
        admin.create("/tags", json!({"name": "New"})).await;
        let printed = server.startup_lines.join("\n");
        assert!(printed.contains(path), "the path of the password is printed: {printed}");
        assert!(!printed.contains(PASSWORD), "{printed}");
        assert!(!server.log.text().contains(PASSWORD));
    }

    async fn absent_file_receives_password(database) {
        let url = database.url().await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("password");
        let path = file.to_str().expect("text");
        let arguments = ["--database-url", &url, "--admin-password-file", path];
        let server = ServerProcess::start(&arguments);
        let mode = fs::metadata(&file).expect("the file exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&file).expect("text");
        let password = text.trim_end();
        assert_eq!(password.len(), 24, "{password}");
        let admin = server.anonymous().with_password("admin", password);
        admin.create("/tags", json!({"name": "New"})).await;
        assert!(!server.startup_lines.join("\n").contains(password));
        drop(server);
        let again = ServerProcess::start(&arguments);
        assert!(again.startup_lines.is_empty(), "{:?}", again.startup_lines);
        assert_eq!(fs::read_to_string(&file).expect("text"), text, "the file is written once");
    }

    async fn invalid_file_rejected(database) {
        let url = database.url().await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("password");
        fs::write(&file, "letmein").expect("a password file");
        let path = file.to_str().expect("text");
        let flags = ["--database-url", &url, "--admin-password-file", path];
        let arguments = [&["serve", "--listen", "127.0.0.1:0"][..], &flags].concat();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1));
        let error = stderr(&output);
        assert!(error.contains(path) && error.contains("24 letters and digits"), "{error}");
        assert!(!error.contains("letmein"), "{error}");
        // No user has been stored.
        assert!(stdout_lines(&["user", "list", "--database-url", &url]).is_empty());
    }
}
