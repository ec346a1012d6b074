//! `almanac healthcheck`, for container images without an HTTP client.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use bytes::Bytes;
use clap::Args;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, StatusCode, Uri, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};

use super::CommandError;
use crate::config::ListenArgs;

/// The default of `--timeout`.
const DEFAULT_TIMEOUT: &str = "3s";

/// The flags of `almanac healthcheck`.
#[derive(Args, Debug)]
pub struct HealthcheckArgs {
    /// URL to request, such as http://127.0.0.1:8080/readyz (default: /healthz at the address of --listen)
    #[arg(value_name = "URL", value_parser = url)]
    pub url: Option<Uri>,

    #[command(flatten)]
    pub listen: ListenArgs,

    /// How long to wait for the response
    #[arg(long, default_value = DEFAULT_TIMEOUT, value_name = "TIME", value_parser = super::duration)]
    pub timeout: Duration,
}

fn url(text: &str) -> Result<Uri, String> {
    text.parse::<Uri>()
        .ok()
        .filter(|url| url.scheme_str() == Some("http") && url.authority().is_some())
        .ok_or_else(|| "must be a URL such as http://127.0.0.1:8080/healthz".to_owned())
}

/// Succeeds if the status of the response is a success.
pub(crate) async fn run(arguments: HealthcheckArgs) -> Result<(), CommandError> {
    let url = match arguments.url {
        Some(url) => url,
        None => healthz_url(arguments.listen.listen)?,
    };
    let failed = |reason: String| Err(CommandError::Refused(format!("{url}: {reason}")));
    match timeout(arguments.timeout, get(&url)).await {
        Ok(Ok((status, _))) if status.is_success() => Ok(()),
        Ok(Ok((status, body))) => failed(format!("{status}: {}", String::from_utf8_lossy(&body))),
        Ok(Err(error)) => failed(error.to_string()),
        Err(_) => failed(format!("no response within {:?}", arguments.timeout)),
    }
}

/// The URL of `/healthz` on a server of the same machine that listens on this address.
fn healthz_url(listen: SocketAddr) -> Result<Uri, CommandError> {
    let host = match listen.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    let address = SocketAddr::new(host, listen.port());
    format!("http://{address}/healthz")
        .parse()
        .map_err(|_| CommandError::Refused(format!("no URL for the address {listen}")))
}

/// Sends one request on a new connection.
async fn get(url: &Uri) -> Result<(StatusCode, Bytes), Box<dyn std::error::Error + Send + Sync>> {
    let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
    let stream = TcpStream::connect((host, url.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // The task ends with the response. The sender receives its errors.
    tokio::spawn(connection);
    let authority = url.authority().map_or("", |authority| authority.as_str());
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::get(path)
        .header(header::HOST, authority)
        .header(header::CONNECTION, "close")
        .header(header::USER_AGENT, "almanac healthcheck")
        .body(Empty::<Bytes>::new())?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    Ok((status, response.into_body().collect().await?.to_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn healthz_url_of_a_listen_address() {
        for (listen, url) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/healthz"),
            ("0.0.0.0:80", "http://127.0.0.1:80/healthz"),
            ("[::]:8080", "http://[::1]:8080/healthz"),
            ("10.1.2.3:8080", "http://10.1.2.3:8080/healthz"),
        ] {
            let listen = listen.parse().expect("an address");
            assert_eq!(healthz_url(listen).expect("a URL").to_string(), url);
        }
    }
}
