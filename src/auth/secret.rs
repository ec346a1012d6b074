//! Application passwords and tokens: random, shown once, stored as SHA-256.
//!
//! Guessable passwords would need a slow hash. These secrets have more than 128 random bits, so a fast hash is enough.

use rand::RngExt;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The number of letters and digits of a password.
pub(crate) const PASSWORD_LENGTH: usize = 24;
/// The number of letters and digits of a token after its prefix: 190 bits.
const TOKEN_LENGTH: usize = 32;
/// The prefix of tokens, by which secret scanners recognise them.
pub(crate) const TOKEN_PREFIX: &str = "alm_";

/// Generates an application password, in groups of four for readability.
pub(crate) fn new_password() -> String {
    let password = random(PASSWORD_LENGTH);
    let groups: Vec<&str> = (0..PASSWORD_LENGTH)
        .step_by(4)
        .map(|start| &password[start..start + 4])
        .collect();
    groups.join(" ")
}

/// Whether the text has the form of a password without spaces.
pub(crate) fn is_password(text: &str) -> bool {
    text.len() == PASSWORD_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Generates a token.
pub fn new_token() -> String {
    format!("{TOKEN_PREFIX}{}", random(TOKEN_LENGTH))
}

fn random(length: usize) -> String {
    rand::rng()
        .sample_iter(rand::distr::Alphanumeric)
        .take(length)
        .map(char::from)
        .collect()
}

/// The hash that is stored, in hexadecimal. Spaces in the secret are ignored.
pub fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.replace(' ', "")))
}

/// Compares the hash of the secret with the stored one in constant time.
pub(crate) fn matches(secret: &str, stored: &str) -> bool {
    hash(secret).as_bytes().ct_eq(stored.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_matches_with_and_without_spaces() {
        let password = new_password();
        let stored = hash(&password);
        assert!(matches(&password, &stored));
        assert!(matches(&password.replace(' ', ""), &stored));
        assert!(!matches("something else", &stored));
    }

    #[test]
    fn secrets_have_their_length_and_differ() {
        let password = new_password().replace(' ', "");
        assert!(is_password(&password), "{password}");
        assert!(new_token().starts_with(TOKEN_PREFIX));
        assert_ne!(new_token(), new_token());
    }
}
