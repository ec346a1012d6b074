//! What an event links to: objects that are there, or that are made with it.

use std::collections::HashSet;

use poem::http::StatusCode;
use sea_orm::{ActiveModelTrait, EntityTrait};

use super::{Edit, Edited, following::Inherited, publication};
use crate::{
    calendar::{Kind, status::Status, text::fold},
    store::{
        Term, Transaction,
        entity::event,
        hosts::{self, Host},
        links::{self, Link, LinkedIds},
        post::{self, PostRow},
        slugs,
        term::{self, TermFrame, TermRow},
    },
    wire::{
        Fault, Field, Problem,
        references::{HostReference, HostReferences, Nested, Reference, TermReferences},
    },
};

/// The name of the field that links events to this kind.
fn field(kind: Kind) -> &'static str {
    if kind.is_term() { kind.plural() } else { kind.name() }
}

fn push_once(ids: &mut Vec<i64>, id: i64) {
    if !ids.contains(&id) {
        ids.push(id);
    }
}

/// The IDs of the terms that the event is to have. Names that nobody has become new terms.
pub async fn terms<E: Term>(edit: &mut Edit<'_>, wanted: Field<TermReferences>) -> Result<Option<Vec<i64>>, Problem> {
    let references = match wanted {
        Field::Absent => return Ok(None),
        Field::Cleared => return Ok(Some(Vec::new())),
        Field::Given(references) => references.0,
    };
    let known = known_terms::<E>(edit, &references).await?;
    let mut ids = Vec::new();
    for reference in references {
        let found = match reference {
            Reference::Id(id) if known.contains(&id) => Some(id),
            _ => find_term::<E>(edit.transaction, &reference).await?,
        };
        match found {
            Some(id) => push_once(&mut ids, id),
            None => match reference {
                Reference::Id(_) if edit.caller.leniency.skip_unknown_terms => {}
                Reference::Id(id) => {
                    let fault = Fault::invalid(format!("must exist, and {id} does not"));
                    edit.faults.add(field(E::KIND), fault);
                }
                Reference::Name(name) => {
                    if let Some(id) = new_term::<E>(edit, name).await? {
                        push_once(&mut ids, id);
                    }
                }
            },
        }
    }
    Ok(Some(ids))
}

/// Those of the IDs among the references that terms have.
async fn known_terms<E: Term>(edit: &Edit<'_>, references: &[Reference]) -> Result<HashSet<i64>, Problem> {
    let ids: Vec<i64> = references
        .iter()
        .filter_map(|reference| match reference {
            Reference::Id(id) => Some(*id),
            Reference::Name(_) => None,
        })
        .collect();
    let terms = term::find_all::<E>(edit.transaction, &ids).await?;
    Ok(terms.iter().map(|term| term.frame().id).collect())
}

/// The term that is meant: digits are an ID first; text is a slug first.
pub async fn find_term<E: Term>(
    database: &impl sea_orm::ConnectionTrait,
    reference: &Reference,
) -> Result<Option<i64>, Problem> {
    let name = match reference {
        Reference::Id(id) => {
            if term::find::<E>(database, *id).await?.is_some() {
                return Ok(Some(*id));
            }
            id.to_string()
        }
        Reference::Name(name) => name.clone(),
    };
    let found = match term::find_by_slug::<E>(database, &name.to_lowercase()).await? {
        Some(found) => Some(found),
        None => term::find_by_name::<E>(database, &fold(&name), None).await?,
    };
    Ok(found.map(|term| term.frame().id))
}

async fn new_term<E: Term>(edit: &mut Edit<'_>, name: String) -> Result<Option<i64>, Problem> {
    if name.is_empty() || name.chars().count() > 200 {
        let fault = Fault::invalid("must be names of 1 to 200 characters, where they are new");
        edit.faults.add(field(E::KIND), fault);
        return Ok(None);
    }
    let caller = edit.caller;
    if !caller.identity.may_create(E::KIND) {
        if caller.leniency.skip_unknown_terms {
            return Ok(None);
        }
        let message = format!("has the new name {name}, which editors only may make");
        edit.forbid(field(E::KIND), &message);
        return Ok(None);
    }
    let mut frame = TermFrame {
        version: 1,
        name,
        ..TermFrame::default()
    };
    super::term::derive(&mut frame);
    slugs::take_turns(edit.transaction, E::KIND, &frame.name_key).await?;
    // Somebody may have made it while this one waited.
    let made = term::find_by_name::<E>(edit.transaction, &frame.name_key, None).await?;
    if let Some(made) = made {
        return Ok(Some(made.frame().id));
    }
    let stored = super::term::insert::<E>(edit, frame).await?;
    Ok(Some(stored.frame().id))
}

/// The venues or organizers that an event is to have.
#[derive(Debug, Default)]
pub struct Hosts {
    ids: Vec<i64>,
    /// Those of them that are new and follow the event.
    followers: Vec<i64>,
}

impl Hosts {
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }
}

/// The venues or organizers that the event is to have instead of those that are `linked`. What is described becomes a
/// new one, unless there is one just like it.
pub async fn hosts<L>(
    edit: &mut Edit<'_>,
    event: &event::Model,
    linked: &[i64],
    wanted: Field<HostReferences<<L::Target as Edited>::Fields>>,
) -> Result<Option<Hosts>, Problem>
where
    L: Link<Target: Host + Edited<Fields: Nested + Clone + Default>>,
    <L::Target as EntityTrait>::Model: PartialEq,
{
    let references = match wanted {
        Field::Absent => return Ok(None),
        Field::Cleared => Vec::new(),
        Field::Given(references) => references.0,
    };
    let mut hosts = Hosts::default();
    let Hosts { ids, followers } = &mut hosts;
    let mut unknown = Vec::new();
    for reference in references {
        match reference {
            HostReference::Id(id) => {
                let found = post::find::<L::Target>(edit.transaction, &post::Key::Id(id)).await?;
                let usable = found.is_some_and(|host| host.frame().status != Status::Trash);
                // A link survives the trash, also when the event is sent back as it was read.
                if usable || linked.contains(&id) {
                    push_once(ids, id);
                } else {
                    unknown.push(id.to_string());
                }
            }
            HostReference::New(fields) => {
                let found = find_or_create::<L::Target>(edit, event, *fields, followers).await?;
                if let Some(id) = found {
                    push_once(ids, id);
                }
            }
        }
    }
    let kind = <L::Target as crate::store::Post>::KIND;
    if !unknown.is_empty() {
        let message = format!("must exist, and {} does not", unknown.join(", "));
        edit.faults.add(field(kind), Fault::invalid(message));
    }
    keep_unseen::<L>(edit, linked, ids).await?;
    Ok(Some(hosts))
}

/// Makes the event link to exactly these, if any are told. Says whether that changed anything.
pub async fn save_hosts<L>(
    transaction: &Transaction,
    event: i64,
    before: &LinkedIds,
    hosts: Option<Hosts>,
) -> Result<bool, Problem>
where
    L: Link<Target: Host, ActiveModel: ActiveModelTrait<Entity = L> + Send>,
{
    let Some(Hosts { ids, followers }) = hosts else {
        return Ok(false);
    };
    hosts::set_following::<L::Target>(transaction, event, &followers).await?;
    Ok(links::replace::<L>(transaction, event, before, Some(ids)).await?)
}

/// What the writer can't see was not in what the writer read, and is not the writer's to unlink. It stays behind
/// what it stood behind, so that an event that is sent back as it was read stays as it is.
async fn keep_unseen<L: Link<Target: Host>>(
    edit: &Edit<'_>,
    linked: &[i64],
    ids: &mut Vec<i64>,
) -> Result<(), Problem> {
    let (identity, now) = (edit.caller.identity, edit.caller.timestamp());
    let hosts = post::find_all::<L::Target>(edit.transaction, linked).await?;
    let unseen: Vec<i64> = hosts
        .iter()
        .map(PostRow::frame)
        .filter(|frame| !identity.may_see(frame, now))
        .map(|frame| frame.id)
        .collect();
    for (index, id) in linked.iter().enumerate() {
        if unseen.contains(id) && !ids.contains(id) {
            let place = linked[..index]
                .iter()
                .rev()
                .find_map(|before| ids.iter().position(|id| id == before))
                .map_or(0, |position| position + 1);
            ids.insert(place, *id);
        }
    }
    Ok(())
}

async fn find_or_create<E>(
    edit: &mut Edit<'_>,
    event: &event::Model,
    fields: E::Fields,
    followers: &mut Vec<i64>,
) -> Result<Option<i64>, Problem>
where
    E: Host + Edited<Fields: Nested + Clone + Default, Model: PartialEq>,
{
    let caller = edit.caller;
    let name_key = fold(fields.name().unwrap_or_default());
    // Before any slug is locked: all who look for a name lock in this order.
    slugs::take_turns(edit.transaction, E::KIND, &name_key).await?;
    let mut nested = Edit::new(caller, edit.transaction, crate::wire::Faults::default());
    let reused = E::reuse(&mut nested, &fields).await?;
    if let Some(existing) = reused.filter(|_| nested.faults.is_empty() && nested.forbidden.is_none()) {
        return Ok(Some(existing.frame().id));
    }
    let mut new = E::blank(caller);
    let mut frame = new.frame();
    let inherited = Inherited::from_event(&event.frame());
    inherited.give_to(&mut frame);
    new.set_frame(frame);
    let links = E::apply(&mut nested, &mut new, fields.clone()).await?;
    if !nested.faults.is_empty() {
        let told: Vec<String> = nested
            .faults
            .iter()
            .map(|(name, fault)| format!("its {name} {}", fault.message))
            .collect();
        let fault = Fault {
            code: E::KIND.could_not_create(),
            message: told.join("; "),
        };
        edit.faults.add(field(E::KIND), fault);
        return Ok(None);
    }
    if let Some(problem) = nested.forbidden.take() {
        edit.forbidden.get_or_insert(problem);
        return Ok(None);
    }
    let author = caller.identity.user().unwrap_or_default();
    let candidates = hosts::find_by_name::<E>(edit.transaction, &name_key, author, caller.timestamp()).await?;
    for candidate in candidates {
        if is_same::<E>(edit, &candidate, &new, fields.clone()).await? {
            return Ok(Some(candidate.frame().id));
        }
    }
    let stored = publication::insert::<E>(edit, new).await?.frame();
    E::save_links(edit, stored.id, links).await?;
    if inherited.is_planned_for(&stored, caller.timestamp()) {
        followers.push(stored.id);
    }
    Ok(Some(stored.id))
}

/// Whether the fields that are given would change nothing of the candidate, the case of its name aside.
async fn is_same<E>(edit: &Edit<'_>, candidate: &E::Model, new: &E::Model, fields: E::Fields) -> Result<bool, Problem>
where
    E: Host + Edited<Fields: Default, Model: PartialEq>,
{
    let same_name = candidate.frame().title.to_lowercase() == new.frame().title.to_lowercase();
    if !same_name {
        return Ok(false);
    }
    let mut trial = Edit::new(edit.caller, edit.transaction, crate::wire::Faults::default());
    // Both with one name, so that its case does not count.
    let mut before = candidate.clone();
    let mut frame = before.frame();
    frame.title = new.frame().title;
    before.set_frame(frame);
    E::apply(&mut trial, &mut before, E::Fields::default()).await?;
    let mut after = before.clone();
    match E::apply(&mut trial, &mut after, fields).await {
        Ok(_) => Ok(before == after),
        // It asks for a slug that a third one has, and not for the candidate.
        Err(problem) if problem.status() == StatusCode::CONFLICT => Ok(false),
        Err(problem) => Err(problem),
    }
}
