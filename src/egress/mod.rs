//! Requests to addresses that others choose: kept away from private networks.
//!
//! Whoever controls a name or a server could otherwise let this program reach internal services. Names are checked when
//! they are resolved for a connection, so that a second resolution can't differ.

mod address;
mod client;
mod resolver;
mod tls;

pub(crate) use address::{AllowedNetworks, literal_address};
pub(crate) use client::{EgressError, Post, PostClient};
pub(crate) use resolver::{GuardedResolver, PrivateAddress, describe};
pub(crate) use tls::tls;
