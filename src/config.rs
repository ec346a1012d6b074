//! The command-line flags and environment variables of a server.

mod allowed_origins;
mod backups;
mod branding;
mod database;
mod horizon;
mod webhook;

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    num::NonZeroU32,
    path::PathBuf,
    time::Duration,
};

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum, builder::BoolishValueParser, error::ErrorKind};
use ipnet::IpNet;

use crate::{
    calendar::Variant,
    calendar::{currency::SiteCurrency, zone::Zone},
    commands::{duration, user::AdministratorArgs},
    store::object_changes::Retention,
    tzdata::TzdataArgs,
};

pub use crate::calendar::Language;
pub(crate) use allowed_origins::AllowedOrigins;
pub(crate) use backups::BackupArgs;
pub(crate) use branding::Branding;
pub(crate) use database::{DatabaseArgs, WaitArgs};
use horizon::Horizon;
pub(crate) use webhook::WebhookArgs;

/// The default of `--body-limit`, in bytes.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// The address of a server.
#[derive(Args, Clone, Debug)]
pub struct ListenArgs {
    /// Address and port to listen on; port 0 selects a free port
    #[arg(
        long,
        env = "ALMANAC_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS",
        value_parser = listen
    )]
    pub listen: SocketAddr,
}

/// The flags of `almanac serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    #[command(flatten)]
    pub listen: ListenArgs,

    #[command(flatten)]
    pub database: DatabaseArgs,

    #[command(flatten)]
    pub wait: WaitArgs,

    #[command(flatten)]
    pub administrator: AdministratorArgs,

    #[command(flatten)]
    pub settings: Settings,

    /// Refuse to start on an older schema instead of migrating it
    #[arg(long, env = "ALMANAC_NO_MIGRATE", value_parser = BoolishValueParser::new())]
    pub no_migrate: bool,

    /// Fill an empty database with the sample calendar of a city
    #[arg(long, env = "ALMANAC_DEMO", value_parser = BoolishValueParser::new())]
    pub demo: bool,

    /// Delete objects permanently, once an hour, when they have been in the trash for this long, such as 30d (default:
    /// never)
    #[arg(
        long,
        env = "ALMANAC_EMPTY_TRASH_AFTER",
        value_name = "TIME",
        value_parser = duration
    )]
    pub empty_trash_after: Option<Duration>,

    #[command(flatten)]
    pub backups: BackupArgs,

    /// Format of the log on standard error
    #[arg(long, env = "ALMANAC_LOG_FORMAT", default_value = "pretty", value_name = "FORMAT")]
    pub log_format: LogFormat,

    /// The flags that were set, as they are logged.
    #[arg(skip)]
    pub set_flags: String,
}

/// The settings that responses depend on.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Variant of the API
    #[arg(long, env = "ALMANAC_VARIANT", default_value = "b", value_name = "VARIANT")]
    pub variant: Variant,

    /// Language of pages and of the OpenAPI document for clients without a preference
    #[arg(
        id = "lang",
        long,
        env = "ALMANAC_LANG",
        default_value = "en",
        value_name = "LANGUAGE"
    )]
    pub language: Language,

    /// Public URL, such as https://calendar.example.org (default: taken from each request)
    #[arg(long, env = "ALMANAC_BASE_URL", value_name = "URL", value_parser = base_url)]
    pub base_url: Option<String>,

    /// Networks of proxies whose forwarding headers are trusted
    #[arg(
        id = "trusted-proxy",
        long,
        env = "ALMANAC_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ',',
        value_parser = network
    )]
    pub trusted_proxies: Vec<IpNet>,

    /// Forwarding headers that trusted proxies send; other ones are ignored
    #[arg(
        long,
        env = "ALMANAC_PROXY_HEADERS",
        default_value = "x-forwarded",
        value_name = "FAMILY"
    )]
    pub proxy_headers: ProxyHeaders,

    #[expect(missing_docs, reason = "clap would use it as the description of the program")]
    #[command(flatten)]
    pub site: Site,

    #[expect(missing_docs, reason = "clap would use it as the description of the program")]
    #[command(flatten)]
    pub branding: Branding,

    /// Currency of prices without a currency, such as USD
    #[arg(long, env = "ALMANAC_CURRENCY", value_name = "CODE", value_parser = currency)]
    pub currency: Option<SiteCurrency>,

    /// Maximum number of items per page
    #[arg(
        long,
        env = "ALMANAC_MAX_PER_PAGE",
        default_value_t = 100,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u64).range(1..=1000)
    )]
    pub max_per_page: u64,

    /// Radius around geoloc_lat and geoloc_lng in which venues are found, in kilometres
    #[arg(
        long,
        env = "ALMANAC_GEOLOC_RADIUS_KM",
        default_value_t = 40.0,
        value_name = "KILOMETRES",
        allow_negative_numbers = true,
        value_parser = radius
    )]
    pub geoloc_radius_km: f64,

    #[expect(missing_docs, reason = "clap would use it as the description of the program")]
    #[command(flatten)]
    pub series: SeriesArgs,

    /// How long programs that keep a copy of the calendar can continue from a token, such as 90d
    #[arg(long, env = "ALMANAC_CHANGE_RETENTION", default_value = "90d", value_name = "TIME")]
    pub change_retention: Retention,

    #[expect(missing_docs, reason = "clap would use it as the description of the program")]
    #[command(flatten)]
    pub webhooks: WebhookArgs,

    /// Origins whose pages may read responses, separated by commas, or * for all; only pages of origins listed here may
    /// also write with HTTP Basic
    #[arg(long, env = "ALMANAC_CORS_ORIGIN", default_value = "*", value_name = "ORIGIN")]
    pub cors_origin: AllowedOrigins,

    /// Maximum request rate per client address or IPv6 /64 network, such as 20/s (default: unlimited)
    #[arg(long, env = "ALMANAC_RATE_LIMIT", value_name = "N/s", value_parser = rate)]
    pub rate_limit: Option<NonZeroU32>,

    /// Maximum number of open connections (default: as many as the limit on open files allows, up
    /// to 8192)
    #[arg(
        long,
        env = "ALMANAC_MAX_CONNECTIONS",
        value_name = "NUMBER",
        value_parser = connections
    )]
    pub max_connections: Option<usize>,

    /// Memory for cached responses, in MiB; 0 disables all caches
    #[arg(
        long,
        env = "ALMANAC_CACHE_SIZE",
        default_value_t = 32,
        value_name = "MIB",
        value_parser = clap::value_parser!(u64).range(0..=1_048_576)
    )]
    pub cache_size: u64,

    /// Disable the compatibility root for clients of The Events Calendar for WordPress
    #[arg(long, env = "ALMANAC_NO_WORDPRESS_COMPAT", value_parser = BoolishValueParser::new())]
    pub no_wordpress_compat: bool,

    /// Directory of images that `almanac import tec --images copy` has copied, served at /wp-content/uploads/
    #[arg(long, env = "ALMANAC_UPLOADS", value_name = "DIR")]
    pub uploads: Option<PathBuf>,

    /// Maximum size of a request body, in bytes
    #[arg(
        long,
        env = "ALMANAC_BODY_LIMIT",
        default_value_t = BODY_LIMIT,
        value_name = "BYTES"
    )]
    pub body_limit: usize,
}

impl Settings {
    /// Whether a trusted proxy has this address.
    pub fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        let mut networks = self.trusted_proxies.iter();
        networks.any(|network| network.contains(&address))
    }
}

/// A family of forwarding headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProxyHeaders {
    /// X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host
    XForwarded,
    /// Forwarded (RFC 7239)
    Forwarded,
}

/// How series are stored.
#[derive(Args, Clone, Copy, Debug)]
pub struct SeriesArgs {
    /// How far ahead the events of series without an end are created, such as 24 months or 1 year
    #[arg(
        long,
        env = "ALMANAC_RECURRENCE_HORIZON",
        default_value_t = Horizon::default(),
        value_name = "TIME"
    )]
    pub recurrence_horizon: Horizon,
}

/// The time zone of the site. Its flags are parsed together, since the known zones depend on `--tzdata`.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub zone: Zone,
}

#[derive(Args)]
struct SiteFlags {
    /// Time zone of the site
    #[arg(long, env = "ALMANAC_TIMEZONE", default_value = "UTC", value_name = "ZONE")]
    timezone: String,

    #[command(flatten)]
    rules: TzdataArgs,
}

impl Args for Site {
    fn augment_args(command: Command) -> Command {
        SiteFlags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        SiteFlags::augment_args_for_update(command)
    }
}

impl FromArgMatches for Site {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let SiteFlags { timezone, rules } = SiteFlags::from_arg_matches(matches)?;
        let invalid = |flag: &str, value: &dyn Display, reason: &dyn Display| {
            let text = format!("invalid value '{value}' for '{flag}': {reason}\n");
            clap::Error::raw(ErrorKind::ValueValidation, text)
        };
        rules.install().map_err(|error| {
            let directory = rules.tzdata.unwrap_or_default();
            invalid("--tzdata <DIR>", &directory.display(), &error)
        })?;
        let zone = Zone::parse(&timezone).map_err(|error| invalid("--timezone <ZONE>", &timezone, &error))?;
        Ok(Self { zone })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for humans
    Pretty,
    /// One JSON object per line
    Json,
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .ok_or_else(|| "must be an address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Parses an `http` or `https` URL without credentials, query or fragment, and removes trailing slashes.
pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let message = "must be a URL such as https://calendar.example.org, without credentials, a query or a fragment";
    web_url(text)
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .filter(|url| url.query().is_none() && url.fragment().is_none())
        .map(|url| url.as_str().trim_end_matches('/').to_owned())
        .ok_or_else(|| message.to_owned())
}

/// An `http` or `https` URL.
fn web_url(text: &str) -> Option<url::Url> {
    let url = url::Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Parses a network or a single address.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    text.parse()
        .or_else(|_| text.parse().map(|address: IpAddr| address.into()))
        .map_err(|_| "must be a network such as 10.0.0.0/8, or an address".to_owned())
}

fn currency(text: &str) -> Result<SiteCurrency, String> {
    SiteCurrency::parse(text).ok_or_else(|| "must be a currency code (ISO 4217), such as USD".to_owned())
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(radius) if (0.0..=20_000.0).contains(&radius) => Ok(radius),
        _ => Err("must be a number from 0 to 20000".to_owned()),
    }
}

fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("must be an integer of at least 1".to_owned()),
    }
}

/// Requests per second: `20/s`, or `20`.
pub(crate) fn rate(text: &str) -> Result<NonZeroU32, String> {
    text.strip_suffix("/s")
        .unwrap_or(text)
        .parse()
        .map_err(|_| "must be an integer of at least 1, in requests per second, such as 20/s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        for (text, expected) in [
            ("20/s", Some(20)),
            ("20", Some(20)),
            ("0/s", None),
            ("20/s/s", None),
            ("20/m", None),
            ("/s", None),
        ] {
            assert_eq!(rate(text).ok().map(u32::from), expected, "{text}");
        }
    }

    #[test]
    fn base_urls() {
        for (text, expected) in [
            ("https://Example.org/", Some("https://example.org")),
            ("https://example.org/calendar/\n", Some("https://example.org/calendar")),
            ("https://ann:secret@example.org", None),
            ("https://example.org/?a=1", None),
            ("ftp://example.org", None),
        ] {
            assert_eq!(base_url(text).ok().as_deref(), expected, "{text:?}");
        }
    }
}
