//! `/wp/v2/users/me`: the authenticated user, as represented by the WordPress REST API.

use poem::Request;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::{request::CompatRequest, route::PREFIX};
use crate::{
    auth::{Caller, Identity, Role},
    calendar::{Kind, slug::slugify},
    error::Problem,
    store::users,
};

/// Represents the authenticated user. `context=edit` adds the role and the capabilities.
pub(super) async fn current_user(request: &Request, compat: &CompatRequest) -> Result<Value, Problem> {
    let caller = Caller::of(request).await?;
    let Identity::User { id, role } = caller.identity else {
        return Err(Problem::not_logged_in());
    };
    let row = users::find(caller.almanac.store.reader(), id)
        .await?
        .ok_or_else(Problem::not_logged_in)?;
    let mut user = json!({
        "id": id,
        "name": row.name,
        "url": "",
        "description": "",
        "link": format!("{}/", compat.base),
        "slug": slugify(&row.name),
        "avatar_urls": {},
        "meta": [],
    });
    let mut query = form_urlencoded::parse(compat.query.as_bytes());
    if query.any(|(name, value)| name == "context" && value == "edit") {
        user["username"] = row.name.into();
        user["roles"] = json!([role.name()]);
        user["capabilities"] = capabilities(caller.identity, role);
        user["extra_capabilities"] = json!({role.name(): true});
    }
    let href = format!("{}{PREFIX}/wp/v2/users/me", compat.base);
    user["_links"] = json!({"self": [{"href": href}]});
    Ok(user)
}

/// The capabilities of the user, by their names in WordPress and The Events Calendar. As in WordPress, those that the
/// user lacks are omitted.
fn capabilities(identity: Identity, role: Role) -> Value {
    let mut capabilities = Map::new();
    let mut grant = |name: String, is_granted: bool| {
        if is_granted {
            capabilities.insert(name, true.into());
        }
    };
    grant("read".to_owned(), true);
    for kind in [Kind::Event, Kind::Venue, Kind::Organizer] {
        let plural = format!("tribe_{}", kind.plural());
        let edits_others = identity.may_read_everything();
        for (verb, is_granted) in [
            ("edit", identity.may_create(kind)),
            ("delete", identity.may_create(kind)),
            ("publish", identity.may_publish()),
            ("edit_published", identity.may_publish()),
            ("delete_published", identity.may_publish()),
            ("edit_others", edits_others),
            ("delete_others", edits_others),
            ("read_private", edits_others),
        ] {
            grant(format!("{verb}_{plural}"), is_granted);
        }
    }
    grant("manage_categories".to_owned(), identity.may_create(Kind::Category));
    grant(role.name().to_owned(), true);
    capabilities.into()
}
