//! Generates the table of operations from `openapi/specification.yaml`, checks and embeds the overlays of the document,
//! and prepares the assets of the pages.

use std::{env, error::Error, fs, path::Path};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use serde_json_path::JsonPath;

#[path = "src/pages/assets/prepare.rs"]
mod assets;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The content of the document that is not in the code.
const OVERLAYS: [&str; 4] = ["document", "links", "examples", "es"];

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=openapi");
    write_code("operations.rs", operations(&read("specification.yaml")?)?)?;
    for name in OVERLAYS {
        let file = format!("{name}.overlay.yaml");
        let overlay = read(&file)?;
        check_targets(&overlay).map_err(|error| format!("openapi/{file}: {error}"))?;
        write(&format!("{name}.overlay.json"), &overlay.to_string())?;
    }
    write_code("assets.rs", assets::prepare()?)
}

fn read(file: &str) -> Result<Value> {
    let text = fs::read_to_string(Path::new("openapi").join(file))?;
    serde_norway::from_str(&text).map_err(|error| format!("openapi/{file}: {error}").into())
}

fn write_code(name: &str, code: TokenStream) -> Result<()> {
    let file = syn::parse2(code).map_err(|error| format!("{name}: the generated code does not parse: {error}"))?;
    write(name, &prettyplease::unparse(&file))
}

/// Writes a file to `OUT_DIR`, from which the sources include it.
fn write(name: &str, text: &str) -> Result<()> {
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join(name), text)?)
}

/// The elements of the table of operations, in the order of the specification.
fn operations(specification: &Value) -> Result<TokenStream> {
    let mut operations = Vec::new();
    for (path, item) in members(&specification["paths"]) {
        for (method, operation) in members(item).filter(|(method, _)| *method != "parameters") {
            let id = text(operation, "operationId")?;
            let method = format_ident!("{}", method.to_uppercase());
            let parameters = items(&item["parameters"]).chain(items(&operation["parameters"]));
            let names = parameters
                .map(|parameter| text(parameter, "name"))
                .collect::<Result<Vec<_>>>()?;
            let media_types: Vec<&String> = members(&operation["responses"]["200"]["content"])
                .map(|(media_type, _)| media_type)
                .collect();
            let media_types = match media_types.is_empty() {
                true => quote! { &["application/json"] },
                false => quote! { &[#(#media_types),*] },
            };
            let returns_secret = operation["x-secret"] == true;
            let sends_message = operation["x-sends"] == true;
            operations.push(quote! {
                Operation {
                    id: #id,
                    method: Method::#method,
                    path: #path,
                    parameters: &[#(#names),*],
                    media_types: #media_types,
                    returns_secret: #returns_secret,
                    sends_message: #sends_message,
                }
            });
        }
    }
    Ok(quote! {
        /// Every operation, in the order of the specification.
        pub(crate) static OPERATIONS: &[Operation] = &[#(#operations),*];
    })
}

/// Fails if the target of an action is not a JSONPath (RFC 9535). A test checks that the targets exist in the document.
fn check_targets(overlay: &Value) -> Result<()> {
    for action in items(&overlay["actions"]) {
        let target = text(action, "target")?;
        JsonPath::parse(target).map_err(|error| format!("{target}: {error}"))?;
    }
    Ok(())
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str> {
    let text = value[member].as_str();
    text.ok_or_else(|| format!("{member} is missing or not a string in {value}").into())
}
