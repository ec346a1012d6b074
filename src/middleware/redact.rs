//! Redaction of client input in the log: secrets, control characters and excessive lengths.

use std::borrow::Cow;

use url::form_urlencoded;

use crate::auth::secret::TOKEN_PREFIX;

/// Replaces the value of a secret parameter.
const REDACTED: &str = "[redacted]";

/// A parameter is secret if its name contains one of these.
const SECRET_PARTS: [&str; 9] = [
    "apikey",
    "credential",
    "nonce",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "signature",
    "token",
];
/// A parameter is secret if a word of its name is one of these.
const SECRET_WORDS: [&str; 12] = [
    "auth",
    "authorization",
    "code",
    "jwt",
    "key",
    "pass",
    "pin",
    "pwd",
    "session",
    "sessionid",
    "sid",
    "sig",
];

/// The query without the values of secret parameters and without API tokens of this server.
pub(crate) fn query(query: &str) -> String {
    let mut redacted = String::with_capacity(query.len());
    for (index, part) in query.split('&').enumerate() {
        if index > 0 {
            redacted.push('&');
        }
        redacted.push_str(&pair(part));
    }
    redacted
}

fn pair(pair: &str) -> Cow<'_, str> {
    let decoded = decoded(pair);
    let name = decoded.split('=').next().unwrap_or_default();
    if name.contains(TOKEN_PREFIX) {
        return REDACTED.into();
    }
    if is_secret(name) || decoded.contains(TOKEN_PREFIX) {
        let name = pair.split('=').next().unwrap_or_default();
        return format!("{name}={REDACTED}").into();
    }
    pair.into()
}

fn decoded(pair: &str) -> Cow<'_, str> {
    // Most pairs have nothing to decode.
    if !pair.contains(['%', '+']) {
        return pair.into();
    }
    form_urlencoded::parse(pair.as_bytes())
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
        || name
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| SECRET_WORDS.contains(&word))
}

/// The text with each character other than printable ASCII replaced by `?`, so that clients can't forge lines or control
/// a terminal, truncated to `max_length` characters.
pub(crate) fn printable(text: &str, max_length: usize) -> String {
    if text.len() <= max_length && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let shown = |letter: char| match letter {
        ' '..='~' => letter,
        _ => '?',
    };
    let mut printable: String = text.chars().take(max_length).map(shown).collect();
    if text.chars().nth(max_length).is_some() {
        printable.push_str("...");
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_parameters_are_redacted() {
        for (sent, shown) in [
            ("search=jazz&per_page=2", "search=jazz&per_page=2"),
            ("token=abc&page=2", "token=[redacted]&page=2"),
            ("access_token=abc", "access_token=[redacted]"),
            ("accessToken=abc", "accessToken=[redacted]"),
            ("Password=abc", "Password=[redacted]"),
            (
                "consumer_key=a&consumer_secret=b",
                "consumer_key=[redacted]&consumer_secret=[redacted]",
            ),
            ("oauth_signature=a%2Bb", "oauth_signature=[redacted]"),
            ("_wpnonce=abc", "_wpnonce=[redacted]"),
            ("key=abc", "key=[redacted]"),
            ("api-key=abc", "api-key=[redacted]"),
            ("user[pass]=abc", "user[pass]=[redacted]"),
            ("user%5Bpwd%5D=abc", "user%5Bpwd%5D=[redacted]"),
            ("%74oken=abc", "%74oken=[redacted]"),
            ("token=abc=def", "token=[redacted]"),
            ("token", "token=[redacted]"),
            // A secret word as a part of another word.
            ("postcode=24103&author=3&keyword=a", "postcode=24103&author=3&keyword=a"),
            ("", ""),
            ("&&=&a", "&&=&a"),
        ] {
            assert_eq!(query(sent), shown, "{sent}");
        }
    }

    #[test]
    fn tokens_are_redacted_everywhere() {
        for (sent, shown) in [
            ("search=alm_abc", "search=[redacted]"),
            ("search=a%6Cm_abc", "search=[redacted]"),
            ("alm_abc", "[redacted]"),
            ("alm_abc=1&page=2", "[redacted]&page=2"),
        ] {
            assert_eq!(query(sent), shown, "{sent}");
        }
    }

    #[test]
    fn text_is_limited_to_printable_ascii() {
        for (sent, shown) in [
            ("curl/8.14", "curl/8.14"),
            ("a\nb\tc\u{1b}[m", "a?b?c?[m"),
            ("\u{9b}2J\u{7f}\u{202e}é", "?2J???"),
            ("1234567890", "1234567890"),
            ("12345678901", "1234567890..."),
        ] {
            assert_eq!(printable(sent, 10), shown, "{sent:?}");
        }
    }
}
