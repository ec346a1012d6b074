//! Authentication and authorisation: credentials, roles, permissions.

mod caller;
mod credentials;
mod permissions;
mod role;
pub(crate) mod secret;

pub(crate) use caller::{Caller, Reader, User, Writer, cross_site_write};
pub(crate) use credentials::{AuthenticationMethod, Login, identify, log_in, user_name, wrong_password};
pub(crate) use permissions::{Extent, Identity};
pub use role::Role;
pub(crate) use role::UnknownRole;
