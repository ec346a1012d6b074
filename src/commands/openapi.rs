//! `almanac openapi`.

use clap::Args;

use super::{Failure, output::print_line};
use crate::{api::document, calendar::Variant, config::Language};

/// Which document.
#[derive(Args, Debug)]
pub struct OpenapiArgs {
    /// Variant of the interface
    #[arg(long, default_value = "b", value_name = "VARIANT")]
    pub variant: Variant,

    /// Language of the texts
    #[arg(long, default_value = "en", value_name = "LANGUAGE")]
    pub lang: Language,
}

/// Prints the document that `/doc` serves.
pub fn run(arguments: &OpenapiArgs) -> Result<(), Failure> {
    print_line(text(arguments.variant, arguments.lang))
}

/// The document as it is committed: indented, for diffs.
pub fn text(variant: Variant, language: Language) -> String {
    format!("{:#}", document::emit(variant, language))
}
