//! Tables of requests and of what is answered, in order, each on a fresh server.
//!
//! Who asks stands in `as` (nobody without it), what in `ask`, and what is sent in `body` (as JSON), `json` or
//! `text` (as they stand) or `form`. Beside `status` stands the answer: its `shape` (see [`super::shape`]), or
//! for lists of events the IDs that are `found`, or the `error`, or what is `missing`, `invalid` or of a
//! `wrong_type`.

use almanac::auth::Role;
use serde_json::{Value, json};

use crate::{
    on_both,
    shape::{Shapes, mismatches},
    support::{Answer, Client, Database, Server},
};

const ROOT: &str = "~/wp-json/tribe/events/v1";

on_both! {
    async fn venues_are_as_recorded(on) {
        replay(on, include_str!("exchanges/venues.json")).await;
    }

    async fn organizers_are_as_recorded(on) {
        replay(on, include_str!("exchanges/organizers.json")).await;
    }

    async fn categories_and_tags_are_as_recorded(on) {
        replay(on, include_str!("exchanges/terms.json")).await;
    }

    async fn events_are_as_recorded(on) {
        replay(on, include_str!("exchanges/events.json")).await;
    }
}

/// Somebody of each role.
struct People(Vec<(&'static str, Client)>);

impl People {
    async fn of(server: &Server) -> Self {
        let mut people = vec![("", server.anonymous()), ("admin", server.administrator().await)];
        for role in Role::ALL {
            if role != Role::Administrator {
                people.push((role.name(), server.user(role.name(), role).await));
            }
        }
        Self(people)
    }

    fn get(&self, name: &str) -> &Client {
        let person = self.0.iter().find(|(other, _)| *other == name);
        &person.unwrap_or_else(|| panic!("nobody is {name}")).1
    }
}

async fn replay(on: Database, table: &str) {
    let shapes: Shapes = serde_json::from_str(include_str!("exchanges/shapes.json")).expect("shapes");
    let exchanges: Vec<Value> = serde_json::from_str(table).expect("a table");
    let server = on.server(&["--variant", "a"]).await;
    let people = People::of(&server).await;
    let mut wrong = Vec::new();
    for exchange in exchanges {
        let person = people.get(exchange["as"].as_str().unwrap_or_default());
        let answer = ask(person, &exchange).await;
        let mut found = mismatches(&shapes, &expected(&exchange), &told(&exchange, &answer));
        if exchange["status"] != answer.status.as_u16() {
            found.push(format!("{} instead of {}", answer.status, exchange["status"]));
        }
        if !found.is_empty() {
            let (ask, text) = (&exchange["ask"], &answer.text);
            wrong.push(format!(
                "{ask} {}\n    {}\n    {text}",
                exchange["body"],
                found.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

async fn ask(person: &Client, exchange: &Value) -> Answer {
    let line = exchange["ask"].as_str().expect("a method and a path");
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let request = person.request(method, &format!("{ROOT}{path}"));
    let text = |name: &str| exchange[name].as_str().map(str::to_owned);
    let typed = |media_type: &str, body: String| ("content-type", media_type.to_owned(), body);
    let sent = if let Some(body) = exchange.get("body") {
        Some(typed("application/json", body.to_string()))
    } else if let Some(body) = text("json") {
        Some(typed("application/json", body))
    } else if let Some(body) = text("form") {
        Some(typed("application/x-www-form-urlencoded", body))
    } else {
        text("text").map(|body| typed("text/plain", body))
    };
    Answer::of(match sent {
        Some((name, media_type, body)) => request.header(name, media_type).body(body),
        None => request,
    })
    .await
}

/// What is compared: all of the answer, or the IDs that it has.
fn told(exchange: &Value, answer: &Answer) -> Value {
    match exchange.get("found") {
        Some(_) => answer.each("events", "id").into(),
        None => answer.body.clone(),
    }
}

fn expected(exchange: &Value) -> Value {
    let refused = |code: &str, params: Value, details: Option<Value>| {
        let mut data = json!({"status": exchange["status"], "params": params});
        if let Some(details) = details {
            data["details"] = details;
        }
        json!({"code": format!("={code}"), "message": "text", "data": data})
    };
    let names = |of: &str| exchange[of].as_array().cloned();
    if let Some(shape) = exchange.get("shape").or_else(|| exchange.get("found")) {
        shape.clone()
    } else if let Some(code) = exchange["error"].as_str() {
        let data = json!({"status": exchange["status"]});
        json!({"code": format!("={code}"), "message": "text", "data": data})
    } else if let Some(names) = names("missing") {
        let names = names.iter().filter_map(Value::as_str).map(|name| format!("={name}"));
        refused("rest_missing_callback_param", names.collect(), None)
    } else if let Some(names) = names("invalid") {
        let names = names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| (name.to_owned(), json!("text")));
        refused("rest_invalid_param", names.collect(), Some(json!([])))
    } else {
        let types = exchange["wrong_type"].as_object().expect("what is expected");
        let message = |name: &str, ty: &Value| format!("={name} is not of type {}.", ty.as_str().unwrap_or_default());
        let params = types
            .iter()
            .map(|(name, ty)| (name.clone(), Value::from(message(name, ty))));
        let details = types.iter().map(|(name, ty)| {
            let data = json!({"param": format!("={name}")});
            let detail = json!({"code": "=rest_invalid_type", "message": message(name, ty), "data": data});
            (name.clone(), detail)
        });
        refused("rest_invalid_param", params.collect(), Some(details.collect()))
    }
}
