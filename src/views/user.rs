//! The user of a request, with the permissions of the role.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    auth::{AuthenticationMethod, Extent, Identity, Role, User},
    calendar::{
        Kind,
        date::{format_rfc3339, instant_at},
    },
    extract::selectable,
    response::{Nullable, Representation},
};

/// A user, and how the request has authenticated.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "User")]
pub(crate) struct UserView {
    /// The ID, which objects have as `author`.
    pub id: i64,
    /// The name, for HTTP Basic.
    pub name: String,
    /// The role, from which the permissions follow.
    pub role: Role,
    /// The permissions for each type of object.
    pub permissions: PermissionsView,
    /// How the request has authenticated.
    pub authentication_method: AuthenticationMethod,
    /// When the token of the request expires, RFC 3339, with the offset of the site's time zone; null if it does not
    /// expire, and for passwords.
    pub token_expires_at: Nullable<String>,
}

/// The permissions of a user.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Permissions")]
pub(crate) struct PermissionsView {
    /// For events.
    pub events: PublishablePermissionsView,
    /// For venues.
    pub venues: PublishablePermissionsView,
    /// For organizers.
    pub organizers: PublishablePermissionsView,
    /// For categories.
    pub categories: TermPermissionsView,
    /// For tags.
    pub tags: TermPermissionsView,
}

/// The permissions of a user for events, venues or organizers. Everybody may read what is published.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "PublishablePermissions")]
pub(crate) struct PublishablePermissionsView {
    /// Which unpublished objects the user may read.
    pub read_unpublished: Extent,
    /// Whether the user may create objects.
    pub create: bool,
    /// Whether the user may publish objects. Otherwise they become `pending` and await review.
    pub publish: bool,
    /// Which objects the user may change.
    pub edit: Extent,
    /// Which objects the user may move to the trash and restore.
    pub delete: Extent,
    /// Whether the user may set `author` to another user.
    pub set_author: bool,
}

/// The permissions of a user for categories or tags. Everybody may read all of them.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "TermPermissions")]
pub(crate) struct TermPermissionsView {
    /// Whether the user may create them.
    pub create: bool,
    /// Whether the user may change them.
    pub edit: bool,
    /// Whether the user may delete them.
    pub delete: bool,
}

impl Representation for UserView {}

selectable!(UserView, "id", "name", "role");

/// The representation of the user of a request.
pub(crate) fn represent(user: &User) -> UserView {
    let User { caller, login } = user;
    let site = &caller.almanac.settings.site.zone;
    let expires_at = login.token_expires_at.map(|timestamp| {
        let instant = instant_at(timestamp);
        format_rfc3339(instant, site.to_local(instant))
    });
    UserView {
        id: login.id,
        name: login.name.clone(),
        role: login.role,
        permissions: permissions(caller.identity),
        authentication_method: login.method,
        token_expires_at: expires_at.into(),
    }
}

fn permissions(identity: Identity) -> PermissionsView {
    PermissionsView {
        events: publishable_permissions(identity, Kind::Event),
        venues: publishable_permissions(identity, Kind::Venue),
        organizers: publishable_permissions(identity, Kind::Organizer),
        categories: term_permissions(identity, Kind::Category),
        tags: term_permissions(identity, Kind::Tag),
    }
}

fn publishable_permissions(identity: Identity, kind: Kind) -> PublishablePermissionsView {
    PublishablePermissionsView {
        read_unpublished: identity.readable_unpublished(),
        create: identity.may_create(kind),
        publish: identity.may_publish(),
        edit: identity.editable(),
        delete: identity.deletable(),
        set_author: identity.may_set_author(),
    }
}

fn term_permissions(identity: Identity, kind: Kind) -> TermPermissionsView {
    let may_write = identity.may_write(kind);
    TermPermissionsView {
        create: identity.may_create(kind),
        edit: may_write,
        delete: may_write,
    }
}
