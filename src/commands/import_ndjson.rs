//! `almanac import ndjson`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;

use super::{
    CommandError, now,
    output::{print_error_line, print_line},
    progress,
};
use crate::{
    config::DatabaseArgs,
    store,
    transfer::{Contents, LoadOptions, Progress, Tokens, load},
};

/// The buffer of the file, in bytes.
const BUFFER: usize = 256 * 1024;

/// The flags of `almanac import ndjson`.
#[derive(Args, Debug)]
pub struct ImportNdjsonArgs {
    /// File to load; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Check the whole file against the database, and change nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Loads a calendar into an empty database.
pub(crate) async fn run(arguments: &ImportNdjsonArgs) -> Result<(), CommandError> {
    let (input, length) = open(&arguments.file)?;
    let store = store::open_to_import(&arguments.database.database_url).await?;
    let progress = Arc::new(Progress::default());
    progress.begin("loading rows", length);
    let options = LoadOptions {
        contents: Contents::Export,
        // Those of the database: an export has none.
        tokens: Tokens::Keep,
        is_dry_run: arguments.dry_run,
        now: now(),
    };
    let loaded = progress::run(&progress, load(&store, input, options, || Ok(()), &progress)).await;
    store.close().await?;
    let loaded = loaded?;
    let listed: Vec<String> = loaded
        .counts
        .iter()
        .map(|(table, count)| format!("{count} {table}"))
        .collect();
    let verb = if arguments.dry_run {
        "the file is valid; it has"
    } else {
        "loaded"
    };
    print_line(format_args!("{verb} {}", listed.join(", ")))?;
    if loaded.cleaned > 0 {
        print_error_line(format_args!(
            "texts from which markup was removed that is not allowed, such as scripts: {}",
            loaded.cleaned
        ));
    }
    if loaded.users_without_password > 0 && !arguments.dry_run {
        print_error_line(format_args!(
            "users without a password, because exports have none: {}; `almanac user password NAME` sets one",
            loaded.users_without_password
        ));
    }
    Ok(())
}

/// Opens a file, and returns its length in bytes; 0 if that is unknown.
fn open(path: &Path) -> Result<(Box<dyn BufRead + Send>, u64), CommandError> {
    if path == Path::new("-") {
        return Ok((Box::new(BufReader::with_capacity(BUFFER, io::stdin())), 0));
    }
    let file =
        File::open(path).map_err(|error| CommandError::Refused(format!("can't read {}: {error}", path.display())))?;
    let length = file.metadata()?.len();
    Ok((Box::new(BufReader::with_capacity(BUFFER, file)), length))
}
