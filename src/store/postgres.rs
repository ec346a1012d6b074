//! Connections to a PostgreSQL server.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use sea_orm::sqlx::{
    self, AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
    raw_sql,
};
use thiserror::Error;
use tokio::time::timeout;
use tracing::subscriber::{NoSubscriber, with_default};

use super::{circuit_breaker::CONNECT_TIMEOUT, connection_renewal::ConnectionRenewal, sqlstate};

/// The address and the credentials of a database. `Debug` shows the address only.
#[derive(Clone)]
pub struct PostgresServer(PgConnectOptions);

/// The error of an unreachable server.
#[derive(Debug, Error)]
#[error("can't connect to the database at {address}: {cause}")]
pub struct Unreachable {
    address: String,
    cause: Cause,
}

#[derive(Debug, Error)]
enum Cause {
    #[error("no response within {} ms", CONNECT_TIMEOUT.as_millis())]
    NoResponse,
    #[error("{0}")]
    Refused(#[from] sqlx::Error),
}

impl Unreachable {
    /// Whether a server that is starting or restarting may cause this error, so that waiting may help.
    pub fn is_temporary(&self) -> bool {
        match &self.cause {
            Cause::NoResponse => true,
            Cause::Refused(error) => sqlstate::is_server_down(error),
        }
    }
}

impl fmt::Debug for PostgresServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgresServer({})", self.address())
    }
}

impl FromStr for PostgresServer {
    type Err = sqlx::Error;

    /// Parses `postgres://USER:PASSWORD@HOST:PORT/NAME?…`. No error contains a part of the text.
    fn from_str(url: &str) -> Result<Self, sqlx::Error> {
        // sqlx logs unknown parameters with their values, which may be secret.
        let options = with_default(NoSubscriber::default(), || PgConnectOptions::from_str(url))?;
        Ok(Self(options.disable_statement_logging()))
    }
}

impl PostgresServer {
    /// Host and port, or the path of the socket.
    pub fn address(&self) -> String {
        match self.0.get_socket() {
            Some(socket) => format!("{}, port {}", socket.display(), self.0.get_port()),
            None => format!("{}:{}", self.0.get_host(), self.0.get_port()),
        }
    }

    /// Opens and closes a connection. A server that has reached its connection limit counts as reachable.
    pub async fn probe(&self) -> Result<(), Unreachable> {
        let options = self.0.clone().application_name("almanac probe");
        let connect = async { PgConnection::connect_with(&options).await?.close().await };
        let cause = match timeout(CONNECT_TIMEOUT, connect).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) if sqlstate::is_too_many_connections(&error) => return Ok(()),
            Ok(Err(error)) => error.into(),
            Err(_) => Cause::NoResponse,
        };
        Err(Unreachable {
            address: self.address(),
            cause,
        })
    }

    /// A pool that connects when it is first used. The session settings are set by statements, since a pooler such as
    /// PgBouncer does not forward settings of the connection.
    pub fn pool<'a>(
        &self,
        application: &str,
        connections: u32,
        acquire_timeout: Duration,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
        renewal: &ConnectionRenewal,
    ) -> PgPool {
        let settings = settings
            .into_iter()
            .map(|(name, value)| format!("SET {name} = '{value}';"));
        let settings: Arc<str> = settings.collect::<String>().into();
        let options = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(acquire_timeout)
            .after_connect(move |connection, _| {
                let settings = raw_sql(AssertSqlSafe(settings.clone()));
                Box::pin(async move { settings.execute(connection).await.map(drop) })
            });
        renewal
            .apply_to(options)
            .connect_lazy_with(self.0.clone().application_name(application))
    }
}
