-- Requests with the header `Idempotency-Key`, on PostgreSQL: their responses are repeated for 24 hours.

-- `fingerprint` is the SHA-256 of the request, in hexadecimal. `headers` is a JSON array of pairs of names and values.
-- `created_at` is in seconds since 1970 UTC.
CREATE TABLE idempotency_keys (
    user_id     bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        text   NOT NULL,
    fingerprint text   NOT NULL,
    status      bigint NOT NULL,
    headers     text   NOT NULL,
    body        bytea  NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (user_id, name)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
