//! Links from responses to operations.

use serde_json::Value;

use super::{Operation, VARIANTS, english, members, operation, operations, text};

/// All links, with their operation and response.
fn links(document: &Value) -> Vec<(Operation<'_>, &Value, &String, &Value)> {
    let mut links = Vec::new();
    for operation in operations(document) {
        for (_, response) in members(&operation.value["responses"]) {
            for (name, link) in members(&response["links"]) {
                let Operation { path, method, value } = operation;
                links.push((Operation { path, method, value }, response, name, link));
            }
        }
    }
    links
}

#[test]
fn links_set_all_path_parameters() {
    for variant in VARIANTS {
        let document = english(variant);
        for (from, _, name, link) in links(&document) {
            let id = text(link, "operationId");
            let to = operation(&document, id);
            let at = format!("{} {name}", from.id());
            assert!(name == id || name.starts_with("restore"), "{at}");
            let given: Vec<_> = members(&link["parameters"]).map(|(name, _)| name).collect();
            for required in to.parameters("path") {
                assert!(given.contains(&&text(required, "name").to_owned()), "{at}");
            }
            let accepted = [to.parameters("path"), to.parameters("query")].concat();
            for name in given {
                assert!(accepted.iter().any(|parameter| parameter["name"] == **name), "{at}");
            }
        }
    }
}

#[test]
fn link_expressions_resolve_in_examples() {
    for variant in VARIANTS {
        let document = english(variant);
        for (from, response, name, link) in links(&document) {
            let schema = text(&response["content"]["application/json"]["schema"], "$ref");
            let schema = document.pointer(schema.trim_start_matches('#'));
            let example = &schema.expect("the response has a named schema")["example"];
            let to = operation(&document, text(link, "operationId"));
            for (parameter, expression) in members(&link["parameters"]) {
                let at = format!("{} {name} {parameter}", from.id());
                let pointer = expression
                    .as_str()
                    .and_then(|text| text.strip_prefix("$response.body#"));
                let value = example.pointer(pointer.expect("links refer to the response body"));
                let parameters = [to.parameters("path"), to.parameters("query")].concat();
                let accepted = parameters.iter().find(|candidate| candidate["name"] == **parameter);
                match text(&accepted.expect("the target has the parameter")["schema"], "type") {
                    "integer" => assert!(value.is_some_and(Value::is_i64), "{at}"),
                    "string" => assert!(value.is_some_and(Value::is_string), "{at}"),
                    other => panic!("{at}: {other} can't be sent by a link"),
                }
            }
        }
    }
}

#[test]
fn created_objects_link_to_their_operations() {
    for variant in VARIANTS {
        let document = english(variant);
        for kind in ["Event", "Venue", "Organizer", "Category", "Tag"] {
            let links = |id: &str, status: &str| {
                let from = operation(&document, id);
                let links = members(&from.value["responses"][status]["links"]);
                links.map(|(name, _)| name.clone()).collect::<Vec<_>>()
            };
            let suffixes: &[&str] = match kind {
                "Category" | "Tag" => &[""],
                _ => &["", "BySlug"],
            };
            let created = links(&format!("create{kind}"), "201");
            for suffix in suffixes {
                for verb in ["get", "update", "replace", "patch", "delete"] {
                    let id = format!("{verb}{kind}{suffix}");
                    assert!(created.contains(&id), "{id}");
                    if !matches!(verb, "get" | "delete") {
                        assert!(links(&id, "200").contains(&format!("get{kind}")), "{id}");
                    }
                }
                let deleted = links(&format!("delete{kind}{suffix}"), "200");
                let is_restored = deleted.contains(&format!("restore{kind}"));
                assert_eq!(is_restored, suffixes.len() == 2, "{kind}{suffix}");
            }
        }
    }
}

#[test]
fn lists_and_events_link_to_related_objects() {
    for variant in VARIANTS {
        let document = english(variant);
        for (id, links) in [
            ("listEvents", ["getEvent", "getEventBySlug"].as_slice()),
            ("listVenues", &["getVenue", "getVenueBySlug"]),
            ("listOrganizers", &["getOrganizer", "getOrganizerBySlug"]),
            ("listCategories", &["getCategory"]),
            ("listTags", &["getTag"]),
            (
                "getEvent",
                &["getVenue", "getOrganizer", "getCategory", "getTag", "listVenues"],
            ),
            ("getEventBySlug", &["getVenue", "getOrganizer"]),
        ] {
            let from = operation(&document, id);
            for name in links {
                assert!(
                    from.value["responses"]["200"]["links"].get(name).is_some(),
                    "{id} {name}"
                );
            }
        }
    }
}
