//! `almanac webhook`.

use clap::Subcommand;
use url::Url;

use super::{
    CommandError, now,
    output::{print_error_line, print_line},
};
use crate::{
    calendar::Kind,
    config::{DatabaseArgs, WebhookArgs},
    error::{Problem, ValidationErrors},
    import::printable,
    services::webhook::{self as service, WebhookChanges},
    store::{self, entity::webhook, webhooks},
    webhooks::{Message, Sender},
};

/// The subcommands of `almanac webhook`.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Add a webhook, and print its secret to standard output, and its ID to standard error
    Add {
        /// URL that receives messages about changes
        url: Url,
        /// Types of objects whose changes it receives, separated by commas (default: all)
        #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = kind)]
        types: Vec<Kind>,
        /// Also send changes of objects that are not published
        #[arg(long)]
        include_unpublished: bool,
        /// What the webhook is for
        #[arg(long, default_value = "", value_name = "TEXT")]
        description: String,
        #[command(flatten)]
        allowed: WebhookArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List all webhooks, without their secrets
    List {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Remove a webhook
    Remove {
        /// ID of the webhook, from `almanac webhook list`
        id: i64,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Send a test message to a webhook; the exit code is 1 if that fails
    Test {
        /// ID of the webhook, from `almanac webhook list`
        id: i64,
        #[command(flatten)]
        allowed: WebhookArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Runs the subcommand.
pub(crate) async fn run(command: WebhookCommand) -> Result<(), CommandError> {
    match command {
        WebhookCommand::Add {
            url,
            types,
            include_unpublished,
            description,
            allowed,
            database,
        } => {
            let store = store::open(&database.database_url, true).await?;
            let changes = WebhookChanges {
                url: Some(url.into()),
                description: Some(description),
                kinds: (!types.is_empty()).then_some(types),
                include_unpublished: Some(include_unpublished),
                ..WebhookChanges::default()
            };
            let sender = sender(&allowed)?;
            let added = service::create(&store, &sender, changes, ValidationErrors::default(), now()).await;
            let added = added.map_err(|problem| refused(&problem))?;
            print_line(added.secret.unwrap_or_default())?;
            let id = added.row.id;
            print_error_line(format_args!(
                "added webhook {id}; `almanac webhook test {id}` sends a message to it"
            ));
            store.close().await?;
        }
        WebhookCommand::List { database } => {
            let store = store::open_to_read(&database.database_url).await?;
            for row in webhooks::all(store.reader()).await? {
                print_line(format_args!(
                    "{}\t{}\t{}\t{}\t{}",
                    row.id,
                    row.url,
                    row.kinds,
                    state(&row),
                    printable(&row.description)
                ))?;
            }
            store.close().await?;
        }
        WebhookCommand::Remove { id, database } => {
            let store = store::open(&database.database_url, true).await?;
            let removed = store
                .write(|transaction| async move { webhooks::remove(&*transaction, id).await })
                .await?;
            store.close().await?;
            if !removed {
                return Err(unknown(id));
            }
        }
        WebhookCommand::Test { id, allowed, database } => {
            let store = store::open_to_read(&database.database_url).await?;
            let row = webhooks::find(store.reader(), id).await?.ok_or_else(|| unknown(id))?;
            store.close().await?;
            let attempt = sender(&allowed)?.send(&row, Message::test(id, now()), 1).await;
            let result = match (attempt.response_status, attempt.error) {
                (Some(status), _) => format!("{status} after {} ms", attempt.duration_ms),
                (None, error) => printable(&error.unwrap_or_default()),
            };
            if !attempt.is_success {
                return Err(CommandError::Refused(format!("{}: {result}", row.url)));
            }
            print_line(result)?;
        }
    }
    Ok(())
}

fn sender(allowed: &WebhookArgs) -> Result<Sender, CommandError> {
    Sender::new(allowed).map_err(|error| CommandError::Refused(error.to_string()))
}

/// Whether messages are sent.
fn state(row: &webhook::Model) -> String {
    match (&row.disabled_reason, row.failures) {
        (Some(reason), _) => format!("disabled: {reason}"),
        (None, 0) => "enabled".to_owned(),
        (None, failures) => format!("failing: {failures} attempts"),
    }
}

fn unknown(id: i64) -> CommandError {
    CommandError::Refused(format!("no webhook {id}; see `almanac webhook list`"))
}

/// The messages of the fields, or that of the problem.
fn refused(problem: &Problem) -> CommandError {
    let body = problem.body();
    let fields = body.data.params.unwrap_or_default();
    let messages: Vec<String> = fields
        .iter()
        .map(|(name, message)| format!("{name} {message}"))
        .collect();
    CommandError::Refused(match messages.is_empty() {
        true => body.message,
        false => messages.join("; "),
    })
}

/// Parses a type of objects, as in the parameter `types`.
pub(super) fn kind(text: &str) -> Result<Kind, String> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.plural() == text.trim());
    kind.ok_or_else(|| "must be events, venues, organizers, categories or tags".to_owned())
}
