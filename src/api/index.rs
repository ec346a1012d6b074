//! The index of the namespace, and the interface description.

use almanac_derive::Parameters;
use poem::http::HeaderMap;
use poem_openapi::{
    Object, OpenApi,
    registry::{MetaSchema, Registry},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Tag,
    document::{Document, canonical},
    operations::{OPERATIONS, Operation},
};
use crate::{
    auth::{Caller, Reader},
    calendar::{
        date::format_local,
        window::{default_end, default_start},
    },
    error::{FieldError, Problem},
    extract::{
        FromInput, InputValue, JsonObject, MaybeUndefined, Params,
        choice::{enumeration, one_of},
        selectable,
        text::Text,
    },
    response::{CachePolicy, FoundDocument, FoundIndex, Representation},
    views::ROOT,
};

/// Namespace of the interface.
const NAMESPACE: &str = "calendar/events/v1";

/// The endpoints of the index and the interface description.
pub(crate) struct IndexApi;

/// The index of the namespace.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct NamespaceIndex {
    /// Namespace of the interface.
    pub namespace: String,
    /// All paths with their methods and arguments.
    pub routes: JsonObject,
    /// Link to the index itself.
    #[oai(rename = "_links")]
    #[serde(rename = "_links")]
    pub links: JsonObject,
}

impl Representation for NamespaceIndex {}

selectable!(NamespaceIndex, "namespace");

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Index")]
impl IndexApi {
    /// Get the index
    ///
    /// All paths with their methods and arguments, generated from the interface description.
    #[oai(path = "/", method = "get", operation_id = "getIndex")]
    async fn index(
        &self,
        reader: Reader,
        params: Params<IndexQuery, NamespaceIndex>,
    ) -> Result<FoundIndex<NamespaceIndex>, Problem> {
        params.errors.into_result()?;
        let namespace = params.query.namespace.take();
        if namespace.is_some_and(|name| name.0.trim_matches('/') != NAMESPACE) {
            return Err(Problem::no_route());
        }
        let index = index(&reader, &canonical(reader.variant).value);
        Ok(FoundIndex::new(index)
            .with_cache_policy(Some(CachePolicy::UNTIL_MIDNIGHT))
            .with_fields(params.fields))
    }

    /// Get the interface description
    ///
    /// This document as OpenAPI 3.0, in the language that `Accept-Language` prefers: English or Spanish.
    #[oai(path = "/doc", method = "get", operation_id = "getDocument")]
    async fn document(
        &self,
        reader: Reader,
        headers: &HeaderMap,
        params: Params<(), Document>,
    ) -> Result<FoundDocument<Document>, Problem> {
        params.errors.into_result()?;
        let document = reader.almanac.documents.preferred(headers);
        let language = document.language.tag();
        Ok(FoundDocument::new(document.clone())
            .with_header("content-language", language)
            .with_cache_policy(Some(CachePolicy::WITHOUT_EVENT_TEXTS))
            .with_fields(params.fields))
    }
}

/// The index: the operations of the specification with their descriptions in the document.
fn index(caller: &Caller, document: &Value) -> NamespaceIndex {
    let mut routes = Map::new();
    for operations in OPERATIONS.chunk_by(|one, next| one.path == next.path) {
        let path = operations[0].full_path();
        routes.insert(pattern(&path), route(caller, document, &path, operations));
    }
    let url = format!("{}{ROOT}", caller.address.base);
    NamespaceIndex {
        namespace: NAMESPACE.to_owned(),
        routes: JsonObject(routes),
        links: links(&url),
    }
}

fn links(url: &str) -> JsonObject {
    let mut links = Map::new();
    links.insert("self".to_owned(), json!([{ "href": url }]));
    JsonObject(links)
}

/// The path in WordPress' notation, with parameters as named groups: `(?P<id>\d+)`.
fn pattern(path: &str) -> String {
    path.replace("{id}", r"(?P<id>\d+)")
        .replace("{delivery}", r"(?P<delivery>\d+)")
        .replace("{slug}", "(?P<slug>[^/]+)")
        .replace("{source}", "(?P<source>[^/]+)")
        .replace("{external_id}", "(?P<external_id>[^/]+)")
}

fn route(caller: &Caller, document: &Value, path: &str, operations: &[Operation]) -> Value {
    // Methods with the same arguments form one endpoint.
    let mut endpoints: Vec<(Vec<String>, Value)> = Vec::new();
    for operation in operations {
        let method = operation.method.to_string();
        let described = &document["paths"][path][method.to_lowercase()];
        let arguments = arguments(caller, document, operation, described);
        match endpoints.iter_mut().find(|(_, other)| *other == arguments) {
            Some((methods, _)) => methods.push(method),
            None => endpoints.push((vec![method], arguments)),
        }
    }
    let methods: Vec<&String> = endpoints.iter().flat_map(|(methods, _)| methods).collect();
    let mut route = json!({
        "namespace": NAMESPACE,
        "methods": methods,
        "endpoints": endpoints
            .iter()
            .map(|(methods, arguments)| json!({"methods": methods, "args": arguments}))
            .collect::<Vec<_>>(),
    });
    let is_read = methods.iter().any(|method| *method == "GET");
    if is_read && !path.contains('{') {
        route["_links"] = json!(links(&format!("{}{path}", caller.address.base)));
    }
    route
}

fn arguments(caller: &Caller, document: &Value, operation: &Operation, described: &Value) -> Value {
    let mut arguments = Map::new();
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        // Header parameters are references, and are not arguments.
        let name = parameter["name"].as_str();
        let Some(name) = name.filter(|name| operation.parameters.contains(name)) else {
            continue;
        };
        let is_required = parameter["required"] == true;
        let mut argument = argument(document, &parameter["schema"], is_required);
        if let Some(description) = parameter.get("description") {
            argument.insert("description".to_owned(), description.clone());
        }
        if operation.id == "listEvents" {
            let site = &caller.almanac.settings.site.zone;
            let default = match name {
                "start_date" => Some(default_start(site, caller.now)),
                "end_date" => Some(default_end(site, caller.now)),
                _ => None,
            };
            if let Some(local) = default {
                argument.insert("default".to_owned(), format_local(local).into());
            }
        }
        arguments.insert(name.to_owned(), argument.into());
    }
    let body = &described["requestBody"]["content"]["application/json"]["schema"];
    let schema = resolve(document, body);
    let required = schema["required"].as_array();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.is_some_and(|names| names.contains(&json!(name)));
        // If path and body have a parameter of the same name, the path's takes precedence.
        arguments
            .entry(name.clone())
            .or_insert_with(|| argument(document, property, is_required).into());
    }
    arguments.into()
}

fn argument(document: &Value, schema: &Value, required: bool) -> Map<String, Value> {
    let mut argument = Map::new();
    argument.insert("required".to_owned(), required.into());
    let referenced = resolve(document, &schema["allOf"][0]);
    for keyword in ["default", "description", "type", "items", "enum"] {
        if let Some(value) = schema.get(keyword).or_else(|| referenced.get(keyword)) {
            argument.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(items) = argument.get_mut("items") {
        *items = resolve(document, items).clone();
    }
    argument
}

/// The schema itself, or the schema that it references.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    schema["$ref"]
        .as_str()
        .and_then(|reference| document.pointer(reference.trim_start_matches('#')))
        .unwrap_or(schema)
}

/// The query parameters of the index.
#[derive(Debug, Parameters)]
pub(crate) struct IndexQuery {
    /// Namespace to describe. This is the only one; any other returns 404.
    #[param(default = NAMESPACE, schema(only_namespace), example = NAMESPACE)]
    pub namespace: MaybeUndefined<Text>,
    /// Purpose of the request. The index is the same in each context.
    #[param(default = "view", example = "view")]
    #[expect(dead_code, reason = "validated when parsed; the index does not depend on it")]
    pub context: MaybeUndefined<IndexContext>,
}

fn only_namespace(schema: MetaSchema) -> MetaSchema {
    MetaSchema {
        enum_items: vec![NAMESPACE.into()],
        ..schema
    }
}

/// The purpose of a request for the index. The response does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexContext {
    View,
    Embed,
    Edit,
}

impl IndexContext {
    const CHOICES: [(&'static str, Self); 3] = [("view", Self::View), ("embed", Self::Embed), ("edit", Self::Edit)];
}

impl FromInput for IndexContext {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(
            registry,
            "IndexContext",
            "Purpose of a request for the index.",
            &Self::CHOICES,
        )
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &Self::CHOICES)
    }
}
