//! Where webhooks may lead.

use clap::{Args, builder::BoolishValueParser};
use ipnet::IpNet;

use super::network;

/// Where webhooks may lead besides public addresses.
#[derive(Args, Clone, Debug, Default)]
pub struct WebhookArgs {
    /// Private networks that webhooks may lead to, such as 10.0.0.0/8
    #[arg(
        long,
        env = "ALMANAC_WEBHOOK_ALLOW",
        value_name = "CIDR",
        value_delimiter = ',',
        value_parser = network
    )]
    pub webhook_allow: Vec<IpNet>,

    /// Allow webhooks without TLS
    #[arg(long, env = "ALMANAC_WEBHOOK_ALLOW_HTTP", value_parser = BoolishValueParser::new())]
    pub webhook_allow_http: bool,
}
