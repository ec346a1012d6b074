//! Requests to addresses that others choose: kept away from private networks.
//!
//! Whoever controls a name or a server could otherwise let this program reach internal services. Names are checked when
//! they are resolved for a connection, so that a second resolution can't differ.

mod address;
mod client;

pub(crate) use address::AllowedNetworks;
pub(crate) use client::{EgressError, Post, PostClient, tls};
