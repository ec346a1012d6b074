//! Authentication and authorisation: credentials, roles, permissions.

mod caller;
mod credentials;
mod permissions;
mod role;
pub mod secret;

pub use caller::{Caller, Reader, Writer};
pub use credentials::{identify, user_name, wrong_password};
pub use permissions::Identity;
pub use role::{Role, UnknownRole};
