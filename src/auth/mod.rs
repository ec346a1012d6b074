//! Authentication and authorisation: credentials, roles, permissions.

mod caller;
mod credentials;
mod permissions;
mod role;
pub(crate) mod secret;

pub(crate) use caller::{Caller, Reader, Writer};
pub(crate) use credentials::{identify, user_name, wrong_password};
pub(crate) use permissions::Identity;
pub use role::Role;
pub(crate) use role::UnknownRole;
