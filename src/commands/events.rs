//! `almanac events`.

use std::time::Duration;

use clap::{Args, Subcommand};
use futures_util::StreamExt;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use sse_stream::SseStream;

use super::{CommandError, output::print_line, webhook::kind};
use crate::{
    calendar::Kind,
    egress::tls,
    import::{is_printable, printable},
    views::ROOT,
};

/// The pause before another attempt to connect.
const RETRY_DELAY: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The server sends a comment every 20 seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// The subcommands of `almanac events`.
#[derive(Debug, Subcommand)]
pub enum EventsCommand {
    /// Follow the changes of a calendar, one line each, until Ctrl-C
    Tail(TailArgs),
}

/// The flags of `almanac events tail`.
#[derive(Args, Debug)]
pub struct TailArgs {
    /// Base URL of the server
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL", value_parser = crate::config::base_url)]
    url: String,

    /// API token of the reader (default: only what is public)
    #[arg(long, env = "ALMANAC_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Types of objects, separated by commas (default: all)
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = kind)]
    types: Vec<Kind>,

    /// Token of the changes to continue from (default: only changes from now on)
    #[arg(long, value_name = "TOKEN")]
    since: Option<String>,

    /// Print each change as JSON
    #[arg(long)]
    json: bool,
}

/// The data of an event of the stream.
#[derive(Deserialize)]
struct Changes {
    changes: Vec<Map<String, Value>>,
    token: String,
}

/// Runs the subcommand.
pub(crate) async fn run(command: EventsCommand) -> Result<(), CommandError> {
    let EventsCommand::Tail(arguments) = command;
    let client = client().map_err(CommandError::Refused)?;
    let mut since = arguments.since.clone();
    loop {
        match follow(&client, &arguments, &mut since).await {
            Ok(()) => {}
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Temporary(message)) => warn(&message),
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

/// Why the stream has ended.
enum Failure {
    Final(CommandError),
    /// Another attempt may succeed.
    Temporary(String),
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        Self::Final(error)
    }
}

fn client() -> Result<reqwest::Client, String> {
    let tls = tls().map_err(|error| error.to_string())?;
    reqwest::Client::builder()
        .user_agent(concat!("almanac/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|error| error.to_string())
}

/// Prints changes until the stream ends. `since` is the token after the last of them.
async fn follow(client: &reqwest::Client, arguments: &TailArgs, since: &mut Option<String>) -> Result<(), Failure> {
    let temporary = |error: reqwest::Error| Failure::Temporary(format!("can't read from {}: {error}", arguments.url));
    let response = request(client, arguments, since.as_deref())
        .send()
        .await
        .map_err(temporary)?;
    let status = response.status();
    if !status.is_success() {
        let body: Value = serde_json::from_slice(&response.bytes().await.map_err(temporary)?).unwrap_or_default();
        let message = printable(body["message"].as_str().unwrap_or_default());
        let message = format!("{}: {status} {message}", arguments.url);
        let may_succeed = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        return Err(match may_succeed {
            true => Failure::Temporary(message),
            false => Failure::Final(CommandError::Refused(message)),
        });
    }
    let mut events = SseStream::from_bytes_stream(response.bytes_stream());
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| Failure::Temporary(format!("can't read the stream: {error}")))?;
        let Some(data) = event.data else { continue };
        let data: Changes = serde_json::from_str(&data)
            .map_err(|error| CommandError::Refused(format!("{} does not send changes: {error}", arguments.url)))?;
        for change in data.changes {
            match arguments.json {
                true => print_line(json_line(change))?,
                false => print_line(line(&change))?,
            }
        }
        *since = Some(data.token);
    }
    Ok(())
}

fn request(client: &reqwest::Client, arguments: &TailArgs, since: Option<&str>) -> reqwest::RequestBuilder {
    let mut url = format!("{}{ROOT}/changes/stream", arguments.url);
    if !arguments.types.is_empty() {
        let types: Vec<&str> = arguments.types.iter().map(|kind| kind.plural()).collect();
        url = format!("{url}?types={}", types.join(","));
    }
    let mut request = client.get(url).header("accept", "text/event-stream");
    if let Some(since) = since {
        request = request.header("last-event-id", since);
    }
    if let Some(token) = &arguments.token {
        request = request.bearer_auth(token);
    }
    request
}

/// A change on one line.
fn line(change: &Map<String, Value>) -> String {
    // The server may be anyone's.
    let text = |name: &str| printable(change.get(name).and_then(Value::as_str).unwrap_or_default());
    let id = change.get("id").and_then(Value::as_i64).unwrap_or_default();
    let object = change.get("object");
    let names = ["title", "venue", "organizer", "name"];
    let title = object.and_then(|object| names.iter().find_map(|name| object[*name].as_str()));
    let line = format!(
        "{}\t{}\t{id}\t{}",
        text("change"),
        text("type"),
        printable(title.unwrap_or_default())
    );
    line.trim_end().to_owned()
}

/// A change as JSON, with escapes for letters that a terminal would obey. They occur in strings only.
fn json_line(change: Map<String, Value>) -> String {
    let json = Value::Object(change).to_string();
    let escaped = |letter: char| match is_printable(letter) {
        true => letter.to_string(),
        false => format!("\\u{:04x}", u32::from(letter)),
    };
    json.chars().map(escaped).collect()
}

/// Standard output has changes only.
fn warn(message: &str) {
    super::output::print_error_line(message);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_name_the_object() {
        for (change, expected) in [
            (
                json!({"type": "event", "id": 5, "change": "changed", "object": {"title": "Choir", "venue": [3]}}),
                "changed\tevent\t5\tChoir",
            ),
            (
                json!({"type": "venue", "id": 3, "change": "changed", "object": {"venue": "City Hall"}}),
                "changed\tvenue\t3\tCity Hall",
            ),
            (
                json!({"type": "tag", "id": 7, "change": "deleted", "object": null}),
                "deleted\ttag\t7",
            ),
            (
                json!({"type": "tag", "id": 7, "change": "changed", "object": {"name": "\u{1b}[2J\u{9b}31m\nfree"}}),
                "changed\ttag\t7\t[2J31mfree",
            ),
        ] {
            let change = change.as_object().expect("an object");
            assert_eq!(line(change), expected);
        }
    }

    #[test]
    fn json_has_escapes() {
        let change = json!({"id": 7, "object": {"name": "caf\u{e9} \u{1b}[2J\u{9b}31m\u{202e}\n"}});
        let line = json_line(change.as_object().expect("an object").clone());
        assert!(line.contains("caf\u{e9} ") && line.chars().all(is_printable), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).ok(), Some(change));
    }
}
