//! Measures the import of a site with The Events Calendar into an empty database. The site is another calendar of this
//! program, whose interface for WordPress is the same.

use std::process::Stdio;

use anyhow::Result;

use crate::{
    command_figures::{CommandFigures, run},
    database::Backend,
    server_process::ServerProcess,
};

/// The name by which the measurement is selected.
pub(crate) const NAME: &str = "import of a site";
/// The number of events of the site.
pub(crate) const EVENTS: u64 = 200_000;
/// Requests per second, which the site does not reach.
const RATE: &str = "1000000/s";

/// The result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SiteImport {
    pub database: Backend,
    /// Those of the importing process.
    pub figures: CommandFigures,
}

impl SiteImport {
    /// Events per second.
    pub(crate) fn rate(&self) -> f64 {
        EVENTS as f64 / self.figures.duration.as_secs_f64()
    }
}

/// Imports the site of a server into the empty database with this URL.
pub(crate) fn measure(database: Backend, site: &ServerProcess, url: &str) -> Result<SiteImport> {
    let address = format!("http://{}", site.destination.address);
    let arguments = ["import", "tec", &address, "--rate", RATE, "--database-url", url];
    let figures = run(&arguments, Stdio::null())?;
    Ok(SiteImport { database, figures })
}
