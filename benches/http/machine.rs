//! Describes the machine and the time of a measurement.

use std::{fs, path::Path};

use chrono::Utc;

/// A paragraph with the date, the machine and the command, which runs the benchmark of this name. Of the path of an older
/// program, only the file name is shown.
pub(crate) fn description(benchmark: &str) -> String {
    let date = Utc::now().date_naive();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|total| total.split(' ').next()?.parse::<u64>().ok())
        .map_or_else(String::new, |kibibytes| {
            format!(", {} GiB of memory", kibibytes.div_ceil(1024 * 1024))
        });
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{date}, on {cores} cores of {model}{memory}, Linux {}, by\n`{}`.",
        kernel.trim(),
        command(benchmark)
    )
}

/// The value of the first line with this prefix, in a file of `name: value` lines.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(':')?;
    Some(value.trim().to_owned())
}

fn command(benchmark: &str) -> String {
    let mut names_program = false;
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(|argument| {
            let is_program = std::mem::replace(&mut names_program, argument == "--against");
            shell_quoted(if is_program { file_name(&argument) } else { argument })
        })
        .collect();
    if arguments.is_empty() {
        format!("cargo bench --bench {benchmark}")
    } else {
        format!("cargo bench --bench {benchmark} -- {}", arguments.join(" "))
    }
}

/// The last component of a path.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Quotes an argument for a shell.
fn shell_quoted(argument: String) -> String {
    if argument.contains(' ') {
        format!("\"{argument}\"")
    } else {
        argument
    }
}
