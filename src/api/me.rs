//! The user of a request.

use poem_openapi::OpenApi;

use super::Tag;
use crate::{
    auth::User,
    error::Problem,
    extract::Params,
    response::FoundUser,
    views::user::{self, UserView},
};

/// The endpoint of the user of a request.
pub(crate) struct MeApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Users")]
impl MeApi {
    /// Get the user of the credentials
    ///
    /// Returns who you are: the user of your credentials, with role and permissions, and when your token expires.
    /// Without credentials, the response is 401.
    #[oai(path = "/me", method = "get", operation_id = "getMe")]
    async fn me(&self, user: User, params: Params<(), UserView>) -> Result<FoundUser<UserView>, Problem> {
        params.errors.into_result()?;
        Ok(FoundUser::new(user::represent(&user)).with_fields(params.fields))
    }
}
