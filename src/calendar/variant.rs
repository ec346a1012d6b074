//! The two variants of the API (specification, "Variants").

/// The variant that a server implements. It is a value in each request's data, so that one program supports both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[expect(missing_docs, reason = "clap would print doc comments of the variants in --help")]
pub enum Variant {
    // A: ten items per page. `end_date` limits the start of events, and times are exact. The only bounds are
    // `start_date` and `end_date`.
    A,
    // B: five items per page, and more filters. `end_date` limits the end of events, and bounds cover their whole day
    // unless `strict_dates` is set.
    B,
}

impl Variant {
    /// Both variants.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// The letter of the variant, as in the file names of the documents.
    pub fn letter(self) -> char {
        match self {
            Self::A => 'a',
            Self::B => 'b',
        }
    }
}
