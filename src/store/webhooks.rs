//! Webhooks and what was sent to them.

use sea_orm::{
    ColumnTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, Statement,
    sea_query::Expr,
};

use super::{
    Store,
    entity::{webhook, webhook_delivery},
    read_connection::ReadConnection,
    rows,
    write_connection::WriteConnection,
};

/// How long a server may take to send a message and to store the result, in milliseconds.
const LEASE: i64 = 60_000;
/// The number of attempts that are kept for each webhook.
const KEPT_DELIVERIES: u64 = 1_000;

/// Reads all webhooks, sorted by ID.
pub(crate) async fn all(database: &impl ReadConnection) -> Result<Vec<webhook::Model>, DbErr> {
    database
        .models(webhook::Entity::find().order_by_asc(webhook::Column::Id))
        .await
}

/// Finds the webhook with this ID.
pub(crate) async fn find(database: &impl ReadConnection, id: i64) -> Result<Option<webhook::Model>, DbErr> {
    database.model(webhook::Entity::find_by_id(id)).await
}

/// Finds a webhook for a write. On PostgreSQL its row stays locked until the transaction ends.
pub(crate) async fn find_for_update(
    transaction: &impl ReadConnection,
    id: i64,
) -> Result<Option<webhook::Model>, DbErr> {
    transaction
        .model(webhook::Entity::find_by_id(id).lock_exclusive())
        .await
}

/// Adds a webhook. The ID of the row is ignored.
pub(crate) async fn insert(transaction: &impl WriteConnection, row: webhook::Model) -> Result<webhook::Model, DbErr> {
    transaction.insert_row(rows::new_row(row.into_active_model())).await
}

/// Writes the changed columns of a webhook.
pub(crate) async fn update(
    transaction: &impl WriteConnection,
    before: webhook::Model,
    after: webhook::Model,
) -> Result<webhook::Model, DbErr> {
    if before == after {
        return Ok(after);
    }
    transaction
        .update_row(rows::difference(before.into_active_model(), after.into_active_model()))
        .await
}

/// Removes a webhook with what was sent to it. Returns whether it existed.
pub(crate) async fn remove(transaction: &impl WriteConnection, id: i64) -> Result<bool, DbErr> {
    let deleted = transaction.run(webhook::Entity::delete_by_id(id)).await?;
    Ok(deleted > 0)
}

/// Disables all webhooks that are enabled.
pub(crate) async fn disable_all(transaction: &impl WriteConnection, reason: &str) -> Result<(), DbErr> {
    let update = webhook::Entity::update_many()
        .col_expr(webhook::Column::DisabledReason, Expr::value(reason))
        .filter(webhook::Column::DisabledReason.is_null());
    transaction.run(update).await?;
    Ok(())
}

/// Lets all webhooks continue at this cursor. A server that is sending to one of them does not store its state.
pub(crate) async fn set_cursors(transaction: &impl WriteConnection, cursor: &str) -> Result<(), DbErr> {
    let update = webhook::Entity::update_many()
        .col_expr(webhook::Column::Cursor, Expr::value(cursor))
        .col_expr(webhook::Column::LeasedUntil, Expr::value(0_i64));
    transaction.run(update).await?;
    Ok(())
}

/// The webhooks that may receive a message at `now`, a Unix timestamp.
pub(crate) async fn due(database: &impl ReadConnection, now: i64) -> Result<Vec<webhook::Model>, DbErr> {
    let select = webhook::Entity::find()
        .filter(webhook::Column::DisabledReason.is_null())
        .filter(webhook::Column::NextAttemptAt.lte(now))
        .order_by_asc(webhook::Column::Id);
    database.models(select).await
}

/// A webhook to which only this server sends, until the lease ends.
#[derive(Clone, Debug)]
pub(crate) struct Leased {
    pub row: webhook::Model,
}

/// Leases a webhook, unless another server has it, or it was changed since it was read. `now` is in milliseconds.
pub(crate) async fn lease(store: &Store, row: &webhook::Model, now: i64) -> Result<Option<Leased>, DbErr> {
    // Servers that come at the same time skip the row instead of waiting for each other.
    let skip_locked = match store.reader().backend() {
        DbBackend::Postgres => " FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let text = format!(
        "UPDATE webhooks SET leased_until = $1 WHERE id IN (SELECT id FROM webhooks WHERE id = $2 AND version = $3 \
         AND cursor = $4 AND failures = $5 AND leased_until <= $6 AND disabled_reason IS NULL{skip_locked})"
    );
    let leased_until = now + LEASE;
    let values = [
        leased_until.into(),
        row.id.into(),
        row.version.into(),
        row.cursor.as_str().into(),
        row.failures.into(),
        now.into(),
    ];
    let statement = Statement::from_sql_and_values(store.reader().backend(), text, values);
    let updated = store
        .write(|transaction| {
            let statement = statement.clone();
            async move { transaction.execute_raw(statement).await }
        })
        .await?;
    let row = webhook::Model {
        leased_until,
        ..row.clone()
    };
    Ok((updated > 0).then_some(Leased { row }))
}

/// What a server stores of a leased webhook.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryState {
    pub cursor: String,
    pub failures: i64,
    pub failing_since: Option<i64>,
    pub next_attempt_at: i64,
    pub disabled_reason: Option<&'static str>,
    /// The time in milliseconds from which the lease is renewed. None if the server sends no further message now.
    pub continues_at: Option<i64>,
}

/// Stores an attempt and the state of a leased webhook. Returns the webhook if the lease is still valid and continues.
/// If it was lost, the state is not stored: another server continues, or an administrator has changed the webhook.
pub(crate) async fn advance(
    store: &Store,
    Leased { row }: Leased,
    state: &DeliveryState,
    delivery: Option<webhook_delivery::Model>,
) -> Result<Option<Leased>, DbErr> {
    let after = webhook::Model {
        cursor: state.cursor.clone(),
        failures: state.failures,
        failing_since: state.failing_since,
        next_attempt_at: state.next_attempt_at,
        disabled_reason: state.disabled_reason.map(str::to_owned),
        leased_until: state.continues_at.map_or(0, |now| now + LEASE),
        ..row.clone()
    };
    let (row, after, delivery) = (&row, &after, &delivery);
    let is_valid = store
        .write(|transaction| async move {
            let current = find_for_update(&*transaction, row.id).await?;
            let Some(current) = current else { return Ok(false) };
            if let Some(delivery) = delivery {
                insert_delivery(&*transaction, delivery.clone()).await?;
            }
            if current.leased_until != row.leased_until || current.version != row.version {
                return Ok(false);
            }
            update(&*transaction, current, after.clone()).await?;
            Ok::<_, DbErr>(true)
        })
        .await?;
    let continues = is_valid && state.continues_at.is_some();
    Ok(continues.then(|| Leased { row: after.clone() }))
}

/// Adds an attempt.
pub(crate) async fn insert_delivery(
    transaction: &impl WriteConnection,
    delivery: webhook_delivery::Model,
) -> Result<webhook_delivery::Model, DbErr> {
    transaction
        .insert_row(rows::new_row(delivery.into_active_model()))
        .await
}

/// Finds an attempt.
pub(crate) async fn find_delivery(
    database: &impl ReadConnection,
    webhook: i64,
    id: i64,
) -> Result<Option<webhook_delivery::Model>, DbErr> {
    database
        .model(webhook_delivery::Entity::find_by_id(id).filter(webhook_delivery::Column::WebhookId.eq(webhook)))
        .await
}

/// Reads the latest attempts for a webhook, the latest first: those before this ID, and only failed ones if `only_failed`
/// is true.
pub(crate) async fn deliveries(
    database: &impl ReadConnection,
    webhook: i64,
    before: Option<i64>,
    only_failed: bool,
    limit: u64,
) -> Result<Vec<webhook_delivery::Model>, DbErr> {
    let mut select = webhook_delivery::Entity::find().filter(webhook_delivery::Column::WebhookId.eq(webhook));
    if let Some(before) = before {
        select = select.filter(webhook_delivery::Column::Id.lt(before));
    }
    if only_failed {
        select = select.filter(webhook_delivery::Column::IsSuccess.eq(false));
    }
    database
        .models(select.order_by_desc(webhook_delivery::Column::Id).limit(limit))
        .await
}

/// Deletes the oldest attempts of each webhook beyond the number that is kept.
pub(crate) async fn trim_all_deliveries(store: &Store) -> Result<(), DbErr> {
    for webhook in all(store.reader()).await? {
        trim_deliveries(store, webhook.id).await?;
    }
    Ok(())
}

/// Deletes the oldest attempts of a webhook beyond the number that is kept.
pub(crate) async fn trim_deliveries(store: &Store, webhook: i64) -> Result<(), DbErr> {
    let select = webhook_delivery::Entity::find()
        .select_only()
        .column(webhook_delivery::Column::Id)
        .filter(webhook_delivery::Column::WebhookId.eq(webhook))
        .order_by_desc(webhook_delivery::Column::Id)
        .offset(KEPT_DELIVERIES)
        .limit(1);
    let oldest: Option<i64> = store.reader().first_selected(select).await?;
    let Some(oldest) = oldest else {
        return Ok(());
    };
    store
        .write(|transaction| async move {
            let delete = webhook_delivery::Entity::delete_many()
                .filter(webhook_delivery::Column::WebhookId.eq(webhook))
                .filter(webhook_delivery::Column::Id.lte(oldest));
            transaction.run(delete).await
        })
        .await?;
    Ok(())
}
