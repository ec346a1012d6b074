//! Writes of webhooks.

use std::sync::Arc;

use sea_orm::DbErr;

use crate::{
    auth::{Identity, Writer},
    calendar::Kind,
    changes::SyncToken,
    error::{FieldError, Problem, ValidationErrors},
    store::{
        Store, Transaction,
        entity::{webhook, webhook_delivery},
        object_changes, webhooks as rows,
    },
    webhooks::{Sender, disabled, signature, stored_kinds},
};

/// The given fields of a webhook. Absent ones are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct WebhookChanges {
    pub url: Option<String>,
    pub description: Option<String>,
    pub kinds: Option<Vec<Kind>>,
    pub include_unpublished: Option<bool>,
    pub is_enabled: Option<bool>,
    pub rotates_secret: bool,
}

/// A webhook, with its secret if it is new.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub row: webhook::Model,
    pub secret: Option<String>,
}

/// Adds a webhook, which receives changes from now on.
pub(crate) async fn create(
    store: &Store,
    sender: &Sender,
    changes: WebhookChanges,
    mut errors: ValidationErrors,
    now: i64,
) -> Result<Written, Problem> {
    let secret = signature::new_secret();
    let mut row = webhook::Model {
        version: 1,
        kinds: stored_kinds(&Kind::ALL),
        secret: secret.clone(),
        created_at: now,
        modified_at: now,
        ..webhook::Model::default()
    };
    apply(&mut row, sender, changes, &mut errors);
    errors.into_result()?;
    let row = &row;
    let insert = |transaction: Arc<Transaction>| async move {
        let cursor = current_cursor(&transaction, now).await?;
        let row = webhook::Model { cursor, ..row.clone() };
        Ok::<_, Problem>(rows::insert(&*transaction, row).await?)
    };
    let row = store.write(insert).await?;
    Ok(Written {
        row,
        secret: Some(secret),
    })
}

/// The cursor of a webhook that has received all changes up to `now`.
async fn current_cursor(transaction: &Transaction, now: i64) -> Result<String, DbErr> {
    let head = object_changes::head(transaction).await?;
    Ok(SyncToken::current(head, now, &Kind::ALL, Identity::Anonymous).encode())
}

/// Disables the webhooks of a calendar that is being restored.
pub(crate) async fn disable_restored(transaction: &Transaction) -> Result<(), DbErr> {
    rows::disable_all(transaction, disabled::RESTORED).await
}

/// Lets all webhooks continue with the changes after `now`, also those that are enabled later: the places that they have
/// reached belong to a former history.
pub(crate) async fn continue_from_now(transaction: &Transaction, now: i64) -> Result<(), DbErr> {
    let cursor = current_cursor(transaction, now).await?;
    rows::set_cursors(transaction, &cursor).await
}

/// Changes the given fields. A webhook that is enabled again continues where it has stopped.
pub(crate) async fn update(
    writer: &Writer,
    sender: &Sender,
    id: i64,
    changes: WebhookChanges,
    errors: ValidationErrors,
) -> Result<Written, Problem> {
    let now = writer.timestamp();
    let (changes, errors) = (&changes, &errors);
    let change = |transaction: Arc<Transaction>| async move {
        let before = find_writable(writer, &transaction, id).await?;
        let mut errors = errors.clone();
        let mut after = before.clone();
        apply(&mut after, sender, changes.clone(), &mut errors);
        errors.into_result()?;
        let mut secret = None;
        if changes.rotates_secret {
            let new = signature::new_secret();
            after.previous_secret = Some(std::mem::replace(&mut after.secret, new.clone()));
            after.previous_secret_expires_at = Some(now + signature::ROTATION);
            secret = Some(new);
        }
        if after == before {
            return Ok(Written { row: before, secret });
        }
        after.version += 1;
        after.modified_at = now;
        let row = rows::update(&*transaction, before, after).await?;
        Ok::<_, Problem>(Written { row, secret })
    };
    writer.store().write(change).await
}

/// Deletes a webhook, and returns it. Reports a missing one before the validation errors of the query.
pub(crate) async fn delete(writer: &Writer, id: i64, errors: &ValidationErrors) -> Result<webhook::Model, Problem> {
    let remove = |transaction: Arc<Transaction>| async move {
        let row = find_writable(writer, &transaction, id).await?;
        errors.clone().into_result()?;
        rows::remove(&*transaction, id).await?;
        Ok::<_, Problem>(row)
    };
    writer.store().write(remove).await
}

async fn find_writable(writer: &Writer, transaction: &Transaction, id: i64) -> Result<webhook::Model, Problem> {
    let row = find_for_update(transaction, id).await?;
    writer.check_precondition(row.version)?;
    Ok(row)
}

async fn find_for_update(transaction: &Transaction, id: i64) -> Result<webhook::Model, Problem> {
    let row = rows::find_for_update(transaction, id).await?;
    row.ok_or_else(Problem::webhook_not_found)
}

/// Stores an attempt to send a message, unless the webhook was deleted while the message was on its way.
pub(crate) async fn store_delivery(
    store: &Store,
    delivery: &webhook_delivery::Model,
) -> Result<webhook_delivery::Model, Problem> {
    let insert = |transaction: Arc<Transaction>| async move {
        find_for_update(&transaction, delivery.webhook_id).await?;
        Ok::<_, Problem>(rows::insert_delivery(&*transaction, delivery.clone()).await?)
    };
    store.write(insert).await
}

fn apply(row: &mut webhook::Model, sender: &Sender, changes: WebhookChanges, errors: &mut ValidationErrors) {
    let WebhookChanges {
        url,
        description,
        kinds,
        include_unpublished,
        is_enabled,
        rotates_secret: _,
    } = changes;
    if let Some(url) = url {
        match sender.check_url(&url) {
            Ok(url) => row.url = url.into(),
            Err(message) => errors.add("url", FieldError::invalid(message)),
        }
    }
    if let Some(kinds) = kinds {
        match kinds.is_empty() {
            true => errors.add("types", FieldError::invalid("must name at least one type")),
            false => row.kinds = stored_kinds(&kinds),
        }
    }
    if let Some(description) = description {
        row.description = description;
    }
    row.include_unpublished = include_unpublished.unwrap_or(row.include_unpublished);
    match is_enabled {
        Some(true) if row.disabled_reason.is_some() => {
            row.disabled_reason = None;
            row.failures = 0;
            row.failing_since = None;
            row.next_attempt_at = 0;
        }
        Some(false) if row.disabled_reason.is_none() => {
            row.disabled_reason = Some(disabled::BY_ADMINISTRATOR.to_owned());
        }
        _ => {}
    }
}
