-- Webhooks, on SQLite: the endpoints of other programs that learn of changes, and what was sent to them.


-- `cursor` is the token up to which the endpoint has received changes. `kinds` has names of kinds, separated by commas.
-- `previous_secret` signs, too, until its expiry. `disabled_reason` is null for an endpoint that receives messages.
-- `failures` and `failing_since` are those since the last success; the next attempt is made at `next_attempt_at`.
-- `leased_until` is in milliseconds: until then, the server that has set it is the only one that sends to the endpoint.
-- All other times are in seconds since 1970 UTC.
CREATE TABLE webhooks (
    id                         integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version                    bigint NOT NULL,
    url                        text NOT NULL,
    description                text NOT NULL,
    kinds                      text NOT NULL,
    include_unpublished        boolean NOT NULL,
    secret                     text NOT NULL,
    previous_secret            text,
    previous_secret_expires_at bigint,
    disabled_reason            text,
    cursor                     text NOT NULL,
    failures                   bigint NOT NULL,
    failing_since              bigint,
    next_attempt_at            bigint NOT NULL,
    leased_until               bigint NOT NULL,
    created_at                 bigint NOT NULL,
    modified_at                bigint NOT NULL
);

-- The latest attempts to send a message. `object_id` is null for tests. `response_status` is null if there was no
-- response, and `error` says why.
CREATE TABLE webhook_deliveries (
    id              integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    webhook_id      integer NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    message_id      text NOT NULL,
    message_type    text NOT NULL,
    object_id       bigint,
    body            text NOT NULL,
    attempt         bigint NOT NULL,
    is_success      boolean NOT NULL,
    response_status bigint,
    response_body   text NOT NULL,
    error           text,
    duration_ms     bigint NOT NULL,
    created_at      bigint NOT NULL
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('webhook_deliveries', 'webhook_deliveries_webhook', '10000 1000 1');
ANALYZE sqlite_schema;
