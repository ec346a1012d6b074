//! Measures an export of all rows, and the import of the same file into a new SQLite database.

use std::{
    fs::{self, File},
    path::Path,
    process::Stdio,
};

use anyhow::{Context, Result};

use crate::{
    command_figures::{CommandFigures, run},
    database::FilledDatabase,
};

/// The name by which the measurement is selected.
pub(crate) const NAME: &str = "export and import";

/// The figures of both processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferTimes {
    pub export: CommandFigures,
    pub import: CommandFigures,
}

/// Measures both. `folder` gets the file and the database, which are removed.
pub(crate) fn measure(filled: &FilledDatabase, folder: &Path) -> Result<TransferTimes> {
    let (all, imported) = (folder.join("all.ndjson"), folder.join("imported.db"));
    let output = File::create(&all)?;
    let export = run(&["export", "--database-url", &filled.url], Stdio::from(output))?;
    let url = format!("sqlite://{}", imported.display());
    let file = all.to_str().context("the folder has a name in UTF-8")?;
    let import = run(&["import", "ndjson", file, "--database-url", &url], Stdio::null())?;
    fs::remove_file(&all)?;
    fs::remove_file(&imported)?;
    Ok(TransferTimes { export, import })
}
