//! The languages of texts for visitors.

/// A language of pages, of rules in words, and of the OpenAPI document.
#[expect(missing_docs, reason = "clap would print comments on the members in --help")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    En,
    Es,
}

impl Language {
    /// The language tag (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }
}
