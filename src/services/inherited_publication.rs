//! Venues and organizers that are created with an event inherit its status and publication date.
//!
//! While that date is in the future, they follow the event: changes of its status or publication date are propagated to
//! them. A venue or organizer stops following when the date is reached, or when its own status or date is changed
//! ([`CommonColumns::set_status`]).

use crate::{
    calendar::status::Status,
    error::Problem,
    store::{
        entity::{organizer, venue},
        linked_resource::{self, LinkedResource},
        publishable::{self, CommonColumns, PublishableRow},
        write_connection::WriteConnection,
    },
};

/// The columns that a new venue or organizer inherits from its event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inherited {
    status: Status,
    published_at: i64,
}

impl Inherited {
    /// The status `trash` is inherited as `draft`: the linked resource is neither published nor deleted.
    pub(crate) fn from_event(event: &CommonColumns) -> Self {
        Self {
            status: match event.status {
                Status::Trash => Status::Draft,
                status => status,
            },
            published_at: event.published_at,
        }
    }

    /// Whether the venue or organizer has this status and a publication date in the future.
    pub(crate) fn may_be_followed_by(self, resource: &CommonColumns, now: i64) -> bool {
        self.published_at > now && self.matches(resource)
    }

    fn matches(self, resource: &CommonColumns) -> bool {
        (resource.status, resource.published_at) == (self.status, self.published_at)
    }

    pub(crate) fn apply_to(self, resource: &mut CommonColumns) {
        resource.status = self.status;
        resource.published_at = self.published_at;
    }
}

/// Propagates a change of an event's status or publication date to its followers.
pub(crate) async fn propagate(
    transaction: &impl WriteConnection,
    before: &CommonColumns,
    after: &CommonColumns,
    now: i64,
) -> Result<(), Problem> {
    let inherited = Inherited::from_event(after);
    if before.published_at > now && Inherited::from_event(before) != inherited {
        propagate_to::<venue::Entity>(transaction, after.id, inherited, now).await?;
        propagate_to::<organizer::Entity>(transaction, after.id, inherited, now).await?;
    }
    Ok(())
}

async fn propagate_to<E: LinkedResource>(
    transaction: &impl WriteConnection,
    event: i64,
    inherited: Inherited,
    now: i64,
) -> Result<(), Problem> {
    for follower in linked_resource::followers::<E>(transaction, event, now).await? {
        let mut columns = follower.common_columns();
        // Followers created by the same write already match.
        if !inherited.matches(&columns) {
            inherited.apply_to(&mut columns);
            let mut changed = follower.clone();
            changed.set_common_columns(columns);
            publishable::update::<E>(transaction, &follower, changed, now).await?;
        }
    }
    Ok(())
}
