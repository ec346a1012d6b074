//! The structure of the document: references, descriptions, statuses and security.

use std::collections::BTreeSet;

use almanac::testing::{api::document, config::Language};
use serde_json::{Value, json};

use super::{ROOT, VARIANTS, english, items, members, operation, operations, text, visit};

#[test]
fn document_depends_on_variant_and_language_only() {
    for variant in VARIANTS {
        let document = english(variant);
        assert_eq!(document["servers"], json!([{"url": "/"}]));
        assert_eq!(document["info"]["title"], "Almanac");
        assert_eq!(
            document["info"]["license"],
            json!({"name": "MIT", "url": "https://opensource.org/license/mit"})
        );
        for name in ["start_date", "end_date"] {
            let events = operation(&document, "listEvents").parameters("query");
            let parameter = events.iter().find(|parameter| parameter["name"] == name);
            let schema = &parameter.expect("the parameter exists")["schema"];
            assert_eq!(schema.get("default"), None, "{name}");
            assert!(schema["example"].is_string(), "{name}");
        }
        let per_page = operation(&document, "listEvents").parameters("query")[1];
        assert_eq!(per_page["schema"].get("maximum"), None);
    }
}

#[test]
fn code_in_descriptions_is_fenced() {
    for variant in VARIANTS {
        for language in [Language::En, Language::Es] {
            visit(&document::emit(variant, language), "", &mut |path, object| {
                let description = object["description"].as_str().unwrap_or_default();
                let indented = description.lines().find(|line| line.starts_with("    "));
                assert_eq!(indented, None, "{path}");
            });
        }
    }
}

#[test]
fn references_resolve() {
    for variant in VARIANTS {
        let document = english(variant);
        visit(&document, "", &mut |path, object| {
            if let Some(reference) = object["$ref"].as_str() {
                let target = reference.trim_start_matches('#').to_owned();
                assert!(document.pointer(&target).is_some(), "{path}: {reference}");
                // OpenAPI 3.0 allows no siblings of a reference.
                assert_eq!(object.as_object().map(serde_json::Map::len), Some(1), "{path}");
            }
        });
    }
}

#[test]
fn nullable_schemas_accept_null() {
    // `nullable` has no effect without a type, or if the referenced schema does not allow null.
    for variant in VARIANTS {
        let document = english(variant);
        visit(&document, "", &mut |path, object| {
            if object["nullable"] == true {
                assert!(object["type"].is_string(), "{path}");
                for part in items(&object["allOf"]) {
                    let target = text(part, "$ref").trim_start_matches('#');
                    let target = document.pointer(target).expect("the reference resolves");
                    assert_eq!(target["nullable"], true, "{path}");
                }
            }
        });
    }
}

#[test]
fn all_elements_have_descriptions() {
    for variant in VARIANTS {
        let document = english(variant);
        let tags: Vec<_> = items(&document["tags"]).map(|tag| text(tag, "name")).collect();
        let order = [
            "Index",
            "Users",
            "Events",
            "Series",
            "Venues",
            "Organizers",
            "Categories",
            "Tags",
            "Changes",
            "Webhooks",
            "Batches",
        ];
        assert_eq!(tags, order);
        let is_described = |value: &Value| value.get("$ref").is_some() || !text(value, "description").is_empty();
        for operation in operations(&document) {
            let id = operation.id();
            assert!(!text(operation.value, "summary").is_empty(), "{id}");
            assert!(is_described(operation.value), "{id}");
            let is_camel_case =
                id.starts_with(char::is_lowercase) && id.chars().all(|letter| letter.is_ascii_alphabetic());
            assert!(is_camel_case, "{id}");
            assert_eq!(items(&operation.value["tags"]).count(), 1, "{id}");
            assert!(items(&operation.value["parameters"]).all(is_described), "{id}");
            for (status, response) in members(&operation.value["responses"]) {
                assert!(is_described(response), "{id} {status}");
                assert!(
                    members(&response["headers"]).all(|(_, header)| is_described(header)),
                    "{id} {status}"
                );
            }
        }
        for (name, schema) in members(&document["components"]["schemas"]) {
            assert!(is_described(schema), "{name}");
            for (property, schema) in members(&schema["properties"]) {
                assert!(is_described(schema), "{name}.{property}");
            }
        }
        for kind in ["parameters", "headers", "securitySchemes"] {
            let mut described = members(&document["components"][kind]);
            assert!(described.all(|(_, value)| is_described(value)), "{kind}");
        }
    }
}

#[test]
fn reads_allow_and_writes_require_credentials() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            let expected = match operation.method {
                _ if operation.id() == "previewSeries" => json!([{"basic": []}, {"bearer": []}, {}]),
                "get" if operation.id() != "getMe" && operation.tag() != "Webhooks" => {
                    json!([{"basic": []}, {"bearer": []}, {}])
                }
                _ => json!([{"basic": []}, {"bearer": []}]),
            };
            assert_eq!(operation.value["security"], expected, "{}", operation.id());
        }
    }
}

#[test]
fn representations_have_all_fields_of_bodies() {
    for variant in VARIANTS {
        let document = english(variant);
        let schemas = &document["components"]["schemas"];
        for (body, representation) in [
            ("EventCreate", "Event"),
            ("VenueInput", "Venue"),
            ("OrganizerInput", "Organizer"),
            ("CategoryCreate", "Category"),
            ("TagCreate", "Tag"),
        ] {
            for (field, _) in members(&schemas[body]["properties"]) {
                // The rule is a member of the series of the event.
                let is_part = body == "EventCreate" && field == "recurrence";
                assert!(
                    is_part || schemas[representation]["properties"].get(field).is_some(),
                    "{body}.{field}"
                );
            }
        }
    }
}

#[test]
fn reads_have_a_choice_of_members() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            let parameters = operation.parameters("query");
            let fields = parameters.iter().find(|parameter| parameter["name"] == "fields");
            let has_members = operation.method == "get" && operation.id() != "streamChanges";
            assert_eq!(fields.is_some(), has_members, "{}", operation.id());
            let Some(fields) = fields else { continue };
            let names: Vec<&str> = items(&fields["schema"]["items"]["enum"])
                .filter_map(Value::as_str)
                .collect();
            let object = match operation.path.strip_prefix(ROOT).unwrap_or_default().split('/').nth(1) {
                Some("series") if operation.id() == "listSeriesEvents" => "Event",
                Some("series") => "Series",
                Some("events") => "Event",
                Some("venues") => "Venue",
                Some("organizers") => "Organizer",
                Some("categories") => "Category",
                Some("tags") => "Tag",
                Some("me") => "User",
                Some("changes") => "Change",
                Some("webhooks") if operation.id() == "listDeliveries" => "Delivery",
                Some("webhooks") => "Webhook",
                Some("doc") => {
                    assert!(members(&document).all(|(name, _)| names.contains(&name.as_str())));
                    continue;
                }
                _ => "NamespaceIndex",
            };
            let properties = members(&document["components"]["schemas"][object]["properties"]);
            assert!(properties.map(|(name, _)| name).eq(&names), "{}", operation.id());
        }
    }
}

/// The statuses of an operation besides those of all operations.
fn statuses(id: &str) -> &'static [u16] {
    let by_slug = id.ends_with("BySlug");
    let of_term = ["Category", "Tag", "Categories", "Tags"]
        .iter()
        .any(|kind| id.ends_with(kind));
    let verb = id.split(char::is_uppercase).next().unwrap_or_default();
    match (id, verb) {
        ("getIndex", _) => &[200, 304, 400, 404],
        ("getDocument" | "getMe", _) => &[200, 304, 400],
        ("previewSeries", _) => &[200, 400, 413, 415],
        ("listSeriesEvents", _) => &[200, 304, 400, 403, 404, 410],
        // The slugs of a series are those of its events.
        ("updateSeries", _) => &[200, 400, 403, 404, 409, 410, 412, 413, 415, 422, 507],
        ("replaceSeries" | "patchSeries", _) => &[200, 400, 403, 404, 410, 412, 413, 415, 507],
        ("getChanges", _) => &[200, 304, 400, 410],
        ("streamChanges", _) => &[200, 400, 410],
        ("listWebhooks", _) => &[200, 304, 400, 403],
        ("createWebhook", _) => &[201, 400, 403, 413, 415, 507],
        ("getWebhook" | "listDeliveries", _) => &[200, 304, 400, 403, 404],
        ("patchWebhook", _) => &[200, 400, 403, 404, 412, 413, 415, 507],
        ("deleteWebhook", _) => &[200, 400, 403, 404, 412, 507],
        ("testWebhook" | "redeliver", _) => &[200, 400, 403, 404, 507],
        (_, "list") if of_term => &[200, 304, 400, 404],
        (_, "list") => &[200, 304, 400, 403, 404],
        ("runBatch", _) => &[207, 400, 403, 409, 413, 415, 422, 507],
        (_, "put") => &[200, 201, 400, 403, 409, 410, 412, 413, 415, 507],
        (_, "create") => &[201, 400, 403, 409, 413, 415, 422, 507],
        (_, "get") if of_term => &[200, 304, 400, 404],
        (_, "get") if by_slug => &[200, 304, 400, 403, 404],
        (_, "get") => &[200, 304, 400, 403, 404, 410],
        (_, "delete") if of_term || by_slug => &[200, 400, 403, 404, 412, 507],
        (_, "delete") => &[200, 400, 403, 404, 410, 412, 507],
        (_, "update") if of_term || by_slug => &[200, 400, 403, 404, 409, 412, 413, 415, 422, 507],
        (_, "update") => &[200, 400, 403, 404, 409, 410, 412, 413, 415, 422, 507],
        _ if of_term || by_slug => &[200, 400, 403, 404, 409, 412, 413, 415, 507],
        _ => &[200, 400, 403, 404, 409, 410, 412, 413, 415, 507],
    }
}

#[test]
fn declared_statuses_are_exact() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            let id = operation.id();
            let expected: BTreeSet<u16> = [401, 406, 429, 500, 503].iter().chain(statuses(id)).copied().collect();
            let responses = &operation.value["responses"];
            let served: BTreeSet<u16> = members(responses)
                .filter_map(|(status, _)| status.parse().ok())
                .collect();
            assert_eq!(served, expected, "{id}");
            for (status, response) in members(responses) {
                let media_type = match (id, status.as_str()) {
                    ("streamChanges", "200") => "text/event-stream",
                    _ => "application/json",
                };
                let schema = &response["content"][media_type]["schema"];
                match status.as_str() {
                    "304" => assert_eq!(response.get("content"), None, "{id}"),
                    "200" | "201" | "207" => assert_ne!(*schema, Value::Null, "{id}"),
                    _ => assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{id} {status}"),
                }
            }
        }
    }
}

#[test]
fn conditional_headers_are_declared() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            let shared: Vec<_> = items(&operation.value["parameters"])
                .filter_map(|parameter| parameter["$ref"].as_str()?.strip_prefix("#/components/parameters/"))
                .collect();
            let expected: &[_] = match operation.method {
                _ if operation.id() == "getDocument" => &["Accept-Language", "If-None-Match", "Prefer"],
                _ if ["streamChanges", "createWebhook", "testWebhook", "redeliver"].contains(&operation.id()) => {
                    &["Prefer"]
                }
                "get" => &["If-None-Match", "Prefer"],
                _ if operation.id() == "previewSeries" => &["Prefer"],
                _ if operation.id().starts_with("create") || operation.id() == "runBatch" => {
                    &["Idempotency-Key", "Prefer"]
                }
                "post" => &["If-Match", "Idempotency-Key", "Prefer"],
                _ => &["If-Match", "Prefer"],
            };
            assert_eq!(shared, expected, "{}", operation.id());
        }
    }
}
