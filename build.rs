//! Writes Rust from the description in `openapi/`: one struct for each list's parameters and each body, how it
//! is described in the document of each variant, and how it is read. Also makes the assets of the pages ready.
//!
//! What an `x-type` of the description names is a leaf type of `src/wire/`.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::{Map, Value};

use schemas::{registrations, schema, schema_literal};

#[path = "src/pages/assets/prepare.rs"]
mod assets;
#[path = "src/api/overlay.rs"]
mod overlay;
#[path = "src/api/described/schemas.rs"]
mod schemas;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const VARIANTS: [(&str, &str); 2] = [("A", "variant-a.overlay.yaml"), ("B", "variant-b.overlay.yaml")];

/// The bodies of each kind: what handlers see of them, and the kind where they may be nested.
const KINDS: [(&str, bool); 5] = [
    ("Event", false),
    ("Venue", true),
    ("Organizer", true),
    ("Category", false),
    ("Tag", false),
];

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=openapi");
    println!("cargo::rerun-if-changed=src/api/overlay.rs");
    println!("cargo::rerun-if-changed=src/api/described");
    let description = read("calendar.yaml")?;
    check_operation_ids(&description)?;
    let mut variants = Vec::new();
    for (name, file) in VARIANTS {
        let mut variant = description.clone();
        overlay::lay(&mut variant, &read(file)?).map_err(|error| format!("{file}: {error}"))?;
        derive_schemas(&mut variant)?;
        variants.push((name, variant));
    }
    let lists = lists(&description, &variants)?;
    let bodies = bodies(&variants)?;
    write("described.rs", quote! { #lists #bodies })?;
    write("assets.rs", assets::prepare()?)
}

/// Writes code to where the sources include it from.
fn write(name: &str, code: TokenStream) -> Result<()> {
    let file = syn::parse2(code).map_err(|error| format!("the code does not parse: {error}"))?;
    let target = Path::new(&env::var("OUT_DIR")?).join(name);
    fs::write(target, prettyplease::unparse(&file))?;
    Ok(())
}

fn read(file: &str) -> Result<Value> {
    let text = fs::read_to_string(Path::new("openapi").join(file))?;
    serde_norway::from_str(&text).map_err(|error| format!("openapi/{file}: {error}").into())
}

/// The operations of the description, with path and method.
fn operations(description: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let paths = description["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let operations = item.as_object().into_iter().flatten();
        operations.map(move |(method, operation)| (path, method, operation))
    })
}

fn check_operation_ids(description: &Value) -> Result<()> {
    let mut known = BTreeMap::new();
    for (path, method, operation) in operations(description) {
        let id = text(operation, "operationId")?;
        if let Some(other) = known.insert(id, path) {
            return Err(format!("{id} is both {method} {path} and an operation of {other}").into());
        }
    }
    Ok(())
}

/// Makes plain schemas of those that are said to be another one for updates, or nested.
fn derive_schemas(description: &mut Value) -> Result<()> {
    let schemas = description["components"]["schemas"].clone();
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        let derived = if let Some(original) = schema["x-update-of"].as_str() {
            for_update(&schemas[original], schema)?
        } else if let Some(original) = schema["x-nested-of"].as_str() {
            nested(&schemas[original], schema)?
        } else {
            continue;
        };
        description["components"]["schemas"][name] = derived;
    }
    Ok(())
}

fn for_update(original: &Value, update: &Value) -> Result<Value> {
    let mut schema = update.clone();
    let kept = update["x-keep"].as_array().ok_or("x-keep is missing")?;
    let mut properties = properties(original)?.clone();
    for (name, property) in &mut properties {
        let property = property.as_object_mut().ok_or("a property is an object")?;
        property.shift_remove("default");
        property.shift_remove("nullable");
        // What has no type takes null anyway, and `nullable` says nothing without one (OpenAPI 3.0.3).
        let has_type = property.contains_key("type");
        if has_type && !kept.iter().any(|keep| keep == name) {
            property.insert("nullable".to_owned(), true.into());
        }
    }
    schema["type"] = "object".into();
    schema["properties"] = properties.into();
    Ok(schema)
}

fn nested(original: &Value, nested: &Value) -> Result<Value> {
    let mut schema = nested.clone();
    let mut with_id = Map::new();
    let id = serde_json::json!({
        "type": "integer", "format": "int64", "minimum": 1, "example": 1,
        "description": "ID of an existing one, which is linked. The other fields are ignored then.",
    });
    with_id.insert("id".to_owned(), id);
    with_id.extend(properties(original)?.clone());
    schema["type"] = "object".into();
    schema["properties"] = with_id.into();
    Ok(schema)
}

fn properties(schema: &Value) -> Result<&Map<String, Value>> {
    schema["properties"]
        .as_object()
        .ok_or_else(|| format!("a schema without properties: {schema}").into())
}

/// The structs of query parameters, which are those of all variants together.
fn lists(description: &Value, variants: &[(&str, Value)]) -> Result<TokenStream> {
    let mut code = TokenStream::new();
    for (path, method, operation) in operations(description) {
        let queries = queries(operation);
        if queries.is_empty() {
            continue;
        }
        let id = text(operation, "operationId")?;
        let name = format_ident!("{}{}", id[..1].to_uppercase(), &id[1..]);
        let doc = format!("The query parameters of `{id}`.");
        let fields = queries
            .iter()
            .map(|parameter| {
                let field = identifier(text(parameter, "name")?);
                let leaf = leaf(&parameter["schema"])?;
                Ok(quote! { pub #field: MaybeUndefined<#leaf> })
            })
            .collect::<Result<Vec<_>>>()?;
        code.extend(quote! {
            #[doc = #doc]
            #[derive(Debug)]
            pub struct #name { #(#fields,)* }
        });
        for (variant, described) in variants {
            let present = self::queries(&described["paths"][path][method]);
            let schemas = &described["components"]["schemas"];
            code.extend(list_in_variant(&name, &queries, &present, schemas, variant)?);
        }
    }
    Ok(code)
}

fn queries(operation: &Value) -> Vec<&Value> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters.filter(|parameter| parameter["in"] == "query").collect()
}

fn list_in_variant(
    name: &proc_macro2::Ident,
    all: &[&Value],
    present: &[&Value],
    schemas: &Value,
    variant: &str,
) -> Result<TokenStream> {
    let variant = format_ident!("{variant}");
    let mut properties = Vec::new();
    let mut registered = TokenStream::new();
    let mut reads = Vec::new();
    for parameter in all {
        let parameter_name = text(parameter, "name")?;
        let field = identifier(parameter_name);
        let here = present.iter().find(|present| present["name"] == parameter["name"]);
        match here {
            Some(parameter) => {
                let mut described = parameter["schema"].clone();
                described["description"] = text(parameter, "description")?.into();
                let schema = schema(&described)?;
                properties.push(quote! { (#parameter_name, #schema) });
                registered.extend(registrations(&described, schemas)?);
                let take = take(parameter_name, &described);
                reads.push(quote! { #field: #take });
            }
            None => reads.push(quote! { #field: MaybeUndefined::Undefined }),
        }
    }
    let schema_name = name.to_string();
    Ok(quote! {
        impl Described<#variant> for #name {
            type Fields = Self;
            const NAME: &'static str = #schema_name;

            #[allow(unused_variables)]
            fn schema(registry: &mut Registry) -> MetaSchema {
                #registered
                MetaSchema { properties: vec![#(#properties),*], ..MetaSchema::new("object") }
            }

            fn read(fields: &mut Fields) -> Self {
                Self { #(#reads,)* }
            }
        }
    })
}

/// The structs of bodies: one of each kind, which a create and an update share.
fn bodies(variants: &[(&str, Value)]) -> Result<TokenStream> {
    let mut code = TokenStream::new();
    let (_, any) = variants.first().ok_or("there is a variant")?;
    for (kind, is_nested) in KINDS {
        let create = &any["components"]["schemas"][format!("{kind}Create")];
        let fields = format_ident!("{kind}Fields");
        let mut declared = Vec::new();
        let mut reads = Vec::new();
        for (name, property) in properties(create)? {
            let field = identifier(name);
            let leaf = leaf(property)?;
            declared.push(quote! { pub #field: MaybeUndefined<#leaf> });
            reads.push(quote! { #field: fields.take(#name) });
        }
        let doc = format!("The fields of a body that creates or updates: {kind}.");
        code.extend(quote! {
            #[doc = #doc]
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct #fields { #(#declared,)* }

            impl #fields {
                /// Takes the fields.
                pub fn read(fields: &mut Fields) -> Self {
                    Self { #(#reads,)* }
                }
            }
        });
        let required = names(&create["required"]);
        if is_nested {
            let name = identifier(&kind.to_lowercase());
            let kind = format_ident!("{kind}");
            code.extend(quote! {
                impl Nested for #fields {
                    const KIND: Kind = Kind::#kind;
                    const REQUIRED: &'static [&'static str] = &[#(#required),*];

                    fn read(fields: &mut Fields) -> Self {
                        Self::read(fields)
                    }

                    fn name(&self) -> Option<&str> {
                        self.#name.value().map(|name| name.0.as_str())
                    }
                }
            });
        }
        for action in ["Create", "Update"] {
            let name = format!("{kind}{action}");
            let ident = format_ident!("{name}");
            let doc = format!("The schema `{name}`.");
            code.extend(quote! {
                #[doc = #doc]
                pub enum #ident {}
            });
            for (variant, described) in variants {
                let schemas = &described["components"]["schemas"];
                code.extend(body_in_variant(&name, &fields, schemas, variant)?);
            }
        }
    }
    Ok(code)
}

fn body_in_variant(name: &str, fields: &proc_macro2::Ident, schemas: &Value, variant: &str) -> Result<TokenStream> {
    let ident = format_ident!("{name}");
    let variant = format_ident!("{variant}");
    let described = &schemas[name];
    let own = schema_literal(described)?;
    let registrations = registrations(described, schemas)?;
    let required = names(&described["required"]);
    let kept = names(&described["x-keep"]);
    let defaults = properties(described)?
        .iter()
        .filter(|(_, property)| !property["default"].is_null())
        .map(|(name, property)| {
            let default = json(&property["default"]);
            quote! { fields.default(#name, #default); }
        });
    Ok(quote! {
        impl Described<#variant> for #ident {
            type Fields = #fields;
            const NAME: &'static str = #name;

            #[allow(unused_variables)]
            fn schema(registry: &mut Registry) -> MetaSchema {
                #registrations
                #own
            }

            fn read(fields: &mut Fields) -> #fields {
                fields.require(&[#(#required),*]);
                fields.keep(&[#(#kept),*]);
                #(#defaults)*
                #fields::read(fields)
            }
        }
    })
}

/// Takes a parameter, with its default where it has one.
fn take(name: &str, schema: &Value) -> TokenStream {
    if schema["default"].is_null() {
        quote! { fields.take(#name) }
    } else {
        let default = json(&schema["default"]);
        quote! { { fields.default(#name, #default); fields.take(#name) } }
    }
}

/// The Rust type that reads what the schema describes.
fn leaf(schema: &Value) -> Result<TokenStream> {
    let name = text(schema, "x-type")?;
    let code = match name {
        "When" | "DateTimeInput" => "crate::calendar::date::DateTimeInput".to_owned(),
        "TermOrder" => "crate::store::term_list::TermOrder".to_owned(),
        "Object" => "crate::extract::JsonObject".to_owned(),
        "VenueReferences" => "references::LinkedReferences<VenueFields>".to_owned(),
        "OrganizerReferences" => "references::LinkedReferences<OrganizerFields>".to_owned(),
        "Number" => {
            let bound = |index: usize| schema["x-range"][index].as_i64().ok_or("x-range has two");
            format!("number::Number<{}, {}>", bound(0)?, bound(1)?)
        }
        "Flag" | "MapFlag" => "lenient_bool::LenientBool".to_owned(),
        "Position" | "Integer" | "Id" | "Ids" => format!("number::{name}"),
        "References" | "TermReferences" => format!("references::{name}"),
        "ImageReference" => format!("image::{name}"),
        "StatusName" | "StatusList" | "OrderDirection" | "IndexContext" => {
            format!("choice::{name}")
        }
        "Text" | "Line" | "Title" | "Html" | "Slug" | "WebAddress" | "EmailAddress" | "CostInput" | "ZoneName"
        | "Search" => format!("text::{name}"),
        other => return Err(format!("there is no leaf type {other}").into()),
    };
    Ok(syn::parse_str::<syn::Type>(&code).map(|leaf| quote! { #leaf })?)
}

fn names(list: &Value) -> Vec<&str> {
    let names = list.as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// A field's name, raw where it is a keyword.
fn identifier(name: &str) -> proc_macro2::Ident {
    syn::parse_str(name).unwrap_or_else(|_| format_ident!("r#{name}"))
}

/// The value as code that makes it.
fn json(value: &Value) -> TokenStream {
    let text = value.to_string();
    quote! { serde_json::from_str(#text).expect("build.rs wrote it") }
}

fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str> {
    value[member]
        .as_str()
        .ok_or_else(|| format!("{member} is missing or no text in {value}").into())
}
