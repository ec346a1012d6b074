//! Reports the tests that did not run, in one line when the test program ends.
//!
//! The test harness has no hook for that, so that the line is printed by a child process: its standard input is a pipe,
//! which is closed when this process ends, however that ends.

use std::{
    io::{Write, stderr},
    process::{ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// Counts the reasons on its input and prints one line at its end.
const REPORT: &str = r#"
    { if (!($0 in tests)) reasons[++count] = $0; tests[$0]++ }
    END {
        printf "%s: not run:", target
        for (i = 1; i <= count; i++) {
            number = tests[reasons[i]]
            printf "%s %d %s (%s)", (i > 1 ? "," : ""), number, (number > 1 ? "tests" : "test"), reasons[i]
        }
        printf "\n"
    }"#;

/// Records that a test does not run for this reason, which names what is missing and how to get it. The test must
/// return after that.
pub(crate) fn skip(reason: &str) {
    static INPUT: Mutex<Option<ChildStdin>> = Mutex::new(None);
    let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    let input = input.get_or_insert_with(start_report);
    writeln!(input, "{reason}").expect("awk reads its input");
}

#[expect(clippy::zombie_processes, reason = "it outlives this process")]
fn start_report() -> ChildStdin {
    let child = Command::new("awk")
        .args(["-v", concat!("target=", env!("CARGO_CRATE_NAME")), REPORT])
        .stdin(Stdio::piped())
        .stdout(stderr())
        .spawn()
        .expect("awk starts");
    child.stdin.expect("a pipe")
}
