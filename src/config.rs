//! The command-line flags and environment variables of a server.

mod allowed_origins;
mod backups;
mod branding;
mod database;
mod horizon;
mod values;
mod webhook;

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
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
pub(crate) use values::{base_url, network, rate};
use values::{connections, currency, listen, radius};
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
