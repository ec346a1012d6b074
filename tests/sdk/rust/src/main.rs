//! What a user of the Rust client would write: reads, writes, and faults, against a server with the demo calendar in
//! it.

use std::{collections::HashSet, env, num::NonZeroU64};

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::Value;

use almanac_client::{
    Client, Error, ResponseValue,
    types::{
        Category, Event, EventCreate, EventUpdate, Latitude, Longitude, OrderDirection, OrganizerInput, PostParent,
        Problem, PublicationStatus, Tag, TermOrder, VenueInput, VenueUpdate,
    },
};

/// The generated client.
#[allow(clippy::all, unused_imports)]
mod almanac_client {
    include!(concat!(env!("OUT_DIR"), "/almanac_client.rs"));
}

#[cfg_attr(feature = "variant_a", path = "variant_a.rs")]
#[cfg_attr(not(feature = "variant_a"), path = "variant_b.rs")]
mod variant;

fn administrator(calendar: &str, password: &str) -> Result<Client> {
    let with_credentials = reqwest::Client::new()
        .get(calendar)
        .basic_auth("admin", Some(password))
        .build()?;
    let credentials = with_credentials.headers()[AUTHORIZATION].clone();
    let headers = HeaderMap::from_iter([(AUTHORIZATION, credentials)]);
    let client = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(calendar, client))
}

async fn follow_the_list_to_its_end(client: &Client) -> Result<Event> {
    let mut events = Vec::new();
    let mut page = 1;
    let total = loop {
        let list = client.list_events().page(page).per_page(100).send().await?;
        let list = list.into_inner();
        events.extend(list.events);
        if list.next_rest_url.is_none() {
            break list.total;
        }
        page += 1;
    };
    let ids: HashSet<_> = events.iter().map(|event| event.id).collect();
    ensure!(page > 1 && ids.len() == usize::try_from(total)?);
    events.into_iter().next().context("there is an event")
}

fn concert() -> almanac_client::types::builder::EventCreate {
    EventCreate::builder()
        .title("Matinée of the typed clients")
        .start_date("2031-05-07 11:00:00")
        .end_date("2031-05-07 13:00:00")
        .timezone("Europe/Berlin".to_owned())
        .cost(Value::from("12 €"))
        .website(Value::from("https://example.org/matinee"))
        .featured(true)
        .ticketed(true)
}

async fn make_an_event_with_all_that_it_needs(
    client: &Client,
    parent: &Event,
    category: &Category,
    tag: &Tag,
) -> Result<Event> {
    let hall = VenueInput {
        venue: Some("Typed Hall".parse()?),
        city: Some("Kiel".parse()?),
        country: Some("Germany".parse()?),
        geo_lat: Some(Latitude(Some(54.32))),
        geo_lng: Some(Longitude(Some(10.13))),
        ..VenueInput::default()
    };
    let orchestra = OrganizerInput {
        organizer: Some("Typed Orchestra".parse()?),
        email: Some("office@example.org".parse()?),
        ..OrganizerInput::default()
    };
    let body = concert()
        .categories(variant::terms(category.id))
        .tags(variant::terms(tag.id))
        .venue(vec![hall.into()])
        .organizer(vec![orchestra.into()])
        .post_parent(PostParent(Some(parent.id)));
    let event = client.create_event().body(body).send().await?.into_inner();
    ensure!(event.status == PublicationStatus::Publish);
    ensure!(event.venue[0].city == "Kiel");
    ensure!(event.organizer[0].email == "office@example.org");
    ensure!(event.cost_details.currency_code == "EUR");
    Ok(event)
}

async fn find_it_with_every_filter(client: &Client, event: &Event) -> Result<()> {
    let request = client
        .list_events()
        .page(1)
        .per_page(10)
        .start_date("2031-05-01")
        .end_date("2031-05-31")
        .search("typed matinée")
        .categories(vec![event.categories[0].id])
        .tags(vec![event.tags[0].id])
        .venue(vec![event.venue[0].id])
        .organizer(vec![event.organizer[0].id])
        .featured(true)
        .status("publish")
        .geoloc(true)
        .geoloc_lat(54.3)
        .geoloc_lng(10.1)
        .post_parent(event.post_parent.context("it has a parent")?);
    let list = variant::filter(request).send().await?;
    ensure!(list.events.len() == 1 && list.events[0].id == event.id);
    let list = client.list_events().include(vec![i64::try_from(event.id.get())?]);
    ensure!(list.send().await?.total == 1);
    Ok(())
}

async fn read_it_by_id_and_by_slug(client: &Client, event: &Event) -> Result<()> {
    let by_id = client.get_event().id(event.id).send().await?;
    ensure!(by_id.title == event.title);
    let data = by_id.json_ld.as_ref().and_then(|data| data.as_ref());
    ensure!(data.is_some_and(|data| data["@type"] == "Event"));
    let by_slug = client.get_event_by_slug().slug(event.slug.as_str()).send().await?;
    ensure!(by_slug.id == event.id);
    Ok(())
}

/// An `Option` is absent or there; what is there may be null where the field's own type takes it. A text is cleared
/// by an empty one.
async fn patch_it_and_clear_fields(client: &Client, event: &Event) -> Result<()> {
    let update = EventUpdate {
        title: Some("Soirée of the typed clients".parse()?),
        website: Some(Value::Null),
        post_parent: Some(PostParent(None)),
        ..EventUpdate::default()
    };
    let request = client.patch_event().id(event.id).body(update);
    let changed = request.send().await?.into_inner();
    ensure!(changed.title == "Soirée of the typed clients");
    ensure!(changed.start_date == event.start_date);
    ensure!(changed.website.is_empty() && changed.post_parent.is_none());

    let update = VenueUpdate {
        geo_lat: Some(Latitude(None)),
        geo_lng: Some(Longitude(None)),
        city: Some(String::new().try_into()?),
        ..VenueUpdate::default()
    };
    let request = client.patch_venue().id(event.venue[0].id).body(update);
    let venue = request.send().await?.into_inner();
    ensure!(venue.geo_lat.is_none() && venue.city.is_empty());
    Ok(())
}

/// The problem that a request is answered with.
fn problem<T>(answer: Result<ResponseValue<T>, Error<Problem>>, status: u16) -> Result<Problem> {
    match answer {
        Err(Error::ErrorResponse(answer)) if answer.status() == status => Ok(answer.into_inner()),
        Err(other) => Err(other.into()),
        Ok(_) => bail!("{status} was expected"),
    }
}

async fn meet_typed_faults(client: &Client, anonymous: &Client, event: &Event) -> Result<()> {
    let nowhere = NonZeroU64::new(999_999_999).context("it is not zero")?;
    let missing = problem(client.get_event().id(nowhere).send().await, 404)?;
    ensure!(missing.code == "event-not-found" && missing.data.status == 404);

    let update = EventUpdate {
        end_date: Some("2031-05-06".parse()?),
        timezone: Some("Mars".parse()?),
        ..EventUpdate::default()
    };
    let request = client.patch_event().id(event.id).body(update);
    let wrong = problem(request.send().await, 400)?;
    ensure!(wrong.code == "rest_invalid_param");
    ensure!(wrong.data.params["timezone"].contains("IANA"));
    ensure!(wrong.data.details["timezone"].code == "rest_invalid_param");

    let request = anonymous.create_event().body(concert());
    let stranger = problem(request.send().await, 401)?;
    ensure!(stranger.code == "rest_not_logged_in");
    Ok(())
}

async fn delete_it(client: &Client, event: &Event) -> Result<()> {
    let deleted = client.delete_event().id(event.id).send().await?;
    ensure!(deleted.status == PublicationStatus::Trash);
    let again = problem(client.delete_event().id(event.id).send().await, 410)?;
    ensure!(again.code == "event-is-in-trash");
    Ok(())
}

async fn make_list_and_delete_venues_and_organizers(client: &Client) -> Result<()> {
    let request = client.create_venue();
    let venue = request.body_map(|body| body.venue("Lone Hall"));
    let venue = venue.send().await?;
    let list = client.list_venues().search("Lone Hall").has_events(false);
    ensure!(list.send().await?.venues[0].id == venue.id);
    client.delete_venue().id(venue.id).send().await?;

    let request = client.create_organizer();
    let organizer = request.body_map(|body| body.organizer("Lone Orchestra"));
    let organizer = organizer.send().await?;
    let list = client.list_organizers().search("Lone Orchestra");
    ensure!(list.send().await?.organizers[0].id == organizer.id);
    client.delete_organizer().id(organizer.id).send().await?;
    Ok(())
}

async fn list_and_delete_terms(client: &Client, category: &Category, tag: &Tag) -> Result<()> {
    let list = client.list_categories().hide_empty(false);
    let list = list.orderby(TermOrder::Id).order(OrderDirection::Desc);
    ensure!(list.send().await?.categories[0].id == category.id);
    let list = client.list_tags().hide_empty(false);
    let list = list.orderby(TermOrder::Id).order(OrderDirection::Desc);
    ensure!(list.send().await?.tags[0].id == tag.id);
    client.delete_category().id(category.id).send().await?;
    client.delete_tag().id(tag.id).send().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let calendar = env::var("ALMANAC_ADDRESS")?;
    let client = administrator(&calendar, &env::var("ALMANAC_PASSWORD")?)?;
    let anonymous = Client::new(&calendar);

    let parent = follow_the_list_to_its_end(&client).await?;
    let category = client.create_category().body_map(|body| body.name("Typed category"));
    let category = category.send().await?;
    let tag = client.create_tag().body_map(|body| body.name("Typed tag"));
    let tag = tag.send().await?;
    let event = make_an_event_with_all_that_it_needs(&client, &parent, &category, &tag).await?;
    find_it_with_every_filter(&client, &event).await?;
    read_it_by_id_and_by_slug(&client, &event).await?;
    patch_it_and_clear_fields(&client, &event).await?;
    meet_typed_faults(&client, &anonymous, &event).await?;
    delete_it(&client, &event).await?;
    make_list_and_delete_venues_and_organizers(&client).await?;
    list_and_delete_terms(&client, &category, &tag).await
}
