//! The flags that select a database.

use std::{ffi::OsStr, time::Duration};

use clap::{
    Arg, Args, Command, Error,
    builder::{StringValueParser, TypedValueParser},
    error::ErrorKind,
};

use crate::{commands::duration, store::PostgresServer};

/// The database that a command works on.
#[derive(Args, Clone, Debug)]
pub struct DatabaseArgs {
    /// URL of the database: sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME
    #[arg(
        long,
        env = "ALMANAC_DATABASE_URL",
        default_value = "sqlite://almanac.db",
        hide_env_values = true,
        value_name = "URL",
        value_parser = DatabaseUrlParser
    )]
    pub database_url: String,
}

/// How long a command waits for an unreachable database.
#[derive(Args, Clone, Copy, Debug)]
pub struct WaitArgs {
    /// How long to wait for an unreachable PostgreSQL server, such as 30s or 2min; 0s does not wait
    #[arg(
        long,
        env = "ALMANAC_DATABASE_WAIT",
        default_value = "30s",
        value_name = "TIME",
        value_parser = duration
    )]
    pub database_wait: Duration,
}

/// Parses the URL of a database. The default parser of clap would print an invalid value with its password.
#[derive(Clone)]
struct DatabaseUrlParser;

impl TypedValueParser for DatabaseUrlParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let url = StringValueParser::new().parse_ref(command, argument, value)?;
        match check(&url) {
            Ok(()) => Ok(url),
            Err(reason) => {
                let message = format!("invalid value for '--database-url <URL>' (not shown): {reason}\n");
                Err(Error::raw(ErrorKind::ValueValidation, message))
            }
        }
    }
}

fn check(url: &str) -> Result<(), String> {
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("sqlite") => Ok(()),
        Some("postgres" | "postgresql") => match url.parse::<PostgresServer>() {
            Ok(_) => Ok(()),
            Err(error) => Err(format!(
                "{error}; in the user name and password, encode @ as %40, / as %2F, # as %23, ? as %3F and % as %25"
            )),
        },
        _ => Err("must start with sqlite:// or postgres://".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_url_is_not_shown() {
        for url in [
            "sqlite://almanac.db",
            "postgres://ann:secret@db.example:5433/calendar?sslmode=require",
            "postgresql:///calendar?host=/run/postgresql",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for (url, reason) in [
            ("ann:secret@db.example/calendar", "must start with"),
            ("mysql://ann:secret@db.example/calendar", "must start with"),
            ("postgres://ann:sec#secret@db/calendar", "%23"),
            ("postgres://ann:secret@db:secret/calendar", "port"),
            ("postgres://ann:secret@/calendar", "host"),
            ("postgres://ann:secret@db/calendar?port=secret", "digit"),
        ] {
            let error = check(url).expect_err(url);
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("secret"), "{url}: {error}");
        }
    }
}
