//! Generates the client from the emitted document.

use std::{env, fs, path::Path};

use progenitor::{GenerationSettings, Generator, InterfaceStyle};

fn main() -> anyhow::Result<()> {
    let variant = match env::var_os("CARGO_FEATURE_VARIANT_A") {
        Some(_) => "a",
        None => "b",
    };
    let document = format!("../../../openapi/emitted/variant-{variant}.en.json");
    println!("cargo::rerun-if-changed={document}");
    let document = serde_json::from_str(&fs::read_to_string(document)?)?;
    // With 22 filters, a builder reads better than 22 arguments.
    let mut generator = Generator::new(GenerationSettings::new().with_interface(InterfaceStyle::Builder));
    let code = syn::parse2(generator.generate_tokens(&document)?)?;
    let file = Path::new(&env::var("OUT_DIR")?).join("almanac_client.rs");
    Ok(fs::write(file, prettyplease::unparse(&code))?)
}
