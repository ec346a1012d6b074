//! Shows how far a long command is, and stops it cleanly.

use std::{
    io::{IsTerminal, stderr},
    process,
    sync::Arc,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::{
    signal::ctrl_c,
    time::{interval, sleep},
};

use super::output::print_error_line;
use crate::transfer::{Progress, TransferError};

/// The interval of updates on a terminal.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The interval of lines elsewhere.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// How long a transfer may take to stop. Then its transaction is rolled back while it runs.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// The exit code after a second Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

const WITH_TOTAL: &str = "{msg} {bar:40} {percent} %, {eta} left";
const WITHOUT_TOTAL: &str = "{msg}, {elapsed}";

/// Runs a transfer, and shows its progress on standard error: a bar on a terminal, lines elsewhere. Ctrl-C stops the
/// transfer, and a second one ends the process.
pub(super) async fn run<T>(
    progress: &Arc<Progress>,
    work: impl Future<Output = Result<T, TransferError>>,
) -> Result<T, TransferError> {
    let display = Display::new(progress.clone());
    tokio::pin!(work);
    let result = tokio::select! {
        result = &mut work => result,
        never = display.update() => match never {},
        _ = ctrl_c() => {
            progress.cancel();
            print_error_line("almanac: stopping");
            tokio::select! {
                result = &mut work => result,
                () = sleep(STOP_TIMEOUT) => Err(TransferError::Interrupted),
                _ = ctrl_c() => process::exit(INTERRUPTED),
            }
        }
    };
    display.bar.finish_and_clear();
    result
}

struct Display {
    progress: Arc<Progress>,
    /// Draws nothing unless standard error is a terminal.
    bar: ProgressBar,
}

impl Display {
    fn new(progress: Arc<Progress>) -> Self {
        Self {
            progress,
            bar: ProgressBar::new(0),
        }
    }

    async fn update(&self) -> std::convert::Infallible {
        match stderr().is_terminal() {
            true => self.update_bar().await,
            false => self.print_lines().await,
        }
    }

    async fn update_bar(&self) -> std::convert::Infallible {
        let mut ticks = interval(UPDATE_INTERVAL);
        let mut shown = "";
        loop {
            ticks.tick().await;
            let activity = self.progress.activity();
            let total = self.progress.total();
            if activity != shown {
                shown = activity;
                let template = if total > 0 { WITH_TOTAL } else { WITHOUT_TOTAL };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    self.bar.set_style(style);
                }
                self.bar.reset();
                self.bar.set_message(activity);
            }
            self.bar.set_length(total);
            // The total may be an estimate.
            self.bar.set_position(self.progress.done().min(total));
            self.bar.tick();
        }
    }

    async fn print_lines(&self) -> std::convert::Infallible {
        let started = Instant::now();
        loop {
            sleep(LINE_INTERVAL).await;
            let activity = self.progress.activity();
            let (total, done) = (self.progress.total(), self.progress.done());
            let seconds = started.elapsed().as_secs();
            match (done.min(total) * 100).checked_div(total) {
                Some(percent) => print_error_line(format_args!("almanac: {activity}: {percent} %, {seconds} s")),
                None => print_error_line(format_args!("almanac: {activity}, {seconds} s")),
            }
        }
    }
}
