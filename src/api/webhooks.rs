//! Webhooks.

use almanac_derive::Parameters;
use poem_openapi::OpenApi;

use super::{Tag, changes::ObjectTypes};
use crate::{
    auth::{Caller, User, Writer},
    error::Problem,
    extract::{
        Create, IdInPath, MaybeUndefined, Params, Payload, Update,
        lenient_bool::LenientBool,
        number::Id,
        text::{Line, WebAddress},
    },
    response::{Created, DeletedPrivate, FoundPrivate, ListedPrivate, Reply, Sent, UpdatedPrivate},
    services::webhook::{self as service, WebhookChanges},
    store::{entity::webhook, webhooks as rows},
    views::webhook::{DeliveryList, DeliveryView, WebhookList, WebhookView, represent, represent_delivery, rest_url},
    webhooks::{Message, Sender},
};

/// The number of attempts in a response.
const DELIVERIES: u64 = 100;

/// The endpoints of webhooks.
pub(crate) struct WebhooksApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Webhooks")]
impl WebhooksApi {
    /// List webhooks
    ///
    /// Lists all webhooks by ID. Only administrators may read and write webhooks.
    #[oai(path = "/webhooks", method = "get", operation_id = "listWebhooks")]
    async fn list(&self, user: User, params: Params<(), WebhookView>) -> Result<ListedPrivate<WebhookList>, Problem> {
        check_role(&user.caller)?;
        params.errors.into_result()?;
        let store = user.caller.store();
        let webhooks = store.bounded(rows::all(store.reader())).await?;
        let represent = |row| represent(&user.caller, row, None);
        let webhooks = webhooks.into_iter().map(represent).collect();
        Ok(Reply::new(WebhookList { webhooks }).with_fields(params.fields))
    }

    /// Create a webhook
    ///
    /// From now on, the URL receives a POST for each change, signed as specified by Standard Webhooks. The body has a
    /// `type` such as `event.changed` or `venue.deleted`, and `data` with ID, version, title and URL of the object. A
    /// response with a status from 200 to 299 confirms it. Otherwise it is sent again, after 5 seconds at first and 24
    /// hours at last. 410 ends delivery, and so do five days of failures. Redirects are not followed. `secret` is shown
    /// in this response only.
    #[oai(path = "/webhooks", method = "post", operation_id = "createWebhook")]
    async fn create(&self, writer: Writer, body: Create<WebhookPayload>) -> Result<Created<WebhookView>, Problem> {
        check_role(&writer)?;
        let (payload, errors) = body.read().await?;
        let (store, sender) = (writer.store(), sender(&writer)?);
        let written = service::create(store, &sender, payload.into(), errors, writer.timestamp()).await?;
        let (id, version) = (written.row.id, written.row.version);
        Ok(Reply::new(represent(&writer, written.row, written.secret))
            .with_header("location", rest_url(&writer, id))
            .with_version(version))
    }

    /// Get a webhook
    ///
    /// Shows whether the webhook receives messages, and since when attempts have failed. Its secret is not shown.
    #[oai(path = "/webhooks/:id", method = "get", operation_id = "getWebhook")]
    async fn read(
        &self,
        user: User,
        /// ID of the webhook.
        id: IdInPath,
        params: Params<(), WebhookView>,
    ) -> Result<FoundPrivate<WebhookView>, Problem> {
        let row = find(&user.caller, id.0).await?;
        params.errors.into_result()?;
        let version = row.version;
        Ok(Reply::new(represent(&user.caller, row, None))
            .with_version(version)
            .with_fields(params.fields))
    }

    /// Update a webhook
    ///
    /// Changes the given fields and keeps the others. `rotate_secret` creates another secret, which this response shows;
    /// for 24 hours, messages have signatures of both. A webhook that is enabled again receives everything that it has
    /// missed, if the changes are still known.
    #[oai(path = "/webhooks/:id", method = "patch", operation_id = "patchWebhook")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the webhook.
        id: IdInPath,
        body: Update<WebhookPayload>,
    ) -> Result<UpdatedPrivate<WebhookView>, Problem> {
        check_role(&writer)?;
        let (payload, errors) = body.read().await?;
        let written = service::update(&writer, &sender(&writer)?, id.0, payload.into(), errors).await?;
        let version = written.row.version;
        Ok(Reply::new(represent(&writer, written.row, written.secret)).with_version(version))
    }

    /// Delete a webhook
    ///
    /// Removes it with the list of its deliveries. It receives no more messages.
    #[oai(path = "/webhooks/:id", method = "delete", operation_id = "deleteWebhook")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the webhook.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<DeletedPrivate<WebhookView>, Problem> {
        check_role(&writer)?;
        let row = service::delete(&writer, id.0, &params.errors).await?;
        Ok(Reply::new(represent(&writer, row, None)))
    }

    /// Test a webhook
    ///
    /// Sends a message of the type `webhook.test` at once, also to a disabled webhook, and returns the attempt.
    #[oai(path = "/webhooks/:id/test", method = "post", operation_id = "testWebhook")]
    async fn test(
        &self,
        writer: Writer,
        /// ID of the webhook.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<Sent<DeliveryView>, Problem> {
        let row = find(&writer, id.0).await?;
        params.errors.into_result()?;
        let message = Message::test(row.id, writer.timestamp());
        Ok(Reply::new(send(&writer, &row, message, 1).await?))
    }

    /// List deliveries
    ///
    /// Lists the latest 100 attempts to send messages, the latest first. The latest 1000 are kept.
    #[oai(path = "/webhooks/:id/deliveries", method = "get", operation_id = "listDeliveries")]
    async fn deliveries(
        &self,
        user: User,
        /// ID of the webhook.
        id: IdInPath,
        params: Params<DeliveryQuery, DeliveryView>,
    ) -> Result<FoundPrivate<DeliveryList>, Problem> {
        let row = find(&user.caller, id.0).await?;
        params.errors.into_result()?;
        let DeliveryQuery { failed, before } = params.query;
        let only_failed = failed.value().is_some_and(|failed| failed.0);
        let before = before.value().map(|before| before.0);
        let store = user.caller.store();
        let deliveries = rows::deliveries(store.reader(), row.id, before, only_failed, DELIVERIES);
        let deliveries = store.bounded(deliveries).await?;
        let deliveries = deliveries.into_iter().map(represent_delivery).collect();
        Ok(Reply::new(DeliveryList { deliveries }).with_fields(params.fields))
    }

    /// Send a message again
    ///
    /// Sends the message of an earlier attempt at once, with the same `webhook-id`, and returns the new attempt.
    #[oai(
        path = "/webhooks/:id/deliveries/:delivery/redeliver",
        method = "post",
        operation_id = "redeliver"
    )]
    async fn redeliver(
        &self,
        writer: Writer,
        /// ID of the webhook.
        id: IdInPath,
        /// ID of the attempt.
        delivery: IdInPath<1>,
        params: Params<()>,
    ) -> Result<Sent<DeliveryView>, Problem> {
        let row = find(&writer, id.0).await?;
        let store = writer.store();
        let earlier = store
            .bounded(rows::find_delivery(store.reader(), row.id, delivery.0))
            .await?
            .ok_or_else(Problem::delivery_not_found)?;
        params.errors.into_result()?;
        let attempt = earlier.attempt + 1;
        Ok(Reply::new(send(&writer, &row, Message::again(earlier), attempt).await?))
    }
}

/// The fields of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct WebhookPayload {
    /// The URL that receives messages: https, and at a public address.
    #[param(required, example = "https://example.org/hooks/calendar")]
    pub url: MaybeUndefined<WebAddress>,
    /// The purpose of the webhook, in plain text.
    #[param(nullable, example = "City portal")]
    pub description: MaybeUndefined<Line>,
    /// The types of objects whose changes it receives. Default: all.
    #[param(not_clearable, example = vec!["events", "venues"])]
    pub types: MaybeUndefined<ObjectTypes>,
    /// Whether the webhook also receives changes of unpublished objects.
    #[param(not_clearable, default = false, example = false)]
    pub include_unpublished: MaybeUndefined<LenientBool>,
    /// Whether it receives messages. One that is enabled again continues where it has stopped.
    #[param(not_clearable, default = true, example = true)]
    pub enabled: MaybeUndefined<LenientBool>,
    /// Whether to create another secret; only in an update. The previous one signs messages, too, for 24 hours.
    #[param(not_clearable, default = false, example = false)]
    pub rotate_secret: MaybeUndefined<LenientBool>,
}

impl Payload for WebhookPayload {
    type Representation = WebhookView;

    const NAME: &'static str = "Webhook";
    const CREATE: &'static str = "A new webhook. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to a webhook. Absent fields keep their values. Unknown and read-only fields \
         are ignored.";
}

impl From<WebhookPayload> for WebhookChanges {
    fn from(payload: WebhookPayload) -> Self {
        let WebhookPayload {
            url,
            description,
            types,
            include_unpublished,
            enabled,
            rotate_secret,
        } = payload;
        let description = match description {
            MaybeUndefined::Undefined => None,
            MaybeUndefined::Null => Some(String::new()),
            MaybeUndefined::Value(description) => Some(description.0),
        };
        Self {
            url: url.take().map(|url| url.0),
            description,
            kinds: types.take().map(|types| types.0),
            include_unpublished: include_unpublished.take().map(|value| value.0),
            is_enabled: enabled.take().map(|value| value.0),
            rotates_secret: rotate_secret.value().is_some_and(|value| value.0),
        }
    }
}

/// The parameters of a list of attempts.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct DeliveryQuery {
    /// Whether to list failed attempts only.
    #[param(default = false, example = true)]
    pub failed: MaybeUndefined<LenientBool>,
    /// Only attempts before the one with this ID, for the next page.
    #[param(example = 4711)]
    pub before: MaybeUndefined<Id>,
}

fn check_role(caller: &Caller) -> Result<(), Problem> {
    match caller.identity.may_manage_webhooks() {
        true => Ok(()),
        false => Err(Problem::only_administrators()),
    }
}

/// Finds a webhook, after checking the role of the caller.
async fn find(caller: &Caller, id: i64) -> Result<webhook::Model, Problem> {
    check_role(caller)?;
    let store = caller.store();
    let row = store.bounded(rows::find(store.reader(), id)).await?;
    row.ok_or_else(Problem::webhook_not_found)
}

fn sender(caller: &Caller) -> Result<Sender, Problem> {
    Sender::new(&caller.almanac.settings.webhooks).map_err(Problem::internal)
}

/// Sends a message, and stores the attempt.
async fn send(writer: &Writer, row: &webhook::Model, message: Message, attempt: i64) -> Result<DeliveryView, Problem> {
    let delivery = sender(writer)?.send(row, message, attempt).await;
    let stored = service::store_delivery(writer.store(), &delivery).await?;
    Ok(represent_delivery(stored))
}
