//! A server in this process, on a free port.

use std::sync::Arc;

use almanac::testing::{
    Almanac,
    auth::Role,
    commands::user,
    config::Settings,
    listen::{Limits, Stop},
    pages::health,
    server,
    store::{self, Store},
};
use clap::Parser;
use tokio::sync::oneshot;

use super::Client;

/// A running server.
pub(crate) struct Server {
    /// Such as `http://127.0.0.1:12345`.
    pub address: String,
    pub store: Store,
    stop: Option<oneshot::Sender<Stop>>,
}

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    settings: Settings,
}

impl Server {
    /// Starts a server with these flags on a database with the current schema.
    pub(crate) async fn start(url: &str, flags: &[&str]) -> Self {
        Self::start_with(url, flags, |_| {}).await
    }

    /// Starts a server with changed limits on connections.
    pub(crate) async fn start_with(url: &str, flags: &[&str], change: impl FnOnce(&mut Limits)) -> Self {
        let arguments = ["almanac"].iter().chain(flags);
        let settings = Flags::parse_from(arguments).settings;
        let store = store::open(url, false).await.expect("an open database");
        health::start_recording();
        let listener = server::bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let almanac = Arc::new(Almanac::new(store.clone(), settings));
        let (stop, stopped) = oneshot::channel();
        let mut limits = Limits::of(&almanac.settings);
        change(&mut limits);
        // A dropped sender stops the server, too.
        let stopped = async { stopped.await.unwrap_or(Stop::Soon) };
        tokio::spawn(server::serve(almanac, listener, limits, stopped));
        Self {
            address: format!("http://{address}"),
            store,
            stop: Some(stop),
        }
    }

    /// Stops the server.
    pub(crate) fn stop(&mut self, how: Stop) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(how);
        }
    }

    /// A client without credentials.
    pub(crate) fn anonymous(&self) -> Client {
        Client::new(&self.address)
    }

    /// A client with the credentials of a new administrator.
    pub(crate) async fn administrator(&self) -> Client {
        self.user("admin", Role::Administrator).await
    }

    /// A client with the credentials of a new user.
    pub(crate) async fn user(&self, name: &str, role: Role) -> Client {
        let password = user::add(&self.store, name, role).await.expect("a free name");
        self.anonymous().with_password(name, &password)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop(Stop::Soon);
    }
}
