//! The settings of a server: flags, environment, `--help`.

mod database;

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    num::NonZeroU32,
    time::Duration,
};

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum, builder::BoolishValueParser, error::ErrorKind};
use ipnet::IpNet;

use crate::{
    calendar::Variant,
    calendar::{currency::SiteCurrency, zone::Zone},
    commands::{duration, user::AdministratorArgs},
    tzdata::TzdataArgs,
};

pub use database::{DatabaseArgs, WaitArgs};

/// The longest body that is read, in bytes, unless another limit is set.
pub const BODY_LIMIT: usize = 1024 * 1024;

/// Where a server listens.
#[derive(Args, Clone, Debug)]
pub struct ListenArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        env = "ALMANAC_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS",
        value_parser = listen
    )]
    pub listen: SocketAddr,
}

/// How a server is run.
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

    /// Refuse to start on an older schema instead of migrating
    #[arg(long, env = "ALMANAC_NO_MIGRATE", value_parser = BoolishValueParser::new())]
    pub no_migrate: bool,

    /// Fill an empty database with the calendar of a city
    #[arg(long, env = "ALMANAC_DEMO", value_parser = BoolishValueParser::new())]
    pub demo: bool,

    /// Remove for good, once an hour, what has been in the trash for longer, such as 30d; never, if not given
    #[arg(
        long,
        env = "ALMANAC_EMPTY_TRASH_AFTER",
        value_name = "TIME",
        value_parser = duration
    )]
    pub empty_trash_after: Option<Duration>,

    /// How the log on standard error is written
    #[arg(long, env = "ALMANAC_LOG_FORMAT", default_value = "pretty", value_name = "FORMAT")]
    pub log_format: LogFormat,

    /// The flags that were set, for the log.
    #[arg(skip)]
    pub set_flags: String,
}

/// What decides how requests are answered.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Variant of the interface
    #[arg(long, env = "ALMANAC_VARIANT", default_value = "b", value_name = "VARIANT")]
    pub variant: Variant,

    /// Language of the interface description, where a reader prefers none
    #[arg(
        id = "lang",
        long,
        env = "ALMANAC_LANG",
        default_value = "en",
        value_name = "LANGUAGE"
    )]
    pub language: Language,

    /// Public address, such as https://calendar.example.org; taken from each request if not given
    #[arg(long, env = "ALMANAC_BASE_URL", value_name = "URL", value_parser = base_url)]
    pub base_url: Option<String>,

    /// Networks of proxies that are believed when they say where a request comes from
    #[arg(
        id = "trusted-proxy",
        long,
        env = "ALMANAC_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ',',
        value_parser = network
    )]
    pub trusted_proxies: Vec<IpNet>,

    /// The headers by which trusted proxies say it; the other family is ignored
    #[arg(
        long,
        env = "ALMANAC_PROXY_HEADERS",
        default_value = "x-forwarded",
        value_name = "FAMILY"
    )]
    pub proxy_headers: ProxyHeaders,

    #[command(flatten)]
    pub site: Site,

    /// Currency of prices that name none, such as USD
    #[arg(long, env = "ALMANAC_CURRENCY", value_name = "CODE", value_parser = currency)]
    pub currency: Option<SiteCurrency>,

    /// Most items on a page
    #[arg(
        long,
        env = "ALMANAC_MAX_PER_PAGE",
        default_value_t = 100,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u64).range(1..=1000)
    )]
    pub max_per_page: u64,

    /// How far a venue may be from geoloc_lat and geoloc_lng, in kilometres
    #[arg(
        long,
        env = "ALMANAC_GEOLOC_RADIUS_KM",
        default_value_t = 40.0,
        value_name = "KILOMETRES",
        allow_negative_numbers = true,
        value_parser = radius
    )]
    pub geoloc_radius_km: f64,

    /// Sites whose pages may read the answers: origins with commas between them, or *; only pages of sites named here
    /// may also write with HTTP Basic
    #[arg(long, env = "ALMANAC_CORS_ORIGIN", default_value = "*", value_name = "ORIGIN", value_parser = cors_origin)]
    pub cors_origin: String,

    /// Most requests from one address, as in 20/s; unlimited if not given
    #[arg(long, env = "ALMANAC_RATE_LIMIT", value_name = "N/s", value_parser = rate)]
    pub rate_limit: Option<NonZeroU32>,

    /// Most open connections; as many as the limit on open files allows, up to 8192, if not given
    #[arg(
        long,
        env = "ALMANAC_MAX_CONNECTIONS",
        value_name = "NUMBER",
        value_parser = connections
    )]
    pub max_connections: Option<usize>,

    /// Memory for answers that are kept, in MiB; 0 keeps none
    #[arg(
        long,
        env = "ALMANAC_CACHE_SIZE",
        default_value_t = 32,
        value_name = "MIB",
        value_parser = clap::value_parser!(u64).range(0..=1_048_576)
    )]
    pub cache_size: u64,

    /// Leave out the compatibility root, at which clients of The Events Calendar for WordPress are served
    #[arg(long, env = "ALMANAC_NO_WORDPRESS_COMPAT", value_parser = BoolishValueParser::new())]
    pub no_wordpress_compat: bool,

    /// Longest body of a request, in bytes
    #[arg(
        long,
        env = "ALMANAC_BODY_LIMIT",
        default_value_t = BODY_LIMIT,
        value_name = "BYTES"
    )]
    pub body_limit: usize,
}

impl Settings {
    /// Whether the address is that of a trusted proxy.
    pub fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        let mut networks = self.trusted_proxies.iter();
        networks.any(|network| network.contains(&address))
    }
}

/// A family of headers by which proxies tell what they know of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProxyHeaders {
    /// X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host
    XForwarded,
    /// Forwarded (RFC 7239)
    Forwarded,
}

/// The site, with its time zone. Its flags are read together: which zones there are depends on the rules.
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
        let refused = |flag: &str, value: &dyn Display, reason: &dyn Display| {
            let text = format!("invalid value '{value}' for '{flag}': {reason}\n");
            clap::Error::raw(ErrorKind::ValueValidation, text)
        };
        rules.install().map_err(|error| {
            let directory = rules.tzdata.unwrap_or_default();
            refused("--tzdata <DIR>", &directory.display(), &error)
        })?;
        let zone = Zone::parse(&timezone).map_err(|error| refused("--timezone <ZONE>", &timezone, &error))?;
        Ok(Self { zone })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A language of the interface description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    En,
    Es,
}

impl Language {
    /// As in `Content-Language`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    Pretty,
    /// One JSON object a line
    Json,
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .ok_or_else(|| "it must be an address and a port, as in 127.0.0.1:8080".to_owned())
}

/// Reads an `http` or `https` URL without query and fragment, and removes slashes at its end.
pub fn base_url(text: &str) -> Result<String, String> {
    let wrong = "it must be like https://calendar.example.org, without query or fragment";
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none() => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err(wrong.to_owned()),
    }
}

/// A network, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    text.parse()
        .or_else(|_| text.parse().map(|address: IpAddr| address.into()))
        .map_err(|_| "it must be a network such as 10.0.0.0/8, or an address".to_owned())
}

fn currency(text: &str) -> Result<SiteCurrency, String> {
    SiteCurrency::parse(text).ok_or_else(|| "it must be the code of a currency (ISO 4217), as in USD".to_owned())
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(radius) if (0.0..=20_000.0).contains(&radius) => Ok(radius),
        _ => Err("it must be a number from 0 to 20000".to_owned()),
    }
}

fn cors_origin(text: &str) -> Result<String, String> {
    let is_origin = |origin: &str| {
        url::Url::parse(origin.trim()).is_ok_and(|url| url.origin().ascii_serialization() == origin.trim())
    };
    if text == "*" || text.split(',').all(is_origin) {
        Ok(text.to_owned())
    } else {
        Err("it must be *, or origins such as https://example.org".to_owned())
    }
}

fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("it must be a whole number from 1".to_owned()),
    }
}

fn rate(text: &str) -> Result<NonZeroU32, String> {
    text.trim_end_matches("/s")
        .parse()
        .map_err(|_| "it must be a whole number from 1 with /s behind it, as in 20/s".to_owned())
}
