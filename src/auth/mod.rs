//! Authentication and authorisation: credentials, roles, permissions.

mod caller;
mod credentials;
mod permissions;
mod role;
pub(crate) mod secret;

pub(crate) use caller::{Caller, Reader, User, Writer};
pub(crate) use credentials::{AuthenticationMethod, identify, user_name, wrong_password};
pub(crate) use permissions::{Extent, Identity};
pub use role::Role;
pub(crate) use role::UnknownRole;
