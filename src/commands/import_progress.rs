//! The progress of imports: a bar on a terminal, plain lines otherwise. Ctrl-C stops at the next checkpoint.

use std::{
    io::IsTerminal,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use super::{CommandError, output::print_error_line};
use crate::import::{printable, run::Progress};

/// The time between two lines of one activity.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// The exit code of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

const WITH_TOTAL: &str = "{bar:30} {pos}/{len} {msg}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {msg}, {elapsed}";

/// Shows progress on standard error.
pub(super) struct CommandProgress {
    bar: Option<ProgressBar>,
    activity: Mutex<Activity>,
    total: AtomicU64,
    is_stopped: Arc<AtomicBool>,
}

struct Activity {
    name: String,
    last_line: Instant,
}

impl CommandProgress {
    /// Begins to show progress, and to wait for Ctrl-C.
    pub(super) fn start() -> Result<Self, CommandError> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = is_stopped.clone();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if stop.swap(true, Ordering::Relaxed) {
                    std::process::exit(INTERRUPTED);
                }
                print_error_line("almanac: stopping at the next checkpoint; once more stops at once");
            }
        });
        Ok(Self {
            bar: std::io::stderr().is_terminal().then(new_bar),
            activity: Mutex::new(Activity {
                name: String::new(),
                last_line: Instant::now(),
            }),
            total: AtomicU64::new(0),
            is_stopped,
        })
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Progress for CommandProgress {
    fn begin(&self, activity: &str, total: Option<u64>) {
        self.total.store(total.unwrap_or(0), Ordering::Relaxed);
        let template = match total {
            Some(_) => WITH_TOTAL,
            None => WITHOUT_TOTAL,
        };
        let mut current = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        activity.clone_into(&mut current.name);
        current.last_line = Instant::now();
        match &self.bar {
            Some(bar) => {
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style);
                }
                bar.reset();
                bar.set_length(total.unwrap_or(0));
                bar.set_message(activity.to_owned());
            }
            None => print_error_line(activity),
        }
    }

    fn advance_to(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            return;
        }
        let mut current = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        if current.last_line.elapsed() >= LINE_INTERVAL {
            current.last_line = Instant::now();
            let total = self.total.load(Ordering::Relaxed);
            print_error_line(format_args!("{}: {done} of {total}", current.name));
        }
    }

    fn tell(&self, text: &str) {
        let text = printable(text);
        match &self.bar {
            Some(bar) => bar.println(text),
            None => print_error_line(text),
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
