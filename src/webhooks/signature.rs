//! Secrets and signatures (Standard Webhooks, "Signature scheme").

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::store::entity::webhook;

/// The prefix of secrets, by which secret scanners recognise them.
const PREFIX: &str = "whsec_";
/// How long the previous secret of an endpoint signs, too, in seconds.
pub(crate) const ROTATION: i64 = 24 * 60 * 60;

/// Generates a secret of 256 bits.
pub(crate) fn new_secret() -> String {
    format!("{PREFIX}{}", BASE64_STANDARD.encode(rand::random::<[u8; 32]>()))
}

/// The header `webhook-signature` of a message: one signature for each valid secret.
pub(super) fn header(row: &webhook::Model, now: i64, id: &str, timestamp: i64, body: &str) -> Option<String> {
    let previous = row
        .previous_secret
        .as_deref()
        .filter(|_| row.previous_secret_expires_at.is_some_and(|end| now < end));
    let secrets = std::iter::once(row.secret.as_str()).chain(previous);
    let signatures: Option<Vec<String>> = secrets.map(|secret| sign(secret, id, timestamp, body)).collect();
    Some(signatures?.join(" "))
}

/// A signature. None if the secret is not base64.
fn sign(secret: &str, id: &str, timestamp: i64, body: &str) -> Option<String> {
    let key = BASE64_STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    let mut hmac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    hmac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64_STANDARD.encode(hmac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the libraries of Standard Webhooks.
    #[test]
    fn signature_of_the_specification() {
        let signature = sign(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signature.as_deref(),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }

    #[test]
    fn previous_secret_signs_until_it_expires() {
        let row = webhook::Model {
            secret: new_secret(),
            previous_secret: Some(new_secret()),
            previous_secret_expires_at: Some(100),
            ..webhook::Model::default()
        };
        let signatures = |now| header(&row, now, "msg_1", now, "{}").expect("a signature");
        assert_eq!(signatures(99).split(' ').count(), 2);
        assert_eq!(signatures(100).split(' ').count(), 1);
    }
}
