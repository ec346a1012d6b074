//! `almanac openapi`.

use clap::Args;
use serde_json::{Value, json};

use super::{CommandError, output::print_line};
use crate::{
    api::document,
    calendar::Variant,
    config::{self, Language},
};

/// The flags of `almanac openapi`.
#[derive(Args, Debug)]
pub struct OpenapiArgs {
    /// Variant of the API
    #[arg(long, default_value = "b", value_name = "VARIANT")]
    pub variant: Variant,

    /// Language of the texts
    #[arg(long, default_value = "en", value_name = "LANGUAGE")]
    pub lang: Language,

    /// URL of a server, for `servers` in the document
    #[arg(long, value_name = "URL", value_parser = config::base_url)]
    pub server: Option<String>,
}

/// Prints the document that is served at `/doc`.
pub(crate) fn run(arguments: &OpenapiArgs) -> Result<(), CommandError> {
    let mut document = document::emit(arguments.variant, arguments.lang);
    if let Some(url) = &arguments.server {
        document["servers"] = json!([{"url": url}]);
    }
    print_line(indented(&document))
}

/// The document as it is committed in `openapi/emitted/`, indented for readable diffs.
pub fn text(variant: Variant, language: Language) -> String {
    indented(&document::emit(variant, language))
}

fn indented(document: &Value) -> String {
    format!("{document:#}")
}
