//! A part of the build script. Writes the schemas of the description as poem-openapi's own.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use super::{Result, json, names, properties};

pub fn schema(described: &Value) -> Result<TokenStream> {
    if let Some(reference) = described["$ref"].as_str() {
        let name = reference.rsplit('/').next();
        return Ok(quote! { MetaSchemaRef::Reference(#name.to_owned()) });
    }
    let literal = schema_literal(described)?;
    Ok(quote! { MetaSchemaRef::Inline(Box::new(#literal)) })
}

/// The schema as poem-openapi's own struct. A keyword that is not known here would be lost, and is an error.
pub fn schema_literal(described: &Value) -> Result<TokenStream> {
    let members = described
        .as_object()
        .ok_or_else(|| format!("a schema is an object: {described}"))?;
    let mut ty = "";
    let mut set = Vec::new();
    for (keyword, value) in members {
        let words = value.as_str();
        let number = value.as_f64();
        let length = value.as_u64().and_then(|length| usize::try_from(length).ok());
        set.push(match keyword.as_str() {
            "type" => {
                ty = words.ok_or("type is a text")?;
                continue;
            }
            "required" => {
                let names = names(value);
                quote! { required: vec![#(#names),*] }
            }
            "properties" => {
                let properties = properties(described)?
                    .iter()
                    .map(|(name, property)| {
                        let schema = schema(property)?;
                        Ok(quote! { (#name, #schema) })
                    })
                    .collect::<Result<Vec<_>>>()?;
                quote! { properties: vec![#(#properties),*] }
            }
            "items" => {
                let items = schema(value)?;
                quote! { items: Some(Box::new(#items)) }
            }
            "allOf" | "oneOf" => {
                let list = format_ident!("{}", if keyword == "allOf" { "all_of" } else { "one_of" });
                let parts = value.as_array().ok_or("allOf and oneOf are lists")?;
                let parts = parts.iter().map(schema).collect::<Result<Vec<_>>>()?;
                quote! { #list: vec![#(#parts),*] }
            }
            "additionalProperties" => quote! {
                additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY))))
            },
            "enum" => {
                let values = value.as_array().ok_or("enum is a list")?.iter().map(json);
                quote! { enum_items: vec![#(#values),*] }
            }
            "default" => {
                let default = json(value);
                quote! { default: Some(#default) }
            }
            "example" => {
                let example = json(value);
                quote! { example: Some(#example) }
            }
            "title" => {
                let title = words.ok_or("title is a text")?;
                quote! { title: Some(#title.to_owned()) }
            }
            "description" => quote! { description: Some(#words) },
            "format" => quote! { format: Some(#words) },
            "nullable" => {
                let nullable = value == true;
                quote! { nullable: #nullable }
            }
            "minimum" => quote! { minimum: Some(#number) },
            "maximum" => quote! { maximum: Some(#number) },
            "minLength" => quote! { min_length: Some(#length) },
            "maxLength" => quote! { max_length: Some(#length) },
            "maxItems" => quote! { max_items: Some(#length) },
            "pattern" => {
                let pattern = words.ok_or("pattern is a text")?;
                quote! { pattern: Some(#pattern.to_owned()) }
            }
            _ if keyword.starts_with("x-") => continue,
            _ => return Err(format!("the keyword {keyword} is not known: {described}").into()),
        });
    }
    Ok(quote! { MetaSchema { #(#set,)* ..MetaSchema::new(#ty) } })
}

/// Registers the schemas that this one refers to, and those that they refer to.
pub fn registrations(schema: &Value, schemas: &Value) -> Result<TokenStream> {
    let mut code = TokenStream::new();
    for name in references(schema, schemas) {
        let other = schema_literal(&schemas[&name])?;
        code.extend(quote! { registry.schemas.insert(#name.to_owned(), #other); });
    }
    Ok(code)
}

fn references(schema: &Value, schemas: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(members) => {
            let mut names: BTreeSet<String> = members
                .values()
                .flat_map(|member| references(member, schemas))
                .collect();
            let own = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = own.and_then(|reference| reference.rsplit('/').next()) {
                names.extend(references(&schemas[name], schemas));
                names.insert(name.to_owned());
            }
            names
        }
        Value::Array(items) => items.iter().flat_map(|item| references(item, schemas)).collect(),
        _ => BTreeSet::new(),
    }
}
