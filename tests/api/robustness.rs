//! Odd or malformed requests never cause a server error, a dropped connection or an HTML page.

use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::{Client, Response},
};

/// Odd query values.
const ODD_STRINGS: [&str; 26] = [
    "",
    " ",
    "0",
    "-1",
    "99999999999999999999999",
    "1.5",
    "1e400",
    "NaN",
    "null",
    "true",
    "[]",
    "{}",
    "a[b]=c",
    "%00",
    "%FF",
    "%F0%9F%8E%89",
    "%E2%80%AE",
    "'%22--",
    "%25",
    "%5C",
    "__",
    "2027-13-45",
    "T",
    "%2B",
    ",,,",
    "1,2,x",
];

/// Odd JSON values.
fn odd_values() -> Vec<Value> {
    let deep = (0..60).fold(json!([]), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(9_223_372_036_854_775_807_i64),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("a\u{0}b"),
        json!("🎉"),
        json!("\u{202e}x"),
        json!("\u{feff}"),
        json!("x".repeat(70_000)),
        json!("<script>alert(1)</script>"),
        json!("99999999999999999999"),
        json!("0000-00-00 00:00:00"),
        json!("9999-12-31 23:59:59"),
        json!("0001-01-01"),
        json!("-9999 years"),
        json!([]),
        json!([null]),
        json!([[]]),
        json!({}),
        json!({"id": null}),
        json!({"id": "x"}),
        json!({"id": {}}),
        json!([{"venue": null}]),
        json!([1, "a", {}]),
        deep,
    ]
}

/// Asserts that the response is JSON with a request ID, and not a server error.
fn assert_handled(response: &Response, request: &str) {
    let status = response.status.as_u16();
    assert!(status < 500, "{request}: {status} {}", response.text);
    assert!(!response.body.is_null(), "{request}: {status} {}", response.text);
    assert!(!response.header("x-request-id").is_empty(), "{request}");
    if status >= 400 {
        assert_eq!(response.body["data"]["status"], status, "{request}: {}", response.text);
    }
}

async fn document(client: &Client) -> Value {
    client.get("/doc").await.is(200).body
}

on_both_databases! {
    async fn query_values_never_cause_5xx(database) {
        let server = database.server(&[]).await;
        let reader = server.anonymous();
        let document = document(&reader).await;
        for list in ["events", "venues", "organizers", "categories", "tags"] {
            let operation = &document["paths"][format!("/calendar/events/v1/{list}")]["get"];
            for parameter in operation["parameters"].as_array().expect("parameters") {
                // Shared headers are references without a name.
                let Some(name) = parameter["name"].as_str() else { continue };
                for odd in ODD_STRINGS {
                    for path in [format!("/{list}?{name}={odd}"), format!("/{list}?{name}[]={odd}")] {
                        assert_handled(&reader.get(&path).await, &path);
                    }
                }
            }
        }
    }

    async fn field_values_never_cause_5xx(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let document = document(&admin).await;
        for (list, kind) in [
            ("events", "Event"), ("venues", "Venue"), ("organizers", "Organizer"), ("categories", "Category"),
            ("tags", "Tag"),
        ] {
            let schema = &document["components"]["schemas"][format!("{kind}Create")];
            let example = &schema["example"];
            let made = admin.create(&format!("/{list}"), example.clone()).await;
            let path = format!("/{list}/{}", made["id"]);
            let names: Vec<&String> = schema["properties"].as_object().expect("properties").keys().collect();
            for odd in odd_values() {
                let value: String = odd.to_string().chars().take(80).collect();
                let in_every_field: serde_json::Map<String, Value> =
                    names.iter().map(|name| ((*name).clone(), odd.clone())).collect();
                let response = admin.post(&format!("/{list}"), in_every_field.clone().into()).await;
                assert_handled(&response, &format!("{kind} {value}"));
                // Fields that reject the value are removed until the rest is accepted.
                let mut fields = in_every_field;
                loop {
                    let response = admin.patch(&path, fields.clone().into()).await;
                    assert_handled(&response, &format!("{kind} {fields:?}"));
                    // An error of the body as a whole names no field.
                    let Some(rejected) = response.body["data"]["params"].as_object() else { break };
                    let before = fields.len();
                    fields.retain(|name, _| !rejected.contains_key(name));
                    assert!(fields.len() < before, "{kind} {value}: {}", response.text);
                }
            }
        }
    }

    async fn paths_never_cause_5xx(database) {
        let server = database.server(&[]).await;
        let reader = server.anonymous();
        for path in [
            "/events/0", "/events/-1", "/events/1.5", "/events/99999999999999999999", "/events/%00", "/events/1%00",
            "/events/by-slug/%00", "/events/by-slug/%FF", "/events/by-slug/%F0%9F%8E%89", "/events/by-slug/..%2f..",
            "/events/by-slug/a/b", "/events/by-slug/", "/events/by-slug", "/events//1", "//events", "/events/1/",
            "/%65vents", "/events;x=1", "/doc/x", "/categories/by-slug/x", "/events?%", "/events?=&&=", "/events?[]=1",
            "/events?a[b[c]=1", "/events?page[[[=1", "/events?include[0][1][2][3][4][5][6]=1",
        ] {
            assert_handled(&reader.get(path).await, path);
        }
    }

    async fn bodies_never_cause_5xx(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (media_type, body) in [
            ("application/json", "{"), ("application/json", "[1,2]"), ("application/json", "\"x\""),
            ("application/json", "null"), ("application/json", "{\"title\": \"\\ud800\"}"),
            ("application/json", "{\"title\": 1e999}"), ("application/json", "\u{feff}{}"),
            ("application/json; charset=latin1", "{}"), ("application/x-www-form-urlencoded", "a=%ZZ&b[=1&=&c[][]=1"),
            ("application/x-www-form-urlencoded", "title=%FF%FE"), ("multipart/form-data", "x"),
            ("multipart/form-data; boundary=x", "--x\r\n\r\n--x--"), ("multipart/form-data; boundary=x", ""),
            ("text/plain", "title=x"), ("application/xml", "<a/>"), ("nonsense", "{}"), ("", "title=x"), ("", "{}"),
        ] {
            let mut request = admin.request("POST", "/events").body(body);
            if !media_type.is_empty() {
                request = request.header("content-type", media_type);
            }
            assert_handled(&Response::fetch(request).await, &format!("{media_type}: {body}"));
        }
        let nested = format!("{}{}", "{\"custom_fields\":".repeat(500), "}".repeat(500));
        let request = admin.request("POST", "/events").header("content-type", "application/json").body(nested);
        Response::fetch(request).await.is_error(400, "rest_invalid_json");
    }
}
