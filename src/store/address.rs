//! Database URLs without secrets, for messages.

use url::{Url, form_urlencoded};

/// The parameters that locate a database. Others may contain secrets.
const SHOWN: [&str; 5] = ["host", "hostaddr", "port", "dbname", "user"];

/// The URL without the password and without parameters that may contain secrets. Of a URL that can't be parsed, only the
/// scheme is left.
pub(crate) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "unknown".to_owned();
    };
    if scheme == "sqlite" {
        let file = rest.split('?').next().unwrap_or_default();
        return format!("{scheme}://{file}");
    }
    let Ok(mut parsed) = Url::parse(url) else {
        return format!("{scheme}://[unreadable]");
    };
    // Fails for URLs without a host, which have no password either.
    let _ = parsed.set_password(None);
    let shown: Vec<(String, String)> = form_urlencoded::parse(parsed.query().unwrap_or("").as_bytes())
        .filter(|(name, _)| SHOWN.contains(&name.as_ref()))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    parsed.set_fragment(None);
    parsed.set_query(None);
    if !shown.is_empty() {
        parsed.query_pairs_mut().extend_pairs(shown);
    }
    parsed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_secrets() {
        for (url, shown) in [
            ("sqlite://almanac.db", "sqlite://almanac.db"),
            ("sqlite:///var/lib/a.db?mode=rwc", "sqlite:///var/lib/a.db"),
            (
                "postgres://ann:secret@db.example:5433/cal",
                "postgres://ann@db.example:5433/cal",
            ),
            ("postgresql://ann@db/cal", "postgresql://ann@db/cal"),
            ("postgres://db/cal?password=secret&sslkey=secret", "postgres://db/cal"),
            (
                "postgres:///cal?host=/run/postgresql&password=secret",
                "postgres:///cal?host=%2Frun%2Fpostgresql",
            ),
            ("postgres://ann:sec#ret@db/cal", "postgres://[unreadable]"),
            ("postgres://ann:secret@db:port/cal", "postgres://[unreadable]"),
            ("secret", "unknown"),
        ] {
            assert_eq!(without_secrets(url), shown, "{url}");
        }
    }
}
