//! The document against the tables.

use std::collections::BTreeSet;

use almanac::api::variant::VariantName;
use serde_json::{Value, json};

use super::{
    ROOT, VARIANTS, english, items, members, named, operation, operations,
    tables::{self, Default, Need, Type, Where},
    text,
};

#[test]
fn there_are_the_fifty_two_operations() {
    for variant in VARIANTS {
        let document = english(variant);
        let served: BTreeSet<_> = operations(&document)
            .iter()
            .map(|operation| {
                (
                    operation.path.to_owned(),
                    operation.method.to_owned(),
                    operation.id().to_owned(),
                )
            })
            .collect();
        let expected: BTreeSet<_> = tables::operations()
            .into_iter()
            .map(|(path, method, id)| (format!("{ROOT}{path}"), method.to_owned(), id))
            .collect();
        assert_eq!(served, expected);
        assert_eq!(served.len(), 52);
    }
}

#[test]
fn creates_take_the_fields_of_the_tables() {
    for variant in VARIANTS {
        let document = english(variant);
        for (kind, fields) in tables::FIELDS {
            let schema = &document["components"]["schemas"][format!("{kind}Create")];
            let names: Vec<_> = members(&schema["properties"]).map(|(name, _)| name).collect();
            let expected: Vec<_> = fields.iter().map(|(name, ..)| name).collect();
            assert_eq!(names, expected, "{kind} {variant:?}");
            for (name, ty, need, default) in fields {
                let property = &schema["properties"][name];
                check_type(&document, property, *ty, variant, name);
                check_default(property, *default, variant, name);
                let required = items(&schema["required"]).any(|required| required == name);
                assert_eq!(required, *need == Need::Required, "{kind}.{name}");
            }
        }
    }
}

#[test]
fn updates_take_the_same_fields_without_requiring_or_defaulting_any() {
    for variant in VARIANTS {
        let document = english(variant);
        for (kind, fields) in tables::FIELDS {
            let schema = &document["components"]["schemas"][format!("{kind}Update")];
            assert_eq!(schema["required"], Value::Null, "{kind}");
            let names: Vec<_> = members(&schema["properties"]).map(|(name, _)| name).collect();
            let expected: Vec<_> = fields.iter().map(|(name, ..)| name).collect();
            assert_eq!(names, expected, "{kind}");
            for (name, ty, ..) in fields {
                let property = &schema["properties"][name];
                check_type(&document, property, *ty, variant, name);
                check_default(property, Default::Nothing, variant, name);
            }
        }
    }
}

#[test]
fn nested_data_takes_an_id_or_the_fields_of_a_create() {
    for variant in VARIANTS {
        let document = english(variant);
        let schemas = &document["components"]["schemas"];
        for kind in ["Venue", "Organizer"] {
            let input = &schemas[format!("{kind}Input")];
            let create = &schemas[format!("{kind}Create")];
            let mut names = members(&input["properties"]).map(|(name, _)| name);
            assert_eq!(names.next().map(String::as_str), Some("id"));
            assert!(names.eq(members(&create["properties"]).map(|(name, _)| name)));
            assert_eq!(input["required"], Value::Null);
        }
    }
}

#[test]
fn lists_take_the_parameters_of_the_tables() {
    for variant in VARIANTS {
        let document = english(variant);
        for (id, parameters) in tables::PARAMETERS {
            let expected: Vec<_> = parameters
                .iter()
                .filter(|(.., place)| *place == Where::Both || variant == VariantName::B)
                .collect();
            let served = operation(&document, id).parameters("query");
            let names: Vec<_> = served.iter().map(|parameter| text(parameter, "name")).collect();
            let expected_names: Vec<_> = expected.iter().map(|(name, ..)| *name).collect();
            assert_eq!(names, expected_names, "{id} {variant:?}");
            for (parameter, (name, ty, default, _)) in served.iter().zip(expected) {
                assert_eq!(parameter.get("required"), None, "{id} {name}");
                check_type(&document, &parameter["schema"], *ty, variant, name);
                check_default(&parameter["schema"], *default, variant, name);
            }
        }
    }
}

#[test]
fn items_are_named_by_one_parameter_in_the_path_and_take_bodies_on_writes() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            let named: Vec<_> = operation
                .parameters("path")
                .iter()
                .map(|parameter| {
                    assert_eq!(parameter["required"], true);
                    (text(parameter, "name"), text(&parameter["schema"], "type"))
                })
                .collect();
            let expected = match operation.path {
                path if path.ends_with("/{id}") => vec![("id", "integer")],
                path if path.ends_with("/{slug}") => vec![("slug", "string")],
                _ => Vec::new(),
            };
            assert_eq!(named, expected, "{}", operation.id());
            let is_list = operation.id().starts_with("list") || operation.id() == "getIndex";
            assert_eq!(!operation.parameters("query").is_empty(), is_list);
            let kind = operation.id().trim_end_matches("BySlug");
            let body = match operation.method {
                "post" | "put" | "patch" => match kind.strip_prefix("create") {
                    Some(kind) => format!("{kind}Create"),
                    None => {
                        let verb = ["update", "replace", "patch"]
                            .iter()
                            .find_map(|verb| kind.strip_prefix(verb));
                        format!("{}Update", verb.expect("an update"))
                    }
                },
                _ => String::new(),
            };
            assert_eq!(operation.body(), body, "{}", operation.id());
        }
    }
}

fn check_type(document: &Value, schema: &Value, ty: Type, variant: VariantName, name: &str) {
    let schema = named(document, schema);
    let declared = text(schema, "type");
    let item = text(&schema["items"], "type");
    match (ty, variant) {
        (Type::Integer, _) => assert_eq!((declared, text(schema, "format")), ("integer", "int64")),
        (Type::Double, _) => assert_eq!((declared, text(schema, "format")), ("number", "double")),
        (Type::Text | Type::Date, _) => assert_eq!(declared, "string", "{name}"),
        (Type::Boolean | Type::Switch, _) => assert_eq!(declared, "boolean", "{name}"),
        (Type::Object, _) => assert_eq!(declared, "object", "{name}"),
        (Type::Integers, _) | (Type::Terms, VariantName::B) => {
            assert_eq!((declared, item), ("array", "integer"), "{name}");
        }
        (Type::Untyped, _) | (Type::Terms, VariantName::A) => {
            assert_eq!(schema.get("type"), None, "{name}");
            assert_eq!(schema.get("items"), None, "{name}");
        }
        (Type::Hosts(nested), _) => {
            assert_eq!(declared, "array", "{name}");
            let choices = &named(document, &schema["items"])["oneOf"];
            assert_eq!(choices[0]["type"], "integer", "{name}");
            let reference = format!("#/components/schemas/{nested}");
            assert_eq!(choices[1]["$ref"], reference, "{name}");
        }
    }
}

fn check_default(schema: &Value, default: Default, variant: VariantName, name: &str) {
    let expected = match default {
        Default::Nothing => None,
        Default::Null => Some(Value::Null),
        Default::False => Some(json!(false)),
        Default::True => Some(json!(true)),
        Default::Number(number) => Some(json!(number)),
        Default::Word(word) => Some(json!(word)),
        Default::PageSize => Some(match variant {
            VariantName::A => json!(10),
            VariantName::B => json!(5),
        }),
    };
    assert_eq!(schema.get("default"), expected.as_ref(), "{name}");
}
