//! Tables of requests with the expected responses. Each table is replayed in order on a fresh server.
//!
//! `request` is the method and the path; `user` has the role that sends it (without it, the request is anonymous). The
//! body is one of `body` (serialised as JSON), `json`, `text` or `form` (sent verbatim). Besides the `status`, the
//! response has one of: a `shape` (see [`super::shape`]), the IDs of events `found` in a list, an `error` code, or the
//! names of fields that are `missing`, `invalid` or of a `wrong_type`.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::{
    on_both_databases,
    shape::{Shapes, mismatches},
    support::{Client, Database, Response, Server},
};

const ROOT: &str = "~/wp-json/tribe/events/v1";

on_both_databases! {
    async fn venues(on) {
        replay(on, include_str!("exchanges/venues.json")).await;
    }

    async fn organizers(on) {
        replay(on, include_str!("exchanges/organizers.json")).await;
    }

    async fn terms(on) {
        replay(on, include_str!("exchanges/terms.json")).await;
    }

    async fn events(on) {
        replay(on, include_str!("exchanges/events.json")).await;
    }
}

/// One client for each role, by its name.
struct Clients(Vec<(&'static str, Client)>);

impl Clients {
    async fn of(server: &Server) -> Self {
        let mut clients = vec![("", server.anonymous()), ("admin", server.administrator().await)];
        for role in Role::ALL {
            if role != Role::Administrator {
                clients.push((role.name(), server.user(role.name(), role).await));
            }
        }
        Self(clients)
    }

    fn get(&self, name: &str) -> &Client {
        let client = self.0.iter().find(|(other, _)| *other == name);
        &client.unwrap_or_else(|| panic!("there is no client {name}")).1
    }
}

async fn replay(on: Database, table: &str) {
    let shapes: Shapes = serde_json::from_str(include_str!("exchanges/shapes.json")).expect("shapes");
    let exchanges: Vec<Value> = serde_json::from_str(table).expect("a table");
    let server = on.server(&["--variant", "a"]).await;
    let clients = Clients::of(&server).await;
    let mut wrong = Vec::new();
    for exchange in exchanges {
        let client = clients.get(exchange["user"].as_str().unwrap_or_default());
        let response = send(client, &exchange).await;
        let mut found = mismatches(&shapes, &expected(&exchange), &compared(&exchange, &response));
        if exchange["status"] != response.status.as_u16() {
            found.push(format!("{} instead of {}", response.status, exchange["status"]));
        }
        if !found.is_empty() {
            let (request, text) = (&exchange["request"], &response.text);
            wrong.push(format!(
                "{request} {}\n    {}\n    {text}",
                exchange["body"],
                found.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

async fn send(client: &Client, exchange: &Value) -> Response {
    let line = exchange["request"].as_str().expect("a method and a path");
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let request = client.request(method, &format!("{ROOT}{path}"));
    let text = |name: &str| exchange[name].as_str().map(str::to_owned);
    let typed = |media_type: &str, body: String| ("content-type", media_type.to_owned(), body);
    let body = if let Some(body) = exchange.get("body") {
        Some(typed("application/json", body.to_string()))
    } else if let Some(body) = text("json") {
        Some(typed("application/json", body))
    } else if let Some(body) = text("form") {
        Some(typed("application/x-www-form-urlencoded", body))
    } else {
        text("text").map(|body| typed("text/plain", body))
    };
    Response::fetch(match body {
        Some((name, media_type, body)) => request.header(name, media_type).body(body),
        None => request,
    })
    .await
}

/// What is compared: the body, or the IDs of events in it.
fn compared(exchange: &Value, response: &Response) -> Value {
    match exchange.get("found") {
        Some(_) => response.each("events", "id").into(),
        None => response.body.clone(),
    }
}

fn expected(exchange: &Value) -> Value {
    let error = |code: &str, params: Value, details: Option<Value>| {
        let mut data = json!({"status": exchange["status"], "params": params});
        if let Some(details) = details {
            data["details"] = details;
        }
        json!({"code": format!("={code}"), "message": "string", "data": data})
    };
    let names = |of: &str| exchange[of].as_array().cloned();
    if let Some(shape) = exchange.get("shape").or_else(|| exchange.get("found")) {
        shape.clone()
    } else if let Some(code) = exchange["error"].as_str() {
        let data = json!({"status": exchange["status"]});
        json!({"code": format!("={code}"), "message": "string", "data": data})
    } else if let Some(names) = names("missing") {
        let names = names.iter().filter_map(Value::as_str).map(|name| format!("={name}"));
        error("rest_missing_callback_param", names.collect(), None)
    } else if let Some(names) = names("invalid") {
        let names = names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| (name.to_owned(), json!("string")));
        error("rest_invalid_param", names.collect(), Some(json!([])))
    } else {
        let types = exchange["wrong_type"].as_object().expect("an expectation");
        let message = |name: &str, ty: &Value| format!("={name} is not of type {}.", ty.as_str().unwrap_or_default());
        let params = types
            .iter()
            .map(|(name, ty)| (name.clone(), Value::from(message(name, ty))));
        let details = types.iter().map(|(name, ty)| {
            let data = json!({"param": format!("={name}")});
            let detail = json!({"code": "=rest_invalid_type", "message": message(name, ty), "data": data});
            (name.clone(), detail)
        });
        error("rest_invalid_param", params.collect(), Some(details.collect()))
    }
}
