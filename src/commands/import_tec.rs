//! `almanac import tec`.

use std::{collections::HashMap, num::NonZeroU32, path::PathBuf, time::Duration};

use chrono::NaiveDate;
use clap::{ArgAction, Args, ValueEnum};
use console::Term;
use ipnet::IpNet;
use url::Url;

use super::{
    CommandError,
    import::{ImportArgs, author, print_report, read_file},
    import_progress::CommandProgress,
    output::print_line,
};
use crate::{
    config::{network, rate},
    egress::AllowedNetworks,
    import::{
        Authority, Format, ImportError, WriteOptions,
        http::{Client, Credentials},
        printable,
        run::{Report, Run},
        tec::{
            self, Site, StatusOf, TecOptions,
            verify::{self, Verification},
        },
    },
    store::{self, Store, imports, users},
};

/// The variable with the application password. There is no flag: other users of the machine see command lines.
const PASSWORD_VARIABLE: &str = "ALMANAC_IMPORT_PASSWORD";

/// What happens to images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Images {
    /// Events refer to the images of the site
    Link,
    /// Images and their sizes are stored in the directory of --uploads
    Copy,
}

/// The flags of `almanac import tec`.
#[derive(Args, Debug)]
pub struct TecArgs {
    /// Address of the site, such as https://site.example
    #[arg(value_name = "URL", value_parser = site_url)]
    pub address: Url,

    /// User of the site, to import drafts and private objects, too; the application password is read from
    /// ALMANAC_IMPORT_PASSWORD, or asked for
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,

    /// What happens to images
    #[arg(long, default_value = "link", value_name = "WHAT")]
    pub images: Images,

    /// Directory for copied images, which `serve --uploads` serves
    #[arg(long, env = "ALMANAC_UPLOADS", value_name = "DIR", required_if_eq("images", "copy"))]
    pub uploads: Option<PathBuf>,

    /// Maximum rate of requests to the site
    #[arg(long, default_value = "2/s", value_name = "N/s", value_parser = rate)]
    pub rate: NonZeroU32,

    /// Only events that start on this day or later, such as 2026-01-01
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub since: Option<NaiveDate>,

    /// Events for which to read, one by one, whether they were canceled, postponed or moved online
    #[arg(long, default_value = "upcoming", value_name = "WHICH")]
    pub status_of: StatusOf,

    /// File that maps authors of the site to users, one per line: the ID at the site, a space, and the name here
    #[arg(long, value_name = "FILE")]
    pub authors: Option<PathBuf>,

    /// File with the IDs of events that the site hides from its listings, one per line
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,

    /// Give new IDs to objects whose IDs other objects already have, instead of stopping
    #[arg(long)]
    pub renumber: bool,

    /// Replace changes that were made here since the last import
    #[arg(long)]
    pub overwrite: bool,

    /// Compare a random sample with what was imported, and import nothing
    #[arg(long)]
    pub verify: bool,

    /// Private network that the name of the site may lead to, such as 10.0.0.0/8; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = network, action = ArgAction::Append)]
    pub allow: Vec<IpNet>,

    #[command(flatten)]
    pub import: ImportArgs,
}

fn site_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.password().is_none())
        .ok_or_else(|| "must be a URL such as https://site.example, without a password".to_owned())
}

fn day(text: &str) -> Result<NaiveDate, String> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| "must be a date such as 2026-01-01".to_owned())
}

/// Imports or compares the site.
pub(super) async fn run(arguments: TecArgs) -> Result<(), CommandError> {
    let store = store::open(&arguments.import.database.database_url, true).await?;
    let options = TecOptions {
        since: arguments.since,
        authors: authors(&store, arguments.authors.as_ref()).await?,
        statuses: arguments.status_of,
        ids: ids(arguments.ids.as_ref())?,
        uploads: arguments.uploads.clone().filter(|_| arguments.images == Images::Copy),
    };
    let write = WriteOptions {
        authority: match arguments.overwrite {
            true => Authority::Source,
            false => Authority::Unedited,
        },
        renumber: arguments.renumber,
        author: author(&store, arguments.import.author.as_deref()).await?,
        site: arguments.import.site.zone,
        horizon: arguments.import.series.recurrence_horizon.months(),
        dry_run: arguments.import.dry_run,
    };
    let credentials = match &arguments.user {
        Some(name) => Some(Credentials {
            user: name.clone(),
            password: password(name)?,
        }),
        None => None,
    };
    let progress = CommandProgress::start()?;
    let outcome = import_or_verify(&store, &arguments, &options, write, credentials, &progress).await;
    progress.finish();
    // Requests to the site do not know what they are for.
    let outcome = outcome.map_err(|error| match error {
        ImportError::Stopped if arguments.verify || arguments.import.dry_run => ImportError::Abandoned,
        error => error,
    });
    let printed = match outcome? {
        Outcome::Imported(report) => print_report(&report, arguments.import.dry_run),
        Outcome::Verified(verification) => print_verification(&verification),
    };
    store.close().await?;
    printed
}

enum Outcome {
    Imported(Report),
    Verified(Verification),
}

async fn import_or_verify(
    store: &Store,
    arguments: &TecArgs,
    options: &TecOptions,
    write: WriteOptions,
    credentials: Option<Credentials>,
    progress: &CommandProgress,
) -> Result<Outcome, ImportError> {
    let allowed = AllowedNetworks::from(arguments.allow.clone());
    let client = Client::new(&arguments.address, &allowed)?;
    let interval = Duration::from_secs(1) / arguments.rate.get();
    let site = Site::find(client, &arguments.address, credentials, interval, progress).await?;
    let address = source_address(&site.home);
    if !arguments.verify {
        let run = Run::begin(store, Format::Tec, &address, &serde_json::json!({}), write, progress).await?;
        return Ok(Outcome::Imported(tec::import(run, &site, options).await?));
    }
    let sources = imports::sources(store.reader()).await?;
    let source = sources
        .iter()
        .find(|source| source.format == Format::Tec.name() && source.address == address);
    let source = source.ok_or_else(|| {
        ImportError::Source(format!(
            "{address} has not been imported; run the command without --verify first"
        ))
    })?;
    let verification = verify::verify(store, source.id, &site, options, &write, progress).await?;
    Ok(Outcome::Verified(verification))
}

/// The identity of a site, which stays the same when it moves to https.
fn source_address(home: &Url) -> String {
    let host = home.host_str().unwrap_or_default();
    let port = home.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{host}{port}{}", home.path().trim_end_matches('/'))
}

fn print_verification(verification: &Verification) -> Result<(), CommandError> {
    let Verification {
        compared,
        differences,
        unseen,
    } = verification;
    for difference in differences {
        print_line(printable(difference))?;
    }
    for name in unseen {
        print_line(format_args!(
            "not compared, because it can't be read at the site: {}",
            printable(name)
        ))?;
    }
    print_line(format_args!(
        "{compared} objects compared, {} differences",
        differences.len()
    ))?;
    match differences.is_empty() {
        true => Ok(()),
        false => Err(CommandError::Refused("the calendar differs from the site".to_owned())),
    }
}

/// The application password, from the variable or from the terminal.
fn password(user: &str) -> Result<String, CommandError> {
    if let Ok(password) = std::env::var(PASSWORD_VARIABLE)
        && !password.is_empty()
    {
        return Ok(password);
    }
    let terminal = Term::stderr();
    if !terminal.is_term() {
        return Err(CommandError::Refused(format!(
            "no terminal to ask for the application password of {user}; set {PASSWORD_VARIABLE}"
        )));
    }
    terminal.write_str(&format!("Application password of {user}: "))?;
    Ok(terminal.read_secure_line()?)
}

/// Reads the file of `--authors`.
async fn authors(store: &Store, file: Option<&PathBuf>) -> Result<HashMap<String, i64>, CommandError> {
    let mut authors = HashMap::new();
    let mut errors = Vec::new();
    for (number, line) in lines(file)? {
        let Some((id, name)) = line.split_once([' ', '\t', ',']) else {
            errors.push(format!(
                "line {number} of --authors must have an ID, a space and the name of a user"
            ));
            continue;
        };
        match users::find_by_name(store.reader(), name.trim()).await? {
            Some(user) => {
                authors.insert(id.to_owned(), user.id);
            }
            None => errors.push(format!(
                "line {number} of --authors: no user named {}; `almanac user add` adds users",
                printable(name.trim())
            )),
        }
    }
    match errors.is_empty() {
        true => Ok(authors),
        false => Err(ImportError::Invalid(errors).into()),
    }
}

/// Reads the file of `--ids`.
fn ids(file: Option<&PathBuf>) -> Result<Vec<i64>, CommandError> {
    let mut ids = Vec::new();
    let mut errors = Vec::new();
    for (number, line) in lines(file)? {
        match line.parse() {
            Ok(id) if id > 0 => ids.push(id),
            _ => errors.push(format!("line {number} of --ids must be the ID of an event, such as 51")),
        }
    }
    match errors.is_empty() {
        true => Ok(ids),
        false => Err(ImportError::Invalid(errors).into()),
    }
}

/// The lines of a file that are not empty, with their numbers.
fn lines(file: Option<&PathBuf>) -> Result<Vec<(usize, String)>, CommandError> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let content = read_file(file)?;
    let text = String::from_utf8_lossy(&content);
    let lines = text
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    Ok(lines.map(|(index, line)| (index + 1, line.to_owned())).collect())
}
